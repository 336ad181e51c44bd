//! The signals of a tool call.

use assistant_core::conversation::{CallKey, Decision, Phase, ToolCall};
use leptos::prelude::*;

use super::set_if_changed;

/// A tool call as views see it.
#[derive(Debug, Clone)]
pub struct CallCell {
    /// Which call.
    pub key: CallKey,
    /// The id that the agent gave it.
    pub id: String,
    /// The tool's name; agents may rename a call until its run is over.
    pub name: ArcRwSignal<String>,
    /// How far it has come.
    pub phase: ArcRwSignal<Phase>,
    /// Counts its changes: whoever reads more than name and phase follows this.
    pub revision: ArcRwSignal<u32>,
}

/// What a change of a call leads to.
pub(super) struct Shown {
    name: String,
    phase: Phase,
}

impl Shown {
    pub(super) fn of(call: &ToolCall) -> Self {
        Self {
            name: call.name.clone(),
            phase: shown_phase(call),
        }
    }
}

impl CallCell {
    pub(super) fn new(key: CallKey, call: &ToolCall) -> Self {
        Self {
            key,
            id: call.id.clone(),
            name: ArcRwSignal::new(call.name.clone()),
            phase: ArcRwSignal::new(shown_phase(call)),
            revision: ArcRwSignal::new(0),
        }
    }

    pub(super) fn show(&self, shown: Shown) {
        set_if_changed(&self.name, shown.name);
        set_if_changed(&self.phase, shown.phase);
        self.revision.update(|count| *count = count.wrapping_add(1));
    }
}

/// A no is shown as soon as it is said; for the session the call is open until its run is over.
fn shown_phase(call: &ToolCall) -> Phase {
    let decision = call
        .approval
        .as_ref()
        .and_then(|approval| approval.decision.as_ref());
    match (call.phase, decision) {
        (Phase::ApprovalResponded, Some(Decision::Denied { .. })) => Phase::OutputDenied,
        (phase, _) => phase,
    }
}
