//! Applies the user's changes to the tree of messages.
//!
//! The shown branch can always be changed. The run branch is moved only if nothing is in progress:
//! a run, a handler and a question stay on the branch where they began.

use super::{Cx, Refusal, Session, TreeChange, send::is_blank_content};
#[cfg(feature = "records")]
use crate::conversation::update::Update;
use crate::{
    conversation::{Change, Message, MessageId, State, TreeError},
    event::{Content, Role},
};

impl Session {
    pub(super) fn apply_tree_change(&mut self, change: TreeChange, cx: &mut Cx<'_>) {
        let is_idle = !self.is_busy();
        // The run branch does not move while a notice offers a retry or a continuation, since both
        // must start on the branch of their run.
        let moves_run_branch = is_idle && !self.notices.has_any_action();
        let result = match change {
            TreeChange::Select { message, exact } => {
                self.conversation.select(&message, exact, moves_run_branch)
            }
            TreeChange::Switch { message, to } => {
                let sibling = self.conversation.sibling(&message, to).cloned();
                sibling
                    .and_then(|sibling| self.conversation.select(&sibling, false, moves_run_branch))
            }
            TreeChange::ShowRun => {
                self.conversation.show_run_branch();
                Ok(())
            }
            TreeChange::Delete { message } => self.delete_messages(&message, cx),
            TreeChange::Restore => self.restore_deleted(is_idle, cx),
            TreeChange::Reparent { message, .. }
                if !is_idle && self.conversation.is_on_run_path(&message) =>
            {
                return cx.refuse(Refusal::Busy);
            }
            TreeChange::Reparent { message, parent } => {
                let result = self.conversation.reparent(&message, parent.as_ref());
                result.map(|()| self.end_threads_with(&message))
            }
            TreeChange::EditInPlace { message, content } => {
                let result = self.conversation.edit_in_place(&message, content);
                result.map(|()| self.end_threads_with(&message))
            }
            TreeChange::Edit { message, content } => {
                return self.edit_message(&message, content, cx);
            }
            TreeChange::Regenerate { message } => return self.regenerate_answer(&message, cx),
            TreeChange::Interject { content } => return self.interject_message(content, cx),
            TreeChange::Withdraw { content } => return self.withdraw_queued_message(&content, cx),
        };
        if result.is_ok() {
            self.select_branch_interrupts(cx);
        }
        match result {
            Err(error) => cx.refuse(Refusal::Tree(error)),
            // The state is checked again, since a deletion ends everything in progress.
            Ok(()) if !self.is_busy() => self.give_up_unchecked_calls(cx),
            Ok(()) => {}
        }
    }

    /// Ends the calls on the run branch that were never checked, because a message list of the
    /// agent moved them off the path of their run, which has ended. No later run continues these
    /// calls.
    fn give_up_unchecked_calls(&mut self, cx: &mut Cx<'_>) {
        for key in self.conversation.active_calls() {
            let state = self.conversation.state_of(&key);
            if matches!(state, Some(State::Streaming(_) | State::Open(_))) {
                self.give_up_call(&key, Some("superseded"), cx);
            }
        }
    }

    /// Deletes a message and all messages below it. If the message is on the run branch, first ends
    /// everything in progress on that branch, and afterwards removes the open interrupts and the
    /// notices; queued messages stay.
    fn delete_messages(&mut self, message: &MessageId, cx: &mut Cx<'_>) -> Result<(), TreeError> {
        let is_on_run_branch = self.conversation.is_on_run_path(message);
        let mut queued_messages = Vec::new();
        if is_on_run_branch && self.is_busy() {
            // The queued messages are saved here and added to the queue again below, since the
            // deletion does not apply to them.
            queued_messages = self.turn.take_queue();
            self.cancel_unanswered_interrupts(cx);
            self.end_run_and_calls(cx);
        }
        let result = self.conversation.delete(message);
        self.requeue_messages(queued_messages, cx);
        if is_on_run_branch && result.is_ok() {
            self.conversation.void_checks();
            self.interrupts.list.clear();
            self.give_up_delegated_calls(cx);
            self.clear_notices(cx);
            cx.push_change(Change::Interrupts);
        }
        result
    }

