//! The place of a tool call in a message: the approval card, the action's own card, or the
//! default card.

use assistant_core::{
    action::RegistrationId,
    conversation::{CallKey, Phase, Status},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{
    ApprovalCard, DefaultCard,
    approval::{arguments, changed_note, hint, seen},
};
use crate::{
    action::ToolCallView,
    assistant::{Assistant, assistant_for},
    part::{Foreign, foreign},
    render::{CallRenderers, Renderer},
    ui::{Icon, Words, dynamic},
};

/// What stands in the slot right now.
#[derive(Clone, PartialEq)]
enum Face {
    Approval,
    /// The page's question, as the action draws it.
    CustomApproval(RegistrationId),
    Custom(RegistrationId),
    Default,
}

/// The place of a tool call in a message. An unknown call has none.
#[component]
pub fn ToolCallSlot(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// Which call.
    call: CallKey,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ToolCallSlot") else {
        return ().into_any();
    };
    let Some(cell) = assistant.call(&call) else {
        return ().into_any();
    };
    let (name, phase) = (cell.name.clone(), cell.phase.clone());
    let view = ToolCallView::new(&assistant, call);
    let face = {
        let (assistant, view) = (assistant.clone(), view);
        Memo::new(move |_| face_of(&assistant, &view))
    };
    let id = cell.id.clone();
    let (status, fine, busy) = (phase.clone(), phase.clone(), phase);
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
                Face::Approval => view! { <ApprovalCard call=view /> }.into_any(),
                Face::CustomApproval(_) => custom_approval(assistant.clone(), view),
                Face::Custom(_) => custom_card(assistant.clone(), view),
                Face::Default => view! { <DefaultCard call=view /> }.into_any(),
            })}
        </div>
    }
    .into_any()
}

/// Who draws the call; who asks inside a reactive closure is told of changes.
fn face_of(assistant: &Assistant, call: &ToolCallView<Value>) -> Face {
    assistant.view().renderers.track();
    let name = call.name();
    let drawn = |find: Find| renderer_of(assistant, &name, find).map(|(id, ..)| id);
    if call.phase() == Phase::ApprovalRequested {
        // What the agent asks, and what nothing here can run, has the built-in card.
        let own = !call.is_asked_by_agent() && call.can_run();
        let own = own.then(|| drawn(|renderers| renderers.approval.as_ref()));
        return own.flatten().map_or(Face::Approval, Face::CustomApproval);
    }
    // A card of the page shows what this page ran, and nothing that was only said.
    match card_of(assistant, &name).map(|(id, ..)| id) {
        Some(id) if !call.is_reported() => Face::Custom(id),
        _ => Face::Default,
    }
}

type Find = fn(&CallRenderers<ToolCallView>) -> Option<&Renderer<ToolCallView>>;

/// Who draws calls of a name: the action in force, or else the newest one that has a renderer, so
/// that cards stay while their action is disabled. Beside it, whether it sees arguments stream in.
fn renderer_of(
    assistant: &Assistant,
    name: &str,
    find: Find,
) -> Option<(RegistrationId, Renderer<ToolCallView>, bool)> {
    let ids: Vec<RegistrationId> = assistant.read(|session| {
        let registry = session.registry();
        let all = registry
            .in_force(name)
            .into_iter()
            .chain(registry.named(name));
        all.map(|entry| entry.id).collect()
    })?;
    ids.into_iter().find_map(|id| {
        let renderers = assistant.calls().get(id)?;
        Some((id, find(&renderers)?.clone(), renderers.streams_args))
    })
}

/// Who draws the card of a call: its action, or else whoever draws tools.
fn card_of(
    assistant: &Assistant,
    name: &str,
) -> Option<(RegistrationId, Renderer<ToolCallView>, bool)> {
    renderer_of(assistant, name, |renderers| renderers.card.as_ref()).or_else(|| {
        let (id, renderer) = assistant.calls().of_tool(name)?;
        Some((id, renderer, true))
    })
}

/// Whether a call shows the default card; who asks inside a reactive closure is told of changes.
pub(crate) fn has_default_card(assistant: &Assistant, call: &CallKey) -> bool {
    let view = ToolCallView::new(assistant, *call);
    assistant.call(call).is_some() && face_of(assistant, &view) == Face::Default
}

/// What an action draws for a call.
fn custom_card(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let (drawn, default) = (assistant.clone(), call);
    foreign(assistant, move || {
        let found = card_of(&drawn, &call.name_untracked());
        let (registration, renderer, streams_args) = found?;
        let (view, default) = (call.streaming(streams_args), default);
        Some(Foreign {
            registration,
            draw: Box::new(move || renderer(view)),
            instead: Box::new(move || default.default_card()),
        })
    })
}

/// What an action draws to ask whether a call may run, with the exact arguments one click away. It
/// must have been in view to its end before an approval counts.
fn custom_approval(assistant: Assistant, call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let seen = seen(call, || ());
    let (drawn, shown) = (assistant.clone(), call.behind(seen.gate()));
    let asked = call;
    let card = foreign(assistant, move || {
        let find: Find = |renderers| renderers.approval.as_ref();
        let found = renderer_of(&drawn, &shown.name_untracked(), find);
        let (registration, renderer, _) = found?;
        let (view, default) = (shown, asked);
        Some(Foreign {
            registration,
            draw: Box::new(move || renderer(view)),
            instead: Box::new(move || {
                let call = default;
                view! { <ApprovalCard call /> }.into_any()
            }),
        })
    });
    let note = changed_note(call);
    view! {
        <div class="la-approval-custom">
            {note} {card} {seen.end()} {hint(&words, seen)} <details class="la-fold">
                <summary class="la-fold-summary">
                    {Icon::chevron()} <span>{words.text(|l| &l.exact_arguments)}</span>
                </summary>
                {arguments(call, None)}
            </details>
        </div>
    }
    .into_any()
}
