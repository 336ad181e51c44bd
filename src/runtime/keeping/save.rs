//! What has changed since it was written, and a batch made of it.

use std::collections::HashSet;

use assistant_core::{
    conversation::{Change, MessageId, Phase, ToolCall},
    session::{JournalEntry, Session},
};
use serde_json::Value;

use super::thread::Thread;
use crate::{
    store::{Batch, OUTLINE, Record, ThreadInfo, name_of},
    ui::now,
};

/// The length of a title that is made, in characters.
const TITLE: usize = 80;

/// What has changed since it was written.
#[derive(Default)]
pub(super) struct Unsaved {
    /// All of it: nothing was written yet.
    all: bool,
    messages: HashSet<MessageId>,
    /// More than what messages hold.
    outline: bool,
    /// What calls came to.
    entries: Vec<Record>,
}

impl Unsaved {
    /// Nothing was written yet.
    pub(super) fn all() -> Self {
        Self {
            all: true,
            outline: true,
            ..Self::default()
        }
    }

    fn is_empty(&self) -> bool {
        !self.all && !self.outline && self.messages.is_empty() && self.entries.is_empty()
    }

    pub(super) fn record(&mut self, entry: &JournalEntry) {
        self.entries.push(record_of(entry));
    }

    /// Takes changes in, and returns when to write them.
    pub(super) fn note(&mut self, changes: &[Change], session: &Session) -> Urgency {
        let conversation = session.conversation();
        let is_from_user = |id: &MessageId| {
            let message = conversation.message(id);
            message.is_none_or(|message| message.is_from_user())
        };
        let (mut urgent, mut path, mut answers) = (false, false, false);
        for change in changes {
            match change {
                Change::PartGrew { message, .. } | Change::PartAdded { message, .. } => {
                    self.touch(message);
                    continue;
                }
                Change::Steps | Change::Registry | Change::Notices => continue,
                Change::MessageAdded(message) => {
                    self.touch(message);
                    match is_from_user(message) {
                        true => urgent = true,
                        false => answers = true,
                    }
                }
                Change::MessageMoved(message) | Change::MessageRemoved(message) => {
                    self.touch(message);
                    urgent = true;
                }
                Change::Message(message) => self.touch(message),
                Change::Call(key) => {
                    // A call that the page makes itself stands in no message.
                    if let Some(message) = conversation.message_of_call(key) {
                        self.touch(&message.id);
                    }
                    let call = conversation.call(key);
                    urgent |= call.is_some_and(|call| is_own(call, session));
                }
                Change::Path => path = true,
                Change::Run | Change::Interrupts | Change::Queue | Change::Thread => urgent = true,
                Change::State | Change::Remembered => {}
            }
            self.outline = true;
        }
        // A message that is added makes the path longer.
        urgent |= path && !answers;
        match (self.is_empty(), urgent) {
            (true, _) => Urgency::Nothing,
            (false, true) => Urgency::AtOnce,
            (false, false) => Urgency::WithTheAnswer,
        }
    }

    fn touch(&mut self, message: &MessageId) {
        if !self.all && !self.messages.contains(message) {
            self.messages.insert(message.clone());
        }
    }

    /// What could not be written is to be written still.
    pub(super) fn add(&mut self, mut other: Self) {
        self.all |= other.all;
        self.outline |= other.outline;
        self.messages.extend(other.messages);
        other.entries.append(&mut self.entries);
        self.entries = other.entries;
    }
}

/// The time at which changes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// There is nothing to write.
    Nothing,
    /// With the rest of the answer: the agent's words, and what it does by itself, stream in.
    WithTheAnswer,
    /// At once: messages and questions of the user, results of the page's own calls, ends of runs.
    AtOnce,
}

/// Returns whether a call is more than what streams in: this page runs it, or a person is asked about it.
fn is_own(call: &ToolCall, session: &Session) -> bool {
    match call.phase() {
        Phase::InputStreaming | Phase::Running => false,
        Phase::InputAvailable | Phase::OutputAvailable | Phase::OutputError => {
            call.approval().is_some() || session.registry().named(&call.name).next().is_some()
        }
        _ => true,
    }
}

/// An entry of the journal, under its claim.
pub(super) fn record_of(entry: &JournalEntry) -> Record {
    Record {
        name: entry.claim(),
        text: entry.to_value().to_string(),
    }
}

/// Makes records of a snapshot: the outline, and one for each message.
pub(super) fn records_of(mut snapshot: Value) -> Vec<Record> {
    let mut records = Vec::new();
    let entries = snapshot.get_mut("messages").and_then(Value::as_array_mut);
    for entry in entries
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        let message = entry.shift_remove("message").unwrap_or_default();
        let id = message
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        entry.insert("id".to_owned(), id.into());
        records.push(Record {
            name: name_of(id),
            text: message.to_string(),
        });
    }
    records.push(Record {
        name: OUTLINE.to_owned(),
        text: snapshot.to_string(),
    });
    records
}

/// A batch of everything that is not written yet.
pub(super) fn batch_of(session: &Session, thread: &Thread, unsaved: &Unsaved) -> Batch {
    let mut batch = Batch {
        thread_id: thread.id.clone(),
        writer: thread.writer(),
        add: unsaved.entries.clone(),
        ..Batch::default()
    };
    if unsaved.all {
        batch.put = records_of(session.snapshot());
        batch.info = Some(info_of(session));
        return batch;
    }
    for id in &unsaved.messages {
        let name = name_of(id.as_str());
        match session.snapshot_message(id) {
            Some(message) => batch.put.push(Record {
                name,
                text: message.to_string(),
            }),
            None => batch.remove.push(name),
        }
    }
    if unsaved.outline {
        batch.put.push(Record {
            name: OUTLINE.to_owned(),
            text: session.snapshot_outline().to_string(),
        });
        batch.info = Some(info_of(session));
    }
    batch
}

impl Unsaved {
    /// Returns whether there is nothing in a batch that anybody would miss.
    pub(super) fn is_nothing(&self) -> bool {
        self.is_empty()
    }

    pub(super) fn entries(&self) -> Vec<Record> {
        self.entries.clone()
    }
}

/// What a list says of a conversation: what the person said first.
fn info_of(session: &Session) -> ThreadInfo {
    let mut path = session.conversation().path();
    let first = path.find(|message| message.is_from_user());
    let text = first.map(|message| message.text()).unwrap_or_default();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = words.chars().take(TITLE).collect();
    ThreadInfo::new(session.thread_id(), title, now())
}
