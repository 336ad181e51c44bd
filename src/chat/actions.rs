//! Renders the actions and the time of a finished turn, and on request its price, tokens and
//! duration.

use assistant_core::{
    conversation::{Cost, MessageId},
    event::Role,
};
use leptos::{prelude::*, task::spawn_local};

use super::{
    Feedback,
    branch::{can_regenerate, edit_button, regenerate_button, render_picker},
    day::message_time,
    message_context::MessageContext,
    transcript_context::TranscriptContext,
};
use crate::{
    assistant::Assistant,
    ui::{
        COPY_OUTCOME_MS, Icon, IconButton, LabelName, Labels, Words, after, copy_to_clipboard,
        dynamic, memo, when,
    },
};

/// The shortest duration that is shown, in milliseconds.
const MIN_DURATION_MS: u64 = 100;

/// Shows the versions of a message and, once it is complete, its actions: copy, feedback, edit or
/// regenerate, the time, and a button that shows the message's price, tokens and duration. Shows
/// nothing while the user edits the message. A [`Transcript`](super::Transcript) shows the same
/// content below each turn.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     chat::{Feedback, MessageActions, MessageParts, MessageRoot},
///     view::MessageCell,
/// };
///
/// fn bubble(message: MessageCell) -> impl IntoView {
///     let on_feedback = |feedback: Feedback| {
///         leptos::logging::log!("{}: {:?}", feedback.message_id, feedback.positive);
///     };
///     view! { <MessageRoot message><MessageParts /> <MessageActions on_feedback /></MessageRoot> }
/// }
/// ```
#[component]
pub fn MessageActions(
    /// The callback for the user's feedback on the message. If omitted, the transcript's callback
    /// is used. Without any callback there are no feedback buttons.
    #[prop(optional, into)]
    on_feedback: Option<Callback<Feedback>>,
) -> impl IntoView {
    let Some(message_context) = MessageContext::find_surrounding("MessageActions") else {
        return ().into_any();
    };
    let is_outside_transcript = use_context::<TranscriptContext>().is_none();
    let mut transcript = message_context.transcript();
    transcript.on_feedback = on_feedback.or(transcript.on_feedback);
    let announcement = transcript.announcement;
    let (id, is_streaming) = (
        message_context.message.id.clone(),
        message_context.message.streaming.clone(),
    );
    let is_complete = memo(move || !is_streaming.get());
    let picker_args = (transcript.clone(), id.clone());
    let (edited_message, edited_id) = (transcript.edited_message, id.clone());
    let is_editing = move || edited_message.is_editing(&edited_id);
    let role = message_context.message.role;
    let controls = move || {
        is_complete
            .get()
            .then(|| message_controls(&transcript, vec![id.clone()]))
    };
    // Outside of a transcript, this component has its own live region for the result of copying.
    let live_region = is_outside_transcript.then(|| {
        view! {
            <p class="la-visually-hidden" aria-live="polite" aria-atomic="true">
                {dynamic(move || announcement.get())}
            </p>
        }
    });
    let render_bar = move || {
        let ((transcript, id), controls) = (picker_args.clone(), controls.clone());
        let (assistant, version_id) = (transcript.assistant.clone(), id.clone());
        let has_versions = move || {
            let version = assistant.current_version(&version_id);
            version.is_some_and(|(_, count)| count > 1)
        };
        let version_picker = when(has_versions, move || render_picker(&transcript, &id));
        message_bar(
            role,
            view! { {version_picker} {dynamic(controls)} }.into_any(),
        )
    };
    view! {
        <div class="la-message-actions">
            {when(move || !is_editing(), render_bar)} {live_region}
        </div>
    }
    .into_any()
}

/// Renders the bar below a turn or a message, around the given actions.
pub(super) fn message_bar(role: Role, children: AnyView) -> AnyView {
    let words = Words::current();
    view! {
        <div
            class="la-message-bar"
            role="group"
            aria-label=words.attr(LabelName::MessageActions)
            data-of=role.as_str()
        >
            {children}
        </div>
    }
    .into_any()
}

