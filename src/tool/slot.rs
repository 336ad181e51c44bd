//! The place of a tool call in a message: the approval card, the action's own card, or the
//! default card.

use assistant_core::{
    action::RegistrationId,
    conversation::{CallKey, Phase, Status},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{ApprovalCard, DefaultCard, Foreign, foreign};
use crate::{
    action::{Renderer, ToolCallView},
    assistant::Assistant,
    view::dynamic,
};

/// What stands in the slot right now.
#[derive(Clone, PartialEq)]
enum Face {
    Approval,
    Custom(RegistrationId),
    Default,
}

/// The place of a tool call in a message. An unknown call has none.
#[component]
pub fn ToolCallSlot(
    /// Whose conversation.
    assistant: Assistant,
    /// Which call.
    call: CallKey,
) -> impl IntoView {
    let Some(cell) = assistant.call(&call) else {
        return ().into_any();
    };
    let (name, phase) = (cell.name.clone(), cell.phase.clone());
    let renderers = assistant.runtime().view.renderers.clone();
    let face = {
        let (assistant, name, phase) = (assistant.clone(), name.clone(), phase.clone());
        Memo::new(move |_| {
            renderers.track();
            let asked = phase.get() == Phase::ApprovalRequested;
            match (asked, name.with(|name| renderer_of(&assistant, name))) {
                (true, _) => Face::Approval,
                (false, Some((id, _))) => Face::Custom(id),
                (false, None) => Face::Default,
            }
        })
    };
    let id = cell.id.clone();
    let (status, fine, busy) = (phase.clone(), phase.clone(), phase);
    let view = ToolCallView::new(assistant.clone(), cell, false);
    view! {
        <div
            class="la-part la-tool tool-call-render"
            data-tool-name=move || name.get()
            data-tool-call-id=id
            data-status=move || status.get().status().as_str()
            data-phase=move || fine.get().as_str()
            aria-busy=move || (busy.get().status() == Status::Executing).then_some("true")
        >
            {dynamic(move || match face.get() {
                Face::Approval => view! { <ApprovalCard call=view.clone() /> }.into_any(),
                Face::Custom(_) => {
                    custom_card(assistant.clone(), view.clone())
                }
                Face::Default => view! { <DefaultCard call=view.clone() /> }.into_any(),
            })}
        </div>
    }
    .into_any()
}

/// The renderer in force under a name, and whether it sees arguments while they stream.
fn renderer_of(assistant: &Assistant, name: &str) -> Option<(RegistrationId, (Renderer, bool))> {
    let runtime = assistant.runtime();
    let id = runtime.read(|session| session.registry().in_force(name).map(|entry| entry.id))??;
    let code = runtime.code(id)?;
    let renderer = code.renderer.clone()?;
    Some((id, (renderer, code.streams_args)))
}

/// Whether a call shows the default card; who asks inside a reactive closure is told of changes.
pub(crate) fn has_default_card(assistant: &Assistant, call: &CallKey) -> bool {
    assistant.runtime().view.renderers.track();
    let Some(cell) = assistant.call(call) else {
        return false;
    };
    cell.name
        .with(|name| renderer_of(assistant, name).is_none())
        && cell.phase.get() != Phase::ApprovalRequested
}

/// What an action draws for a call.
fn custom_card(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let (drawn, default) = (assistant.clone(), call.clone());
    foreign(assistant, move || {
        let found = call.name_untracked_with(|name| renderer_of(&drawn, name));
        let (registration, (renderer, streams_args)) = found?;
        let (view, default) = (call.clone().streaming(streams_args), default.clone());
        Some(Foreign {
            registration,
            draw: Box::new(move || renderer(view)),
            instead: Box::new(move || default.default_card()),
        })
    })
}
