//! Applies changes of the user to the tree of messages.
//!
//! The shown branch can always be changed. The run branch is moved only if nothing is in
//! progress: a run, a handler and a question stay on the branch where they began.

use super::{Cx, Refusal, Session, TreeChange, send::is_blank_content};
#[cfg(feature = "records")]
use crate::conversation::update::Update;
use crate::{
    conversation::{Change, Message, MessageId, State, TreeError},
    event::{Content, Role},
};

impl Session {
    pub(super) fn apply_tree_change(&mut self, change: TreeChange, cx: &mut Cx<'_>) {
        let write = !self.is_busy();
        // A run that can be retried or continued does so on its own branch.
        let moves = write && !self.notices.has_any_action();
        let done = match change {
            TreeChange::Select { message, exact } => {
                self.conversation.select(&message, exact, moves)
            }
            TreeChange::Switch { message, to } => {
                let other = self.conversation.sibling(&message, to).cloned();
                other.and_then(|other| self.conversation.select(&other, false, moves))
            }
            TreeChange::ShowRun => {
                self.conversation.show_run_branch();
                Ok(())
            }
            TreeChange::Delete { message } => self.delete_messages(&message, cx),
            TreeChange::Restore => self.restore_deleted(write, cx),
            TreeChange::Reparent { message, .. } if !write && self.is_on_run_path(&message) => {
                return cx.refuse(Refusal::Busy);
            }
            TreeChange::Reparent { message, parent } => {
                let moved = self.conversation.reparent(&message, parent.as_ref());
                moved.map(|()| self.end_threads_with(&message))
            }
            TreeChange::EditInPlace { message, content } => {
                let edited = self.conversation.edit_in_place(&message, content);
                edited.map(|()| self.end_threads_with(&message))
            }
            TreeChange::Edit { message, content } => {
                return self.edit_message(&message, content, cx);
            }
            TreeChange::Regenerate { message } => return self.regenerate_answer(&message, cx),
            TreeChange::Interject { content } => return self.interject_message(content, cx),
            TreeChange::Withdraw { content } => return self.withdraw_queued_message(&content, cx),
        };
        if done.is_ok() {
            self.select_branch_interrupts(cx);
        }
        match done {
            Err(error) => cx.refuse(Refusal::Tree(error)),
            // Checked again: a deletion ends everything in progress.
            Ok(()) if !self.is_busy() => self.give_up_forgotten_calls(cx),
            Ok(()) => {}
        }
    }

