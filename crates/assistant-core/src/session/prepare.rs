//! From complete arguments to a verdict: may this call run, must a person be asked, is it wrong?
//!
//! A verdict binds to the call's id, name and exact argument text and to the rules of the action it
//! was made by; if one of them changes before the handler starts, it is made anew (decision D1).

use super::{
    Answer, CommitId, Cx, Effect, InvocationId, PolicyQuestion, Session, Ticket, TimerId,
    run::Watched,
};
use serde_json::Value;

use crate::{
    action::{
        ActionSpec, Availability, Execution, Policy, Registration, RegistrationId, ResultEncoding,
        schema,
    },
    conversation::{Approval, CallError, CallKey, Change, ErrorKind, Origin, Phase, ToolCall},
};

/// A call that is not answered yet.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) key: CallKey,
    pub(super) binding: Binding,
    pub(super) stage: Stage,
    /// Who runs it. Another component may take over as long as its rules are the same.
    pub(super) registration: Option<RegistrationId>,
    pub(super) eager: bool,
    pub(super) exclusive: bool,
    pub(super) encoding: ResultEncoding,
    pub(super) execution: Execution,
}

/// What a verdict was made for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Binding {
    pub(super) id: String,
    name: String,
    args_text: String,
    rules: Option<Rules>,
}

/// What of an action a verdict depends on.
#[derive(Debug, Clone, PartialEq)]
struct Rules {
    parameters: Value,
    approval: Policy,
    execution: Execution,
    validate: bool,
    has_handler: bool,
}

impl Rules {
    fn of(spec: &ActionSpec) -> Self {
        Self {
            parameters: spec.parameters.clone(),
            approval: spec.approval,
            execution: spec.execution,
            validate: spec.validate,
            has_handler: spec.has_handler,
        }
    }
}

/// How far an open call has come.
#[derive(Debug, Clone)]
pub(super) enum Stage {
    /// The agent runs it; its result is awaited.
    Agent,
    /// It is wrong, and will be answered so.
    Refused(CallError),
    /// The host thinks about whether a person must be asked.
    Policy(Ticket),
    /// A person is asked.
    Decision,
    /// A person said no.
    Denied(Option<String>),
    /// It may start.
    Ready,
    /// Its start is being written down.
    Committing(CommitId),
    /// Its handler runs.
    Running(InvocationId, Option<TimerId>),
}

impl Session {
    pub(super) fn after_event(&mut self, watched: Watched, cx: &mut Cx<'_>) {
        match watched {
            Watched::Nothing => {}
            Watched::Call(id) => {
                if let Some((key, _)) = self.conversation.call_by_wire_id(&id) {
                    self.look_at(&key, cx);
                }
            }
            Watched::AllCalls => {
                self.drop_vanished_calls(cx);
                for key in self.conversation.active_calls() {
                    self.look_at(&key, cx);
                }
            }
        }
    }

    /// A call may have ended, been reopened, or been answered by the agent.
    fn look_at(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        if call.phase.is_final() || !call.has_ended() {
            self.forget_open_call(key, cx);
        } else if !self.gated_calls().contains(key) && !call.is_told() {
            self.prepare(key, cx);
        }
    }

    /// Drops what was made of calls that a snapshot took away. A call whose place among its
    /// siblings has changed is still the same one.
    fn drop_vanished_calls(&mut self, cx: &mut Cx<'_>) {
        for mut open in std::mem::take(&mut self.open_calls) {
            match self.conversation.call_by_wire_id(&open.binding.id) {
                Some((key, call)) if !call.phase.is_final() => {
                    open.key = key;
                    self.open_calls.push(open);
                }
                _ => {
                    if let Stage::Running(invocation, _) = open.stage {
                        cx.effect(Effect::CancelHandler { invocation });
                    }
                }
            }
        }
    }

