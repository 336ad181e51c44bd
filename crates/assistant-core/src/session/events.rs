//! Applies the events of a run to the conversation and to the session's own state.
//!
//! The module `run` starts and ends runs, and the module `prepare` checks the calls that an event
//! may have changed.

use super::{
    Cx, Effect, InvocationId, NoticeKind, RunKey, Session,
    event_class::{CallsToCheck, extended_call_id, has_visible_text, is_quiet_event},
    intake::{Admission, CutContent},
    legacy_interrupt,
};
use crate::{
    conversation::{ApplyContext, CallKey, State},
    event::{Event, EventKind, Interrupt},
    limits::LimitKind,
};

impl Session {
    pub(super) fn handle_event(&mut self, run: RunKey, mut event: Event, cx: &mut Cx<'_>) {
        let Some(active) = self.turn.run().filter(|active| active.key == run) else {
            return;
        };
        if let Some(finish) = &active.finish
            && !finish.may_be_followed_by(&event.kind)
        {
            let message = "an event came after the end of its run: ignored";
            return cx.warn("event-after-end", message.to_owned());
        }
        let is_replayed = self.count_run_event();
        // A replayed event is not admitted again, since it was admitted before. Only the end of a
        // run is admitted again, since the contents of that event are stored in the run.
        let is_admitted = is_replayed && !matches!(event.kind, EventKind::RunFinished { .. });
        let admission = match is_admitted {
            true => Admission::Take,
            false => self.admit_event(&mut event),
        };
        let cut_content = match admission {
            Admission::Take => None,
            Admission::TakeAndCut => CutContent::of_event(&event.kind),
            Admission::Drop => return self.notify_exceeded_limits(cx),
            Admission::EndRun(kind) => return self.end_run_at_limit(run, kind, cx),
        };
        let extended_id = extended_call_id(&event.kind).filter(|_| !is_replayed);
        let extended_call = extended_id.and_then(|id| self.conversation.call_by_wire_id(id));
        let closed_call = extended_call.filter(|(_, call)| call.state().is_closed_to_args());
        if let Some((_, call)) = closed_call {
            let id = &call.id;
            let message = format!("call '{id}' runs or was decided: it is not started again");
            return cx.warn("call-has-started", message);
        }
        let has_checked_call = extended_call.is_some_and(|(_, call)| call.check().is_some());
        if !is_replayed {
            self.report_reused_id(&event.kind, cx);
        }
        let is_run_boundary = matches!(
            event.kind,
            EventKind::RunStarted { .. }
                | EventKind::RunFinished { .. }
                | EventKind::RunError { .. }
        );
        if !is_run_boundary && !is_quiet_event(&event.kind) {
            self.turn.update_run_summary(|run| run.has_effect = true);
        }
        match &event.kind {
            EventKind::RunStarted { .. } => self.mark_run_started(),
            EventKind::RunFinished { .. } | EventKind::RunError { .. } => {
                return self.record_reported_end(event, is_replayed, cx);
            }
            EventKind::Custom { name, value } => {
                let raw_event = event.base.raw_event.as_deref();
                let number = self.last_number;
                let interrupt =
                    legacy_interrupt::parse_interrupt_event(name, value, raw_event, number);
                return self.handle_custom_event(event, interrupt, is_replayed, cx);
            }
            EventKind::StepStarted { .. } | EventKind::StepFinished { .. } => {
                self.record_agent_step(&event.kind, cx);
                return self.keep_side_event(event, is_replayed, cx);
            }
            EventKind::SubagentStarted { .. }
            | EventKind::SubagentFinished { .. }
            | EventKind::SubagentError { .. } => {
                self.record_subagent(&event.kind, cx);
                return self.keep_side_event(event, is_replayed, cx);
            }
            EventKind::Raw { .. }
            | EventKind::ReasoningStart { .. }
            | EventKind::ReasoningEnd { .. } => {
                return self.keep_side_event(event, is_replayed, cx);
            }
            EventKind::TextMessageContent { delta, .. } if !delta.is_empty() => {
                self.turn.update_run_summary(|run| run.has_text = true);
            }
            EventKind::Extension(extension) if has_visible_text(extension) => {
                self.turn.update_run_summary(|run| run.has_text = true);
            }
            EventKind::ToolCallStart {
                tool_call_id,
                tool_call_name,
                ..
            } => {
                let existing_call = self.conversation.call_by_wire_id(tool_call_id);
                if is_replayed || existing_call.is_none_or(|(_, call)| call.name != *tool_call_name)
                {
                    let name = tool_call_name.clone();
                    self.turn.update_run_summary(|run| run.tools.push(name));
                }
            }
            _ => {}
        }
        if is_replayed {
            return;
        }
        let calls_to_check = match extended_call_id(&event.kind) {
            Some(id) if has_checked_call => CallsToCheck::Call(id.to_owned()),
            _ => CallsToCheck::for_event(&event.kind, self.conversation.has_eager_call()),
        };
        let running_handlers = match &calls_to_check {
            CallsToCheck::Nothing => Vec::new(),
            CallsToCheck::Call(_) | CallsToCheck::AllCalls => self.running_handlers(),
        };
        self.apply_event(event, cx);
        if self.turn.fork.is_some() {
            self.store_run_thread();
        }
        if let Some(cut_content) = cut_content {
            self.end_cut_content(cut_content, cx);
        }
        self.notify_exceeded_limits(cx);
        if let Some(kind) = self.exceeded_count_limit() {
            return self.end_run_at_limit(run, kind, cx);
        }
        self.cancel_answered_handlers(&running_handlers, cx);
        self.check_after_event(calls_to_check, cx);
    }

