//! Renders the building blocks for the cards of actions.

use leptos::prelude::*;
use leptos_assistant::{Icon, chat::spinner};

use crate::page_icons::PageIcon;

/// The icon at the start of a line.
#[derive(Clone, Copy)]
pub(crate) enum LineIcon {
    Busy,
    Icon(Icon),
    Page(PageIcon),
}

impl LineIcon {
    fn view(self) -> AnyView {
        match self {
            Self::Busy => spinner().into_any(),
            Self::Icon(icon) => icon.view().into_any(),
            Self::Page(icon) => icon.view(),
        }
    }
}

/// Renders a line of text with an icon in the colour of the call's status.
pub(crate) fn line(mark: LineIcon, text: impl Into<String>) -> AnyView {
    let text = text.into();
    view! { <p class="la-tool-line">{mark.view()}<span>{text}</span></p> }.into_any()
}

/// Renders a line of text with an icon in the colour of a tone: ok, warning, error or neutral.
pub(crate) fn toned_line(tone: &'static str, mark: Icon, text: impl Into<String>) -> AnyView {
    let text = text.into();
    view! {
        <p class="la-tool-line" data-tone=tone>{mark.view()}<span>{text}</span></p>
    }
    .into_any()
}

/// Returns the reason why a call failed, as the end of a sentence. Returns a default text if
/// `error` is `None`.
pub(crate) fn reason(error: Option<String>) -> String {
    error.unwrap_or_else(|| "no reason was given".to_owned())
}

pub(crate) fn card(content: impl IntoView + 'static) -> AnyView {
    view! { <div class="la-card"><div class="la-card-body">{content}</div></div> }.into_any()
}

/// Renders a progress bar. The bar is indeterminate if `percent` is `None`.
pub(crate) fn progress_bar(label: String, percent: Option<f64>) -> impl IntoView {
    view! {
        <progress
            class="la-progress"
            max="100"
            value=percent.map(|percent| percent.round().to_string())
            aria-label=label
        ></progress>
    }
}