    /// Ends the unchecked calls on the run branch, which a message list moved off the path of their
    /// run, after that run has ended. No later run will use them.
    fn give_up_forgotten_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let is_forgotten = call
                .is_some_and(|call| matches!(call.state(), State::Streaming(_) | State::Open(_)));
            if is_forgotten {
                self.give_up_call(&key, Some("superseded"), cx);
            }
        }
    }

    fn is_on_run_path(&self, message: &MessageId) -> bool {
        self.conversation.is_on_run_path(message)
    }

    /// Deletes a message and all below it. If the message is on the run branch, first ends
    /// everything in progress there, and afterwards removes the open interrupts and the notices;
    /// queued messages stay.
    fn delete_messages(&mut self, message: &MessageId, cx: &mut Cx<'_>) -> Result<(), TreeError> {
        let on_run = self.is_on_run_path(message);
        let mut queued = Vec::new();
        if on_run && self.is_busy() {
            // Queued messages are not part of the deletion.
            queued = self.turn.take_queue();
            self.cancel_unanswered_interrupts(cx);
            self.end_run_and_calls(cx);
        }
        let deleted = self.conversation.delete(message);
        self.requeue_messages(queued, cx);
        if on_run && deleted.is_ok() {
            self.conversation.void_checks();
            self.interrupts.list.clear();
            self.give_up_delegated_calls(cx);
            self.clear_notices(cx);
            cx.push_change(Change::Interrupts);
        }
        deleted
    }

    /// Restores the deleted messages in their last state: nothing is asked or run again, and an
    /// agent's question about them can no longer be answered.
    fn restore_deleted(&mut self, write: bool, cx: &mut Cx<'_>) -> Result<(), TreeError> {
        self.conversation.restore_deleted(write)?;
        if write {
            self.end_answered_calls(cx);
        }
        Ok(())
    }

    fn edit_message(&mut self, message: &MessageId, content: Content, cx: &mut Cx<'_>) {
        let role = self.conversation.message(message).map(Message::author_role);
        match role {
            None => return cx.refuse(Refusal::Tree(TreeError::UnknownMessage)),
            Some(Role::User) => {}
            Some(_) => return cx.refuse(Refusal::Tree(TreeError::NotUser)),
        }
        if is_blank_content(&content) {
            return cx.refuse(Refusal::EmptyMessage);
        }
        self.branch_off_version(message, Some(content), cx);
    }

    /// Regenerates an answer from the start of this message. Reasoning right before it is
    /// regenerated, too; earlier calls keep their results and are not run again.
    fn regenerate_answer(&mut self, message: &MessageId, cx: &mut Cx<'_>) {
        let role = self.conversation.message(message).map(Message::author_role);
        match role {
            None => return cx.refuse(Refusal::Tree(TreeError::UnknownMessage)),
            Some(Role::Assistant | Role::Reasoning | Role::Activity) => {}
            Some(_) => return cx.refuse(Refusal::Tree(TreeError::NotAssistant)),
        }
        let mut first = message.clone();
        while let Some(parent) = self.conversation.parent(&first) {
            if !self.conversation.is_same_response(parent, &first) {
                break;
            }
            first = parent.clone();
        }
        self.branch_off_version(&first, None, cx);
    }

    /// Branches off a new version of a message and starts its run: with `content`, an edited
    /// message of the user, otherwise a regenerated answer. Refused if something is in progress.
    fn branch_off_version(
        &mut self,
        message: &MessageId,
        content: Option<Content>,
        cx: &mut Cx<'_>,
    ) {
        if let Err(refusal) = self.ensure_idle(cx) {
            return cx.refuse(refusal);
        }
        let parent = self.conversation.parent(message).cloned();
        self.conversation.select_tip(parent.as_ref());
        self.select_branch_interrupts(cx);
        let regenerated = content.is_none().then(|| message.clone());
        if let Some(content) = content {
            let id = cx.host.new_id();
            let message = Message::user(id, content, cx.now);
            self.conversation.append(message);
        }
        self.clear_notices(cx);
        self.turn.reset();
        self.turn.regenerates = regenerated;
        self.attention.reset_for_turn();
        self.start_run(cx);
    }

    /// Returns true if the turn regenerates an answer and has received nothing: the old answer then
    /// stays shown, in the next request, and without a mark (rule "branches"). A message without
    /// content counts as an answer only if the run `succeeded`.
    pub(super) fn is_empty_regeneration(&self, succeeded: bool) -> bool {
        let Some(old) = &self.turn.regenerates else {
            return false;
        };
        let parent = self.conversation.parent(old);
        let is_new = |message: &&Message| Some(&message.id) != parent;
        let mut new = self.conversation.run_path().rev().take_while(is_new);
        let reaches = match parent {
            Some(parent) => self.conversation.is_on_run_path(parent),
            None => true,
        };
        reaches && new.all(|message| !succeeded && message.is_empty())
    }

    /// Selects the previous answer if its regeneration brought nothing, so that it stays shown and
    /// is part of the next request. A branch that the user has selected meanwhile stays shown.
    pub(super) fn reselect_old_answer(&mut self, succeeded: bool, cx: &mut Cx<'_>) {
        let shows_other = self.conversation.shows_other_branch();
        let continues = self.is_busy() || self.turn.looping;
        if continues || shows_other || !self.is_empty_regeneration(succeeded) {
            return;
        }
        if let Some(old) = self.turn.regenerates.clone() {
            // It exists: its parent is on the path.
            let _ = self.conversation.select(&old, false, true);
            self.select_branch_interrupts(cx);
        }
    }

    /// Makes the texts that a failed run has left after `base` the answer that stays current if the
    /// retry brings nothing. Calls belong to the retry, which answers them.
    pub(super) fn keep_partial_answer(&mut self, base: &MessageId) {
        if self.turn.regenerates.is_some() || !self.conversation.is_on_run_path(base) {
            return;
        }
        let is_later = |message: &&Message| message.id != *base;
        let partial: Vec<&Message> = self
            .conversation
            .run_path()
            .rev()
            .take_while(is_later)
            .collect();
        let is_text = !partial.iter().any(|message| message.has_calls());
        if is_text && partial.iter().any(|message| !message.is_empty()) {
            self.turn.regenerates = partial.last().map(|first| first.id.clone());
        }
    }

    /// Moves the run branch back to the parent of the old answer, before a retry of its
    /// regeneration.
    pub(super) fn rewind_before_old_answer(&mut self) {
        let Some(old) = &self.turn.regenerates else {
            return;
        };
        if self.conversation.is_on_run_path(old) {
            let parent = self.conversation.parent(old).cloned();
            self.conversation.select_tip(parent.as_ref());
        }
    }

    /// Queues a message for the next boundary between tools (rule "interjections"): after the
    /// current run and the running handlers have ended, the other calls are skipped, and the
    /// message is sent with the results. Sends the message at once if nothing is in progress.
    fn interject_message(&mut self, content: Content, cx: &mut Cx<'_>) {
        if !self.is_busy() {
            return self.send_message(content, cx);
        }
        if is_blank_content(&content) {
            return cx.refuse(Refusal::EmptyMessage);
        }
        if !self.options.interjections {
            return cx.refuse(Refusal::Busy);
        }
        if self.interrupts.has_unanswered() {
            return cx.refuse(Refusal::InterruptsPending);
        }
        self.turn.queue.push(content);
        cx.push_change(Change::Queue);
        self.turn.interjected = true;
    }

    /// Removes a queued message. If the queue is empty then, the calls that were held back for the
    /// message start.
    fn withdraw_queued_message(&mut self, content: &Content, cx: &mut Cx<'_>) {
        if !self.turn.withdraw_message(content) {
            return cx.refuse(Refusal::Tree(TreeError::UnknownMessage));
        }
        cx.push_change(Change::Queue);
    }

    /// Applies an update of a server that runs the loop itself. An update for another conversation,
    /// or during a run, is refused.
    #[cfg(feature = "records")]
    pub(super) fn apply_server_update(&mut self, update: Update, cx: &mut Cx<'_>) {
        let conversation = update.conv_id();
        if !conversation.is_empty() && conversation != self.thread_id {
            return cx.refuse(Refusal::OtherConversation);
        }
        if self.turn.is_running() {
            return cx.refuse(Refusal::Busy);
        }
        let taken = match update {
            Update::Conv(update) => self.conversation.apply_message_update(*update, cx.now),
            Update::Tool(update) => {
                self.conversation.apply_tool_update(update, cx.now);
                Ok(())
            }
        };
        if let Err(error) = taken {
            cx.refuse(Refusal::Tree(error));
        }
    }
}
