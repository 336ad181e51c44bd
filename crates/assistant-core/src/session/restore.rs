//! A stored session goes on: after a reload, a crash, in another tab (rule "after a reload").
//!
//! Neighbours: `thread` loads conversations from elsewhere, `journal` has the entries that say what
//! was begun and what came of it.

use serde_json::{Value, json};

use super::{Cx, JournalEntry, NoticeAction, NoticeKind, OpenInterrupt, RunSummary, Session};
use crate::{
    conversation::{Author, CallError, Cut, Done, End, ErrorKind, MessageId, Phase},
    event::ResumeStatus,
    wire::agui,
};

/// The member of a snapshot that is about the session, not about the conversation.
const SESSION: &str = "session";

impl Session {
    /// The session as JSON, for [`super::Input::Restore`]: the conversation, what is said and not
    /// sent yet, what agents wait for, and how many runs the turn has had.
    ///
    /// A host that keeps its promise writes it before it answers [`super::Effect::Commit`], so that
    /// no entry of the journal is about a call that nobody knows.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        let mut value = self.export();
        let runs = &self.turn.summary().runs;
        let base = runs.last().and_then(|run| run.base.as_ref());
        let session = json!({
            "interrupts": self.interrupts.list().iter().map(write_interrupt).collect::<Vec<_>>(),
            "runs": runs.len(),
            "base": base.map(MessageId::as_str),
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
        let Some(queued) = self.put_in_place(thread_id, snapshot, cx) else {
            return;
        };
        self.follow_journal(journal, cx);
        let broken_off = self.conversation.newest_run_is_open();
        let taken_up = broken_off && self.options.takes_up;
        self.recount_runs(&own);
        if broken_off && !taken_up {
            self.conversation.fail_open_run();
            self.close_texts(Some(Cut::BrokenOff), cx);
        }
        self.ask_interrupts_again(&own, cx);
        match taken_up {
            true => self.take_up_answer(cx),
            false => self.take_up_calls(cx),
        }
        self.requeue(queued, cx);
        if broken_off && !taken_up {
            let message = "The answer broke off before it was complete.".to_owned();
            let action = Some(NoticeAction::Retry);
            self.notify(NoticeKind::Truncated, message, action, cx);
        } else {
            self.offer_results(cx);
        }
    }

    /// What the journal says of calls stands above the snapshot, which may be older.
    fn follow_journal(&mut self, journal: Vec<JournalEntry>, cx: &mut Cx<'_>) {
        for entry in journal {
            if entry.thread_id() != self.thread_id {
                continue;
            }
            let key = entry.call();
            let call = self.conversation.call(&key);
            if !call.is_some_and(|call| entry.is_about(call)) {
                let message =
                    format!("the journal names {key:?}, which is not in the conversation");
                cx.warn("journal-unknown-call", message);
                continue;
            }
            match entry {
                JournalEntry::Started { attempt, .. } => self.conversation.doubt(&key, attempt),
                JournalEntry::Finished { phase, result, .. } => {
                    let Some(end) = End::of(phase) else { continue };
                    let error = result.error.clone();
                    let done = Done {
                        end,
                        by: Author::Page,
                        sent: false,
                    };
                    self.conversation.answer(key, result, done, cx.now);
                    let error = error.filter(|_| phase == Phase::OutputError);
                    self.conversation.edit_call(&key, |call| {
                        call.may_have_run = false;
                        let of = |message| CallError {
                            message,
                            kind: ErrorKind::Handler,
                            details: None,
                        };
                        call.error = error.map(of).or(call.error.take());
                    });
                }
            }
        }
    }

    /// The turn has had as many runs as before, so that its limit is where it was.
    fn recount_runs(&mut self, own: &Value) {
        let count = own["runs"].as_u64().unwrap_or(0).min(1_000);
        for _ in 0..count {
            self.turn.summary_mut().runs.push(RunSummary::default());
        }
        let base = own["base"].as_str().map(MessageId::from);
        if let Some(newest) = self.turn.summary_mut().runs.last_mut() {
            newest.base = base;
        }
    }

    /// What agents wait for is asked again; what was answered and not sent goes out.
    fn ask_interrupts_again(&mut self, own: &Value, cx: &mut Cx<'_>) {
        let list = own["interrupts"].as_array().map_or(&[][..], Vec::as_slice);
        for stored in list {
            let Ok(interrupt) = agui::interrupt_from_value(stored["interrupt"].clone()) else {
                let message = "a stored question cannot be read: it is not asked again";
                cx.warn("stored-interrupt", message.to_owned());
                continue;
            };
            let (id, legacy) = (interrupt.id.clone(), stored["legacy"] == true);
            self.open_interrupts(vec![interrupt], legacy, cx);
            if let Some(answer) = stored.get("answer") {
                let status = match answer["status"].as_str() {
                    Some("resolved") => ResumeStatus::Resolved,
                    _ => ResumeStatus::Cancelled,
                };
                self.answer_interrupt(&id, status, answer.get("payload").cloned(), cx);
            }
        }
    }
}

fn write_interrupt(open: &OpenInterrupt) -> Value {
    let mut out = json!({
        "interrupt": agui::interrupt_to_value(&open.interrupt),
        "legacy": open.legacy,
    });
    if let (Some(answer), Value::Object(out)) = (&open.answer, &mut out) {
        let status = match answer.status {
            ResumeStatus::Resolved => "resolved",
            ResumeStatus::Cancelled => "cancelled",
        };
        let mut said = json!({"status": status});
        if let (Some(payload), Value::Object(said)) = (&answer.payload, &mut said) {
            said.insert("payload".to_owned(), payload.clone());
        }
        out.insert("answer".to_owned(), said);
    }
    out
}