    /// Makes the verdict about a call whose arguments are complete, unless it stands already.
    pub(super) fn prepare(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        // What runs already runs with what it was started with.
        if self.is_running(key) || self.still_bound(key) {
            return;
        }
        if call.phase.is_final() {
            return self.forget_open_call(key, cx);
        }
        let binding = self.binding_of(call);
        let granted = call.is_granted();
        self.forget_open_call(key, cx);
        if let Some(call) = self.conversation.call_mut(key).filter(|_| !granted) {
            call.void_verdict();
            cx.change(Change::Call(key.clone()));
        }
        let mut open = OpenCall {
            key: key.clone(),
            binding,
            stage: Stage::Agent,
            registration: None,
            eager: self.options.eager,
            exclusive: false,
            encoding: ResultEncoding::Json,
            execution: Execution::Client,
        };
        if let Some(entry) = self.offered_registration(&open.binding.name) {
            open.registration = Some(entry.id);
            open.eager |= entry.spec.eager;
            open.exclusive = entry.spec.exclusive;
            open.encoding = entry.spec.encoding;
            open.execution = entry.spec.execution;
        }
        if open.execution == Execution::Agent {
            // The word itself, without quotes.
            open.encoding = ResultEncoding::Text;
            open.eager = false;
        }
        open.stage = self.stage_of(&open, granted, cx);
        self.show_stage(key, &open.stage, cx);
        let place = self.conversation.place_of(key);
        let behind = |other: &OpenCall| self.conversation.place_of(&other.key) < place;
        let place = self.open_calls.partition_point(behind);
        self.open_calls.insert(place, open);
    }

    fn binding_of(&self, call: &ToolCall) -> Binding {
        let registration = self.offered_registration(&call.name);
        Binding {
            id: call.id.clone(),
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
            rules: registration.map(|entry| Rules::of(&entry.spec)),
        }
    }

    fn stage_of(&mut self, open: &OpenCall, granted: bool, cx: &mut Cx<'_>) -> Stage {
        let name = &open.binding.name;
        let (Some(entry), Some(call)) = (
            self.offered_registration(name),
            self.conversation.call(&open.key),
        ) else {
            // An agent that writes its calls down runs none of them itself.
            let written = self.conversation.call(&open.key);
            let written = written.is_some_and(|call| call.origin == Origin::Intercepted);
            return match written || self.was_offered(name) {
                true => Stage::Refused(not_found(name)),
                false => Stage::Agent,
            };
        };
        if let Some(error) = check(entry, call, cx) {
            return Stage::Refused(error);
        }
        match entry.spec.approval {
            // It has a way of its own to hear a yes, and took it.
            _ if granted && entry.spec.execution == Execution::Agent => Stage::Agent,
            _ if granted => Stage::Ready,
            Policy::Never => Stage::Ready,
            Policy::Always => Stage::Decision,
            Policy::Ask => self.ask_host(open, cx),
        }
    }

    /// The registration that answers for a name: offered in this run, and still in force. One of
    /// the agent's own tools need not be offered, as nothing of it runs here.
    fn offered_registration(&self, name: &str) -> Option<&Registration> {
        let entry = self.registry.in_force(name)?;
        let answers = match entry.spec.availability {
            Availability::Offered => self.was_offered(name),
            Availability::RenderOnly => entry.spec.execution == Execution::Agent,
        };
        answers.then_some(entry)
    }

    fn was_offered(&self, name: &str) -> bool {
        self.offered.iter().any(|offered| offered == name)
    }

    fn ask_host(&mut self, open: &OpenCall, cx: &mut Cx<'_>) -> Stage {
        let ticket = Ticket(self.number());
        let args = self.conversation.call(&open.key).and_then(ToolCall::args);
        let (Some(registration), Some(args)) = (open.registration, args) else {
            return Stage::Decision;
        };
        let question = PolicyQuestion {
            ticket,
            registration,
            call: &open.key,
            args,
        };
        match cx.host.needs_approval(question) {
            Answer::Now(true) => Stage::Decision,
            Answer::Now(false) => Stage::Ready,
            Answer::Later => Stage::Policy(ticket),
        }
    }

    pub(super) fn policy_answer(&mut self, ticket: Ticket, ask: bool, cx: &mut Cx<'_>) {
        let found = self
            .open_calls
            .iter_mut()
            .find(|open| matches!(open.stage, Stage::Policy(asked) if asked == ticket));
        let Some(open) = found else { return };
        open.stage = if ask { Stage::Decision } else { Stage::Ready };
        let (key, stage) = (open.key.clone(), open.stage.clone());
        self.show_stage(&key, &stage, cx);
    }

