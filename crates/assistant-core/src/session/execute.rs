//! Starts approved calls in order and records exactly one result for each call (rules "order of
//! calls", "exactly once", "every call is answered", "results on the wire").

use serde_json::{Value, json};

use super::{
    Cx, Effect, InvocationId, JournalEntry, Session, TimerId,
    policy::{self, NextStep},
    prepare::Rebinding,
};
use crate::{
    action::{ResultEncoding, ToolError, ToolOutcome},
    conversation::{
        Author, CallDataChange, CallEnd, CallError, CallKey, CallResult, Change, Decision,
        EndedCall, ErrorKind, Progress, State, ToolCall,
    },
};

/// The result of a call with an unknown outcome, if the user decides not to run the call again.
const UNKNOWN_OUTCOME_MESSAGE: &str =
    "It was started before the page was reloaded. Its outcome is unknown. It was not run again.";

/// The result of a call that equals a call denied in this turn.
const DENIED_BEFORE_MESSAGE: &str =
    "The user already denied this call. They were not asked again. Do not repeat it.";

/// The end of a call, with the value for the agent.
#[derive(Debug)]
pub(super) struct CallEnding {
    end: CallEnd,
    value: Value,
    /// The error of a failed call.
    error: Option<CallError>,
}

impl CallEnding {
    /// Creates the end of a call that did not fail.
    pub(super) const fn new(end: CallEnd, value: Value) -> Self {
        let error = None;
        Self { end, value, error }
    }

    fn failed(error: CallError, value: Value) -> Self {
        let error = Some(error);
        let ending = Self::new(CallEnd::Error, value);
        Self { error, ..ending }
    }

    /// Creates a failure whose value for the agent contains the message, the delay and schema of
    /// the error's details, if any, and the error's type if the agent can react to it.
    pub(super) fn from_error(error: CallError) -> Self {
        let mut reply = ToolError::new(error.message.as_str());
        let kinds = [
            ErrorKind::InvalidArguments,
            ErrorKind::SchemaChanged,
            ErrorKind::ToolUnavailable,
            ErrorKind::Permission,
            ErrorKind::RateLimit,
            ErrorKind::TooManyQuestions,
        ];
        if kinds.contains(&error.kind) {
            reply = reply.error_type(error.kind.as_str());
        }
        let mut reply = reply.to_value();
        for key in ["retryAfterMs", "schema"] {
            let detail = error.details.as_ref().and_then(|details| details.get(key));
            if let (Some(detail), Value::Object(reply)) = (detail, &mut reply) {
                reply.insert(key.to_owned(), detail.clone());
            }
        }
        Self::failed(error, reply)
    }
}

impl Session {
    /// Advances everything that can proceed: ends and starts checked calls, continues the loop, and
    /// sends queued messages. During a run, only calls of the page itself proceed, unless an eager
    /// call may start.
    pub(super) fn advance_calls_and_loop(&mut self, cx: &mut Cx<'_>) {
        for key in self.direct_call_keys() {
            self.advance_call(&key, cx);
        }
        if self.turn.is_running() && !self.conversation.has_eager_call() {
            return;
        }
        if self.should_hold_calls_back()
            && !self
                .conversation
                .has_open_call(State::is_starting_or_running)
        {
            self.skip_waiting_calls(cx);
        }
        for key in self.conversation.active_calls() {
            self.advance_call(&key, cx);
        }
        self.continue_loop(cx);
        self.send_queued_messages(cx);
    }

    /// Returns true if no run is in progress and an interjected message of the user takes
    /// precedence over the calls that have not started.
    fn should_hold_calls_back(&self) -> bool {
        self.turn.interjected && !self.turn.is_running()
    }

