//! Checks calls with complete arguments: a call is permitted, needs the user's approval, or is
//! invalid.
//!
//! A check is bound to the call's name and exact argument text, and to the rules of its action. If
//! any of these changes before the handler starts, the call is checked again (rule "start of a
//! tool").

use serde_json::Value;

use super::{
    Answer, Cx, PolicyQuestion, Session, Ticket,
    event_class::CallsToCheck,
    offer::add_current_schema,
    policy::{self, CheckFacts, CheckResult, OfferStatus},
};
use crate::{
    action::{Availability, Execution, Registration, RegistrationId, ResultEncoding, schema},
    conversation::{
        CallDataChange, CallError, CallKey, Check, CheckSubject, ErrorKind, Fingerprint, Origin,
        State, StateEvent, ToolCall,
    },
};

impl Session {
    pub(super) fn check_after_event(&mut self, calls_to_check: CallsToCheck, cx: &mut Cx<'_>) {
        match calls_to_check {
            CallsToCheck::Nothing => {}
            CallsToCheck::Call(id) => {
                if let Some((key, _)) = self.conversation.call_by_wire_id(&id) {
                    self.check_changed_call(&key, cx);
                }
            }
            CallsToCheck::AllCalls => {
                self.void_detached_checks();
                for key in self.conversation.active_calls() {
                    self.check_changed_call(&key, cx);
                }
            }
        }
    }

