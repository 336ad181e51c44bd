//! Renders the notes on an approval card, which state that the call has changed, that the action of
//! the call is missing, or that the card must be read to the end.

use std::cell::Cell;

use assistant_core::conversation::Fingerprint;
use leptos::prelude::*;
use serde_json::Value;

use super::visibility::Visibility;
use crate::{
    action::ToolCallView,
    ui::{LabelName, Words, after, dynamic, effect, memo},
};

/// The time, in milliseconds, after which a card states that the action of its call is missing, and
/// offers to dismiss the call. The component that registers the action may be mounted later than
/// the card: after a reload, or when the user returns to a view of the page.
const GRACE_MS: u32 = 2_000;

/// Returns a signal that is true while the action of a call has been missing for at least
/// [`GRACE_MS`].
pub(super) fn is_unavailable(runnable: Memo<bool>) -> ReadSignal<bool> {
    let (unavailable, set_unavailable) = signal(false);
    let latest_change = StoredValue::new(0_u32);
    effect(move |last_change: Option<u32>| {
        let change = last_change.unwrap_or(0).wrapping_add(1);
        latest_change.set_value(change);
        match runnable.get() {
            true => set_unavailable.set(false),
            // The setter is fallible, because the signals may be disposed with the card before the
            // timer fires.
            false => after(GRACE_MS, move || {
                if latest_change.try_get_value() == Some(change) {
                    let _ = set_unavailable.try_set(true);
                }
            }),
        }
        change
    });
    unavailable
}

/// Renders a note that appears once the call has changed since its first complete version was
/// shown. `by_user` is true if the user has made the change.
pub(super) fn changed_note(call: ToolCallView<Value>, by_user: Signal<bool>) -> AnyView {
    let words = Words::current();
    let first_version = StoredValue::new(None);
    let is_changed = memo(move || {
        let (has_changed, can_run) = (call.has_changed(), call.can_run());
        let Some(current_version) = call.fingerprint() else {
            return has_changed;
        };
        match first_version.get_value() {
            // Requires `can_run`, because an action that is currently not registered has its own
            // note.
            Some(first_version) => has_changed || (current_version != first_version && can_run),
            None => {
                if is_complete(&call, &current_version) {
                    first_version.set_value(Some(current_version));
                }
                has_changed
            }
        }
    });
    let note = move || {
        is_changed.get().then(|| {
            let text = match by_user.get() {
                true => LabelName::ChangedByYou,
                false => LabelName::Changed,
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

/// Returns true if the shown version of a call is the current version, its action is registered,
/// and its preview has been computed. The action may be registered later than the card is shown,
/// and a preview may take a while: what they add to the card is not a change of the call.
fn is_complete(call: &ToolCallView<Value>, shown_version: &Fingerprint) -> bool {
    let current_version = call.assistant().and_then(|assistant| {
        assistant
            .read(|session| session.fingerprint(call.key()))
            .flatten()
    });
    let awaits_preview = call.has_preview() && call.preview().is_none();
    call.can_run() && !awaits_preview && current_version.as_ref() == Some(shown_version)
}

/// Renders the note that asks the user to read the rest of a request before approving.
pub(super) fn approval_hint(words: &Words, visibility: Visibility) -> AnyView {
    approval_hint_unless(words, visibility, Signal::stored(false))
}

/// Renders the note that asks the user to read the rest of a request before approving, except while
/// `denies` is true.
pub(super) fn approval_hint_unless(
    words: &Words,
    visibility: Visibility,
    denies: Signal<bool>,
) -> AnyView {
    reading_hint(words, visibility, LabelName::ReadToEnd, denies)
}

/// Renders the note that asks the user to read the rest of a question before submitting a form.
pub(super) fn form_hint(words: &Words, visibility: Visibility) -> AnyView {
    reading_hint(
        words,
        visibility,
        LabelName::ReadToAnswer,
        Signal::stored(false),
    )
}

fn reading_hint(
    words: &Words,
    visibility: Visibility,
    word: LabelName,
    denies: Signal<bool>,
) -> AnyView {
    let words = words.clone();
    let is_shown = memo(move || visibility.should_prompt_to_read() && !denies.get());
    // Once the hint was shown, the style sheet reserves its space with the text in this attribute,
    // so that the buttons do not move under the pointer when the hint disappears.
    let was_shown = Cell::new(false);
    let attribute_words = words.clone();
    let last_text = move || {
        was_shown.set(was_shown.get() || is_shown.get());
        (was_shown.get() && !denies.get()).then(|| attribute_words.word(word))
    };
    let text = move || {
        is_shown
            .get()
            .then(|| view! { <span>{words.text(word)}</span> })
    };
    view! {
        <p class="la-approval-hint" data-last-text=last_text aria-live="polite" aria-atomic="true">
            {dynamic(text)}
        </p>
    }
    .into_any()
}
