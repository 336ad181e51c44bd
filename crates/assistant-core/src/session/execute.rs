//! From a verdict to an answer: start at most once, in order where order is asked for, and give
//! every call exactly one result (decisions D2 to D5).

use serde_json::{Value, json};

use super::{
    CommitId, Cx, Effect, Invocation, InvocationId, JournalEntry, Session, TimerId,
    prepare::{OpenCall, Stage},
};
use crate::{
    action::{Execution, ResultEncoding, ToolError, ToolOutcome},
    conversation::{CallError, CallKey, CallResult, Change, Decision, ErrorKind, Phase, Progress},
};

/// How a call ends, with what the agent is told.
#[derive(Debug)]
pub(super) enum Ending {
    /// The handler's value.
    Output(Value),
    /// It failed; the value is what the agent is told.
    Failed(CallError, Value),
    /// A person said no.
    Denied(Value),
    /// It was given up.
    Cancelled(Value),
}

impl Ending {
    /// A failure whose message is all that the agent is told.
    pub(super) fn error(error: CallError) -> Self {
        let mut told = ToolError::new(error.message.as_str());
        if error.kind == ErrorKind::InvalidArguments {
            told = told.error_type(error.kind.as_str());
        }
        Self::Failed(error, told.to_value())
    }
}

impl Session {
    /// Moves everything on that can move: answers verdicts, starts handlers, continues the loop.
    pub(super) fn advance(&mut self, cx: &mut Cx<'_>) {
        if self.run.is_some() && !self.open_calls.iter().any(|open| open.eager) {
            return;
        }
        let keys: Vec<CallKey> = self
            .open_calls
            .iter()
            .map(|open| open.key.clone())
            .collect();
        for key in keys {
            self.move_on(&key, cx);
        }
        self.continue_loop(cx);
        self.send_queued(cx);
    }

    fn move_on(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let run_over = self.run.is_none();
        let may_run = |open: &OpenCall| run_over || open.eager;
        let startable = self
            .open_call(key)
            .is_some_and(|open| matches!(open.stage, Stage::Ready) && may_run(open));
        if startable && !self.rebind(key) {
            self.prepare(key, cx);
        }
        let Some(open) = self.open_call(key) else {
            return;
        };
        match open.stage.clone() {
            Stage::Ready if run_over && open.execution == Execution::Agent => {
                self.tell_agent(key, cx);
            }
            Stage::Ready if may_run(open) && self.may_start(key) => self.commit_start(key, cx),
            Stage::Agent if run_over => self.answer_unanswered(key, cx),
            Stage::Refused(error) if run_over => self.end_call(key, Ending::error(error), cx),
            Stage::Denied(reason) if run_over => self.end_denied(key, reason.as_deref(), cx),
            _ => {}
        }
    }

    pub(super) fn open_call(&self, key: &CallKey) -> Option<&OpenCall> {
        self.open_calls.iter().find(|open| open.key == *key)
    }

    pub(super) fn open_call_mut(&mut self, key: &CallKey) -> Option<&mut OpenCall> {
        self.open_calls.iter_mut().find(|open| open.key == *key)
    }

    /// Whether the rules about order let this call start now (decision D2).
    fn may_start(&self, key: &CallKey) -> bool {
        let Some(open) = self.open_call(key) else {
            return false;
        };
        let mut working = self
            .open_calls
            .iter()
            .filter(|open| matches!(open.stage, Stage::Committing(_) | Stage::Running(..)));
        if self.options.sequential {
            let first = self.open_calls.first();
            return working.next().is_none() && first.is_some_and(|first| first.key == *key);
        }
        !working.any(|other| open.exclusive || other.exclusive)
    }

    /// Nothing starts before it is written down that it starts.
    fn commit_start(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let commit = CommitId(self.number());
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let entry = JournalEntry::Started {
            thread_id: self.thread_id.clone(),
            call: key.clone(),
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
        };
        if let Some(open) = self.open_call_mut(key) {
            open.stage = Stage::Committing(commit);
        }
        cx.effect(Effect::Commit { commit, entry });
    }

    pub(super) fn committed(
        &mut self,
        commit: CommitId,
        outcome: Result<(), String>,
        cx: &mut Cx<'_>,
    ) {
        let found = self
            .open_calls
            .iter()
            .find(|open| matches!(open.stage, Stage::Committing(asked) if asked == commit));
        let Some(open) = found else { return };
        let key = open.key.clone();
        if let Err(message) = outcome {
            let message = format!("The start could not be recorded, so nothing was run: {message}");
            let error = CallError {
                message,
                kind: ErrorKind::Journal,
                details: None,
            };
            return self.end_call(&key, Ending::error(error), cx);
        }
        if self.rebind(&key) {
            self.invoke(&key, cx);
        } else {
            self.prepare(&key, cx);
        }
    }

