//! Notes beside an approval: that the call has changed, and that more is to be read.

use leptos::prelude::*;
use serde_json::Value;

use super::visibility::Visibility;
use crate::{
    action::ToolCallView,
    ui::{Words, dynamic, memo},
};

/// Says that the call has changed since it was shown, if it has.
pub(super) fn changed_note(call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let first = untrack(|| call.fingerprint());
    let says = memo(move || {
        let now = call.fingerprint();
        // Of an action that is gone for now, something else is said.
        call.has_changed() || (now.is_some() && now != first && call.can_run())
    });
    let note = move || {
        says.get()
            .then(|| view! { <span>{words.text(|l| &l.changed)}</span> })
    };
    view! {
        <p class="la-approval-changed" role="status">
            {dynamic(note)}
        </p>
    }
    .into_any()
}

/// Tells a user who pressed Approve too early what is left to read.
pub(super) fn hint(words: &Words, visibility: Visibility) -> impl IntoView + use<> {
    let words = words.clone();
    let text = move || {
        visibility
            .prompts_to_read()
            .then(|| view! { <span>{words.text(|l| &l.read_to_end)}</span> })
    };
    view! {
        <p class="la-approval-hint" role="status">
            {dynamic(text)}
        </p>
    }
}