    /// Checks a call of the newest run that an event may have changed, if its arguments are
    /// complete.
    fn check_changed_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let is_current = self.conversation.is_of_newest_run(call);
        if is_current && call.has_ended() {
            self.check_call(key, false, cx);
        }
    }

    /// Voids the checks of open calls that are in no message after a snapshot, and of open calls on
    /// other branches. None of these calls is running, since running calls stay on the path.
    fn void_detached_checks(&mut self) {
        self.conversation.edit_detached_calls(ToolCall::void_check);
        let keys: Vec<CallKey> = self
            .conversation
            .open_calls_on_other_branches()
            .map(ToolCall::key)
            .collect();
        for key in keys {
            self.void_check(&key);
        }
    }

    /// Checks a call with complete arguments. Does nothing if an earlier check is still valid, or
    /// if the call is running, decided or ended. If `ask` is true, the user is asked regardless of
    /// the rules.
    pub(super) fn check_call(&mut self, key: &CallKey, ask: bool, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        match call.state() {
            // Running calls keep the version that they started with; final decisions and calls of
            // the agent need no check.
            State::Ended(_)
            | State::Running(..)
            | State::Denied { .. }
            | State::HandedOff { .. }
            | State::Interrupted { .. }
            | State::InterruptApproved { .. }
            | State::InterruptDenied { .. } => return,
            State::Open(_) => {}
            _ if self.has_valid_check(key) => return,
            _ => {}
        }
        self.void_check(key);
        self.sanitize_args(key, cx);
        self.record_action_fingerprint(key);
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let entry = self.registration_for(call);
        let binding = call_binding(call, entry);
        let mut check = Check::without_action(binding, self.options.eager);
        if let Some(entry) = entry {
            check.registration = Some(entry.id);
            check.eager |= entry.spec.eager;
            check.exclusive = entry.spec.exclusive;
            check.encoding = entry.spec.encoding;
            check.execution = entry.spec.execution;
        }
        if check.execution == Execution::Agent {
            // If the agent runs the call, the reply to the agent is a word, which is sent as text
            // without quotes.
            check.encoding = ResultEncoding::Text;
            check.eager = false;
        }
        self.conversation
            .apply_data_change(key, CallDataChange::Checked(Some(Box::new(check))));
        let event = self.compute_check_result(key, ask, cx);
        self.apply_check_result(key, event, cx);
    }

    /// Voids the check of a call, so that the call is checked again.
    pub(super) fn void_check(&mut self, key: &CallKey) {
        self.conversation.apply_state_event(key, StateEvent::Voided);
    }

    /// Voids the check of a call and checks the call again. If `ask` is true, the user is
    /// asked regardless of the rules.
    pub(super) fn recheck_call(&mut self, key: &CallKey, ask: bool, cx: &mut Cx<'_>) {
        self.void_check(key);
        self.check_call(key, ask, cx);
    }

    /// Checks a loaded call again if its action is registered. Otherwise, the call waits for the
    /// registration. If `ask` is true, the user is asked regardless of the rules.
    pub(super) fn check_loaded_call(&mut self, key: &CallKey, ask: bool, cx: &mut Cx<'_>) {
        let call = self.conversation.call(key);
        let action = call.and_then(|call| self.registry.active_registration(&call.name));
        if action.is_some() {
            return self.recheck_call(key, ask, cx);
        }
        self.void_check(key);
        self.conversation
            .apply_state_event(key, StateEvent::FoundMissing);
    }

    /// Applies the result of a check. If the result is a question that no limit prevents, records
    /// the version of the call that the user is asked about, and requests a preview.
    fn apply_check_result(&mut self, key: &CallKey, result: StateEvent, cx: &mut Cx<'_>) {
        let event = self.filter_question(key, result, cx);
        let is_question = event == StateEvent::QuestionPut;
        self.conversation.apply_state_event(key, event);
        if is_question {
            // The fingerprint identifies the version of the call that the user is asked about.
            let fingerprint = self.call_fingerprint(key);
            let change = CallDataChange::Asked { shown: fingerprint };
            self.conversation.apply_data_change(key, change);
            self.request_preview(key, None, cx);
        }
    }

    /// Collects the facts about a call, and returns the result of [`policy::check`] as an event.
    /// Evaluates the approval rule of the action if the result requires it.
    fn compute_check_result(&mut self, key: &CallKey, ask: bool, cx: &mut Cx<'_>) -> StateEvent {
        let fault = self.find_fault_or_limit(key, cx);
        let Some(call) = self.conversation.call(key) else {
            return StateEvent::FoundRemote;
        };
        let entry = self.registration_for(call);
        let result = policy::check(CheckFacts {
            call,
            action: entry.map(|entry| &entry.spec),
            offer: self.offer_status(call),
            fault,
            earlier: entry.and_then(|entry| self.find_earlier_approval(call, entry, cx.now)),
            is_unchanged_since_asked: self.is_unchanged_since_asked(key),
            ask,
        });
        match result {
            CheckResult::Fault(error) => StateEvent::FoundInvalid(error),
            CheckResult::Ask => StateEvent::QuestionPut,
            CheckResult::AskRule => self.ask_approval_rule(key, cx),
            CheckResult::Permit(earlier) => {
                if earlier.is_some() {
                    self.conversation
                        .apply_data_change(key, CallDataChange::AllowedEarlier(earlier));
                }
                StateEvent::Cleared
            }
            CheckResult::Remote => StateEvent::FoundRemote,
        }
    }

    /// Returns the fault of a call of a registered action, or the limit that the call exceeds.
    /// Returns `None` for a valid call, a call without an action, and a call that its provider ran.
    fn find_fault_or_limit(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> Option<CallError> {
        let (call, entry) = self.call_with_registration(key)?;
        if call.origin == Origin::Provider {
            return None;
        }
        match find_call_fault(entry, call, cx) {
            Some(error) => Some(add_current_schema(error, entry, call)),
            None => self.limit_error(key, false, cx.now),
        }
    }

    /// Returns the status of a call's name in the offer. Every call that the page itself made
    /// counts as offered.
    fn offer_status(&self, call: &ToolCall) -> OfferStatus {
        if self.conversation.is_direct_call(&call.key()) {
            return OfferStatus::Offered;
        }
        match self.turn.was_held_back(&call.name) {
            true => OfferStatus::HeldBack,
            false if self.turn.was_offered(&call.name) => OfferStatus::Offered,
            false => OfferStatus::Unknown,
        }
    }

    /// Sanitizes the arguments of a call before they are used.
    fn sanitize_args(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let call = self.conversation.call(key);
        let clean_args = call.and_then(|call| self.clean_args(call, cx));
        if clean_args.is_some() {
            self.conversation
                .apply_data_change(key, CallDataChange::Cleaned(clean_args));
        }
    }

    /// Returns the arguments of a call as the active registration sanitizes them; `None` if the
    /// arguments stay as the agent wrote them.
    fn clean_args(&self, call: &ToolCall, cx: &mut Cx<'_>) -> Option<Value> {
        let (entry, args) = (self.registration_for(call)?, call.args()?);
        let clean_args = cx.host.sanitize(entry.id, args)?;
        (clean_args != *args).then_some(clean_args)
    }

    /// Returns true if the active registration would sanitize the arguments of a call to those with
    /// which the call would start. Arguments that the user edited must stay as they are.
    fn has_sanitized_args(&self, call: &ToolCall, cx: &mut Cx<'_>) -> bool {
        let Some(edited_args) = call.edited_args() else {
            return self.clean_args(call, cx).as_ref() == call.clean_args();
        };
        let entry = self.registration_for(call);
        let clean_args = entry.and_then(|entry| cx.host.sanitize(entry.id, edited_args));
        clean_args.is_none_or(|clean_args| clean_args == *edited_args)
    }

    /// Returns true if the agent did not ask the user about a call, or if the call is unchanged
    /// since the agent asked.
    pub(super) fn is_unchanged_since_asked(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        let Some((call, approval)) = call.and_then(|call| Some((call, call.approval()?))) else {
            return true;
        };
        !approval.is_answer_to_agent() || approval.shown == Some(Fingerprint::from_call(call, None))
    }

    /// Returns the registration for a call. Returns `None` if the action of the call is not
    /// registered or not offered. Actions that the page requests itself need not be offered to an
    /// agent.
    pub(super) fn registration_for(&self, call: &ToolCall) -> Option<&Registration> {
        match self.conversation.is_direct_call(&call.key()) {
            true => self.registry.executable(&call.name).ok(),
            false => self.offered_registration(&call.name),
        }
    }

    /// Returns a call with the registration of its action, or `None` if either is missing.
    pub(super) fn call_with_registration(
        &self,
        key: &CallKey,
    ) -> Option<(&ToolCall, &Registration)> {
        let call = self.conversation.call(key)?;
        Some((call, self.registration_for(call)?))
    }

    /// Returns the active registration for a name, if the newest run offered the action. A
    /// render-only registration for a tool of the agent need not be offered, since it runs nothing
    /// in the page.
    pub(super) fn offered_registration(&self, name: &str) -> Option<&Registration> {
        let entry = self.registry.active_registration(name)?;
        let is_available = match entry.spec.availability {
            Availability::Offered => self.turn.was_offered(name),
            Availability::RenderOnly => entry.spec.execution == Execution::Agent,
        };
        is_available.then_some(entry)
    }

    fn ask_approval_rule(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> StateEvent {
        let ticket = Ticket(self.next_number());
        let call = self.conversation.call(key);
        let registration = call.and_then(|call| call.check()?.registration);
        let subject = call.and_then(|call| Some((call.name.as_str(), call.effective_args()?)));
        let (Some(registration), Some((name, args))) = (registration, subject) else {
            return StateEvent::QuestionPut;
        };
        let question = PolicyQuestion {
            ticket,
            registration,
            call: key,
            name,
            args,
        };
        let answer = cx.host.needs_approval(question);
        let fingerprint = self.call_fingerprint(key);
        match answer {
            Answer::Now(true) => StateEvent::QuestionPut,
            Answer::Now(false) => {
                self.conversation
                    .apply_data_change(key, CallDataChange::Cleared(fingerprint));
                StateEvent::Cleared
            }
            Answer::Later => StateEvent::RuleAsked(ticket, fingerprint),
        }
    }

    pub(super) fn handle_policy_answer(&mut self, ticket: Ticket, ask: bool, cx: &mut Cx<'_>) {
        let is_asked =
            |state: &State| matches!(state, State::RuleAsked { ticket: id, .. } if *id == ticket);
        let Some(key) = self.conversation.find_open_call(is_asked) else {
            return;
        };
        let result = match ask {
            true => StateEvent::QuestionPut,
            false => StateEvent::Cleared,
        };
        self.apply_check_result(&key, result, cx);
    }

    /// Returns true if the check of an open call is still valid.
    fn has_valid_check(&self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        let Some((check, call)) = call.and_then(|call| Some((call.check()?, call))) else {
            return false;
        };
        let entry = self.registration_for(call);
        check.binding == call_binding(call, entry)
    }

    /// Binds a call to the active registration if the check of the call is still valid.
    pub(super) fn rebind_check(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> Rebinding {
        let Some(call) = self.conversation.call(key) else {
            return Rebinding::Invalid;
        };
        if !self.has_valid_check(key) {
            return Rebinding::Invalid;
        }
        let active_id = self.registration_for(call).map(|entry| entry.id);
        if call.check().and_then(|check| check.registration) == active_id {
            return Rebinding::Unchanged;
        }
        // The functions of the other registration may answer differently.
        if call.cleared_fingerprint().is_some() || !self.has_sanitized_args(call, cx) {
            return Rebinding::Invalid;
        }
        self.conversation
            .apply_data_change(key, CallDataChange::TakenOver(active_id));
        Rebinding::TakenOver
    }

    /// Repeats the checks of calls that waited for the approval rule of a registration that was
    /// removed or disabled.
    pub(super) fn recheck_rule_calls(&mut self, removed: RegistrationId, cx: &mut Cx<'_>) {
        for key in self.conversation.call_keys_of_registration(removed) {
            let state = self.conversation.state_of(&key);
            if matches!(state, Some(State::RuleAsked { .. })) {
                self.recheck_call(&key, false, cx);
            }
        }
    }

    /// Checks the calls of an action again after its registration: those that waited for the
    /// registration, and those with a question that no longer matches the rules. The user is asked
    /// about each of them.
    pub(super) fn recheck_calls_of_action(&mut self, name: &str, cx: &mut Cx<'_>) {
        if self.following {
            return;
        }
        let entry = self.registry.active_registration(name);
        let Some(fingerprint) = entry.map(|entry| entry.spec.fingerprint()) else {
            return;
        };
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let is_waiting =
                call.filter(|call| call.name == name)
                    .is_some_and(|call| match call.state() {
                        State::Missing(_) => true,
                        State::Asked(_) => !self.has_valid_check(&key),
                        _ => false,
                    });
            if is_waiting {
                // If the filter excluded the action from the run, the action is not added to the
                // offer, so that its calls are still refused.
                if !self.turn.was_held_back(name) {
                    self.turn.add_offered_action(name, fingerprint.clone());
                }
                self.recheck_call(&key, true, cx);
            }
        }
    }
}

/// The result of binding the check of a call to the active registration of its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rebinding {
    /// The check is bound to the active registration already.
    Unchanged,
    /// The active registration has taken over the call. It must be asked for its permission.
    TakenOver,
    /// The check is not valid. The call must be checked again.
    Invalid,
}

