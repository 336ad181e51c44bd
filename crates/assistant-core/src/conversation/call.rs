//! Defines a tool call, with its arguments, its state and its result.

use serde_json::{Map, Value, json};

use super::{
    AllowedEarlier, Author, CallApproval, CallDataChange, CallError, CallEvent, CallKey,
    CallResult, Check, Decision, Fingerprint, History, Origin, Phase, Progress,
    args::Arguments,
    outcome::{CallEnd, EndedCall},
    review::AwaitedPreview,
    state::{State, StateEvent},
};
use crate::{
    action::{ActionFingerprint, ActionSpec, Execution, Policy},
    event::Object,
};

/// A tool call in an assistant's message, or a tool call that the page made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    pub(super) key: CallKey,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) action: Option<ActionFingerprint>,
    pub(crate) parent: Option<CallKey>,
    pub(crate) preliminary: Option<Value>,
    pub(crate) progress: Option<Progress>,
    pub(crate) created_at: i64,
    pub(crate) encrypted_value: Option<String>,
    pub(crate) metadata: Object,
    pub(crate) extra: Object,
    pub(crate) origin: Origin,
    pub(super) state: State,
    /// The number of the run that made the call, if the run is known.
    pub(crate) run: Option<u64>,
    pub(super) arguments: Arguments,
    /// The events that the conversation has not collected yet.
    pub(super) events: Vec<CallEvent>,
}

impl ToolCall {
    /// Returns the time at which the call appeared, in milliseconds since 1970.
    #[must_use]
    pub const fn created_at(&self) -> i64 {
        self.created_at
    }

    /// Returns the key of the call whose handler requested this call, if a handler requested it.
    #[must_use]
    pub const fn parent(&self) -> Option<CallKey> {
        self.parent
    }

    /// Returns the fingerprint of the action that was offered to the agent or whose handler was
    /// started. Returns `None` if no action of this page is responsible for the call.
    #[must_use]
    pub const fn action(&self) -> Option<&ActionFingerprint> {
        self.action.as_ref()
    }

    /// Returns the provider's encrypted value, which is sent back unchanged.
    #[must_use]
    pub fn encrypted_value(&self) -> Option<&str> {
        self.encrypted_value.as_deref()
    }

    /// Returns the metadata of the call: an object with arbitrary fields.
    #[must_use]
    pub const fn metadata(&self) -> &Object {
        &self.metadata
    }

    /// Returns the unknown fields of the call, which are stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the origin of the call.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the id of the call on the wire, which the agent usually assigned. The id of a call
    /// that the page made is empty.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the newest preliminary result, which is displayed and never sent to the agent.
    #[must_use]
    pub const fn preliminary(&self) -> Option<&Value> {
        self.preliminary.as_ref()
    }

