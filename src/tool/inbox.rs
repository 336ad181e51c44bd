//! Renders the questions to the user that belong to no message: interrupts of the agent, and calls
//! made by the page. `question` renders one question.

use assistant_core::{conversation::CallKey, event::Interrupt, session::OpenInterrupt};
use leptos::prelude::*;
use serde_json::Value;

use super::{ToolCallSlot, attention::held_back_line, question::question};
use crate::{
    assistant::{Assistant, assistant_for},
    ui::{LabelName, PartialList, Words, dynamic, each, memo, when},
};

/// Renders the interrupts of the agent that have no approval card: with Approve and Deny if a
/// decision answers the interrupt, or else with a form from the schema of the answer. All
/// interrupts must be answered or cancelled before the agent continues. If there are several
/// interrupts, a line counts the answered interrupts, including interrupts with an approval card. A
/// question whose answer the agent rejected is open again.
///
/// Questions above [`QuestionLimits`](crate::QuestionLimits) are held back: a line shows the number
/// of held-back questions, and has buttons that show these questions, or deny all questions and
/// stop the agent. The line is also shown while several questions are open.
///
/// Calls of [`Assistant::execute`] that need approval, or that ask the user something, also have
/// their cards here.
///
/// # Accessibility
///
/// Each question is a named group, with its number if there are several questions; no question
/// takes the focus. If the focused question is removed, the focus moves to the next question, and
/// after the last question to the text box of the chat. The count of answered questions is a
/// `status`.
#[component]
pub fn InterruptInbox(
    /// The assistant whose questions are shown; the assistant in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "InterruptInbox")?;
    let interrupts = assistant.interrupts();
    let (all_interrupts, words) = (assistant.interrupts(), Words::current());
    let progress_text = memo(move || {
        all_interrupts.with(|list| {
            let answered_count = list.iter().filter(|open| open.answer().is_some()).count();
            let is_in_progress = list.len() > 1 && answered_count < list.len();
            is_in_progress.then(|| words.position(LabelName::Answered, answered_count, list.len()))
        })
    });
    let progress = move || {
        view! {
            <p class="la-inbox-progress" aria-live="polite" aria-atomic="true">
                {dynamic(move || progress_text.get())}
            </p>
        }
        .into_any()
    };
    let progress = when(move || progress_text.with(Option::is_some), progress);
    let open_questions = move || {
        let is_listed = |open: &&OpenInterrupt| {
            let is_open = open.answer().is_none() && !open.is_held_back();
            is_open && (open.call_key().is_none() || open.is_rejected())
        };
        interrupts.with(|list| list.iter().filter(is_listed).cloned().collect::<Vec<_>>())
    };
    let calls = {
        let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
        move || {
            let mut calls = keys.get();
            let handler_questions = &assistant.view().asked;
            handler_questions.with(|list| {
                for question in list {
                    // A handler may ask several questions at the same time.
                    if !calls.contains(&question.call) {
                        calls.push(question.call);
                    }
                }
            });
            page_call_keys(&assistant, &calls)
        }
    };
    let card = {
        let assistant = assistant.clone();
        move |call| view! { <ToolCallSlot assistant=assistant.clone() call /> }.into_any()
    };
    let cards = each(calls, |key| format!("{key:?}"), card);
    let line_assistant = assistant.clone();
    let draw = move |open| question(&assistant, open);
    let key = |open: &OpenInterrupt| {
        // Another question may have the same id, so the key contains the content of the question.
        let Interrupt {
            id,
            reason,
            message,
            ..
        } = open.interrupt();
        let message = message.as_deref().unwrap_or_default();
        let fields = [
            &open.interrupt().response_schema,
            &open.interrupt().metadata,
        ];
        let fields = fields.map(|field| field.clone().map(Value::Object).unwrap_or_default());
        let [schema, metadata] = fields;
        format!(
            "{} {id} {reason} {message} {schema} {metadata}",
            open.is_rejected()
        )
    };
    let partial_list = PartialList::new(FIRST_QUESTIONS, 0);
    let items = move || {
        let mut list: Vec<_> = open_questions().into_iter().map(Some).collect();
        partial_list.replace_gap(&mut list, || None);
        list
    };
    let key = move |open: &Option<OpenInterrupt>| {
        let key = open.as_ref().map(key);
        key.unwrap_or_else(|| "more".to_owned())
    };
    let draw = move |open: Option<OpenInterrupt>| match open {
        Some(open) => draw(open),
        None => partial_list.button(),
    };
    let list = each(items, key, draw);
    let held_back = held_back_line(&line_assistant);
    Some(view! { <div class="la-inbox">{progress} {cards} {list} {held_back}</div> })
}

/// The maximum number of questions that are rendered at first.
const FIRST_QUESTIONS: usize = 20;

/// Returns the keys of the given calls that belong to no message, because the page made the calls.
pub(crate) fn page_call_keys(assistant: &Assistant, calls: &[CallKey]) -> Vec<CallKey> {
    let keys = assistant.with_conversation(|conversation| {
        let is_outside_of_messages = |key: &&CallKey| conversation.message_of_call(key).is_none();
        calls
            .iter()
            .filter(is_outside_of_messages)
            .copied()
            .collect()
    });
    keys.unwrap_or_default()
}
