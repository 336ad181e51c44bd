//! Shows the version of a message, and switches between versions.

use assistant_core::conversation::{MessageId, Sibling};
use leptos::{ev, html, prelude::*};

use super::super::{message_context::MessageContext, transcript_context::TranscriptContext};
use crate::{
    store::Ownership,
    ui::{
        Icon, IconButton, LabelName, Words, dynamic, effect, focus, is_right_to_left, memo, when,
    },
};

/// Shows the version of a message, "2 / 3", with buttons for the previous and the next version.
/// Renders nothing for a message with one version. A [`Transcript`](crate::chat::Transcript) shows
/// the picker below each turn that has versions; outside of a transcript, put the picker into a
/// [`MessageRoot`](crate::chat::MessageRoot).
///
/// A version is shown with the messages that followed the version when it was last shown. Switching
/// is possible while work is running: the work continues on its branch, and an
/// [`OtherBranch`](super::OtherBranch) switches back to that branch.
///
/// # Accessibility
///
/// The picker is a group of two buttons, which also supports the arrow keys. The pressed button
/// keeps the focus when the version changes, and the new version is announced. The previous button
/// is `aria-disabled` at the first version, and the next button is `aria-disabled` at the last
/// version. Both buttons are `aria-disabled` while another tab owns the conversation. The arrow
/// keys follow the direction of the text: in right-to-left text, the left arrow key shows the next
/// version.
///
/// # Styling
///
/// The picker has the class `la-branch-picker`, and contains an element with the class
/// `la-branch-place`.
#[component]
pub fn BranchPicker() -> impl IntoView {
    let Some(message_context) = MessageContext::find_surrounding("BranchPicker") else {
        return ().into_any();
    };
    let transcript = message_context.transcript();
    let (assistant, id) = (
        message_context.assistant.clone(),
        message_context.message.id.clone(),
    );
    let version_id = id.clone();
    let has_versions = move || {
        assistant
            .current_version(&version_id)
            .is_some_and(|(_, count)| count > 1)
    };
    when(has_versions, move || render_picker(&transcript, &id)).into_any()
}

/// Renders the picker for a message, even if the message has only one version.
pub(in crate::chat) fn render_picker(transcript: &TranscriptContext, id: &MessageId) -> AnyView {
    let words = Words::current();
    let (assistant, version_id) = (transcript.assistant.clone(), id.clone());
    let version = memo(move || assistant.current_version(&version_id).unwrap_or((1, 1)));
    let buttons = [NodeRef::<html::Button>::new(), NodeRef::new()];
    restore_focus_after_switch(transcript, id, buttons, version, &words);
    let switch = {
        let (transcript, id) = (transcript.clone(), id.clone());
        move |direction: Sibling| show_sibling(&transcript, &id, direction)
    };
    let switch_by_key = switch.clone();
    let on_keydown = move |event: ev::KeyboardEvent| {
        let mut directions = [Sibling::Previous, Sibling::Next];
        if is_right_to_left(&event_target::<web_sys::Element>(&event)) {
            directions.reverse();
        }
        let [left, right] = directions;
        let direction = match event.key().as_str() {
            "ArrowLeft" => left,
            "ArrowRight" => right,
            _ => return,
        };
        event.prevent_default();
        switch_by_key(direction);
    };
    let short_words = words.clone();
    let short_text = move || {
        let (number, count) = version.get();
        short_words.position(LabelName::VersionPlace, number, count)
    };
    let long_words = words.clone();
    let long_text = move || {
        let (number, count) = version.get();
        long_words.position(LabelName::Version, number, count)
    };
    // In a tab that does not own the conversation, the version of the owner is shown.
    let ownership = transcript.assistant.conversations().ownership();
    let is_read_only = memo(move || ownership.get() == Ownership::OtherTab);
    let [previous_button, next_button] = buttons;
    let switch_back = switch.clone();
    view! {
        <div
            class="la-branch-picker"
            role="group"
            aria-label=words.attr(LabelName::Versions)
            on:keydown=on_keydown
        >
            {arrow_button(
                &words,
                previous_button,
                LabelName::PreviousVersion,
                Icon::ChevronLeft,
                Signal::derive(move || is_read_only.get() || version.get().0 <= 1),
                Box::new(move || switch_back(Sibling::Previous)),
            )}
            <span class="la-branch-place" aria-hidden="true">
                {dynamic(short_text)}
            </span>
            <span class="la-visually-hidden">{dynamic(long_text)}</span>
            {arrow_button(
                &words,
                next_button,
                LabelName::NextVersion,
                Icon::Chevron,
                Signal::derive(move || is_read_only.get() || version.get().0 >= version.get().1),
                Box::new(move || switch(Sibling::Next)),
            )}
        </div>
    }
    .into_any()
}

fn show_sibling(transcript: &TranscriptContext, id: &MessageId, direction: Sibling) {
    let sibling_id = transcript
        .assistant
        .with_conversation(|conversation| conversation.sibling(id, direction).ok().cloned());
    let Some(sibling_id) = sibling_id.flatten() else {
        return;
    };
    transcript.hold_position();
    match transcript.assistant.branches().show(id, direction) {
        Ok(()) => transcript
            .requested_version
            .set(Some((sibling_id, direction))),
        // A switch is refused in a tab that does not own the conversation.
        Err(_) => transcript.resume_following(),
    }
}

/// Moves the focus to the same button of the new version after a switch by a picker, resumes
/// following the end of the transcript, and announces the version.
fn restore_focus_after_switch(
    transcript: &TranscriptContext,
    id: &MessageId,
    [previous_button, next_button]: [NodeRef<html::Button>; 2],
    version: Memo<(usize, usize)>,
    words: &Words,
) {
    let (transcript, id, words) = (transcript.clone(), id.clone(), words.clone());
    effect(move |_| {
        let direction = transcript.requested_version.with(|requested_version| {
            let own_switch = requested_version
                .as_ref()
                .filter(|(message, _)| *message == id);
            own_switch.map(|(_, direction)| *direction)
        });
        let button = match direction {
            Some(Sibling::Previous) => previous_button.get(),
            Some(Sibling::Next) => next_button.get(),
            None => None,
        };
        if let Some(button) = button {
            transcript.requested_version.set(None);
            focus::focus_in_place(&button);
            transcript.resume_following();
            let (number, count) = version.get_untracked();
            let text = untrack(|| words.position(LabelName::Version, number, count));
            transcript.announce(text);
        }
    });
}

fn arrow_button(
    words: &Words,
    node: NodeRef<html::Button>,
    label: LabelName,
    icon: Icon,
    is_at_end: Signal<bool>,
    on_click: Box<dyn Fn()>,
) -> AnyView {
    IconButton {
        node,
        disabled: is_at_end,
        ..IconButton::new(label, icon, move |_| on_click())
    }
    .view(words)
}