    /// Returns the last progress that the handler reported, if the handler has reported progress.
    #[must_use]
    pub const fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Creates a call without arguments. `now` is the time in milliseconds since 1970.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, now: i64) -> Self {
        Self {
            key: CallKey::new(0),
            id: id.into(),
            name: name.into(),
            action: None,
            parent: None,
            preliminary: None,
            progress: None,
            created_at: now,
            encrypted_value: None,
            metadata: Map::new(),
            extra: Map::new(),
            origin: Origin::Agent,
            state: State::default(),
            run: None,
            arguments: Arguments::default(),
            events: Vec::new(),
        }
    }

    /// Returns the call's key. The key does not change when the call moves to another message or
    /// gets another id.
    #[must_use]
    pub const fn key(&self) -> CallKey {
        self.key
    }

    /// Returns the call's phase.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match (&self.state, self.approval()) {
            // If the call required no approval, the phase only states that the input is complete.
            (
                State::Allowed(_) | State::Committing(..),
                None | Some(CallApproval { decision: None, .. }),
            ) => Phase::InputAvailable,
            (state, _) => state.phase(),
        }
    }

    /// Returns the question that the user was asked, with the answer. Returns `None` if the user
    /// was not asked.
    #[must_use]
    pub fn approval(&self) -> Option<&CallApproval> {
        self.state.review()?.approval.as_ref()
    }

    /// Returns the remembered approval under which the call starts without a question to the user,
    /// if such an approval applies.
    #[must_use]
    pub fn allowed_earlier(&self) -> Option<&AllowedEarlier> {
        self.state.review()?.allowed_earlier.as_ref()
    }

    /// Returns true if an equal call was denied in the same turn, and the user was therefore not
    /// asked about this call.
    #[must_use]
    pub const fn denied_before(&self) -> bool {
        matches!(self.state.review(), Some(review) if review.denied_before)
    }

    /// Returns the arguments that the user edited before the approval, or `None` if the user did
    /// not edit the arguments.
    #[must_use]
    pub fn edited_args(&self) -> Option<&Value> {
        self.state.review()?.edited_args.as_ref()
    }

    /// Returns the arguments as sanitized by the application before they were displayed, or `None`
    /// if the application did not change the arguments.
    #[must_use]
    pub fn clean_args(&self) -> Option<&Value> {
        self.state.review()?.clean_args.as_ref()
    }

    /// Returns the action's preview of the changes, for the question to the user. Returns `None` if
    /// no preview was made. `Err` contains the reason why the preview could not be made.
    #[must_use]
    pub fn preview(&self) -> Option<&Result<Value, String>> {
        self.state.review()?.preview.as_ref()
    }

    /// Returns the fingerprint of the call that a rule of the application permitted without a
    /// question to the user, if a rule permitted the call.
    pub(crate) fn cleared_fingerprint(&self) -> Option<&Fingerprint> {
        self.state.review()?.cleared.as_ref()
    }

    /// Removes and returns the request for a preview that the page's question waits for, if the
    /// question waits for a preview.
    pub(crate) const fn take_awaited_preview(&mut self) -> Option<Box<AwaitedPreview>> {
        match &mut self.state {
            State::Asked(question) => question.awaited.take(),
            _ => None,
        }
    }

    /// Changes data of the call's state, but not the state itself.
    pub(crate) fn apply_data_change(&mut self, change: CallDataChange) {
        self.state.apply_data_change(change);
    }

    /// Changes the review without a transition of the state table, for tests of later checks.
    #[cfg(test)]
    pub(crate) fn edit_review(&mut self, edit: impl FnOnce(&mut super::Review)) {
        if let Some(review) = self.state.review_mut() {
            edit(review);
        }
    }

    pub(crate) fn history(&self) -> History {
        self.state.history()
    }

    pub(crate) const fn state(&self) -> &State {
        &self.state
    }

    /// Returns the check on which the call's state is based, if the state is based on a check.
    pub(crate) fn check(&self) -> Option<&Check> {
        self.state.review()?.check.as_deref()
    }

    /// Returns the author of the result, or `None` if the call has no result.
    #[must_use]
    pub const fn answered_by(&self) -> Option<Author> {
        match &self.state {
            State::Ended(outcome) if outcome.result.is_some() => Some(outcome.by),
            _ => None,
        }
    }

    /// Returns true if the call has changed since the user was asked or decided about the call.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.history().changed
    }

    /// Returns true if the call has ended and nothing must be sent to the agent, because the agent
    /// sent the result, a run that has begun contained the result, or no result is sent.
    #[must_use]
    pub const fn is_delivered(&self) -> bool {
        matches!(&self.state, State::Ended(outcome) if outcome.sent)
    }

    /// Returns the result, which is sent to the agent. Returns `None` if the call has not ended, or
    /// has ended without a result.
    #[must_use]
    pub fn result(&self) -> Option<&CallResult> {
        self.outcome()?.result.as_ref()
    }

    /// Returns the error of a call that failed, or `None` for other calls.
    #[must_use]
    pub fn error(&self) -> Option<&CallError> {
        self.outcome()?.error.as_ref()
    }

    /// Returns the time of the call's end, in milliseconds since 1970, if the call has ended and
    /// the time is known.
    #[must_use]
    pub fn ended_at(&self) -> Option<i64> {
        self.outcome()?.at
    }

    /// Returns the outcome, or `None` if the call has not ended.
    const fn outcome(&self) -> Option<&EndedCall> {
        match &self.state {
            State::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Returns a mutable reference to the outcome, or `None` if the call has not ended.
    pub(super) const fn outcome_mut(&mut self) -> Option<&mut EndedCall> {
        match &mut self.state {
            State::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Sets the error that the journal contains for a failed call. If `error` is `None`, the
    /// current error is kept. A call that has not ended is not changed.
    pub(crate) fn set_error(&mut self, error: Option<CallError>) {
        if let Some(outcome) = self.outcome_mut() {
            outcome.error = error.or(outcome.error.take());
        }
    }

    /// Returns true if the result has no position in the received order.
    pub(super) const fn is_unlisted(&self) -> bool {
        matches!(&self.state, State::Ended(outcome) if outcome.unlisted)
    }

    /// Ends the call with a result that an agent or a record contains, and that is therefore not
    /// sent. The result gets the message of the error, if there is an error. `at` is the time of
    /// the end in milliseconds since 1970, if known. Returns false if the state does not change.
    pub(super) fn settle(
        &mut self,
        (end, by, at): (CallEnd, Author, Option<i64>),
        mut result: CallResult,
        error: Option<CallError>,
    ) -> bool {
        if let Some(error) = &error {
            result.error = Some(error.message.clone());
        }
        let mut outcome = EndedCall::new(end, by, true);
        outcome.at = at;
        outcome.error = error;
        outcome.result = Some(result);
        self.apply_event(StateEvent::Settled(Box::new(outcome)))
    }

    /// Returns true if the call may wait for the agent's result: the user has answered the agent's
    /// interrupt about the call, or the call is in the state `Interrupted`. A call remains in the
    /// state `Interrupted` if the answered interrupt is not an approval request. The session
    /// determines whether the interrupt is open.
    pub(crate) fn may_await_agent(&self) -> bool {
        let is_answered = || {
            let approval = self.approval();
            approval.is_some_and(CallApproval::is_answer_to_agent)
        };
        match self.state {
            State::Interrupted { .. } => true,
            State::InterruptApproved { .. }
            | State::InterruptDenied { .. }
            | State::Remote { .. } => is_answered(),
            _ => false,
        }
    }

    /// Returns true if the call has a result that no agent has received.
    pub(crate) const fn is_undelivered(&self) -> bool {
        matches!(&self.state, State::Ended(outcome) if outcome.result.is_some() && !outcome.sent)
    }

    /// Returns true if the call's handler was ever started.
    #[must_use]
    pub fn was_started(&self) -> bool {
        self.history().starts > 0
    }

    /// Returns true if the call's handler was started before a reload and the outcome of the
    /// handler is unknown. The user is asked before the handler runs again, unless the action is
    /// idempotent.
    #[must_use]
    pub fn has_unknown_outcome(&self) -> bool {
        self.history().unknown_outcome
    }

    /// Returns the number of claims that starts of the call's handler have used. A journal accepts
    /// a claim only once, so each start needs a new claim, regardless of the outcome of earlier
    /// starts.
    pub(crate) fn claim_count(&self) -> u32 {
        let history = self.history();
        history.starts.saturating_add(history.void_starts)
    }

    /// Records that the journal contains a start of the call's handler. A call that could start or
    /// was running is checked again, with an unknown outcome. `attempt` is the number of claims
    /// that were used before the recorded start.
    pub(super) fn mark_unknown_outcome(&mut self, attempt: u32) {
        self.state = std::mem::take(&mut self.state).into_unknown_outcome(attempt);
    }

    /// Returns true if the page ended the call with a result or by cancelling the call.
    #[must_use]
    pub const fn is_settled_here(&self) -> bool {
        matches!(&self.state, State::Ended(outcome) if matches!(outcome.by, Author::Page))
    }

    /// Returns true if the agent can no longer change the name and arguments, because the call is
    /// running, was denied, or was ended by the page.
    pub(super) const fn is_fixed(&self) -> bool {
        let is_decided = matches!(
            self.state,
            State::Running(..) | State::Denied { .. } | State::InterruptDenied { .. }
        );
        is_decided || self.is_settled_here()
    }

    /// Returns true if the user or the application denied the call.
    pub(super) fn is_denied(&self) -> bool {
        let decision = self.approval().and_then(|asked| asked.decision.as_ref());
        matches!(decision, Some(Decision::Denied { .. }))
    }

    /// Applies an event to the state and adds the resulting event of the call. If the call
    /// restarts, its preliminary result and its progress are discarded. Returns false if the state
    /// does not change.
    pub(super) fn apply_event(&mut self, event: StateEvent) -> bool {
        let old_phase = self.phase();
        let kind = self.event_kind(&event);
        let is_settlement = matches!(event, StateEvent::Settled(_));
        let was_done = self.state.is_done();
        let (next, is_applied) = match std::mem::take(&mut self.state).step(event) {
            Ok(next) => (next, true),
            Err(same) => (same, false),
        };
        self.state = next;
        if !is_applied {
            return false;
        }
        let is_restarted = matches!(
            self.state,
            State::Streaming(_) | State::Open(_) | State::Interrupted { .. }
        );
        if is_restarted {
            self.preliminary = None;
            self.progress = None;
        }
        // A repeated or corrected result adds an end event only if the phase changes, because the
        // call had already ended.
        let is_end = is_settlement && (!was_done || self.phase() != old_phase);
        let create_end_event = || is_end.then(|| self.ended_event_kind());
        if let Some(kind) = kind.or_else(create_end_event) {
            self.events.push(self.create_event(kind, old_phase));
        }
        true
    }

    /// Changes the outcome of a call from an output to an error, because the agent reported the
    /// failure after the result. An end event is added, so that the last event of the call does not
    /// record a success.
    pub(super) fn fail_output(&mut self) {
        let old_phase = self.phase();
        let Some(outcome) = self.outcome_mut() else {
            return;
        };
        if outcome.end == CallEnd::Output {
            outcome.end = CallEnd::Error;
            let kind = self.ended_event_kind();
            self.events.push(self.create_event(kind, old_phase));
        }
    }

    /// Returns true if the call has not ended and is not a callout that is only displayed.
    pub(super) fn is_open(&self) -> bool {
        self.is_real() && !self.state.is_done()
    }

    /// Returns false for a callout in a text that is displayed and never run, and true for all
    /// other calls.
    pub(crate) fn is_real(&self) -> bool {
        self.origin != Origin::Text
    }

    /// Returns the id of the tool message that hands the call off to the agent. Returns `None` if
    /// the call is not handed off, or if the call has changed since the approval.
    pub(crate) fn hand_off_message_id(&self) -> Option<&str> {
        let State::HandedOff { message, .. } = &self.state else {
            return None;
        };
        let message = message.given_for(&Fingerprint::from_call(self, None));
        message.map(String::as_str)
    }

    /// Returns true if the agent's question about the call was approved and the call has not
    /// changed since the approval.
    pub(crate) fn is_approved_for_agent(&self) -> bool {
        !self.has_changed()
            && self.approval().is_some_and(|approval| {
                approval.interrupt_id.is_some() && approval.decision == Some(Decision::Approved)
            })
    }

    /// Returns true if the agent has asked about the call by an interrupt.
    pub(crate) fn was_asked_by_agent(&self) -> bool {
        let approval = self.approval();
        approval.is_some_and(|approval| approval.interrupt_id.is_some())
    }

    /// Returns true if the user must be asked on this page before the call starts.
    pub(crate) fn must_be_asked(&self) -> bool {
        self.state.must_be_asked()
    }

    /// Returns true if the page's question about the call was approved.
    pub(crate) fn is_approved_here(&self) -> bool {
        let is_approval_here = |approval: &CallApproval| {
            approval.interrupt_id.is_none() && approval.decision == Some(Decision::Approved)
        };
        self.approval().is_some_and(is_approval_here)
    }

    /// Voids the check of the call, so that the call is checked again.
    pub(crate) fn void_check(&mut self) {
        self.apply_event(StateEvent::Voided);
    }
}

impl Fingerprint {
    /// Returns the fingerprint of the shown part of a call: its name, its exact effective
    /// arguments, and for a call of a registered action the rules of the action and the preview of
    /// the changes.
    pub(crate) fn from_call(call: &ToolCall, spec: Option<&ActionSpec>) -> Self {
        let preview = call.preview().map(|preview| match preview {
            Ok(value) => json!([value]),
            Err(reason) => reason.as_str().into(),
        });
        let rules = spec.map_or(Value::Null, |spec| {
            json!([
                spec.parameters,
                matches!(spec.approval, Policy::Never),
                matches!(spec.execution, Execution::Agent),
                spec.validate,
                spec.has_handler,
                preview.filter(|_| spec.has_preview),
                spec.version,
            ])
        });
        let args = call.effective_args().ok_or_else(|| call.args_text());
        Self::new(&call.name, args, &rules)
    }

    /// Returns the fingerprint of a call as the agent wrote the call, without changes by the user
    /// or the page.
    pub(crate) fn from_agents_call(call: &ToolCall) -> Self {
        let args = call.args().ok_or_else(|| call.args_text());
        Self::new(&call.name, args, &Value::Null)
    }
}
