//! Records the steps that the agent reports, including those of subagents.
//!
//! The module `events` passes the events to this module, and `summary` provides the steps to pages.

use super::{AgentStep, Cx, Session};
use crate::{
    conversation::{Change, MAX_STEPS},
    event::EventKind,
};

impl Session {
    /// Records the start or the end of a step of the agent. Starts beyond [`MAX_STEPS`] are
    /// ignored.
    pub(super) fn record_agent_step(&mut self, kind: &EventKind, cx: &mut Cx<'_>) {
        self.turn.update_run_summary(|run| {
            let steps = &mut run.steps;
            match kind {
                EventKind::StepStarted { step_name } if steps.len() < MAX_STEPS => {
                    steps.push(AgentStep {
                        name: step_name.clone(),
                        finished: false,
                        failure: None,
                    });
                }
                EventKind::StepFinished { step_name } => end_step(steps, step_name, None),
                _ => {}
            }
        });
        cx.push_change(Change::Steps);
    }

    /// Records the start, end or failure of a subagent as a step of the run, under the subagent's
    /// name.
    pub(super) fn record_subagent(&mut self, kind: &EventKind, cx: &mut Cx<'_>) {
        let (id, failure) = match kind {
            EventKind::SubagentStarted { name, .. } => {
                let step_name = name.clone();
                return self.record_agent_step(&EventKind::StepStarted { step_name }, cx);
            }
            EventKind::SubagentFinished {
                subagent_run_id, ..
            } => (subagent_run_id, None),
            EventKind::SubagentError {
                subagent_run_id,
                message,
                ..
            } => (subagent_run_id, Some(message)),
            _ => return,
        };
        if let Some(name) = self.subagent_name(id) {
            self.turn
                .update_run_summary(|run| end_step(&mut run.steps, &name, failure));
            cx.push_change(Change::Steps);
        }
    }

    /// Stores the steps of the newest run with its newest message, unless the steps are stored
    /// already.
    pub(super) fn store_steps(&mut self) {
        let newest_run = self.turn.summary.runs.last_mut();
        if let Some(run) = newest_run.filter(|run| !run.steps.is_empty() && !run.steps_stored) {
            run.steps_stored = self.conversation.record_steps(&run.steps);
        }
    }

    /// Returns the name of the subagent with this run id. Returns `None` if the event that names
    /// the subagent is no longer stored.
    #[must_use]
    pub fn subagent_name(&self, subagent_run_id: &str) -> Option<String> {
        self.turn
            .side_events
            .iter()
            .rev()
            .find_map(|event| match &event.kind {
                EventKind::SubagentStarted {
                    subagent_run_id: id,
                    name,
                    ..
                } if id == subagent_run_id => Some(name.clone()),
                _ => None,
            })
    }
}

/// Ends the newest open step with this name.
fn end_step(steps: &mut [AgentStep], name: &str, failure: Option<&String>) {
    let mut open_steps = steps.iter_mut().rev().filter(|step| !step.finished);
    if let Some(step) = open_steps.find(|step| step.name == name) {
        step.finished = true;
        step.failure = failure.cloned();
    }
}