    /// Lets the phase of the call say what it waits for.
    fn show_stage(&mut self, key: &CallKey, stage: &Stage, cx: &mut Cx<'_>) {
        let phase = match stage {
            Stage::Decision => Phase::ApprovalRequested,
            Stage::Agent => Phase::Running,
            _ => return,
        };
        if let Some(call) = self.conversation.call_mut(key) {
            call.phase = phase;
            if phase == Phase::ApprovalRequested {
                call.approval = Some(Approval::default());
            }
            cx.change(Change::Call(key.clone()));
        }
    }

    /// Whether the verdict about an open call still holds.
    fn still_bound(&self, key: &CallKey) -> bool {
        let open = self.open_call(key);
        let call = self.conversation.call(key);
        open.zip(call)
            .is_some_and(|(open, call)| open.binding == self.binding_of(call))
    }

    /// Whether the verdict still holds; if so, whoever is in force now is who runs the call.
    pub(super) fn rebind(&mut self, key: &CallKey) -> bool {
        if !self.still_bound(key) {
            return false;
        }
        let name = self.conversation.call(key).map(|call| call.name.as_str());
        let entry = name.and_then(|name| self.offered_registration(name));
        let in_force = entry.map(|entry| entry.id);
        if let Some(open) = self.open_call_mut(key) {
            open.registration = in_force;
        }
        true
    }

    /// A component is gone: what only its rule could have answered is looked at afresh.
    pub(super) fn ask_again(&mut self, gone: RegistrationId, cx: &mut Cx<'_>) {
        let asked = |open: &&OpenCall| {
            open.registration == Some(gone) && matches!(open.stage, Stage::Policy(_))
        };
        let keys: Vec<CallKey> = self
            .open_calls
            .iter()
            .filter(asked)
            .map(|open| open.key.clone())
            .collect();
        for key in keys {
            self.forget_open_call(&key, cx);
            self.prepare(&key, cx);
        }
    }

    pub(super) fn is_running(&self, key: &CallKey) -> bool {
        self.open_call(key)
            .is_some_and(|open| matches!(open.stage, Stage::Running(..)))
    }

    /// Whether something was made of the call with this id already.
    pub(super) fn has_verdict(&self, id: &str) -> bool {
        self.open_calls.iter().any(|open| open.binding.id == id)
    }

    /// Whether the handler of the call with this id has been started and is still at work.
    pub(super) fn runs_call(&self, id: &str) -> bool {
        self.open_calls
            .iter()
            .any(|open| open.binding.id == id && matches!(open.stage, Stage::Running(..)))
    }
}

/// What is wrong with a call, before anybody is asked.
fn check(entry: &Registration, call: &ToolCall, cx: &mut Cx<'_>) -> Option<CallError> {
    if !entry.spec.has_handler && entry.spec.execution == Execution::Client {
        return Some(CallError {
            message: format!("Action {} has no handler", call.name),
            kind: ErrorKind::NoHandler,
            details: None,
        });
    }
    let Some(args) = call.effective_args() else {
        return Some(CallError {
            message: format!("The arguments of {} are not valid JSON", call.name),
            kind: ErrorKind::InvalidArguments,
            details: None,
        });
    };
    if !entry.spec.validate {
        return None;
    }
    let violations = schema::validate(&entry.spec.parameters, args, &mut *cx.host);
    invalid_arguments(&call.name, &violations)
}

/// The error that lists every violation with its path, so that the model can mend them (S4-30).
pub(super) fn invalid_arguments(name: &str, violations: &[schema::Violation]) -> Option<CallError> {
    if violations.is_empty() {
        return None;
    }
    let list: Vec<String> = violations
        .iter()
        .map(|violation| match violation.path.as_str() {
            "" => violation.message.clone(),
            path => format!("{path}: {}", violation.message),
        })
        .collect();
    Some(CallError {
        message: format!("Invalid arguments for {name}: {}", list.join("; ")),
        kind: ErrorKind::InvalidArguments,
        details: None,
    })
}

pub(super) fn not_found(name: &str) -> CallError {
    CallError {
        message: format!("Action {name} not found"),
        kind: ErrorKind::UnknownTool,
        details: None,
    }
}
