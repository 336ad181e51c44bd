//! Renders the slot of a tool call in a message: the approval card, the action's own card, or the
//! default card.

use std::rc::Rc;

use assistant_core::{
    action::RegistrationId,
    conversation::{CallKey, Phase, Status},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{
    ApprovalCard, DefaultCard, approval,
    approval_context::track_visibility,
    approval_notes::{approval_hint, changed_note},
    attention::denied_mark,
    batch,
    exact_text::arguments,
    handler_question::has_form_question,
    preview::preview,
    remembered_approvals::allowed_earlier_mark,
    single_instance::render_in_one_window,
    visibility::{cover_note, render_raisable},
};
use crate::{
    action::ToolCallView,
    assistant::{Assistant, assistant_for},
    part::{ForeignView, mount_foreign_view},
    ui::{Attributes, Icon, LabelName, Words, attributes, dynamic, memo},
    view::Question,
};

/// The current content of a slot.
#[derive(Clone, PartialEq)]
enum SlotContent {
    Approval,
    /// An approval requested by the page, rendered by the renderer of the action.
    CustomApproval(RegistrationId),
    Custom(RegistrationId),
    Default,
}

/// A context with a signal that is true while the calls in a group are hidden.
#[derive(Clone)]
pub(crate) struct HiddenInGroup(pub(crate) ArcRwSignal<bool>);

/// The slot of a tool call in a message. Renders nothing for an unknown call.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{tool::ToolCallSlot, use_assistant};
///
/// /// The cards of all calls that wait for the user, in one place.
/// #[component]
/// fn Waiting() -> impl IntoView {
///     let pending = use_assistant().map(|assistant| assistant.pending_approvals());
///     move || {
///         let keys = pending.as_ref().map(Get::get).unwrap_or_default();
///         keys.into_iter().map(|call| view! { <ToolCallSlot call /> }).collect_view()
///     }
/// }
/// ```
#[component]
pub fn ToolCallSlot(
    /// The assistant that has the call; the assistant in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The key of the call.
    call: CallKey,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ToolCallSlot") else {
        return ().into_any();
    };
    let Some(cell) = assistant.call(&call) else {
        return ().into_any();
    };
    let (name, phase) = (cell.name.clone(), cell.phase.clone());
    let hidden_in_group = use_context::<HiddenInGroup>();
    let view = ToolCallView::new(&assistant, call);
    let content = {
        let (assistant, view) = (assistant.clone(), view);
        memo(move || select_content(&assistant, &view))
    };
    let id = cell.id.clone();
    let call_attributes: Attributes = Rc::new(move |set| {
        let phase = phase.get();
        let status = phase.status();
        set("data-tool-name", Some(&name.get()));
        set("data-status", Some(status.as_str()));
        set("data-phase", Some(phase.as_str()));
        set("aria-busy", (status == Status::Executing).then_some("true"));
    });
    view! {
        <div
            class="la-part la-tool tool-call-render"
            data-tool-call-id=id
            use:attributes=call_attributes
        >
            {dynamic(move || {
                let card = match content.get() {
                    // A default card that is hidden in its group is not rendered.
                    SlotContent::Default if hidden_in_group.as_ref().is_some_and(|HiddenInGroup(is_hidden)| is_hidden.get()) => {
                        return ().into_any();
                    }
                    SlotContent::Approval => view! { <ApprovalCard call=view /> }.into_any(),
                    SlotContent::CustomApproval(_) => custom_approval(assistant.clone(), view),
                    SlotContent::Custom(_) => custom_card(assistant.clone(), view),
                    SlotContent::Default => view! { <DefaultCard call=view /> }.into_any(),
                };
                view! { {card} {allowed_earlier_mark(view)} {denied_mark(view)} }.into_any()
            })}
        </div>
    }
    .into_any()
}

/// Selects the content of a slot; tracked when called in a reactive closure.
fn select_content(assistant: &Assistant, call: &ToolCallView<Value>) -> SlotContent {
    assistant.view().renderers.track();
    let name = call.name();
    if call.phase() == Phase::ApprovalRequested {
        // The built-in card renders approvals that the agent requested, and approvals of calls that
        // this page cannot run.
        let is_customizable = !call.is_asked_by_agent() && call.can_run();
        let renderer = is_customizable
            .then(|| assistant.approval_renderer(&name))
            .flatten();
        return renderer.map_or(SlotContent::Approval, |renderer| {
            SlotContent::CustomApproval(renderer.id)
        });
    }
    // A custom card is not rendered for a reported call, because this page did not run the call.
    match assistant.card_renderer(&name) {
        // A renderer for all tools is not used while a handler has a form question, because the
        // default card shows the question.
        Some(card) if card.is_general && has_form_question(assistant, *call.key()) => {
            SlotContent::Default
        }
        Some(card) if !call.is_reported() => SlotContent::Custom(card.id),
        _ => SlotContent::Default,
    }
}

/// Returns true if a call exists and shows the default card; tracked when called in a reactive
/// closure.
pub(crate) fn has_default_card(assistant: &Assistant, call: &CallKey) -> bool {
    let view = ToolCallView::new(assistant, *call);
    assistant.call(call).is_some() && select_content(assistant, &view) == SlotContent::Default
}

/// Renders a call with the renderer of its action or tool. If the renderer fails, the default card
/// is shown below the error.
fn custom_card(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let (card_assistant, default_call) = (assistant.clone(), call);
    mount_foreign_view(assistant, move || {
        let card = card_assistant.card_renderer(&call.name_untracked())?;
        let (view, default_call) = (call.with_streamed_args(card.streams_args), default_call);
        Some(ForeignView {
            registration: card.id,
            requester: None,
            draw: Box::new(move || (card.renderer)(view)),
            instead: Box::new(move || default_call.default_card()),
        })
    })
}

/// Renders the approval of a call with its action's renderer, and the exact arguments in a
/// collapsed section. An approval is accepted only after the view was visible to its end. If the
/// view is empty, the built-in card replaces the view.
fn custom_approval(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let question = Question::Call(*call.key());
    render_in_one_window(&assistant.clone(), question, move || {
        let assistant = assistant.clone();
        render_raisable(move || custom_approval_card(assistant.clone(), call))
    })
}

fn custom_approval_card(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let visibility = track_visibility(call, || None, || ());
    batch::join_batch(call, visibility);
    let (card_assistant, conditional_call) = (
        assistant.clone(),
        call.with_conditions(visibility.decision_conditions()),
    );
    let card = mount_foreign_view(assistant, move || {
        let name = conditional_call.name_untracked();
        let card = card_assistant.approval_renderer(&name)?;
        Some(ForeignView {
            registration: card.id,
            requester: Some(format!("render_approval of action {name}")),
            draw: Box::new(move || (card.renderer)(conditional_call)),
            instead: Box::new(move || approval::approval_card(call)),
        })
    });
    let note = changed_note(call, Signal::stored(false));
    view! {
        <div class="la-approval-custom">
            {cover_note(&words, visibility)} {note} {card} {preview(call)} {visibility.end_mark()} {approval_hint(&words, visibility)} <details class="la-fold">
                <summary class="la-fold-summary">
                    {Icon::chevron()} <span>{words.text(LabelName::ExactArguments)}</span>
                </summary>
                {arguments(call, None)}
            </details>
        </div>
    }
    .into_any()
}
