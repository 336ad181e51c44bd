//! What agents wait for, apart from the calls that have a card of their own.

use assistant_core::session::{OpenInterrupt, Refusal};
use leptos::{html, prelude::*};
use serde_json::{Value, json};

use super::{SchemaForm, expiry::Expiry};
use crate::{
    assistant::Assistant,
    chat::{Icon, Labels, focus},
};

/// The questions of the agent that no approval card stands for: a form for each, from the schema
/// of its answer. All of them must be answered or given up before the agent goes on.
///
/// # Accessibility
///
/// Each is a named group; none takes the focus. When one goes that had it, the focus passes to the
/// next, after the last to the text box of the chat.
#[component]
pub fn InterruptInbox(
    /// Whose questions.
    assistant: Assistant,
) -> impl IntoView {
    let interrupts = assistant.interrupts();
    let asked = move || {
        let open = |open: &&OpenInterrupt| open.call.is_none() && open.answer.is_none();
        interrupts.with(|list| list.iter().filter(open).cloned().collect::<Vec<_>>())
    };
    view! {
        <div class="la-inbox">
            <For
                each=asked
                key=|open| open.interrupt.id.clone()
                children=move |open| question(&assistant, open)
            />
        </div>
    }
}

fn question(assistant: &Assistant, open: OpenInterrupt) -> impl IntoView + use<> {
    let labels = Labels::current();
    let id = format!("la-interrupt-{}", crate::runtime::fresh_id());
    let expires = open.expires_at();
    let interrupt = open.interrupt;
    let text = interrupt
        .message
        .unwrap_or_else(|| interrupt.reason.clone());
    let schema = interrupt
        .response_schema
        .map_or_else(|| json!(true), Value::Object);
    let problems = RwSignal::new(Vec::<String>::new());
    let over = RwSignal::new(false);
    let card = NodeRef::<html::Div>::new();
    let settle = {
        let (assistant, id) = (assistant.clone(), interrupt.id.clone());
        move |value: Option<Value>| {
            let wrong = told(assistant.answer(&id, value));
            if let (true, Some(card)) = (wrong.is_empty(), card.get_untracked()) {
                focus::pass_on(&card);
                // It goes with the next frame. Setting an attribute with a plain name does not fail.
                let _ = card.set_attribute("inert", "");
            }
            problems.set(wrong);
        }
    };
    let give_up = {
        let settle = settle.clone();
        move |_| settle(None)
    };
    let answer = Callback::new(move |value| settle(Some(value)));
    view! {
        <div
            class="la-approval"
            role="group"
            aria-labelledby=id.clone()
            node_ref=card
            data-interrupt-id=interrupt.id.clone()
            data-interrupt-reason=interrupt.reason.clone()
        >
            <div class="la-approval-head">
                {Icon::Alert.view()}
                <p class="la-approval-title" id=id.clone()>{text}</p>
            </div>
            <div class="la-approval-body">
                <Expiry at=expires over />
                <SchemaForm schema problems submit=labels.submit.to_string() on_submit=answer>
                    <button type="button" class="la-button" on:click=give_up>
                        <span>{labels.cancel.clone()}</span>
                    </button>
                </SchemaForm>
            </div>
        </div>
    }
}

/// What a refusal says, one sentence for each problem.
pub(super) fn told(outcome: Result<(), Refusal>) -> Vec<String> {
    match outcome {
        Ok(()) => Vec::new(),
        Err(Refusal::InvalidEdit(list)) => list
            .iter()
            .map(|violation| format!("{violation}."))
            .collect(),
        Err(refusal) => vec![refusal.to_string()],
    }
}
