//! Renders the notes below a message, such as the reason why the message is incomplete, or the
//! agent's differing version of the message.

use assistant_core::{conversation::Cut, event::Role};
use leptos::prelude::*;

use super::MessageContext;
use crate::{
    part::stored_steps,
    tool::ExactText,
    ui::{Icon, LabelName, Words, dynamic, memo, when},
};

/// Notes below a message: a mark if the user sent the message during a run, the steps of the agent,
/// the reason why the message is incomplete, and the agent's differing version of the message. Each
/// note is a separate element that is rendered only if the note applies, so the component takes no
/// attributes. [`MessageView`](super::MessageView) contains this component; in a custom
/// arrangement, put the component into a [`MessageRoot`](super::MessageRoot).
#[component]
pub fn MessageNotes() -> impl IntoView {
    let Some(message_context) = MessageContext::find_surrounding("MessageNotes") else {
        return ().into_any();
    };
    let message = &message_context.message;
    let (cut, disputed_version) = (displayed_cut(&message_context), message.disputed.clone());
    let is_by_user = message.role == Role::User;
    let (steps, is_interjected) = (message.steps.read_only(), message.interjected);
    // All notes share one condition, because most messages have no notes, and a condition for each
    // kind of note would add one placeholder node to the DOM for each kind.
    let has_notes = {
        let (steps, disputed_version) = (steps.clone(), disputed_version.clone());
        move || {
            is_interjected
                || steps.with(|steps| !steps.is_empty())
                || cut.get().is_some()
                || disputed_version.with(Option::is_some)
        }
    };
    let words = message_context.words.clone();
    let render_notes = move || {
        let (disputed_version, steps) = (disputed_version.clone(), steps.clone());
        let tracked_steps = steps.clone();
        let (words, note_words) = (words.clone(), words.clone());
        let interjected_note = is_interjected.then(|| {
            view! {
                <p class="la-message-note" data-note="interjected">
                    {Icon::Chat.view()} <span>{words.text(LabelName::Interjected)}</span>
                </p>
            }
        });
        view! {
            {interjected_note}
            {when(
                move || tracked_steps.with(|steps| !steps.is_empty()),
                move || stored_steps(steps.clone()),
            )}
            {dynamic(move || cut.get().map(|cut| cut_note(&words, cut, is_by_user)))}
            {dynamic(move || disputed_version.get().map(|text| disputed_note(&note_words, text)))}
        }
        .into_any()
    };
    when(has_notes, render_notes).into_any()
}

/// Returns a signal with the way in which a message ended early. The value is `None` if no note
/// shows the early end. For an unanswered message of the user, no note is shown while a notice
/// shows the reason.
fn displayed_cut(message_context: &MessageContext) -> Memo<Option<Cut>> {
    let (cut, id) = (
        message_context.message.cut.clone(),
        message_context.message.id.clone(),
    );
    if message_context.message.role != Role::User {
        return memo(move || cut.get());
    }
    let (notices, messages) = (
        message_context.assistant.notices(),
        message_context.assistant.messages(),
    );
    memo(move || {
        let cut = cut.get()?;
        let is_newest = messages.with(|list| list.last().is_some_and(|entry| entry.id == id));
        let has_notice = notices.with(|list| list.iter().any(|notice| notice.is_failure()));
        (!(is_newest && has_notice)).then_some(cut)
    })
}

/// Renders the reason why the message is incomplete, or has no answer.
fn cut_note(words: &Words, cut: Cut, is_by_user: bool) -> impl IntoView + use<> {
    let (label, is_failure) = match cut {
        Cut::Failed | Cut::BrokenOff if is_by_user => (words.text(LabelName::CutUnanswered), true),
        Cut::Stopped => (words.text(LabelName::CutStopped), false),
        Cut::Cancelled => (words.text(LabelName::CutCancelled), false),
        Cut::Failed => (words.text(LabelName::CutFailed), true),
        _ => (words.text(LabelName::CutBrokenOff), true),
    };
    let icon = if is_failure { Icon::Alert } else { Icon::Ban };
    view! {
        <p class="la-message-note" data-cut=cut.as_str() data-tone=is_failure.then_some("error")>
            {icon.view()}
            <span>{label}</span>
        </p>
    }
}

/// Renders the agent's differing version of a message, collapsed.
fn disputed_note(words: &Words, text: String) -> impl IntoView + use<> {
    view! {
        <details class="la-message-disputed la-fold">
            <summary class="la-fold-summary">
                {Icon::Alert.view()} <span>{words.text(LabelName::Disputed)}</span> {Icon::chevron()}
            </summary>
            <p class="la-tool-label">{words.text(LabelName::AgentsVersion)}</p>
            <pre class="la-code" data-kind="agents-version" tabindex="0" dir="auto">
                <ExactText text readable=true />
            </pre>
        </details>
    }
}