    /// Stores a side event for the application, unless the event is received again after a
    /// reconnection. An event that alone exceeds the limit is dropped with a diagnostic.
    fn keep_side_event(&mut self, event: Event, is_replayed: bool, cx: &mut Cx<'_>) {
        if is_replayed && self.turn.run().is_some_and(|run| run.cut.is_some()) {
            return;
        }
        let max = self.options.limits.side_event_bytes;
        if let Err(size) = self.turn.keep_side_event(event, max) {
            let message = format!(
                "An event without effect was not kept: it has {size} bytes, the limit is {max}."
            );
            cx.warn("side-event-limit", message);
        }
    }

    fn running_handlers(&self) -> Vec<(CallKey, InvocationId)> {
        let states = self.conversation.open_states();
        let handlers = states.filter_map(|(key, state)| match state {
            State::Running(id, ..) => Some((key, *id)),
            _ => None,
        });
        handlers.collect()
    }

    /// Cancels the handlers in `running` whose calls are no longer running, because the agent has
    /// answered them.
    fn cancel_answered_handlers(&self, running: &[(CallKey, InvocationId)], cx: &mut Cx<'_>) {
        for (key, invocation) in running {
            if !matches!(self.conversation.state_of(key), Some(State::Running(..))) {
                cx.push_effect(Effect::CancelHandler {
                    invocation: *invocation,
                });
            }
        }
    }

    pub(super) fn apply_event(&mut self, event: Event, cx: &mut Cx<'_>) {
        let diagnostic_count = cx.output.diagnostics.len();
        let limit = match event.kind {
            EventKind::StateSnapshot { .. } | EventKind::StateDelta { .. } => LimitKind::State,
            _ => LimitKind::Activity,
        };
        let mut context = ApplyContext {
            now: cx.now,
            diagnostics: &mut cx.output.diagnostics,
        };
        self.conversation.apply(event, &mut context);
        let new_diagnostics = cx.output.diagnostics.get(diagnostic_count..);
        let new_diagnostics = new_diagnostics.unwrap_or_default();
        let has_code = |code: &str| new_diagnostics.iter().any(|item| item.code == code);
        let is_too_large = has_code("over-budget");
        let is_message_forgotten = has_code("user-message-forgotten");
        if is_too_large {
            // The dropped size is recorded as 0, since the size of a refused patch is unknown.
            self.intake.count_dropped(limit, 0);
        }
        if is_message_forgotten {
            self.report_forgotten_messages(cx);
        }
    }

    /// Shows a notice if an event reuses the id of a call that has ended in an earlier run. An id
    /// identifies one call, so no new call begins, although the agent seems to expect a new call.
    fn report_reused_id(&mut self, kind: &EventKind, cx: &mut Cx<'_>) {
        let EventKind::ToolCallStart { tool_call_id, .. } = kind else {
            return;
        };
        let call = self.conversation.known_call(tool_call_id);
        let has_ended = call.is_some_and(|call| {
            call.state().is_done() && !self.conversation.is_of_newest_run(call)
        });
        if has_ended {
            let message = "The assistant repeated an earlier step. It wasn't run again.";
            self.notify_once(NoticeKind::CallIdReused, message, cx);
        }
    }

    fn handle_custom_event(
        &mut self,
        event: Event,
        interrupt: Option<Interrupt>,
        is_replayed: bool,
        cx: &mut Cx<'_>,
    ) {
        let interrupt = interrupt.filter(|_| self.admit_interrupt());
        if let (Some(interrupt), Some(run)) = (interrupt, self.turn.run_mut()) {
            run.raised_by_event.push(interrupt);
            self.last_number += 1;
        }
        self.keep_side_event(event, is_replayed, cx);
    }
}
