//! The question whether a call may run.

use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText, SchemaForm,
    expiry::Expiry,
    inbox::{place, told},
};
use crate::{
    action::ToolCallView,
    chat::{Icon, Labels, focus},
    view::{dynamic, when},
};

/// Asks the person whether a call may run, showing exactly what would. The arguments can be
/// changed first, where the tool or the agent takes changed ones.
///
/// # Accessibility
///
/// A named group in the flow of the chat. It never takes the focus; when a button of it had the
/// focus and the card goes, the focus passes to the text box of the chat.
#[component]
pub fn ApprovalCard(
    /// The call.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let labels = Labels::current();
    let id = format!("la-approval-{}", crate::runtime::fresh_id());
    // Agents may rename a call only until it is asked about.
    let name = call.name_untracked_with(str::to_owned);
    let description = call.description().filter(|text| !text.is_empty());
    let card = NodeRef::<html::Div>::new();
    let editing = RwSignal::new(false);
    let over = RwSignal::new(false);
    let (question, expires) = untrack(|| (call.question(), call.expires_at()));
    let asked = untrack(|| call.interrupt_id());
    let place = asked.map(|id| place(&call.assistant, id));
    let body = move || {
        if editing.get() {
            edit(&call, card, editing).into_any()
        } else {
            decide(&call, card, editing, over).into_any()
        }
    };
    view! {
        <div class="la-approval" role="group" aria-labelledby=id.clone() node_ref=card>
            <div class="la-approval-head" id=id.clone()>
                {Icon::Alert.view()} <p class="la-approval-title">
                    {labels.approve_question.clone()}
                    " "
                    <code class="la-code-inline">
                        <ExactText text=name />
                    </code>
                    "?"
                </p> {place}
            </div>
            <div class="la-approval-body">
                {question.map(|text| view! { <p class="la-approval-question" dir="auto">{text}</p> })}
                {description.map(|text| view! { <p class="la-approval-text">{text}</p> })}
                <Expiry at=expires over /> {dynamic(body)}
            </div>
        </div>
    }
}

/// The exact arguments, and the two answers.
fn decide(
    call: &ToolCallView<Value>,
    card: NodeRef<html::Div>,
    editing: RwSignal<bool>,
    over: RwSignal<bool>,
) -> impl IntoView + use<> {
    let labels = Labels::current();
    let takes = call.approval_takes();
    let reason = NodeRef::<html::Input>::new();
    let shown = call.clone();
    let (approving, denying) = (call.clone(), call.clone());
    let approve = move |_| {
        leave(card);
        // Refused only when it was decided elsewhere, and then the card goes by itself.
        let _ = approving.approve();
    };
    let deny = move |_| {
        let text = reason
            .get_untracked()
            .map(|input| input.value())
            .unwrap_or_default();
        let text = text.trim();
        leave(card);
        // As above.
        let _ = denying.deny((!text.is_empty()).then(|| text.to_owned()));
    };
    let reason_field = takes.reason.then(|| {
        view! {
            <label class="la-field">
                <span class="la-field-label">{labels.reason.clone()}</span>
                <input class="la-input" type="text" autocomplete="off" node_ref=reason />
            </label>
        }
    });
    let runnable = {
        let call = call.clone();
        Memo::new(move |_| call.can_run())
    };
    let takes_yes = move || runnable.get() && !over.get();
    let gone = labels.gone.clone();
    let edit = takes.edits.then(|| {
        view! {
            <button
                type="button"
                class="la-button la-approval-edit"
                data-variant="quiet"
                data-size="small"
                hidden=move || !takes_yes()
                on:click=move |_| {
                    editing.set(true);
                    focus_soon(card, ".la-form :is(input, select, textarea)");
                }
            >
                <span>{labels.edit.clone()}</span>
            </button>
        }
    });
    view! {
        <pre
            class="la-code"
            data-kind="arguments"
            tabindex="0"
            role="group"
            aria-label=labels.arguments.clone()
        >
            {dynamic(move || view! { <ExactText text=shown.args_text() /> })}
        </pre>
        {edit}
        {
            let gone = move || {
                view! { <p class="la-approval-text" role="status">{gone.clone()}</p> }.into_any()
            };
            when(move || !runnable.get(), gone)
        }
        {reason_field}
        <div class="la-approval-actions">
            <button
                type="button"
                class="la-button"
                data-variant="primary"
                hidden=move || !takes_yes()
                on:click=approve
            >
                <span>{labels.approve.clone()}</span>
            </button>
            <button type="button" class="la-button" on:click=deny>
                <span>{labels.deny.clone()}</span>
            </button>
        </div>
    }
}

/// The arguments as fields; approving takes them as they are then.
fn edit(
    call: &ToolCallView<Value>,
    card: NodeRef<html::Div>,
    editing: RwSignal<bool>,
) -> impl IntoView + use<> {
    let labels = Labels::current();
    let problems = RwSignal::new(Vec::new());
    let schema = untrack(|| call.edit_schema()).unwrap_or(Value::Bool(true));
    let initial = untrack(|| call.args_value()).unwrap_or_default();
    let (approving, words) = (call.clone(), labels.clone());
    let approve = Callback::new(move |args: Value| {
        let wrong = told(approving.approve_with(args), &words);
        if wrong.is_empty() {
            leave(card);
        }
        problems.set(wrong);
    });
    view! {
        <SchemaForm
            schema
            initial
            problems
            submit=labels.approve.to_string()
            on_submit=approve
        >
            <button
                type="button"
                class="la-button"
                on:click=move |_| {
                    editing.set(false);
                    focus_soon(card, ".la-approval-edit");
                }
            >
                <span>{labels.cancel.clone()}</span>
            </button>
        </SchemaForm>
    }
}

/// Passes the focus on before the card goes with it.
fn leave(card: NodeRef<html::Div>) {
    if let Some(card) = card.get_untracked() {
        focus::pass_on(&card);
    }
}

/// The button that was pressed goes with what stood there: the focus stays in the card.
fn focus_soon(card: NodeRef<html::Div>, selector: &'static str) {
    if let Some(card) = card.get_untracked() {
        focus::focus_in(card.into(), selector);
    }
}
