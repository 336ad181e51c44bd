//! Renders the form for a question that the handler of a call asks with a schema.

use assistant_core::{conversation::CallKey, session::Refusal};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{ExactText, SchemaForm, problems::LastRefusal, single_instance::render_in_one_window};
use crate::{
    action::ToolCallView,
    assistant::Assistant,
    ui::{Icon, LabelName, Words, dynamic, focus, fresh_id, memo},
    view::{HandlerQuestion, Question},
};

/// Calls `read` with the newest question of a call's handler. Returns `None` if the handler has no
/// open question, or if the question has no schema. The question is tracked if the function is
/// called in a reactive closure.
fn with_open_question<R>(
    assistant: &Assistant,
    call: CallKey,
    read: impl FnOnce(&HandlerQuestion) -> R,
) -> Option<R> {
    assistant.view().asked.with(|list| {
        let mut questions = list.iter().rev();
        let question = questions.find(|question| question.call == call)?;
        question.schema.is_some().then(|| read(question))
    })
}

/// Returns true if the newest open question of a call's handler is answered with a form.
pub(super) fn has_form_question(assistant: &Assistant, call: CallKey) -> bool {
    with_open_question(assistant, call, |_| ()).is_some()
}

/// Renders the form for a question of a call's handler, while the question is open.
pub(super) fn handler_question(call: ToolCallView<Value>) -> AnyView {
    let Some(assistant) = call.assistant() else {
        return ().into_any();
    };
    let key = *call.key();
    let (lookup_assistant, draw_assistant) = (assistant.clone(), assistant);
    let open_id = memo(move || with_open_question(&lookup_assistant, key, |question| question.id));
    dynamic(move || {
        let Some(id) = open_id.get() else {
            return ().into_any();
        };
        let assistant = draw_assistant.clone();
        render_in_one_window(&draw_assistant, Question::Handler(id), move || {
            let question = untrack(|| with_open_question(&assistant, key, HandlerQuestion::clone));
            question
                .map(|question| question_card(&assistant, call, question))
                .into_any()
        })
    })
    .into_any()
}

fn question_card(
    assistant: &Assistant,
    call: ToolCallView<Value>,
    question: HandlerQuestion,
) -> AnyView {
    let words = Words::current();
    let id = format!("la-ask-{}", fresh_id());
    let [head, text_id] = ["head", "text"].map(|part| format!("{id}-{part}"));
    let label_ids = format!("{head} {text_id}");
    let card = NodeRef::<html::Div>::new();
    let last_refusal = LastRefusal::new();
    let problems = last_refusal.messages(&words);
    let schema = question.schema.unwrap_or(Value::Bool(true));
    let text = match question.question {
        Value::String(text) => text,
        Value::Null => String::new(),
        value => format!("{value:#}"),
    };
    let answer = {
        let (schema, assistant) = (schema.clone(), assistant.clone());
        Callback::new(move |value: Value| {
            let violations = assistant.runtime().find_violations(&schema, &value);
            if violations.is_empty() {
                pass_focus_on(card);
                return call.answer_handler(Ok(value));
            }
            last_refusal.record_outcome(Err(Refusal::InvalidEdit(violations)));
        })
    };
    let submit_words = words.clone();
    let submit = Signal::derive(move || submit_words.word(LabelName::Submit).into_owned());
    let give_up = move |_| {
        pass_focus_on(card);
        call.answer_handler(Err("The person gave no answer."));
    };
    view! {
        <div
            class="la-approval la-ask"
            role="group"
            aria-labelledby=label_ids
            node_ref=card
            data-requester="page"
        >
            <div class="la-approval-head" id=head>
                {Icon::Question.view()}
                <p class="la-approval-title">{words.text(LabelName::PageQuestion)}</p>
            </div>
            <div class="la-approval-body">
                <p class="la-approval-text" dir="auto" id=text_id>
                    <ExactText text readable=true />
                </p>
                <SchemaForm schema problems submit on_submit=answer>
                    <button type="button" class="la-button" on:click=give_up>
                        <span>{words.text(LabelName::GiveUp)}</span>
                    </button>
                </SchemaForm>
            </div>
        </div>
    }
    .into_any()
}

fn pass_focus_on(card: NodeRef<html::Div>) {
    if let Some(card) = card.get_untracked() {
        focus::pass_focus_on(&card);
    }
}
