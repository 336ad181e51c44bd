//! What agents wait for, apart from the calls that have a card of their own.

use assistant_core::session::{OpenInterrupt, Refusal};
use leptos::{html, prelude::*};
use serde_json::{Value, json};

use super::{Problem, SchemaForm, expiry::Expiry};
use crate::{
    assistant::Assistant,
    chat::{Icon, Labels, focus},
    part::words,
    view::{dynamic, each, when},
};

/// The questions of the agent that no approval card stands for: a form for each, from the schema
/// of its answer. All of them must be answered or given up before the agent goes on: of several, a
/// line says how many are, those with a card of their own among them.
///
/// # Accessibility
///
/// Each is a named group, with its number if there are several; none takes the focus. When one goes
/// that had it, the focus passes to the next, after the last to the text box of the chat. How many
/// are answered is a `status`.
#[component]
pub fn InterruptInbox(
    /// Whose questions.
    assistant: Assistant,
) -> impl IntoView {
    let interrupts = assistant.interrupts();
    let (all, word) = (assistant.interrupts(), Labels::current().answered.clone());
    let answered = Memo::new(move |_| {
        all.with(|list| {
            let done = list.iter().filter(|open| open.answer.is_some()).count();
            (done < list.len())
                .then(|| of_several(&word, done, list.len()))
                .flatten()
        })
    });
    let progress = move || {
        view! {
            <p class="la-inbox-progress" role="status">
                {dynamic(move || answered.get())}
            </p>
        }
        .into_any()
    };
    let progress = when(move || answered.with(Option::is_some), progress);
    let asked = move || {
        let open = |open: &&OpenInterrupt| open.call.is_none() && open.answer.is_none();
        interrupts.with(|list| list.iter().filter(open).cloned().collect::<Vec<_>>())
    };
    let draw = move |open| question(&assistant, open);
    let list = each(asked, |open| open.interrupt.id.clone(), draw);
    view! { <div class="la-inbox">{progress} {list}</div> }
}

/// The number of a question among all that the agent asks; empty for the only one.
pub(super) fn place(assistant: &Assistant, id: String) -> AnyView {
    let (interrupts, word) = (assistant.interrupts(), Labels::current().place.clone());
    dynamic(move || {
        let place = interrupts.with(|list| {
            let before = list.iter().position(|open| open.interrupt.id == id)?;
            of_several(&word, before + 1, list.len())
        });
        place.map(|place| view! { <span class="la-approval-place">{place}</span> })
    })
    .into_any()
}

fn of_several(word: &str, number: usize, count: usize) -> Option<String> {
    let put = |name, number: usize| word.replace(name, &number.to_string());
    (count > 1).then(|| put("{number}", number).replace("{count}", &count.to_string()))
}

fn question(assistant: &Assistant, open: OpenInterrupt) -> AnyView {
    let labels = Labels::current();
    let id = format!("la-interrupt-{}", crate::runtime::fresh_id());
    let expires = open.expires_at();
    let interrupt = open.interrupt;
    let place = place(assistant, interrupt.id.clone());
    let text = interrupt
        .message
        .filter(|text| !text.trim().is_empty())
        .unwrap_or_else(|| words(&interrupt.reason));
    let schema = interrupt
        .response_schema
        .map_or_else(|| json!(true), Value::Object);
    let problems = RwSignal::new(Vec::new());
    let over = RwSignal::new(false);
    let card = NodeRef::<html::Div>::new();
    let settle = {
        let (assistant, id) = (assistant.clone(), interrupt.id.clone());
        let labels = labels.clone();
        move |value: Option<Value>| {
            let wrong = told(assistant.answer(&id, value), &labels);
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
    let cancel = view! {
        <button type="button" class="la-button" on:click=give_up>
            <span>{labels.cancel.clone()}</span>
        </button>
    };
    let body = match yes_or_no(&schema, &labels) {
        Some(words) => decision(words, answer, cancel.into_any()),
        None => view! {
            <SchemaForm schema problems submit=labels.submit.to_string() on_submit=answer>
                {cancel}
            </SchemaForm>
        }
        .into_any(),
    };
    view! {
        <div
            class="la-approval"
            role="group"
            aria-labelledby=id.clone()
            node_ref=card
            data-interrupt-id=interrupt.id.clone()
            data-interrupt-reason=interrupt.reason.clone()
        >
            <div class="la-approval-head" id=id.clone()>
                {Icon::Alert.view()} <p class="la-approval-title" dir="auto">{text}</p> {place}
            </div>
            <div class="la-approval-body">
                <Expiry at=expires over />
                {body}
            </div>
        </div>
    }
    .into_any()
}

/// What a yes or a no is called, and what it is in an answer.
struct YesOrNo {
    words: [String; 2],
    key: Option<&'static str>,
}

/// A schema that only a yes or a no fits needs no form: `boolean`, or an object of `approved` alone.
fn yes_or_no(schema: &Value, labels: &Labels) -> Option<YesOrNo> {
    let is_boolean = |schema: &Value| schema.get("type") == Some(&Value::from("boolean"));
    if is_boolean(schema) {
        return Some(YesOrNo {
            words: [labels.yes.to_string(), labels.no.to_string()],
            key: None,
        });
    }
    let properties = schema.get("properties")?.as_object()?;
    let approved = properties.get("approved").filter(|one| is_boolean(one));
    (approved.is_some() && properties.len() == 1).then(|| YesOrNo {
        words: [labels.approve.to_string(), labels.deny.to_string()],
        key: Some("approved"),
    })
}

/// A button for each answer, and the one that gives up.
fn decision(decided: YesOrNo, answer: Callback<Value>, cancel: AnyView) -> AnyView {
    let YesOrNo { words, key } = decided;
    let buttons = words.into_iter().zip([true, false]).map(|(word, yes)| {
        let decide = move |_| {
            answer.run(match key {
                Some(key) => json!({ key: yes }),
                None => Value::Bool(yes),
            });
        };
        view! {
            <button
                type="button"
                class="la-button"
                data-variant=yes.then_some("primary")
                on:click=decide
            >
                <span>{word}</span>
            </button>
        }
    });
    view! { <div class="la-approval-actions">{buttons.collect_view()} {cancel}</div> }.into_any()
}

/// What a refusal says.
pub(super) fn told(outcome: Result<(), Refusal>, labels: &Labels) -> Vec<Problem> {
    match outcome {
        Ok(()) => Vec::new(),
        Err(Refusal::InvalidEdit(list)) => {
            let problems = list.into_iter().map(|found| Problem {
                message: labels.reason(found.keyword, &found.limit, &found.message),
                path: found.path,
            });
            problems.collect()
        }
        Err(refusal) => vec![Problem {
            path: String::new(),
            message: labels.refusal(&refusal),
        }],
    }
}
