//! Loads a stored conversation. No call and no run starts automatically (rule "a loaded
//! conversation starts nothing").
//!
//! The states of runs, calls and decisions in the snapshot are untrusted, and the session that
//! wrote the snapshot may still be active. Therefore calls that were about to start are answered as
//! interrupted, and the user is asked again about calls that waited for a decision. The module
//! `restore` continues a stored session, and the module `thread` replaces conversations.

use serde_json::Value;

use super::{Cx, Session};
use crate::conversation::{CallKey, Cut, State, ToolCall};

impl Session {
    pub(super) fn load_conversation(
        &mut self,
        thread_id: String,
        snapshot: Value,
        cx: &mut Cx<'_>,
    ) {
        // The journal of a store may contain calls of an earlier conversation with this id, so new
        // keys count from the current time: a conversation has less than one call a millisecond.
        let mut empty_conversation = self.empty_conversation();
        empty_conversation.reserve_keys_until(u64::try_from(cx.now).unwrap_or(0));
        let pending = self.replace_with_stored(thread_id, snapshot, empty_conversation, cx);
        let Some(pending) = pending else {
            return;
        };
        // Each open call is marked, so that the user is asked before the call starts.
        self.conversation.require_question_before_starts();
        if self.conversation.runs.is_newest_open() {
            self.conversation.runs.fail_open_run();
            self.close_open_texts(Some(Cut::BrokenOff), cx);
        }
        self.reopen_stored_interrupts(pending.interrupts, cx);
        self.treat_all_actions_as_offered();
        let keys = self
            .conversation
            .open_calls_on_other_branches()
            .map(ToolCall::key);
        for key in keys.collect::<Vec<_>>() {
            self.give_up_call_on_other_branch(&key, cx);
        }
        for key in self.conversation.active_calls() {
            self.recheck_or_give_up_call(&key, cx);
            // The result of a check is recorded at once, without a run: the loop continues with the
            // user's next decision.
            self.advance_call(&key, cx);
        }
        self.requeue_messages(pending.queued, cx);
        self.offer_to_send_results(cx);
    }

    /// Ends an open call on a branch other than the run branch, unless the call waits for a
    /// decision or a stored interrupt blocks it.
    fn give_up_call_on_other_branch(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let is_asked = matches!(self.conversation.state_of(key), Some(State::Asked(_)));
        if !is_asked && !self.keep_call_interrupted(key) {
            self.give_up_call(key, Some("interrupted"), cx);
        }
    }

    fn recheck_or_give_up_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        if self.is_interrupted(key) || self.delegate_remote_call_if_agent_waits(key) {
            return;
        }
        let call = self.conversation.call(key);
        let Some(call) = call.filter(|call| !matches!(call.state(), State::Denied { .. })) else {
            return;
        };
        let has_run_succeeded = self.conversation.run_succeeded(call);
        let is_asked_again = match call.state() {
            State::Asked(_) => has_run_succeeded != Some(false),
            // The user is asked again only if the run of the call is unknown, since a call of a
            // known run may have been about to start.
            State::Open(_) | State::Allowed(_) => {
                has_run_succeeded.is_none() && !call.was_asked_by_agent()
            }
            _ => false,
        };
        if !is_asked_again {
            return self.give_up_call(key, Some("interrupted"), cx);
        }
        self.check_loaded_call(key, true, cx);
    }
}
