//! Continues a stored session after a reload, after a crash, or in another tab (rule "after a
//! reload").
//!
//! `thread` continues the calls, `journal` defines the entries about started and finished calls.

use serde_json::{Value, json};

use super::{
    Cx, JournalEntry, NoticeAction, NoticeKind, RunSummary, Session,
    fork::{self, ThreadFork},
    offer::RunOffer,
    run::ActiveRun,
};
use crate::conversation::{
    Author, CallEnd, CallError, Cut, EndedCall, ErrorKind, Message, MessageId, Note, Phase,
};

/// The member of a snapshot with the state of the session, apart from the conversation.
const SESSION: &str = "session";

impl Session {
    /// Returns the session as JSON, for [`super::Input::Restore`]: the output of [`Self::export`],
    /// and the state of the turn and of the threads.
    ///
    /// A host must write it before it answers [`super::Effect::Commit`], so that no journal entry
    /// refers to an unknown call.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        self.add_session_state(self.export())
    }

    /// Adds the state of the session to the JSON of the conversation.
    pub(super) fn add_session_state(&self, mut value: Value) -> Value {
        let runs = &self.turn.summary.runs;
        let base = runs.last().and_then(|run| run.base.as_ref());
        let retries = |of: &dyn Fn(NoticeKind) -> bool| {
            let mut notices = self.notices.list().iter();
            notices.any(|one| one.action == Some(NoticeAction::Retry) && of(one.kind))
        };
        // Only a run that can be resumed needs its offer after a reload. Before its request is sent,
        // a run has recorded no offer of its own.
        let has_offer = |run: &&ActiveRun| run.keeps_offer || !run.thread_id.is_empty();
        let run = self.turn.run().filter(|_| self.options.agent.resumes);
        let offering = run.filter(has_offer);
        let session = json!({
            "runs": runs.len(),
            "base": base.map(MessageId::as_str),
            "retry": retries(&|kind| kind != NoticeKind::Forgotten),
            "forgotten": retries(&|kind| kind == NoticeKind::Forgotten),
            "loops": self.turn.is_continuing(),
            "fork": self.turn.fork.as_ref().map(ThreadFork::to_value),
            "threads": fork::threads_to_value(&self.threads),
            "offer": offering.map(|_| self.turn.offer.to_value()),
            "regenerates": self.turn.regenerates.as_ref().map(MessageId::as_str),
        });
        if let Value::Object(object) = &mut value {
            object.insert(SESSION.to_owned(), session);
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
        let own = snapshot
            .as_object_mut()
            .and_then(|object| object.shift_remove(SESSION))
            .unwrap_or_default();
        let Some(pending) = self.replace_with_stored(thread_id, snapshot, cx) else {
            return;
        };
        self.apply_journal(journal, cx);
        let broken_off = self.conversation.runs.is_newest_open();
        let is_resumed = broken_off && self.options.agent.resumes;
        // A page may see its request fail while it is being closed.
        let failed = own.get("retry") == Some(&Value::Bool(true)) && !broken_off;
        self.restore_run_count(&own);
        self.turn.fork = own.get("fork").and_then(ThreadFork::from_value);
        self.restore_threads(own.get("threads"));
        let regenerates = own.get("regenerates").and_then(Value::as_str);
        let exists = |id: &MessageId| self.conversation.message(id).is_some();
        let regenerates = regenerates.map(MessageId::from).filter(exists);
        self.turn.regenerates = regenerates;
        if broken_off && !is_resumed {
            self.conversation.runs.fail_open_run();
            self.close_open_texts(Some(Cut::BrokenOff), cx);
        }
        self.reopen_stored_interrupts(pending.interrupts, cx);
        match is_resumed {
            true => {
                let offer = own.get("offer").and_then(RunOffer::from_value);
                self.resume_answer(offer, cx);
            }
            false => self.resume_calls(cx),
        }
        self.requeue_messages(pending.queued, cx);
        // Of a run that succeeded, or is resumed and does not apply the snapshot again.
        if own.get("forgotten") == Some(&Value::Bool(true)) && (!broken_off || is_resumed) {
            self.report_forgotten_messages(cx);
        }
        if failed || (broken_off && !is_resumed) {
            self.offer_retry(cx);
        } else if own.get("loops") == Some(&Value::Bool(true)) {
            self.send_stored_results(cx);
        } else {
            self.turn.ended = true;
            self.offer_to_send_results(cx);
        }
        if broken_off && !is_resumed {
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
        let newest = self.conversation.run_path().next_back();
        let unanswered = newest.is_some_and(Message::is_from_user);
        let (kind, message) = match unanswered {
            true => (NoticeKind::Silent, "The assistant didn't reply."),
            false => (
                NoticeKind::Truncated,
                "The connection dropped before the answer was finished.",
            ),
        };
        self.notify(kind, message.to_owned(), Some(NoticeAction::Retry), cx);
    }

    /// Applies the journal's entries about calls of this conversation. They take precedence over
    /// the possibly older snapshot. An entry about an unknown call is skipped with a diagnostic.
    fn apply_journal(&mut self, journal: Vec<JournalEntry>, cx: &mut Cx<'_>) {
        for entry in journal {
            if entry.thread_id() != self.thread_id {
                continue;
            }
            let key = entry.call_key();
            let call = self.conversation.call(&key);
            if !call.is_some_and(|call| entry.is_about(call)) {
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
                    // The snapshot may have the kind and the details of the same error.
                    let stored = call.and_then(|call| call.error().cloned());
                    let error = message.map(|message| match stored {
                        Some(error) if error.message == message => error,
                        _ => CallError::new(ErrorKind::Handler, message),
                    });
                    let mut outcome = EndedCall::new(end, Author::Page, false);
                    outcome.error.clone_from(&error);
                    self.conversation
                        .set_page_result(key, result, outcome, cx.now);
                    self.conversation.edit_call(&key, |call| {
                        call.apply_note(Note::OutcomeKnown);
                        call.set_error(error);
                    });
                }
            }
        }
    }

    /// Restores the number of runs in the turn, for the run limit, and the message at which the
    /// newest of them started.
    fn restore_run_count(&mut self, own: &Value) {
        let count = own["runs"].as_u64().unwrap_or(0).min(1_000);
        for _ in 0..count {
            self.turn.summary.runs.push(RunSummary::default());
        }
        let base = own["base"].as_str().map(MessageId::from);
        if let Some(newest) = self.turn.summary.runs.last_mut() {
            newest.base = base;
        }
    }
}
