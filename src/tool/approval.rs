//! The question whether a call may run.

use leptos::{html, prelude::*};
use serde_json::Value;

use super::ExactText;
use crate::{
    action::ToolCallView,
    chat::{Icon, Labels},
};

/// Asks the person whether a call may run, showing exactly what would.
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
    let id = format!("la-approval-{}-{}", call.key().message, call.key().ordinal);
    // Agents may rename a call only until it is asked about.
    let name = call.name_untracked_with(str::to_owned);
    let description = call.description().filter(|text| !text.is_empty());
    let shown = call.clone();
    let reason = NodeRef::<html::Input>::new();
    let card = NodeRef::<html::Div>::new();
    let approve = {
        let call = call.clone();
        move |_| {
            leave(card);
            // Refused only when it was decided elsewhere, and then the card goes by itself.
            let _ = call.approve();
        }
    };
    let deny = move |_| {
        let text = reason
            .get_untracked()
            .map(|input| input.value())
            .unwrap_or_default();
        let text = text.trim();
        leave(card);
        let _ = call.deny((!text.is_empty()).then(|| text.to_owned()));
    };
    view! {
        <div class="la-approval" role="group" aria-labelledby=id node_ref=card>
            <div class="la-approval-head">
                {Icon::Alert.view()}
                <p class="la-approval-title" id=id.clone()>
                    {labels.approve_question.clone()}
                    " "
                    <code class="la-code-inline"><ExactText text=name /></code>
                    "?"
                </p>
            </div>
            <div class="la-approval-body">
                {description.map(|text| view! { <p class="la-approval-text">{text}</p> })}
                <pre
                    class="la-code"
                    data-kind="arguments"
                    tabindex="0"
                    role="group"
                    aria-label=labels.arguments.clone()
                >
                    {move || view! { <ExactText text=shown.args_text() /> }}
                </pre>
                <label class="la-field">
                    <span class="la-field-label">{labels.reason.clone()}</span>
                    <input class="la-input" type="text" autocomplete="off" node_ref=reason />
                </label>
                <div class="la-approval-actions">
                    <button
                        type="button"
                        class="la-button"
                        data-variant="primary"
                        on:click=approve
                    >
                        <span>{labels.approve.clone()}</span>
                    </button>
                    <button type="button" class="la-button" on:click=deny>
                        <span>{labels.deny.clone()}</span>
                    </button>
                </div>
            </div>
        </div>
    }
}

/// Passes the focus on before the card goes with it.
fn leave(card: NodeRef<html::Div>) {
    let Some(card) = card.get_untracked() else {
        return;
    };
    let inside = document()
        .active_element()
        .is_some_and(|active| card.contains(Some(&active)));
    let Ok(Some(chat)) = card.closest(".la-chat") else {
        return;
    };
    if let (true, Ok(Some(input))) = (inside, chat.query_selector(".la-composer-input")) {
        use wasm_bindgen::JsCast;
        if let Ok(input) = input.dyn_into::<web_sys::HtmlElement>() {
            // Focusing an element that is in the page does not fail.
            let _ = input.focus();
        }
    }
}