/// Renders the actions and details of the messages of a finished turn. Returns `None` if `messages`
/// is empty, or its last message does not exist.
pub(super) fn message_controls(
    transcript: &TranscriptContext,
    messages: Vec<MessageId>,
) -> Option<AnyView> {
    let words = Words::current();
    let (first, last) = (messages.first()?.clone(), messages.last()?.clone());
    let message_details = transcript.assistant.with_conversation(|conversation| {
        let last = conversation.message(&last)?;
        Some((
            last.author_role(),
            last.created_at(),
            last.wire_id().to_owned(),
            conversation.cost_of(&messages),
        ))
    });
    let (role, created_at, wire_id, cost) = message_details.flatten()?;
    let has_text = markdown_source(&transcript.assistant, &messages).is_some();
    let copy_control = has_text.then(|| copy_button(transcript, &words, messages));
    let feedback_controls = match transcript.on_feedback {
        Some(callback) if has_text && role != Role::User => Some(feedback_buttons(
            transcript, &words, &last, &wire_id, callback,
        )),
        _ => None,
    };
    let edit_or_regenerate_button = match role {
        Role::User => Some(edit_button(transcript, &first)),
        _ if can_regenerate(&transcript.assistant, &first) => {
            Some(regenerate_button(transcript, &first))
        }
        _ => None,
    };
    let currency = transcript.assistant.runtime().currency();
    let has_cost = role != Role::User && !format_cost(&words.now(), &cost, &currency).is_empty();
    let cost = has_cost.then(|| cost_details(&words, cost, currency));
    Some(
        view! {
            {copy_control} {feedback_controls} {edit_or_regenerate_button}
            {message_time(&words, created_at)} {cost}
        }
        .into_any(),
    )
}

/// Renders a button that shows and hides the price, tokens and duration.
fn cost_details(words: &Words, cost: Cost, currency: String) -> AnyView {
    let is_open = RwSignal::new(false);
    let button = IconButton {
        expanded: Signal::derive(move || Some(is_open.get())),
        ..IconButton::new(LabelName::Details, Icon::More, move |_| {
            is_open.update(|is_open| *is_open = !*is_open);
        })
    };
    let cost_words = words.clone();
    let render_cost = move || {
        let (words, cost, currency) = (cost_words.clone(), cost.clone(), currency.clone());
        let text = move || format_cost(&words.get(), &cost, &currency).join(" · ");
        view! { <span class="la-message-cost">{dynamic(text)}</span> }.into_any()
    };
    view! { {button.view(words)} {when(move || is_open.get(), render_cost)} }.into_any()
}

/// Returns the Markdown source of the texts of the user and the assistant in a turn. Returns `None`
/// if there is no text.
fn markdown_source(assistant: &Assistant, messages: &[MessageId]) -> Option<String> {
    let texts = assistant.with_conversation(|conversation| {
        let turn_messages = messages.iter().filter_map(|id| conversation.message(id));
        let texts =
            turn_messages.filter(|message| matches!(message.role(), Role::User | Role::Assistant));
        let texts = texts.map(|message| match message.original_text() {
            Some(markdown) => markdown.to_owned(),
            None => message.text(),
        });
        texts
            .filter(|text| !text.trim().is_empty())
            .collect::<Vec<_>>()
    });
    texts
        .filter(|texts| !texts.is_empty())
        .map(|texts| texts.join("\n\n"))
}

fn copy_button(transcript: &TranscriptContext, words: &Words, messages: Vec<MessageId>) -> AnyView {
    let outcome = RwSignal::new(None::<bool>);
    let (assistant, announcement) = (transcript.assistant.clone(), transcript.announcement);
    let copy_words = words.clone();
    let copy = move |_| {
        let Some(text) = markdown_source(&assistant, &messages) else {
            return;
        };
        let words = copy_words.clone();
        spawn_local(async move {
            let is_copied = copy_to_clipboard(&text).await;
            let message = untrack(|| match is_copied {
                true => words.word(LabelName::Copied),
                false => words.word(LabelName::CopyFailed),
            });
            announcement.try_set(message.to_string());
            outcome.try_set(Some(is_copied));
            after(COPY_OUTCOME_MS, move || {
                outcome.try_set(None);
                announcement.try_set(String::new());
            });
        });
    };
    let icon = move || match outcome.get() {
        None => Icon::Copy,
        Some(true) => Icon::Check,
        Some(false) => Icon::Alert,
    };
    let failure_words = words.clone();
    let button = IconButton {
        icon: Signal::derive(icon),
        ..IconButton::new(LabelName::Copy, Icon::Copy, copy)
    };
    view! {
        {button.view(words)}
        {dynamic(move || {
            let failure_text = failure_words.text(LabelName::CopyFailed);
            (outcome.get() == Some(false))
                .then(|| view! { <span class="la-message-failed">{failure_text}</span> })
        })}
    }
    .into_any()
}

