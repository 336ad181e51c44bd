//! From complete arguments to a verdict: may this call run, must a person be asked, is it wrong?
//!
//! A verdict binds to the call's id, name and exact argument text and to the registration it was
//! made for; if one of them changes before the handler starts, it is made anew (decision D1).

use super::{
    Answer, CommitId, Cx, InvocationId, PolicyQuestion, Session, Ticket, TimerId, run::Watched,
};
use crate::{
    action::{Availability, Policy, Registration, RegistrationId, schema},
    conversation::{Approval, CallError, CallKey, Change, ErrorKind, Phase, ToolCall},
};

/// A call that is not answered yet.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) key: CallKey,
    pub(super) binding: Binding,
    pub(super) stage: Stage,
    pub(super) eager: bool,
    pub(super) exclusive: bool,
}

/// What a verdict was made for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Binding {
    id: String,
    name: String,
    args_text: String,
    pub(super) registration: Option<RegistrationId>,
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
        } else {
            self.prepare(key, cx);
        }
    }

    /// Drops what was made of calls that a snapshot took away.
    fn drop_vanished_calls(&mut self, cx: &mut Cx<'_>) {
        let gone: Vec<CallKey> = self
            .open_calls
            .iter()
            .filter(|open| {
                let call = self.conversation.call(&open.key);
                call.is_none_or(|call| call.id != open.binding.id || call.phase.is_final())
            })
            .map(|open| open.key.clone())
            .collect();
        for key in gone {
            self.forget_open_call(&key, cx);
        }
    }

    /// Makes the verdict about a call whose arguments are complete, unless it stands already.
    pub(super) fn prepare(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let registration = self.offered_registration(&call.name);
        let binding = Binding {
            id: call.id.clone(),
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
            registration: registration.map(|entry| entry.id),
        };
        if self
            .open_calls
            .iter()
            .any(|open| open.key == *key && open.binding == binding)
        {
            return;
        }
        let refusal = registration.and_then(|entry| check(entry, call, cx));
        let eager = registration.is_some_and(|entry| entry.spec.eager) || self.options.eager;
        let exclusive = registration.is_some_and(|entry| entry.spec.exclusive);
        let policy = registration.map(|entry| entry.spec.approval);
        self.forget_open_call(key, cx);
        let stage = match (refusal, policy) {
            (Some(error), _) => Stage::Refused(error),
            (None, None) if self.was_offered(&binding.name) => {
                Stage::Refused(not_found(&binding.name))
            }
            (None, None) => Stage::Agent,
            (None, Some(policy)) => self.stage_for(policy, key, &binding, cx),
        };
        self.show_stage(key, &stage, cx);
        let open = OpenCall {
            key: key.clone(),
            binding,
            stage,
            eager,
            exclusive,
        };
        self.open_calls.push(open);
    }

    /// The registration that answers for a name: offered in this run, and still in force.
    fn offered_registration(&self, name: &str) -> Option<&Registration> {
        if !self.was_offered(name) {
            return None;
        }
        let entry = self.registry.in_force(name)?;
        (entry.spec.availability == Availability::Offered).then_some(entry)
    }

    fn was_offered(&self, name: &str) -> bool {
        self.offered.iter().any(|offered| offered == name)
    }

    fn stage_for(
        &mut self,
        policy: Policy,
        key: &CallKey,
        binding: &Binding,
        cx: &mut Cx<'_>,
    ) -> Stage {
        let ask = match (policy, binding.registration) {
            (Policy::Always, _) => true,
            (Policy::Ask, Some(registration)) => {
                let ticket = Ticket(self.number());
                let Some(args) = self.conversation.call(key).and_then(ToolCall::args) else {
                    return Stage::Decision;
                };
                let question = PolicyQuestion {
                    ticket,
                    registration,
                    call: key,
                    args,
                };
                match cx.host.needs_approval(question) {
                    Answer::Now(ask) => ask,
                    Answer::Later => return Stage::Policy(ticket),
                }
            }
            (Policy::Ask | Policy::Never, _) => false,
        };
        if ask { Stage::Decision } else { Stage::Ready }
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
    pub(super) fn still_bound(&self, open: &OpenCall) -> bool {
        self.conversation.call(&open.key).is_some_and(|call| {
            let registration = self.offered_registration(&call.name).map(|entry| entry.id);
            call.id == open.binding.id
                && call.name == open.binding.name
                && call.args_text() == open.binding.args_text
                && registration == open.binding.registration
        })
    }
}

/// What is wrong with a call, before anybody is asked.
fn check(entry: &Registration, call: &ToolCall, cx: &mut Cx<'_>) -> Option<CallError> {
    if !entry.spec.has_handler {
        return Some(CallError {
            message: format!("Action {} has no handler", call.name),
            kind: ErrorKind::NoHandler,
            details: None,
        });
    }
    let Some(args) = call.args() else {
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