    /// Restores the deleted messages in their last state. The user is not asked again about the
    /// calls of these messages, and the calls are not run again. Interrupts about these calls can
    /// no longer be answered.
    fn restore_deleted(&mut self, is_idle: bool, cx: &mut Cx<'_>) -> Result<(), TreeError> {
        self.conversation.restore_deleted(is_idle)?;
        if is_idle {
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

    /// Regenerates an answer from the start of this message. Reasoning messages directly before the
    /// message are also regenerated; earlier calls keep their results and are not run again.
    fn regenerate_answer(&mut self, message: &MessageId, cx: &mut Cx<'_>) {
        let role = self.conversation.message(message).map(Message::author_role);
        match role {
            None => return cx.refuse(Refusal::Tree(TreeError::UnknownMessage)),
            Some(Role::Assistant | Role::Reasoning | Role::Activity) => {}
            Some(_) => return cx.refuse(Refusal::Tree(TreeError::NotAssistant)),
        }
        let mut first_id = message.clone();
        while let Some(parent) = self.conversation.parent(&first_id) {
            if !self.conversation.is_same_response(parent, &first_id) {
                break;
            }
            first_id = parent.clone();
        }
        self.branch_off_version(&first_id, None, cx);
    }

    /// Branches off a new version of a message and starts its run. With `content`, the version is
    /// an edited message of the user; without `content`, it is a regenerated answer. Refused if
    /// something is in progress.
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
        let old_answer = content.is_none().then(|| message.clone());
        if let Some(content) = content {
            let id = cx.host.new_id();
            let message = Message::user(id, content, cx.now);
            self.conversation.append(message);
        }
        self.clear_notices(cx);
        self.reset_turn();
        self.turn.regenerates = old_answer;
        self.start_run(cx);
    }

    /// Returns true if the turn regenerates an answer and has received no new answer. The old
    /// answer then stays visible, is part of the next request, and is not marked as failed (rule
    /// "branches"). A message without content counts as an answer only if the run succeeded.
    pub(super) fn is_empty_regeneration(&self, succeeded: bool) -> bool {
        let Some(old_answer) = &self.turn.regenerates else {
            return false;
        };
        let parent = self.conversation.parent(old_answer);
        let is_new = |message: &&Message| Some(&message.id) != parent;
        let mut new_messages = self.conversation.run_path().rev().take_while(is_new);
        let is_parent_on_path = match parent {
            Some(parent) => self.conversation.is_on_run_path(parent),
            None => true,
        };
        is_parent_on_path && new_messages.all(|message| !succeeded && message.is_empty())
    }

    /// Selects the previous answer if its regeneration produced no answer. The previous answer then
    /// stays visible and is part of the next request. A branch that the user has selected meanwhile
    /// stays visible.
    pub(super) fn reselect_old_answer(&mut self, succeeded: bool, cx: &mut Cx<'_>) {
        let is_other_shown = self.conversation.shows_other_branch();
        let is_in_progress = self.is_busy() || self.turn.looping;
        if is_in_progress || is_other_shown || !self.is_empty_regeneration(succeeded) {
            return;
        }
        if let Some(old_answer) = self.turn.regenerates.clone() {
            // The selection cannot fail: the answer exists, since its parent is on the run path.
            let _ = self.conversation.select(&old_answer, false, true);
            self.select_branch_interrupts(cx);
        }
    }

    /// Records the texts that a failed run produced after `base` as the old answer, which stays
    /// current if the retry produces no answer. Does nothing during a regeneration, if `base` is
    /// not on the run path, or if the run produced calls, which the retry answers.
    pub(super) fn keep_partial_answer(&mut self, base: &MessageId) {
        if self.turn.regenerates.is_some() || !self.conversation.is_on_run_path(base) {
            return;
        }
        let is_later = |message: &&Message| message.id != *base;
        let partial_answer: Vec<&Message> = self
            .conversation
            .run_path()
            .rev()
            .take_while(is_later)
            .collect();
        let has_no_calls = !partial_answer.iter().any(|message| message.has_calls());
        if has_no_calls && partial_answer.iter().any(|message| !message.is_empty()) {
            self.turn.regenerates = partial_answer.last().map(|first| first.id.clone());
        }
    }

    /// Moves the run branch back to the parent of the old answer, before a retry of the
    /// regeneration, if the old answer is on the run branch.
    pub(super) fn rewind_before_old_answer(&mut self) {
        let Some(old_answer) = &self.turn.regenerates else {
            return;
        };
        if self.conversation.is_on_run_path(old_answer) {
            let parent = self.conversation.parent(old_answer).cloned();
            self.conversation.select_tip(parent.as_ref());
        }
    }

    /// Queues a message until the current run and the running handlers have ended (rule
    /// "interjections"). The calls that have not started are then skipped, and the message is sent
    /// with the results. Sends the message at once if nothing is in progress.
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

    /// Removes a queued message. If the queue is then empty, the calls that were held back for the
    /// message start.
    fn withdraw_queued_message(&mut self, content: &Content, cx: &mut Cx<'_>) {
        if !self.turn.withdraw_message(content) {
            return cx.refuse(Refusal::Tree(TreeError::UnknownMessage));
        }
        cx.push_change(Change::Queue);
    }

    /// Applies an update from a server that runs the loop itself. An update for a different
    /// conversation, or during a run, is refused.
    #[cfg(feature = "records")]
    pub(super) fn apply_server_update(&mut self, update: Update, cx: &mut Cx<'_>) {
        let conversation_id = update.conv_id();
        if !conversation_id.is_empty() && conversation_id != self.thread_id {
            return cx.refuse(Refusal::OtherConversation);
        }
        if self.turn.is_running() {
            return cx.refuse(Refusal::Busy);
        }
        let result = match update {
            Update::Conv(update) => self.conversation.apply_message_update(*update, cx.now),
            Update::Tool(update) => {
                self.conversation.apply_tool_update(update, cx.now);
                Ok(())
            }
        };
        if let Err(error) = result {
            cx.refuse(Refusal::Tree(error));
        }
    }
}