fn call_binding(call: &ToolCall, entry: Option<&Registration>) -> CheckSubject {
    CheckSubject::new(&call.name, call.args_text(), entry.map(|entry| &entry.spec))
}

/// Returns the fault that a call has regardless of the user's decision, such as a missing handler
/// or invalid arguments. Returns `None` if the call is valid.
fn find_call_fault(entry: &Registration, call: &ToolCall, cx: &mut Cx<'_>) -> Option<CallError> {
    if !entry.spec.has_handler && entry.spec.execution == Execution::Client {
        return Some(CallError::new(
            ErrorKind::NoHandler,
            format!("Action {} has no handler", call.name),
        ));
    }
    let Some(args) = call.effective_args() else {
        let name = &call.name;
        let fault = if call.names_a_field_twice() {
            "name a field twice"
        } else if call.nests_too_deep() {
            "are nested too deep"
        } else if call.is_cut_off() {
            "were cut off before they were complete"
        } else {
            "are not valid JSON"
        };
        let message = format!("The arguments of {name} {fault}");
        return Some(CallError::new(ErrorKind::InvalidArguments, message));
    };
    find_argument_fault(entry, args, cx)
}

/// Returns the error that lists every violation of the action's schema with its path, so that the
/// model can correct the arguments (rule "arguments are validated"). Returns `None` if the
/// arguments are valid.
pub(super) fn find_argument_fault(
    entry: &Registration,
    args: &Value,
    cx: &mut Cx<'_>,
) -> Option<CallError> {
    let violations = argument_violations(entry, args, cx);
    if violations.is_empty() {
        return None;
    }
    let messages: Vec<String> = violations.iter().map(ToString::to_string).collect();
    let (name, messages) = (&entry.spec.name, messages.join("; "));
    let message = format!("Invalid arguments for {name}: {messages}");
    Some(CallError::new(ErrorKind::InvalidArguments, message))
}

/// Returns the violations of the action's schema, unless the action turns validation off.
pub(super) fn argument_violations(
    entry: &Registration,
    args: &Value,
    cx: &mut Cx<'_>,
) -> Vec<schema::Violation> {
    match entry.spec.validate {
        true => schema::validate(&entry.spec.parameters, args, &mut *cx.host),
        false => Vec::new(),
    }
}
