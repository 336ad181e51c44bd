//! Renders the approval card of a call. The card for a request from the page looks different from
//! the card for a question from the agent.

use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    approval_context::{ApprovalContext, ReviewedArguments},
    approval_notes::changed_note,
    call_description::CallDescription,
    decision_view::{decision_view, edit_form},
    expiry::Expiry,
    question_number::question_number,
    single_instance::render_in_one_window,
    visibility::render_raisable,
};
use crate::{
    action::{Risk, ToolCallView},
    ui::{Words, dynamic, memo},
    view::Question,
};

/// Asks the user to approve a call, and shows the exact arguments with which the call would run.
/// The arguments can be edited first, if the action or the agent accepts edits.
///
/// A request from the page (`data-kind="page"`) uses the page's texts. The card shows the
/// description from [`ToolAction::describe`](crate::ToolAction::describe), and below the
/// description the arguments that it does not mention. Without a description, the card shows the
/// action's title or name above the exact arguments. The fold "More" below the buttons contains the
/// name of the action, all exact arguments, and the button for editing the arguments. `data-risk`
/// is the [`Risk`] of the action. A question from the agent (`data-kind="agent"`) uses none of the
/// page's texts: the card shows the name of the call, the exact arguments, and below them the
/// agent's text, attributed to the agent. An approval is accepted only after each part of the card
/// was visible for half a second, and the card has been uncovered, unchanged and stationary for as
/// long; until then the button is `aria-disabled`. If a reason is accepted, Deny first opens a
/// field for the reason, and a second press denies the call. If several windows of one assistant
/// are mounted, one of them shows the card, and the others refer to that window.
///
/// # Accessibility
///
/// The card is a named group in the flow of the chat, and its rows describe the button that
/// approves. The card never takes the focus when it appears. If a button of the card has the focus
/// when the card is removed, the focus moves to another open question, or to the text box of the
/// chat. A change of the call is announced as a `status`.
#[component]
pub fn ApprovalCard(
    /// The call that the user is asked to approve.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let Some(assistant) = call.assistant() else {
        return ().into_any();
    };
    render_in_one_window(&assistant, Question::Call(*call.key()), move || {
        render_raisable(move || approval_card(call))
    })
}

/// Renders the approval card of a call, even if another window shows the card.
pub(super) fn approval_card(call: ToolCallView<Value>) -> AnyView {
    // Renders a new card for each new interrupt.
    let interrupt_id = memo(move || call.interrupt_id());
    dynamic(move || render_card(&call, interrupt_id.get())).into_any()
}

fn render_card(call: &ToolCallView<Value>, interrupt_id: Option<String>) -> AnyView {
    let words = Words::current();
    let id = format!("la-approval-{}", crate::ui::fresh_id());
    let by_agent = interrupt_id.is_some();
    let card = NodeRef::<html::Div>::new();
    let is_editing = RwSignal::new(false);
    let expired = RwSignal::new(false);
    let question = by_agent.then(|| untrack(|| call.question())).flatten();
    let expires_at = untrack(|| call.expires_at());
    let number = interrupt_id.and_then(|id| Some(question_number(&call.assistant()?, id)));
    let reviewed_args = ReviewedArguments::new(*call);
    let (risk_call, change_note) = (*call, changed_note(*call, reviewed_args.shows_edited()));
    let description = CallDescription::new(*call, by_agent);
    let context = ApprovalContext {
        call: *call,
        card,
        editing: is_editing,
        expired,
        description,
        reviewed: reviewed_args,
        more: RwSignal::new(false),
        rows_id: format!("{id}-rows"),
    };
    let extent = description.extent();
    let body = move || match is_editing.get() {
        true => edit_form(&context).into_any(),
        false => decision_view(&context, extent.get(), question.clone()).into_any(),
    };
    let risk_name = move || {
        let risk = if by_agent {
            Risk::default()
        } else {
            risk_call.risk()
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
            data-risk=risk_name
        >
            <div class="la-approval-head" id=id.clone()>
                {description.heading(&words)} {number}
            </div>
            <div class="la-approval-body">
                {change_note} {description.warning_text(&words)} <Expiry at=expires_at expired /> {dynamic(body)}
            </div>
        </div>
    }
    .into_any()
}
