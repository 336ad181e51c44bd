//! Opens a covered request above everything else on the page.

use leptos::{html, prelude::*};

use super::Visibility;
use crate::ui::{LabelName, Words, dynamic, effect, focus, live_in_dialog};

/// The control that opens one request above the page, or returns the request to its place.
#[derive(Clone, Copy)]
pub(super) struct RaiseControl {
    is_open: RwSignal<bool>,
}

/// Renders a request in its place, or in a modal dialog once the user has opened the dialog. The
/// request is rendered again in the dialog, so an answer is accepted only after the request was
/// visible in the dialog.
pub(in crate::tool) fn render_raisable(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    let control = RaiseControl {
        is_open: RwSignal::new(false),
    };
    dynamic(move || {
        let is_open = control.is_open.get();
        provide_context(control);
        match is_open {
            false => draw(),
            true => raised_dialog(control, draw()),
        }
    })
    .into_any()
}

/// Renders a note that appears while the request is covered, with a button that opens the request
/// above the cover.
pub(crate) fn cover_note(words: &Words, visibility: Visibility) -> AnyView {
    let (note_words, button_words) = (words.clone(), words.clone());
    let note = move || {
        let is_covered = visibility.is_covered();
        is_covered.then(|| view! { <span>{note_words.text(LabelName::Covered)}</span> })
    };
    let raise_button = move || {
        let control = visibility.on_top?;
        (visibility.is_covered() && !control.is_open.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="la-button"
                    data-size="small"
                    on:click=move |_| control.is_open.set(true)
                >
                    <span>{button_words.text(LabelName::ShowOnTop)}</span>
                </button>
            }
        })
    };
    view! {
        <div
            class="la-cover"
            data-empty=move || (!visibility.is_covered()).then_some("")
        >
            <p class="la-cover-text" aria-live="polite" aria-atomic="true">
                {dynamic(note)}
            </p>
            {dynamic(raise_button)}
        </div>
    }
    .into_any()
}

fn raised_dialog(control: RaiseControl, card: AnyView) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    effect(move |_| {
        if let Some(dialog) = element.get() {
            // The error is ignored, because `show_modal` fails only if the dialog is already open.
            let _ = dialog.show_modal();
            // Focuses the dialog instead of its first button, so that a key that the user is typing
            // presses no button.
            let _ = dialog.focus();
        }
    });
    let close_dialog = move |_| {
        if let Some(dialog) = element.get_untracked() {
            dialog.close();
        }
    };
    let on_close = move |_| {
        if let Some(dialog) = element.get_untracked() {
            focus::focus_after_removal(&dialog, true);
        }
        let _ = control.is_open.try_set(false);
    };
    view! {
        <dialog
            class="la-dialog la-on-top"
            aria-label=words.attr(LabelName::RequestOnTop)
            tabindex="-1"
            node_ref=element
            on:close=on_close
        >
            {card}
            <div class="la-dialog-actions">
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    on:click=close_dialog
                >
                    <span>{words.text(LabelName::BackToChat)}</span>
                </button>
            </div>
            {live_in_dialog()}
        </dialog>
    }
    .into_any()
}
