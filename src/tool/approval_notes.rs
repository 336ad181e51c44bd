//! The notes on an approval card: that the call has changed, and that it must be read to the end.

use leptos::prelude::*;
use serde_json::Value;

use super::visibility::Visibility;
use crate::{
    action::ToolCallView,
    ui::{WordOf, Words, dynamic, memo},
};

/// Shows a note if the call has changed since it was first shown. `by_user` is true if the user has
/// made the change.
pub(super) fn changed_note(call: ToolCallView<Value>, by_user: Signal<bool>) -> AnyView {
    let words = Words::current();
    let first = untrack(|| call.fingerprint());
    let says = memo(move || {
        let now = call.fingerprint();
        // An action that is currently not registered has another note.
        call.has_changed() || (now.is_some() && now != first && call.can_run())
    });
    let note = move || {
        says.get().then(|| {
            let text: WordOf = match by_user.get() {
                true => |l| &l.changed_by_you,
                false => |l| &l.changed,
            };
            view! { <span>{words.text(text)}</span> }
        })
    };
    view! {
        <p class="la-approval-changed" aria-live="polite" aria-atomic="true">
            {dynamic(note)}
        </p>
    }
    .into_any()
}

/// Renders the note that asks a user who pressed Approve too early to read the rest.
pub(super) fn hint(words: &Words, visibility: Visibility) -> AnyView {
    reading_hint(words, visibility, |l| &l.read_to_end)
}

/// Renders the note that asks a user who submitted a form too early to read the rest.
pub(super) fn form_hint(words: &Words, visibility: Visibility) -> AnyView {
    reading_hint(words, visibility, |l| &l.read_to_answer)
}

fn reading_hint(words: &Words, visibility: Visibility, word: WordOf) -> AnyView {
    let words = words.clone();
    let text = move || {
        visibility
            .prompts_to_read()
            .then(|| view! { <span>{words.text(word)}</span> })
    };
    view! {
        <p class="la-approval-hint" aria-live="polite" aria-atomic="true">
            {dynamic(text)}
        </p>
    }
    .into_any()
}