    fn invoke(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let id = InvocationId(self.number());
        let iteration =
            u32::try_from(self.summary.steps.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let registration = self.open_call(key).and_then(|open| open.registration);
        let (Some(call), Some(registration)) = (self.conversation.call_mut(key), registration)
        else {
            return;
        };
        call.phase = Phase::Running;
        let invocation = Invocation {
            id,
            registration,
            call: key.clone(),
            call_id: call.id.clone(),
            name: call.name.clone(),
            args: call.effective_args().cloned().unwrap_or_default(),
            iteration,
        };
        let timeout = self
            .registry
            .get(registration)
            .and_then(|entry| entry.spec.timeout_ms);
        let timer = timeout.map(|ms| (TimerId(self.number()), ms));
        if let Some(open) = self.open_call_mut(key) {
            open.stage = Stage::Running(id, timer.map(|(timer, _)| timer));
        }
        cx.change(Change::Call(key.clone()));
        cx.effect(Effect::Invoke(Box::new(invocation)));
        if let Some((timer, ms)) = timer {
            cx.effect(Effect::StartTimer { timer, ms });
        }
    }

    fn running(&self, invocation: InvocationId) -> Option<CallKey> {
        self.open_calls
            .iter()
            .find(|open| matches!(open.stage, Stage::Running(id, _) if id == invocation))
            .map(|open| open.key.clone())
    }

    pub(super) fn note_progress(&mut self, id: InvocationId, progress: Progress, cx: &mut Cx<'_>) {
        let Some(key) = self.running(id) else { return };
        if let Some(call) = self.conversation.call_mut(&key) {
            call.progress = Some(progress);
        }
        cx.change(Change::Call(key));
    }

    pub(super) fn note_preliminary(&mut self, id: InvocationId, value: Value, cx: &mut Cx<'_>) {
        let Some(key) = self.running(id) else { return };
        if let Some(call) = self.conversation.call_mut(&key) {
            call.preliminary = Some(value);
        }
        cx.change(Change::Call(key));
    }

    pub(super) fn handler_finished(
        &mut self,
        id: InvocationId,
        outcome: Result<ToolOutcome, ToolError>,
        cx: &mut Cx<'_>,
    ) {
        let Some(key) = self.running(id) else { return };
        let ending = match outcome {
            Ok(ToolOutcome::Continue(value)) => Ending::Output(value),
            Ok(ToolOutcome::StopLoop(value)) => {
                self.loop_stopped = true;
                Ending::Output(value)
            }
            Err(error) => {
                let told = error.to_value();
                let error = CallError {
                    message: error.message,
                    kind: ErrorKind::Handler,
                    details: None,
                };
                Ending::Failed(error, told)
            }
        };
        self.end_call(&key, ending, cx);
    }

    pub(super) fn timer(&mut self, timer: TimerId, cx: &mut Cx<'_>) {
        if self.grace_over(timer, cx) {
            return;
        }
        let found = self.open_calls.iter().find_map(|open| match open.stage {
            Stage::Running(id, Some(set)) if set == timer => Some((open.key.clone(), id)),
            _ => None,
        });
        let Some((key, invocation)) = found else {
            return;
        };
        cx.effect(Effect::CancelHandler { invocation });
        let message = "The action took too long and was given up".to_owned();
        let error = CallError {
            message,
            kind: ErrorKind::Timeout,
            details: None,
        };
        self.end_call(&key, Ending::error(error), cx);
    }

    pub(super) fn end_denied(&mut self, key: &CallKey, reason: Option<&str>, cx: &mut Cx<'_>) {
        let own = self
            .open_call(key)
            .and_then(|open| open.registration)
            .and_then(|id| {
                let args = self
                    .conversation
                    .call(key)?
                    .args()
                    .cloned()
                    .unwrap_or_default();
                cx.host.denial(id, &args, reason)
            });
        let told = own.unwrap_or_else(|| match reason {
            Some(reason) => json!({"status": "denied", "reason": reason}),
            None => "denied".into(),
        });
        if let Some(call) = self.conversation.call_mut(key) {
            let approval = call.approval.get_or_insert_default();
            approval.decision = Some(Decision::Denied {
                reason: reason.map(str::to_owned),
            });
        }
        self.end_call(key, Ending::Denied(told), cx);
    }

    /// Gives a call its one answer.
    pub(super) fn end_call(&mut self, key: &CallKey, ending: Ending, cx: &mut Cx<'_>) {
        let encoding = self
            .open_call(key)
            .map_or(ResultEncoding::Json, |open| open.encoding);
        self.open_calls.retain(|open| open.key != *key);
        let (phase, value, error, content) = match ending {
            Ending::Output(value) => {
                let content = encoding.encode(&value);
                (Phase::OutputAvailable, value, None, content)
            }
            Ending::Failed(error, told) => {
                let content = told.to_string();
                (Phase::OutputError, told, Some(error), content)
            }
            Ending::Denied(told) => {
                let content = encoding.encode(&told);
                (Phase::OutputDenied, told, None, content)
            }
            Ending::Cancelled(told) => {
                let content = told.to_string();
                (Phase::Cancelled, told, None, content)
            }
        };
        let mut result = CallResult::new(cx.host.new_id(), content, value);
        result.error = error.as_ref().map(|error| error.message.clone());
        if let Some(call) = self.conversation.call_mut(key) {
            call.error = error;
        }
        self.conversation.answer(key, result.clone(), phase, cx.now);
        cx.change(Change::Call(key.clone()));
        cx.change(Change::Run);
        let thread_id = self.thread_id.clone();
        let entry = JournalEntry::Finished {
            thread_id,
            call: key.clone(),
            phase,
            result,
        };
        cx.effect(Effect::Record { entry });
    }
}
