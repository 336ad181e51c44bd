//! What the person says: taken or refused, queued, put into the chat.
//!
//! Neighbour: `run` starts the run that carries it.

use super::{Cx, Refusal, RunSummary, Session};
use crate::{
    conversation::{Change, Message},
    event::{Content, PartBody},
};

impl Session {
    pub(super) fn send(&mut self, content: Content, cx: &mut Cx<'_>) {
        if says_nothing(&content) {
            return cx.refuse(Refusal::EmptyMessage);
        }
        if let Err(refusal) = self.make_room(cx) {
            return cx.refuse(refusal);
        }
        self.clear_notices(cx);
        self.summary = RunSummary::default();
        self.looping = false;
        self.queued.push(content);
        if self.answered_interrupts().is_empty() {
            self.send_queued(cx);
        } else {
            // Servers do not take a message and an answer in one run: the answer goes first.
            self.start_run(cx);
        }
    }

    /// Sends what the person said while an answer to the agent had to go out first.
    pub(super) fn send_queued(&mut self, cx: &mut Cx<'_>) {
        let free = self.run.is_none() && self.open_calls.is_empty() && self.interrupts.is_empty();
        if !free || self.queued.is_empty() {
            return;
        }
        self.show_queued(cx);
        self.summary = RunSummary::default();
        self.start_run(cx);
    }

    /// Puts what the person said into the chat.
    pub(super) fn show_queued(&mut self, cx: &mut Cx<'_>) {
        for content in std::mem::take(&mut self.queued) {
            let id = cx.host.new_id();
            self.conversation.append(Message::user(id, content, cx.now));
            cx.change(Change::Path);
        }
    }

    /// A new message must wait until nothing is under way, unless it may deny what is open.
    fn make_room(&mut self, cx: &mut Cx<'_>) -> Result<(), Refusal> {
        if self.run.is_some() {
            return Err(Refusal::Busy);
        }
        if self.interrupts.iter().any(|open| open.answer.is_none()) {
            return Err(Refusal::InterruptsPending);
        }
        let waiting = self.waits_for_person();
        if self.options.auto_deny && self.only_approvals_open() {
            self.deny_all_open(cx);
        }
        match self.open_calls.is_empty() {
            true => Ok(()),
            false if waiting => Err(Refusal::ApprovalsPending),
            false => Err(Refusal::Busy),
        }
    }
}

fn says_nothing(content: &Content) -> bool {
    match content {
        Content::Text(text) => text.trim().is_empty(),
        Content::Parts(parts) => parts
            .iter()
            .all(|part| matches!(&part.body, PartBody::Text(text) if text.trim().is_empty())),
    }
}
