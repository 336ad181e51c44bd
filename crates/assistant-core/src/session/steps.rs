//! The steps that the agent says it takes, and the subagents that take some of them.
//!
//! Neighbours: `run` hands their events over, `summary` holds the steps.

use super::{AgentStep, Cx, Session};
use crate::{conversation::Change, event::EventKind};

/// How many steps of a run are kept.
const AGENT_STEPS: usize = 128;

impl Session {
    /// Keeps what the agent says it does.
    pub(super) fn note_agent_step(&mut self, kind: &EventKind, cx: &mut Cx<'_>) {
        self.step(|step| {
            let steps = &mut step.agent_steps;
            match kind {
                EventKind::StepStarted { step_name } if steps.len() < AGENT_STEPS => {
                    steps.push(AgentStep {
                        name: step_name.clone(),
                        finished: false,
                    });
                }
                EventKind::StepFinished { step_name } => {
                    let mut open = steps.iter_mut().rev().filter(|step| !step.finished);
                    if let Some(step) = open.find(|step| step.name == *step_name) {
                        step.finished = true;
                    }
                }
                _ => {}
            }
        });
        cx.change(Change::Steps);
    }

    /// What a subagent does is a step of the run, under its name. One that fails stays open.
    pub(super) fn note_subagent(&mut self, kind: &EventKind, cx: &mut Cx<'_>) {
        let step = match kind {
            EventKind::SubagentStarted { name, .. } => Some(EventKind::StepStarted {
                step_name: name.clone(),
            }),
            EventKind::SubagentFinished {
                subagent_run_id, ..
            } => {
                let name = self.subagent_name(subagent_run_id);
                name.map(|step_name| EventKind::StepFinished { step_name })
            }
            _ => None,
        };
        if let Some(step) = step {
            self.note_agent_step(&step, cx);
        }
    }

    /// What the subagent of a run is called, as long as the event that said so is kept.
    #[must_use]
    pub fn subagent_name(&self, subagent_run_id: &str) -> Option<String> {
        self.side_events
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
