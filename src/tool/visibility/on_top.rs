//! Opens a covered request above everything else on the page.

use leptos::{html, prelude::*};

use super::Visibility;
use crate::ui::{Words, dynamic, effect, focus, live_in_dialog};

/// The control that opens one request above the page, or returns the request to its place.
#[derive(Clone, Copy)]
pub(super) struct RaiseControl {
    is_open: RwSignal<bool>,
}

/// Renders a request in its place, or in a modal dialog once the user has opened the dialog. The
/// request is rendered again in the dialog, so it must have been visible there before an answer
/// counts.
pub(in crate::tool) fn render_raisable(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    let on_top = RaiseControl {
        is_open: RwSignal::new(false),
    };
    dynamic(move || {
        let is_open = on_top.is_open.get();
        provide_context(on_top);
        match is_open {
            false => draw(),
            true => raised_dialog(on_top, draw()),
        }
    })
    .into_any()
}

/// Renders a note that appears while the request is covered, with a button that opens the request
/// above the cover.
pub(crate) fn cover_note(words: &Words, visibility: Visibility) -> AnyView {
    let (text, button) = (words.clone(), words.clone());
    let note = move || {
        let is_covered = visibility.is_covered();
        is_covered.then(|| view! { <span>{text.text(|l| &l.covered)}</span> })
    };
    let raises = move || {
        let on_top = visibility.on_top?;
        (visibility.is_covered() && !on_top.is_open.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="la-button"
                    data-size="small"
                    on:click=move |_| on_top.is_open.set(true)
                >
                    <span>{button.text(|l| &l.show_on_top)}</span>
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
            {dynamic(raises)}
        </div>
    }
    .into_any()
}

fn raised_dialog(on_top: RaiseControl, card: AnyView) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    effect(move |_| {
        if let Some(dialog) = element.get() {
            // Fails only if the dialog is already open.
            let _ = dialog.show_modal();
            // Focuses the dialog instead of its first button, so that a key typed meanwhile presses
            // no button.
            let _ = dialog.focus();
        }
    });
    let close = move |_| {
        if let Some(dialog) = element.get_untracked() {
            dialog.close();
        }
    };
    let closed = move |_| {
        if let Some(dialog) = element.get_untracked() {
            focus::focus_after_removal(&dialog, true);
        }
        let _ = on_top.is_open.try_set(false);
    };
    view! {
        <dialog
            class="la-dialog la-on-top"
            aria-label=words.attr(|l| &l.request_on_top)
            tabindex="-1"
            node_ref=element
            on:close=closed
        >
            {card}
            <div class="la-dialog-actions">
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    on:click=close
                >
                    <span>{words.text(|l| &l.back_to_chat)}</span>
                </button>
            </div>
            {live_in_dialog()}
        </dialog>
    }
    .into_any()
}
