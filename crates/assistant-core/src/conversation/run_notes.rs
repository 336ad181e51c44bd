//! Records the cost and the steps of runs in the newest message, and looks up the runs of calls.

use super::{AgentStep, Conversation, Cost, MAX_STEPS, Message, ToolCall};
use crate::event::Role;

impl Conversation {
    /// Returns true if the newest run, which may be active, made the call.
    pub(crate) fn is_of_newest_run(&self, call: &ToolCall) -> bool {
        call.run.is_some_and(|run| self.runs.is_newest(run))
    }

    /// Returns true if the run that made a call succeeded. Returns false if the run did not succeed
    /// or is no longer in the list, and `None` if the run of the call is unknown.
    #[must_use]
    pub fn run_succeeded(&self, call: &ToolCall) -> Option<bool> {
        Some(self.runs.has_succeeded(call.run?))
    }

    /// Adds the cost of an ended run to the newest message, if that message is an answer, reasoning
    /// or an activity. An unknown cost is ignored.
    pub(crate) fn record_cost(&mut self, cost: &Cost) {
        if cost.is_unknown() {
            return;
        }
        self.edit_newest_answer(|message| message.cost.add(cost));
    }

    /// Changes the newest message if it is an answer, reasoning or an activity. Otherwise returns
    /// `None`.
    fn edit_newest_answer(&mut self, edit: impl FnOnce(&mut Message)) -> Option<()> {
        let tip = self.tree.tip()?;
        match self.node(tip)?.message.role {
            Role::Assistant | Role::Reasoning | Role::Activity => self.edit_message(tip, edit),
            _ => None,
        }
    }

    /// Adds the steps of an ended run to the newest message, up to [`MAX_STEPS`]. Returns false if
    /// the newest message is not an answer, reasoning or an activity.
    pub(crate) fn record_steps(&mut self, steps: &[AgentStep]) -> bool {
        let edit_result = self.edit_newest_answer(|message| {
            let free_count = MAX_STEPS.saturating_sub(message.steps.len());
            message.steps.extend(steps.iter().take(free_count).cloned());
        });
        edit_result.is_some()
    }
}
