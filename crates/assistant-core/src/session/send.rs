//! Checks messages from the user, queues them, and adds them to the chat.
//!
//! The module `run` starts the run that sends the messages.

use super::{Cx, Refusal, Session};
use crate::{
    conversation::{Change, Message},
    event::{Content, PartBody},
};

impl Session {
    pub(super) fn send_message(&mut self, content: Content, cx: &mut Cx<'_>) {
        if is_blank_content(&content) {
            return cx.refuse(Refusal::EmptyMessage);
        }
        if let Err(refusal) = self.ensure_idle(cx) {
            return cx.refuse(refusal);
        }
        self.conversation.set_run_branch_to_shown();
        self.select_branch_interrupts(cx);
        self.clear_notices(cx);
        self.reset_turn();
        self.turn.looping = false;
        self.turn.queue.push(content);
        cx.push_change(Change::Queue);
        if self.interrupts.answered_ids().is_empty() {
            self.send_queued_messages(cx);
        } else {
            // The answer is sent before the message, since servers do not accept a message and an
            // answer in the same run.
            self.start_run(cx);
        }
    }

    /// Sends the queued messages in a new run, once no run, call or interrupt is open.
    pub(super) fn send_queued_messages(&mut self, cx: &mut Cx<'_>) {
        let is_free = !self.turn.is_running()
            && !self.has_calls_under_way()
            && self.interrupts.list.is_empty();
        if !is_free || self.turn.queue.is_empty() {
            return;
        }
        self.add_queued_messages(false, cx);
        self.reset_turn();
        self.start_run(cx);
    }

    /// Adds the queued messages to the chat, and marks them as interjected if `interjected` is
    /// true.
    pub(super) fn add_queued_messages(&mut self, interjected: bool, cx: &mut Cx<'_>) {
        for content in self.turn.take_queue() {
            let id = cx.host.new_id();
            let mut message = Message::user(id, content, cx.now);
            message.interjected = interjected;
            self.conversation.append(message);
            cx.push_change(Change::Queue);
        }
    }

    /// Fails with a refusal if a run is in progress, an interrupt is unanswered, or a call is open.
    /// If the options permit an automatic denial and only questions are open, first denies the
    /// calls that wait for the user.
    pub(super) fn ensure_idle(&mut self, cx: &mut Cx<'_>) -> Result<(), Refusal> {
        if self.turn.is_running() {
            return Err(Refusal::Busy);
        }
        if self.interrupts.has_unanswered() {
            return Err(Refusal::InterruptsPending);
        }
        let is_waiting = self.waits_for_person();
        if self.options.auto_deny && self.has_only_questions_open() {
            self.deny_open_calls(cx);
        }
        match self.has_calls_under_way() {
            false => Ok(()),
            true if is_waiting => Err(Refusal::ApprovalsPending),
            true => Err(Refusal::Busy),
        }
    }
}

pub(super) fn is_blank_content(content: &Content) -> bool {
    match content {
        Content::Text(text) => text.trim().is_empty(),
        Content::Parts(parts) => parts
            .iter()
            .all(|part| matches!(&part.body, PartBody::Text(text) if text.trim().is_empty())),
    }
}
