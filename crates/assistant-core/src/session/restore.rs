//! Continues a stored session after a reload, after a crash, or in another tab (rule "after a
//! reload").
//!
//! The module `thread` continues the calls, and `journal` defines the entries about started and
//! finished calls.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    Cx, JournalEntry, NoticeAction, NoticeKind, RunSummary, Session,
    fork::{self, ThreadFork},
    offer::RunOffer,
    run::ActiveRun,
    settle::missing_end_notice,
};
use crate::conversation::{
    Author, CallDataChange, CallEnd, CallError, CallKey, Cut, EndedCall, ErrorKind, Message,
    MessageId, Phase,
};

/// The key of the session's state in the snapshot, next to the data of the conversation.
const SESSION_KEY: &str = "session";

impl Session {
    /// Returns the session as JSON, for [`super::Input::Restore`]: the output of [`Self::export`],
    /// and the state of the turn and of the threads.
    ///
    /// The host must write the snapshot before the host answers [`super::Effect::Commit`], so that
    /// no journal entry refers to an unknown call.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        self.add_session_state(self.export())
    }

    /// Adds the state of the session to the JSON of the conversation.
    pub(super) fn add_session_state(&self, mut value: Value) -> Value {
        let runs = &self.turn.summary.runs;
        let base = runs.last().and_then(|run| run.base.as_ref());
        let offers_retry = |has_kind: &dyn Fn(NoticeKind) -> bool| {
            let mut notices = self.notices.list().iter();
            notices
                .any(|notice| notice.action == Some(NoticeAction::Retry) && has_kind(notice.kind))
        };
        // A run has an offer if it keeps the offer of a resumed run, or if its request was sent.
        // Only runs that can be resumed need the offer after a reload.
        let has_offer = |run: &&ActiveRun| run.keeps_offer || run.thread_id.is_some();
        let run = self.turn.run().filter(|_| self.options.agent.resumes);
        let run_with_offer = run.filter(has_offer);
        let session = json!({
            "runs": runs.len(),
            "base": base.map(MessageId::as_str),
            "retry": offers_retry(&|kind| kind != NoticeKind::Forgotten),
            "forgotten": offers_retry(&|kind| kind == NoticeKind::Forgotten),
            "loops": self.turn.is_continuing(),
            "fork": self.turn.fork.as_ref().map(ThreadFork::to_value),
            "threads": fork::threads_to_value(&self.threads),
            "offer": run_with_offer.map(|_| self.turn.offer.to_value()),
            "regenerates": self.turn.regenerates.as_ref().map(MessageId::as_str),
        });
        if let Value::Object(object) = &mut value {
            object.insert(SESSION_KEY.to_owned(), session);
        }
        value
    }

    pub(super) fn restore(
        &mut self,
        thread_id: String,
        mut snapshot: Value,
        journal: Vec<JournalEntry>,
        cx: &mut Cx<'_>,
    ) {
        let session_state = snapshot
            .as_object_mut()
            .and_then(|object| object.shift_remove(SESSION_KEY))
            .unwrap_or_default();
        let empty_conversation = self.empty_conversation();
        let pending = self.replace_with_stored(thread_id, snapshot, empty_conversation, cx);
        let Some(pending) = pending else {
            return;
        };
        self.apply_journal(journal, cx);
        let is_broken_off = self.conversation.runs.is_newest_open();
        let is_resumed = is_broken_off && self.options.agent.resumes;
        // The failure of an open run is ignored, since the closing page may have caused it.
        let has_failed = session_state.get("retry") == Some(&Value::Bool(true)) && !is_broken_off;
        self.restore_run_count(&session_state);
        self.turn.fork = session_state.get("fork").and_then(ThreadFork::from_value);
        self.restore_threads(session_state.get("threads"));
        let old_answer = session_state.get("regenerates").and_then(Value::as_str);
        let exists = |id: &MessageId| self.conversation.message(id).is_some();
        let old_answer = old_answer.map(MessageId::from).filter(exists);
        self.turn.regenerates = old_answer;
        if is_broken_off && !is_resumed {
            self.conversation.runs.fail_open_run();
            self.close_open_texts(Some(Cut::BrokenOff), cx);
        }
        self.reopen_stored_interrupts(pending.interrupts, cx);
        match is_resumed {
            true => {
                let offer = session_state.get("offer").and_then(RunOffer::from_value);
                self.resume_answer(offer, cx);
            }
            false => self.resume_calls(cx),
        }
        self.requeue_messages(pending.queued, cx);
        // The notice is shown again if the run has ended, or if the run is resumed, since a resumed
        // run does not apply the snapshot again.
        if session_state.get("forgotten") == Some(&Value::Bool(true))
            && (!is_broken_off || is_resumed)
        {
            self.report_forgotten_messages(cx);
        }
        if has_failed || (is_broken_off && !is_resumed) {
            self.offer_retry(cx);
        } else if session_state.get("loops") == Some(&Value::Bool(true)) {
            self.send_stored_results(cx);
        } else {
            self.turn.ended = true;
            self.offer_to_send_results(cx);
        }
        if is_broken_off && !is_resumed {
            self.reselect_old_answer(false, cx);
        }
    }

    /// Sends the results that were ready when the page was closed, unless the session is busy.
    fn send_stored_results(&mut self, cx: &mut Cx<'_>) {
        if !self.undelivered_call_keys().is_empty() && !self.is_busy() {
            self.turn.looping = true;
            self.continue_loop(cx);
        }
    }

    /// Offers to retry the newest run, which did not succeed, unless the session is busy.
    fn offer_retry(&mut self, cx: &mut Cx<'_>) {
        if self.is_busy() {
            return;
        }
        let newest_message = self.conversation.run_path().next_back();
        let is_unanswered = newest_message.is_some_and(Message::is_from_user);
        let (kind, message) = missing_end_notice(!is_unanswered);
        self.notify(kind, message.to_owned(), Some(NoticeAction::Retry), cx);
    }

    /// Applies the journal's entries about calls of this conversation. The entries take precedence
    /// over the possibly older snapshot. An entry about an unknown call is skipped with a
    /// diagnostic, and so is the result of a call that was started with other arguments.
    fn apply_journal(&mut self, mut journal: Vec<JournalEntry>, cx: &mut Cx<'_>) {
        journal.retain(|entry| entry.thread_id() == self.thread_id);
        let is_about_call = |session: &Self, entry: &JournalEntry| {
            let call = session.conversation.call(&entry.call_key());
            call.is_some_and(|call| entry.is_about(call))
        };
        let is_other_start = |entry: &&JournalEntry| {
            matches!(entry, JournalEntry::Started { .. }) && !is_about_call(self, entry)
        };
        let other_starts = journal.iter().filter(is_other_start);
        let other_keys: HashSet<CallKey> = other_starts.map(JournalEntry::call_key).collect();
        for entry in journal {
            let key = entry.call_key();
            let is_of_other_call =
                matches!(entry, JournalEntry::Finished { .. }) && other_keys.contains(&key);
            if is_of_other_call || !is_about_call(self, &entry) {
                let message =
                    format!("the journal names {key:?}, which is not in the conversation");
                cx.warn("journal-unknown-call", message);
                continue;
            }
            match entry {
                JournalEntry::Started {
                    attempt, action, ..
                } => {
                    self.conversation.mark_unknown_outcome(&key, attempt);
                    if action.is_some() {
                        self.conversation
                            .edit_call(&key, |call| call.action = action);
                    }
                }
                JournalEntry::Finished { phase, result, .. } => {
                    let Some(end) = CallEnd::from_phase(phase) else {
                        continue;
                    };
                    let message = result.error.clone();
                    let message = message.filter(|_| phase == Phase::OutputError);
                    // If the snapshot contains an error with the same message, this error is kept,
                    // since it may contain a kind and details that the journal lacks.
                    let call = self.conversation.call(&key);
                    let stored_error = call.and_then(|call| call.error().cloned());
                    let error = message.map(|message| match stored_error {
                        Some(error) if error.message == message => error,
                        _ => CallError::new(ErrorKind::Handler, message),
                    });
                    let mut outcome = EndedCall::new(end, Author::Page, false);
                    outcome.error.clone_from(&error);
                    self.conversation
                        .set_page_result(key, result, outcome, cx.now);
                    self.conversation.edit_call(&key, |call| {
                        call.apply_data_change(CallDataChange::OutcomeKnown);
                        call.set_error(error);
                    });
                }
            }
        }
    }

    /// Restores the number of runs in the turn, for the run limit, and the message at which the
    /// newest run started.
    fn restore_run_count(&mut self, session_state: &Value) {
        let count = session_state["runs"].as_u64().unwrap_or(0).min(1_000);
        for _ in 0..count {
            self.turn.summary.runs.push(RunSummary::default());
        }
        let base = session_state["base"].as_str().map(MessageId::from);
        if let Some(newest_run) = self.turn.summary.runs.last_mut() {
            newest_run.base = base;
        }
    }
}
