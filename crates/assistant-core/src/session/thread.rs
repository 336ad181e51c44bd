//! One conversation goes, another comes (row X-2).

use serde_json::Value;

use super::{Cx, Effect, Refusal, RunSummary, Session};
use crate::conversation::{Change, Conversation, Phase};

impl Session {
    pub(super) fn new_thread(&mut self, cx: &mut Cx<'_>) {
        let thread_id = cx.host.new_id();
        self.replace(thread_id, self.empty_conversation(), cx);
    }

    pub(super) fn load(&mut self, thread_id: String, snapshot: Value, cx: &mut Cx<'_>) {
        match self.empty_conversation().take_in(snapshot) {
            Ok(conversation) => self.replace(thread_id, conversation, cx),
            Err(error) => return cx.refuse(Refusal::InvalidSnapshot(error.to_string())),
        }
        self.take_up_calls(cx);
    }

    /// A conversation that reads texts as the options say.
    pub(super) fn empty_conversation(&self) -> Conversation {
        #[cfg(feature = "callouts")]
        return Conversation::reading(self.options.markdown_tools);
        #[cfg(not(feature = "callouts"))]
        Conversation::new()
    }

    fn replace(&mut self, thread_id: String, conversation: Conversation, cx: &mut Cx<'_>) {
        self.end_everything(cx);
        if self.conversation.tip().is_some() {
            cx.effect(Effect::Archive {
                thread_id: self.thread_id.clone(),
                snapshot: self.conversation.export(),
            });
        }
        self.thread_id = thread_id;
        self.conversation = conversation;
        if !self.interrupts.is_empty() {
            self.interrupts.clear();
            cx.change(Change::Interrupts);
        }
        self.summary = RunSummary::default();
        self.side_events.clear();
        self.offered.clear();
        self.loop_stopped = false;
        self.clear_notices(cx);
        cx.change(Change::Thread);
        cx.change(Change::Path);
        cx.change(Change::State);
    }

    /// Open calls of a loaded conversation go on: questions are asked again. What was running is
    /// not run a second time: it is answered as cancelled. So is what an agent had asked about:
    /// its question did not come along, and without the answer the call must not run.
    fn take_up_calls(&mut self, cx: &mut Cx<'_>) {
        let offered = self.registry.offered();
        self.offered = offered
            .iter()
            .map(|entry| entry.spec.name.clone())
            .collect();
        for key in self.conversation.active_calls() {
            let Some(call) = self.conversation.call(&key) else {
                continue;
            };
            let asked_by_agent = call
                .approval
                .as_ref()
                .is_some_and(|approval| approval.interrupt_id.is_some());
            let at_work = matches!(call.phase, Phase::InputStreaming | Phase::Running);
            if at_work || asked_by_agent {
                self.give_up(&key, Some("interrupted"), cx);
            } else {
                self.prepare(&key, cx);
            }
        }
        self.looping = !self.open_calls.is_empty();
    }
}
