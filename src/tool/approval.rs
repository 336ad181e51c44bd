//! The question whether a call may run: asked by the page, or by the agent. Two kinds of card that
//! cannot be taken for each other.

use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    approval_context::ApprovalContext,
    approval_notes::changed_note,
    decide::{decide, edit},
    expiry::Expiry,
    number::place,
    once::once,
    said::Said,
    visibility::raisable,
};
use crate::{
    action::{Risk, ToolCallView},
    ui::{Words, dynamic, memo},
    view::Question,
};

/// Asks the person whether a call may run, showing exactly what would. The arguments can be
/// changed first, where the action or the agent takes changed ones.
///
/// The page's own question (`data-kind="page"`) says what this page will run, in the page's words:
/// what [`ToolAction::describe`](crate::ToolAction::describe) says of the call, with the arguments
/// that it does not mention below it and all exact arguments one click away, else the action's title or name above the arguments. `data-risk` says
/// how much depends on it ([`Risk`]).
/// An agent's question (`data-kind="agent"`) says that the agent asks; what the agent says stands
/// below the arguments, as its words. Approving counts once the end of the arguments was in view
/// and the card has stood unchanged for half a second; until then the button is `aria-disabled`.
/// Deny asks for a reason, which may be left out; a second press denies. Where several windows of one assistant stand in the page, one of them asks,
/// and the others say so.
///
/// # Accessibility
///
/// A named group in the flow of the chat. It never takes the focus; when a button of it had the
/// focus and the card goes, the focus passes to the text box of the chat. That the call has changed
/// is a `status`.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolCallView, tool::ApprovalCard};
/// use serde_json::Value;
///
/// /// A frame of your own around the built-in question.
/// #[component]
/// fn Framed(call: ToolCallView<Value>) -> impl IntoView {
///     view! { <div class="frame"><ApprovalCard call /></div> }
/// }
/// ```
#[component]
pub fn ApprovalCard(
    /// The call.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let Some(assistant) = call.assistant() else {
        return ().into_any();
    };
    once(&assistant, Question::Call(*call.key()), move || {
        raisable(move || asked(call))
    })
}

/// The card, wherever else the question stands.
pub(super) fn asked(call: ToolCallView<Value>) -> AnyView {
    // Another question is another card.
    let asked = memo(move || call.interrupt_id());
    dynamic(move || card(&call, asked.get())).into_any()
}

fn card(call: &ToolCallView<Value>, asked: Option<String>) -> AnyView {
    let words = Words::current();
    let id = format!("la-approval-{}", crate::ui::fresh_id());
    let by_agent = asked.is_some();
    let card = NodeRef::<html::Div>::new();
    let editing = RwSignal::new(false);
    let over = RwSignal::new(false);
    let question = by_agent.then(|| untrack(|| call.question())).flatten();
    let expires = untrack(|| call.expires_at());
    let place = asked.and_then(|id| Some(place(&call.assistant()?, id)));
    let (risk, noted) = (*call, changed_note(*call));
    let said = Said::of(*call, by_agent);
    let shown = ApprovalContext {
        call: *call,
        card,
        editing,
        over,
        said,
    };
    let stage = said.extent();
    let body = move || match editing.get() {
        true => edit(&shown).into_any(),
        false => decide(&shown, stage.get(), question.clone()).into_any(),
    };
    let tone = move || {
        let risk = if by_agent {
            Risk::default()
        } else {
            risk.risk()
        };
        risk.as_str()
    };
    view! {
        <div
            class="la-approval"
            role="group"
            aria-labelledby=id.clone()
            tabindex="-1"
            node_ref=card
            data-kind=if by_agent { "agent" } else { "page" }
            data-risk=tone
        >
            <div class="la-approval-head" id=id.clone()>
                {said.heading(&words)} {place}
            </div>
            <div class="la-approval-body">
                {noted} {said.text(&words)} <Expiry at=expires over /> {dynamic(body)}
            </div>
        </div>
    }
    .into_any()
}
