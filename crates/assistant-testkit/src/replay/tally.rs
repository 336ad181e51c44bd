//! Collects the ends of the runs in a response, and the calls without a result.

use std::collections::HashSet;

use super::{Finished, RunFailure};
use assistant_core::event::{Event, EventKind, Extension, Interrupt, Outcome, Settlement};

/// The ends of runs and the calls of the current run, collected from events.
#[derive(Debug, Clone, Default)]
pub(super) struct RunTally {
    pub(super) finished: Vec<Finished>,
    pub(super) run_errors: Vec<RunFailure>,
    /// The ids of the interrupts that the request or the run answers. The interrupts are closed
    /// when a run finishes.
    answers: Vec<String>,
    /// The ids of the calls that the run has started, in order.
    started: Vec<String>,
    /// The ids in `started`, for lookups.
    known: HashSet<String>,
    /// The ids of the calls that have a result in this run.
    answered: HashSet<String>,
}

impl RunTally {
    pub(super) fn new(answers: Vec<String>) -> Self {
        Self {
            answers,
            ..Self::default()
        }
    }

    pub(super) fn record_event(&mut self, event: &Event, interrupts: &mut Vec<Interrupt>) {
        match &event.kind {
            EventKind::RunStarted { input, .. } => {
                self.started.clear();
                self.known.clear();
                self.answered.clear();
                let resume = input.iter().flat_map(|input| &input.resume);
                self.answers
                    .extend(resume.map(|entry| entry.interrupt_id.clone()));
            }
            EventKind::ToolCallStart { tool_call_id, .. }
                if self.known.insert(tool_call_id.clone()) =>
            {
                self.started.push(tool_call_id.clone());
            }
            EventKind::ToolCallResult { tool_call_id, .. } => {
                self.answered.insert(tool_call_id.clone());
            }
            EventKind::Extension(extension) => {
                if let Extension::CallSettled {
                    tool_call_id,
                    settlement: Settlement::Output(_) | Settlement::Error(_) | Settlement::Denied,
                    ..
                } = &**extension
                {
                    self.answered.insert(tool_call_id.clone());
                }
            }
            EventKind::RunError { message, code, .. } => self.run_errors.push(RunFailure {
                message: message.clone(),
                code: code.clone(),
            }),
            EventKind::RunFinished { outcome, .. } => {
                // Only a run that carried the answer, and ended successfully, closes an interrupt.
                let answers = std::mem::take(&mut self.answers);
                interrupts.retain(|open| !answers.contains(&open.id));
                let finished = self.build_finished(outcome.as_ref());
                if let Finished::Interrupt { interrupts: raised } = &finished {
                    add_interrupts(interrupts, raised.clone());
                }
                self.finished.push(finished);
            }
            _ => {}
        }
    }

    fn build_finished(&self, outcome: Option<&Outcome>) -> Finished {
        match outcome {
            Some(Outcome::Interrupt { interrupts }) => Finished::Interrupt {
                interrupts: interrupts.clone(),
            },
            Some(Outcome::Cancelled) => Finished::Cancelled,
            Some(Outcome::Success {
                pending_tool_call_ids: Some(named),
            }) if !named.is_empty() => Finished::Success {
                pending_tool_call_ids: named.clone(),
            },
            _ => Finished::Success {
                pending_tool_call_ids: self.pending_call_ids(),
            },
        }
    }

    /// Returns the ids of the started calls without a result, for producers that do not list them.
    fn pending_call_ids(&self) -> Vec<String> {
        let open = self
            .started
            .iter()
            .filter(|id| !self.answered.contains(*id));
        open.cloned().collect()
    }
}

/// Adds interrupts to the open ones. An open interrupt with the same id is replaced.
pub(super) fn add_interrupts(open: &mut Vec<Interrupt>, raised: Vec<Interrupt>) {
    open.retain(|old| !raised.iter().any(|new| new.id == old.id));
    open.extend(raised);
}
