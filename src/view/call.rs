//! The signals of a tool call.

use assistant_core::{
    conversation::{CallKey, Decision, Fingerprint, Phase, ToolCall},
    session::Session,
};
use leptos::prelude::*;

use super::set_if_changed;

/// The signals of a tool call, for views.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallCell {
    /// The key of the call.
    pub(crate) key: CallKey,
    /// The id that the agent gave the call.
    pub(crate) id: String,
    /// The tool's name; agents may rename a call until its run is over.
    pub(crate) name: ArcRwSignal<String>,
    /// The phase of the call.
    pub(crate) phase: ArcRwSignal<Phase>,
    /// The fingerprint of the call as it is shown for approval; `None` if no approval is pending.
    /// The user's decision is bound to this fingerprint.
    pub(crate) shown: ArcRwSignal<Option<Fingerprint>>,
    /// The number of changes of the call, for views that depend on more than the name and the
    /// phase.
    pub(crate) revision: ArcRwSignal<u32>,
}

/// The new values of a call's signals.
pub(super) struct CallValues {
    name: String,
    phase: Phase,
    fingerprint: Option<Fingerprint>,
}

impl CallValues {
    pub(super) fn new(call: &ToolCall, session: &Session) -> Self {
        let is_approval_pending = call.phase() == Phase::ApprovalRequested;
        Self {
            name: call.name().to_owned(),
            phase: shown_phase(call),
            fingerprint: is_approval_pending
                .then(|| session.fingerprint(&call.key()))
                .flatten(),
        }
    }
}

impl CallCell {
    /// Returns the key of the call.
    #[must_use]
    pub const fn key(&self) -> CallKey {
        self.key
    }

    /// Returns the id that the agent gave the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the signal of the tool's name; agents may rename a call until its run is over.
    #[must_use]
    pub fn name(&self) -> ArcReadSignal<String> {
        self.name.read_only()
    }

    /// Returns the signal of the phase of the call.
    #[must_use]
    pub fn phase(&self) -> ArcReadSignal<Phase> {
        self.phase.read_only()
    }

    /// Returns the signal of the fingerprint of the call as it is shown for approval; `None` if no
    /// approval is pending. The user's decision is bound to this fingerprint.
    #[must_use]
    pub fn shown(&self) -> ArcReadSignal<Option<Fingerprint>> {
        self.shown.read_only()
    }

    /// Returns the signal of the number of changes of the call, for views that depend on more than
    /// the name and the phase.
    #[must_use]
    pub fn revision(&self) -> ArcReadSignal<u32> {
        self.revision.read_only()
    }

    pub(super) fn new(call: &ToolCall, session: &Session) -> Self {
        let CallValues {
            name,
            phase,
            fingerprint,
        } = CallValues::new(call, session);
        Self {
            key: call.key(),
            id: call.id().to_owned(),
            name: ArcRwSignal::new(name),
            phase: ArcRwSignal::new(phase),
            shown: ArcRwSignal::new(fingerprint),
            revision: ArcRwSignal::new(0),
        }
    }

    pub(super) fn apply_values(&self, values: CallValues) {
        set_if_changed(&self.name, values.name);
        set_if_changed(&self.phase, values.phase);
        set_if_changed(&self.shown, values.fingerprint);
        self.revision.update(|count| *count = count.wrapping_add(1));
    }
}

/// Returns the phase of a call for views: a denied call is shown as denied at once, although the
/// call stays open until its run ends.
fn shown_phase(call: &ToolCall) -> Phase {
    let decision = call.approval().and_then(|approval| approval.decision());
    match (call.phase(), decision) {
        (Phase::ApprovalResponded, Some(Decision::Denied { .. })) => Phase::OutputDenied,
        (phase, _) => phase,
    }
}