fn feedback_buttons(
    transcript: &TranscriptContext,
    words: &Words,
    last: &MessageId,
    wire_id: &str,
    callback: Callback<Feedback>,
) -> AnyView {
    let feedback = transcript.feedback;
    let button = |positive: bool, label: LabelName, icon: Icon| {
        let (id, pressed_id, message_id) = (last.clone(), last.clone(), wire_id.to_owned());
        let pressed_state = move || {
            let is_pressed = feedback.with(|feedback| feedback.get(&pressed_id) == Some(&positive));
            Some(is_pressed)
        };
        let toggle = move |_| {
            let is_withdrawn =
                feedback.with_untracked(|feedback| feedback.get(&id) == Some(&positive));
            let positive = (!is_withdrawn).then_some(positive);
            feedback.update(|feedback| {
                match positive {
                    Some(positive) => feedback.insert(id.clone(), positive),
                    None => feedback.remove(&id),
                };
            });
            callback.run(Feedback {
                message_id: message_id.clone(),
                positive,
            });
        };
        let button = IconButton {
            pressed: Signal::derive(pressed_state),
            ..IconButton::new(label, icon, toggle)
        };
        button.view(words)
    };
    view! {
        {button(true, LabelName::GoodAnswer, Icon::ThumbUp)}
        {button(false, LabelName::BadAnswer, Icon::ThumbDown)}
    }
    .into_any()
}

/// Formats the tokens, the price and the duration. Omits unknown values, a price without a
/// currency, and a duration below [`MIN_DURATION_MS`].
fn format_cost(labels: &Labels, cost: &Cost, currency: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let tokens = match (
        cost.total_tokens(),
        cost.output_tokens(),
        cost.input_tokens(),
    ) {
        (Some(total), ..) => Some((labels.text(LabelName::Tokens), total)),
        (None, Some(output), _) => Some((labels.text(LabelName::OutputTokens), output)),
        (None, None, Some(input)) => Some((labels.text(LabelName::InputTokens), input)),
        (None, None, None) => None,
    };
    if let Some((label, count)) = tokens {
        let count = as_float(count);
        parts.push(labels.insert_count_text(label, count, &labels.format_number(count, true)));
    }
    if let Some(micros) = cost.price_micros().filter(|_| !currency.is_empty()) {
        parts.push(labels.format_money(micros, currency));
    }
    if let Some(ms) = cost.duration_ms().filter(|ms| *ms >= MIN_DURATION_MS) {
        let waited_ms = cost.waited_ms().filter(|ms| *ms >= MIN_DURATION_MS);
        parts.push(match waited_ms {
            Some(waited_ms) => labels
                .text(LabelName::TookWaiting)
                .replace(
                    "{time}",
                    &format_duration(labels, ms.saturating_sub(waited_ms)),
                )
                .replace("{waited}", &format_duration(labels, waited_ms)),
            None => labels
                .text(LabelName::Took)
                .replace("{time}", &format_duration(labels, ms)),
        });
    }
    parts
}

fn format_duration(labels: &Labels, ms: u64) -> String {
    let (label, unit) = match ms {
        0..60_000 => (labels.text(LabelName::Seconds), 1_000.0),
        60_000..3_600_000 => (labels.text(LabelName::Minutes), 60_000.0),
        _ => (labels.text(LabelName::Hours), 3_600_000.0),
    };
    let amount = as_float(ms) / unit;
    labels.insert_count_text(label, amount, &labels.format_number(amount, false))
}

#[allow(
    clippy::cast_precision_loss,
    reason = "shown with one digit after the decimal point"
)]
fn as_float(count: u64) -> f64 {
    count as f64
}
