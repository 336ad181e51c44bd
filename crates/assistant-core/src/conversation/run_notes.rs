//! The runs of a conversation, and the cost and steps that they add to the newest message.

use super::{AgentStep, Change, Conversation, Cost, MessageId, ToolCall, step::MAX_STEPS};
use crate::event::Role;

impl Conversation {
    /// Starts a run, to which the calls that appear from now on belong.
    pub(crate) fn begin_run(&mut self, id: &str) {
        self.runs.begin(id);
    }

    /// Resumes the newest run, if it did not succeed. Its calls still belong to it.
    pub(crate) fn continue_run(&mut self, id: &str) {
        self.runs.resume(id);
    }

    /// Counts an event of the active run as applied. The number is stored together with the effects
    /// of the event.
    pub(crate) fn count_run_event(&mut self) {
        self.runs.count_event();
    }

    /// Returns the id of the newest run and the number of its applied events, if it has not ended.
    pub(crate) fn run_position(&self) -> Option<(&str, u64)> {
        self.runs.position()
    }

    /// Ends the active run.
    pub(crate) fn end_run(&mut self, succeeded: bool) {
        self.runs.end(succeeded);
    }

    /// Marks the newest run of a stored conversation as failed, if it never ended.
    pub(crate) fn fail_open_run(&mut self) {
        self.runs.fail_open();
    }

    /// Returns true if the newest run has not ended, as far as is known.
    pub(crate) fn newest_run_is_open(&self) -> bool {
        self.runs.newest_is_open()
    }

    /// Returns true if a call was made by the active run, or by the newest one.
    pub(crate) fn is_of_newest_run(&self, call: &ToolCall) -> bool {
        call.run.is_some_and(|run| self.runs.is_newest(run))
    }

    /// Returns true if the run that made a call succeeded; `None` if that is not known.
    #[must_use]
    pub fn run_succeeded(&self, call: &ToolCall) -> Option<bool> {
        Some(self.runs.succeeded(call.run?))
    }

    /// Adds the cost of an ended run to the newest message, if the agent wrote it.
    pub(crate) fn record_cost(&mut self, cost: &Cost) {
        if cost.is_unknown() {
            return;
        }
        let tip = self.tree.tip();
        let Some(node) = tip.and_then(|tip| self.node_mut(tip)) else {
            return;
        };
        let message = &mut node.message;
        if matches!(
            message.role,
            Role::Assistant | Role::Reasoning | Role::Activity
        ) {
            message.cost.add(cost);
            let id = message.id.clone();
            self.log.push(Change::Message(id));
        }
    }

    /// Returns the sum of the costs of these messages.
    #[must_use]
    pub fn cost_of<'a>(&self, messages: impl IntoIterator<Item = &'a MessageId>) -> Cost {
        let mut cost = Cost::default();
        for message in messages.into_iter().filter_map(|id| self.message(id)) {
            cost.add(&message.cost);
        }
        cost
    }

    /// Adds the steps of an ended run to the newest message, if the agent wrote it. Returns true if
    /// they were added.
    pub(crate) fn keep_steps(&mut self, steps: &[AgentStep]) -> bool {
        let tip = self.tree.tip();
        let Some(node) = tip.and_then(|tip| self.node_mut(tip)) else {
            return false;
        };
        let message = &mut node.message;
        if !matches!(
            message.role,
            Role::Assistant | Role::Reasoning | Role::Activity
        ) {
            return false;
        }
        let room = MAX_STEPS.saturating_sub(message.steps.len());
        message.steps.extend(steps.iter().take(room).cloned());
        let id = message.id.clone();
        self.log.push(Change::Message(id));
        true
    }
}
