//! Renders the form for a question that the handler of a call asks with a schema.

use assistant_core::{conversation::CallKey, session::Refusal};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{ExactText, SchemaForm, problems::LastRefusal, single_instance::render_in_one_window};
use crate::{
    action::ToolCallView,
    assistant::Assistant,
    ui::{Icon, Words, dynamic, focus, fresh_id, memo},
    view::{HandlerQuestion, Question},
};

/// Calls `read` with the newest question of a call's handler. Returns `None` if the handler asks
/// nothing, or asks without a schema. Tracked when called in a reactive closure.
fn with_open_question<R>(
    assistant: &Assistant,
    call: CallKey,
    read: impl FnOnce(&HandlerQuestion) -> R,
) -> Option<R> {
    assistant.view().asked.with(|list| {
        let mut newest = list.iter().rev();
        let asked = newest.find(|asked| asked.call == call)?;
        asked.schema.is_some().then(|| read(asked))
    })
}

/// Returns true if the handler of a call asks with a form.
pub(super) fn has_form_question(assistant: &Assistant, call: CallKey) -> bool {
    with_open_question(assistant, call, |_| ()).is_some()
}

/// Renders the form for a question of a call's handler, while the question is open.
pub(super) fn handler_question(call: ToolCallView<Value>) -> AnyView {
    let Some(assistant) = call.assistant() else {
        return ().into_any();
    };
    let key = *call.key();
    let (found, shown) = (assistant.clone(), assistant);
    let asked = memo(move || with_open_question(&found, key, |asked| asked.id));
    dynamic(move || {
        let Some(id) = asked.get() else {
            return ().into_any();
        };
        let assistant = shown.clone();
        render_in_one_window(&shown, Question::Handler(id), move || {
            let asked = untrack(|| with_open_question(&assistant, key, HandlerQuestion::clone));
            asked
                .map(|asked| question_card(&assistant, call, asked))
                .into_any()
        })
    })
    .into_any()
}

fn question_card(
    assistant: &Assistant,
    call: ToolCallView<Value>,
    asked: HandlerQuestion,
) -> AnyView {
    let words = Words::current();
    let id = format!("la-ask-{}", fresh_id());
    let [head, text_id] = ["head", "text"].map(|part| format!("{id}-{part}"));
    let named_by = format!("{head} {text_id}");
    let card = NodeRef::<html::Div>::new();
    let wrong = LastRefusal::new();
    let problems = wrong.messages(&words);
    let schema = asked.schema.unwrap_or(Value::Bool(true));
    let text = match asked.question {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => format!("{other:#}"),
    };
    let answer = {
        let (schema, assistant) = (schema.clone(), assistant.clone());
        Callback::new(move |value: Value| {
            let found = assistant.runtime().find_violations(&schema, &value);
            if found.is_empty() {
                pass_focus_on(card);
                return call.answer_handler(Ok(value));
            }
            wrong.record_outcome(Err(Refusal::InvalidEdit(found)));
        })
    };
    let submits = words.clone();
    let submit = Signal::derive(move || submits.word(|l| &l.submit).into_owned());
    let give_up = move |_| {
        pass_focus_on(card);
        call.answer_handler(Err("The person gave no answer."));
    };
    view! {
        <div
            class="la-approval la-ask"
            role="group"
            aria-labelledby=named_by
            node_ref=card
            data-requester="page"
        >
            <div class="la-approval-head" id=head>
                {Icon::Question.view()}
                <p class="la-approval-title">{words.text(|l| &l.page_question)}</p>
            </div>
            <div class="la-approval-body">
                <p class="la-approval-text" dir="auto" id=text_id>
                    <ExactText text readable=true />
                </p>
                <SchemaForm schema problems submit on_submit=answer>
                    <button type="button" class="la-button" on:click=give_up>
                        <span>{words.text(|l| &l.give_up)}</span>
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