    /// Skips the calls that have not started and are not denied or invalid, because a message of
    /// the user takes precedence.
    fn skip_waiting_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            let is_waiting = self.conversation.call(&key).is_some_and(|call| {
                let state = call.state();
                let is_decided = matches!(state, State::Denied { .. } | State::Invalid(..));
                state.is_awaited_by_loop() && !state.is_starting_or_running() && !is_decided
            });
            if is_waiting {
                let reply = json!({"error": "skipped", "reason": "user_interjection"});
                self.end_call(&key, CallEnding::new(CallEnd::Skipped, reply), cx);
            }
        }
    }

    /// Advances a call by one step, if possible.
    pub(super) fn advance_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        // A direct call does not depend on the current run, since calls of the page itself do not
        // wait for runs.
        let is_run_over = !self.turn.is_running() || self.conversation.is_direct_call(key);
        let check = self.conversation.call(key).and_then(ToolCall::check);
        let is_eager = check.is_some_and(|check| check.eager);
        let may_run = is_run_over || is_eager;
        let is_ready = matches!(self.conversation.state_of(key), Some(State::Allowed(_)));
        if is_ready && may_run && self.rebind_check(key, cx) == Rebinding::Invalid {
            self.recheck_call(key, false, cx);
        }
        let Some(state) = self.conversation.state_of(key) else {
            return;
        };
        let was_allowed = matches!(state, State::Allowed(_));
        match policy::next_step(state, is_run_over, || self.may_start_in_order(key)) {
            NextStep::HandOff if self.admit_start(key, cx) => self.hand_off_call(key, cx),
            NextStep::Start if self.admit_start(key, cx) => self.commit_start(key, cx),
            NextStep::NoResult => self.end_unanswered_call(key, cx),
            NextStep::Fault(error) => self.end_call(key, CallEnding::from_error(error), cx),
            NextStep::Denied(reason) => self.end_denied_call(key, reason.as_deref(), cx),
            NextStep::Wait => self.discard_early_permission(key),
            NextStep::HandOff | NextStep::Start => {}
        }
        // A call whose approval had lapsed was checked again. If the check found a fault or a
        // denial, the call is advanced again, so that the result is recorded at once.
        let state = self.conversation.state_of(key);
        let is_decided = matches!(state, Some(State::Invalid(..) | State::Denied { .. }));
        if was_allowed && is_run_over && is_decided {
            self.advance_call(key, cx);
        }
    }

    /// Returns true if the order of calls permits this call to start.
    fn may_start_in_order(&self, key: &CallKey) -> bool {
        // A call of the page is not held back, because the handler that waits for it may be running.
        if self.should_hold_calls_back() && !self.conversation.is_direct_call(key) {
            return false;
        }
        let is_exclusive = |key: &CallKey| {
            let check = self.conversation.call(key).and_then(ToolCall::check);
            check.is_some_and(|check| check.exclusive)
        };
        let direct_calls = self.conversation.direct_calls();
        let direct_states = direct_calls.map(|call| (call.key(), call.state()));
        let states = self.conversation.open_states().chain(direct_states);
        // The requesters of the call are excluded, since a handler does not block the calls that it
        // waits for.
        let is_requester = |other: &CallKey| {
            self.conversation
                .requesters_of(key)
                .any(|key| key == *other)
        };
        let mut active_states = states.filter(|(other, state)| {
            state.is_starting_or_running() && !is_requester(other) && !self.yields_to(other, key)
        });
        if self.options.sequential && !self.conversation.is_direct_call(key) {
            let is_first = !self
                .conversation
                .has_open_call_before(key, State::is_awaited_by_loop);
            return active_states.next().is_none() && is_first;
        }
        !active_states.any(|(other, _)| is_exclusive(key) || is_exclusive(&other))
    }

    /// Returns true if a running handler does not hold a call of another handler up, because a call
    /// that the running handler requested later is waiting as well. Otherwise, each handler would
    /// wait for the other.
    fn yields_to(&self, running: &CallKey, candidate: &CallKey) -> bool {
        let is_nested = self.conversation.requesters_of(candidate).next().is_some();
        is_nested
            && self.conversation.direct_calls().any(|call| {
                let key = call.key();
                matches!(call.state(), State::Allowed(_))
                    && key.sort_key() > candidate.sort_key()
                    && self
                        .conversation
                        .requesters_of(&key)
                        .any(|other| other == *running)
            })
    }

    pub(super) fn running_call_key(&self, invocation: InvocationId) -> Option<CallKey> {
        let is_running =
            |state: &State| matches!(state, State::Running(id, ..) if *id == invocation);
        self.conversation.find_open_call(is_running)
    }

    pub(super) fn set_progress(&mut self, id: InvocationId, progress: Progress) {
        if let Some(key) = self.running_call_key(id) {
            self.conversation
                .edit_call(&key, |call| call.progress = Some(progress));
        }
    }

    pub(super) fn set_preliminary_result(&mut self, id: InvocationId, value: Value) {
        if let Some(key) = self.running_call_key(id) {
            self.conversation
                .edit_call(&key, |call| call.preliminary = Some(value));
        }
    }

    pub(super) fn handle_handler_end(
        &mut self,
        id: InvocationId,
        outcome: Result<ToolOutcome, ToolError>,
        cx: &mut Cx<'_>,
    ) {
        let Some(key) = self.running_call_key(id) else {
            return;
        };
        let ending = match outcome {
            Ok(ToolOutcome::Continue(value)) => CallEnding::new(CallEnd::Output, value),
            Ok(ToolOutcome::StopLoop(value)) => {
                // The loop of the agent does not depend on calls of the page itself.
                self.turn.stopped |= !self.conversation.is_direct_call(&key);
                CallEnding::new(CallEnd::Output, value)
            }
            Err(error) => {
                let reply = error.to_value();
                let error = CallError::new(ErrorKind::Handler, error.message);
                CallEnding::failed(error, reply)
            }
        };
        self.end_call(&key, ending, cx);
    }

    pub(super) fn handle_timer(&mut self, timer: TimerId, cx: &mut Cx<'_>) {
        if self.close_run_on_grace_timer(timer, cx) {
            return;
        }
        let has_timer =
            |state: &State| matches!(state, State::Running(_, Some(set), _) if *set == timer);
        let Some(key) = self.conversation.find_open_call(has_timer) else {
            return;
        };
        self.cancel_handler(&key, cx);
        let message = "The action took too long and was given up".to_owned();
        let error = CallError::new(ErrorKind::Timeout, message);
        self.end_call(&key, CallEnding::from_error(error), cx);
    }

    pub(super) fn end_denied_call(&mut self, key: &CallKey, reason: Option<&str>, cx: &mut Cx<'_>) {
        let call = self.conversation.call(key);
        let registration = call.and_then(|call| call.check()?.registration);
        let args = call.and_then(ToolCall::args);
        let args = args.cloned().unwrap_or_default();
        let custom_reply = registration.and_then(|id| cx.host.denial(id, &args, reason));
        let call = self.conversation.call(key);
        let is_unknown = call.is_some_and(ToolCall::has_unknown_outcome);
        let was_denied_before = call.is_some_and(ToolCall::denied_before);
        let reply = custom_reply.unwrap_or_else(|| match reason {
            reason if is_unknown => {
                json!({"status": "unknown", "reason": reason, "message": UNKNOWN_OUTCOME_MESSAGE})
            }
            Some(reason) if was_denied_before => {
                json!({"status": "denied", "reason": reason, "message": DENIED_BEFORE_MESSAGE})
            }
            None if was_denied_before => {
                json!({"status": "denied", "message": DENIED_BEFORE_MESSAGE})
            }
            Some(reason) => json!({"status": "denied", "reason": reason}),
            None => "denied".into(),
        });
        self.conversation.apply_data_change(
            key,
            CallDataChange::Decision(Decision::Denied {
                reason: reason.map(str::to_owned),
            }),
        );
        self.end_call(key, CallEnding::new(CallEnd::Denied, reply), cx);
    }

    /// Records the result of a call in the conversation and in the journal, unless the call already
    /// has a result. Ends the calls that the handler requested, and delivers the outcome of a call
    /// of the page itself.
    pub(super) fn end_call(&mut self, key: &CallKey, ending: CallEnding, cx: &mut Cx<'_>) {
        let check = self.conversation.call(key).and_then(ToolCall::check);
        let encoding = check.map_or(ResultEncoding::Json, |check| check.encoding);
        let CallEnding { end, value, error } = ending;
        let content = match end {
            CallEnd::Output | CallEnd::Denied => encoding.encode(&value),
            CallEnd::Error | CallEnd::Skipped | CallEnd::Cancelled => value.to_string(),
        };
        let mut result = CallResult::new(cx.host.new_id(), content, value);
        result.error = error.as_ref().map(|error| error.message.clone());
        let mut outcome = EndedCall::new(end, Author::Page, false);
        outcome.error = error;
        let is_recorded = self
            .conversation
            .set_page_result(*key, result.clone(), outcome, cx.now);
        if !is_recorded {
            return;
        }
        cx.push_change(Change::Run);
        let call = self.conversation.call(key);
        let Some((phase, name)) = call.map(|call| (call.phase(), call.name.clone())) else {
            return;
        };
        self.end_nested_calls(key, cx);
        self.deliver_direct_outcome(key, cx);
        let thread_id = self.thread_id.clone();
        let entry = JournalEntry::Finished {
            thread_id,
            call: *key,
            name,
            phase,
            result,
        };
        cx.push_effect(Effect::Record { entry });
    }
}
