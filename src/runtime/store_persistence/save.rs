//! Collects the unsaved changes, and builds batches from these changes.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use assistant_core::{
    conversation::{CallKey, Change, MessageId, Phase, ToolCall},
    session::{JournalEntry, Session},
};
use serde_json::Value;

use super::thread::TabThread;
use crate::{
    store::{Batch, OUTLINE, Record, ThreadInfo, message_record_name},
    ui::{WorkSlice, now},
};

/// The maximum length of a generated title, in characters.
const MAX_TITLE_CHARS: usize = 80;
/// The minimum number of messages that are serialized at once, even if the time of the frame is
/// used up.
const MIN_MESSAGES: usize = 64;
/// The size of the texts after which the time is checked, in bytes. Reading the clock takes as long
/// as serializing a short message.
const CHECKED_BYTES: usize = 8 * 1024;

/// The changes of a conversation that have not been written.
#[derive(Default)]
pub(super) struct UnsavedChanges {
    /// True if the complete conversation must be written, because the store does not contain it.
    all: bool,
    messages: HashSet<MessageId>,
    /// The texts of messages that were serialized and have not changed since.
    texts: HashMap<MessageId, String>,
    /// True if anything outside of messages has changed.
    outline: bool,
    /// The journal entries to add.
    entries: Vec<Record>,
}

impl UnsavedChanges {
    /// Creates the changes for a conversation that the store does not contain: the complete
    /// conversation must be written.
    pub(super) fn whole_thread() -> Self {
        Self {
            all: true,
            outline: true,
            ..Self::default()
        }
    }

    fn is_empty(&self) -> bool {
        !self.all && !self.outline && self.messages.is_empty() && self.entries.is_empty()
    }

    pub(super) fn add_entry(&mut self, entry: &JournalEntry) {
        self.entries.push(build_journal_record(entry));
    }

    /// Adds changes, and returns their urgency. `phases` maps each call to its phase at the last
    /// change, and is updated.
    pub(super) fn add_changes(
        &mut self,
        changes: &[Change],
        session: &Session,
        phases: &mut HashMap<CallKey, Phase>,
    ) -> Urgency {
        let conversation = session.conversation();
        let is_from_user = |id: &MessageId| {
            let message = conversation.message(id);
            message.is_none_or(|message| message.is_from_user())
        };
        // If the session counts applied events, their number is stored in the outline, together
        // with the effects of the events.
        let counts_events = session.counts_events();
        let (mut is_urgent, mut is_due_soon, mut has_path_change, mut has_new_answer) =
            (false, false, false, false);
        for change in changes {
            match change {
                Change::PartGrew { message, .. } | Change::PartAdded { message, .. } => {
                    self.mark_changed(message);
                    self.outline |= counts_events;
                    continue;
                }
                Change::Steps | Change::Registry | Change::Notices => continue,
                Change::MessageAdded(message) => {
                    self.mark_changed(message);
                    match is_from_user(message) {
                        true => is_urgent = true,
                        false => has_new_answer = true,
                    }
                }
                Change::MessageMoved(message) | Change::MessageRemoved(message) => {
                    self.mark_changed(message);
                    is_urgent = true;
                }
                Change::Message(message) => self.mark_changed(message),
                Change::Call(key) => {
                    // A call made by the page itself belongs to no message.
                    if let Some(message) = conversation.message_of_call(key) {
                        self.mark_changed(message.id());
                    }
                    let call = conversation.call(key);
                    is_urgent |= call.is_some_and(|call| needs_prompt_write(call, session));
                    let phase = call.map(ToolCall::phase);
                    let phase = phase.filter(|phase| *phase != Phase::InputStreaming);
                    is_due_soon |=
                        phase.is_some_and(|phase| phases.insert(*key, phase) != Some(phase));
                }
                Change::Path => has_path_change = true,
                Change::Thread => {
                    self.texts.clear();
                    is_urgent = true;
                }
                Change::Run | Change::Interrupts | Change::Queue => is_urgent = true,
                Change::State | Change::Remembered => {}
            }
            self.outline = true;
        }
        // An added answer also changes the path, but that change of the path is not urgent.
        is_urgent |= has_path_change && !has_new_answer;
        match (self.is_empty(), is_urgent, is_due_soon) {
            (true, ..) => Urgency::Nothing,
            (false, true, _) => Urgency::AtOnce,
            (false, false, true) => Urgency::Soon,
            (false, false, false) => Urgency::WithTheAnswer,
        }
    }

    fn mark_changed(&mut self, message: &MessageId) {
        self.texts.remove(message);
        if !self.all && !self.messages.contains(message) {
            self.messages.insert(message.clone());
        }
    }

    /// Serializes messages before the batch is built: at least [`MIN_MESSAGES`], and more while
    /// this frame has time. Returns true if further messages remain.
    pub(super) fn serialize_some_messages(&mut self, session: &Session) -> bool {
        let slice = WorkSlice::begin();
        let (mut count, mut unchecked_bytes) = (0_usize, 0_usize);
        for id in ids_to_write(self.all, &self.messages, session) {
            if self.texts.contains_key(id) {
                continue;
            }
            if count >= MIN_MESSAGES && unchecked_bytes >= CHECKED_BYTES {
                if slice.is_used_up() {
                    return true;
                }
                unchecked_bytes = 0;
            }
            count = count.saturating_add(1);
            if let Some(message) = session.snapshot_message(id) {
                let text = message.to_string();
                unchecked_bytes = unchecked_bytes.saturating_add(text.len());
                self.texts.insert(id.clone(), text);
            }
        }
        false
    }

    /// Adds older changes, such as those of a failed write, and puts the older journal entries
    /// before the newer entries.
    pub(super) fn merge_older(&mut self, mut other: Self) {
        self.all |= other.all;
        self.outline |= other.outline;
        self.messages.extend(other.messages);
        other.entries.append(&mut self.entries);
        self.entries = other.entries;
    }
}

/// The urgency with which changes are written, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    /// There are no changes to write.
    Nothing,
    /// Streamed text, which is written at an interval while the text grows.
    WithTheAnswer,
    /// Calls that the agent runs itself, and their results, which are written after a short delay,
    /// together with later changes.
    Soon,
    /// Changes that are written at once: messages from the user, interrupts, starts and ends of
    /// runs, decisions about calls, and results of calls that the page runs.
    AtOnce,
}

/// Returns true if a change of the call is written at once. Returns false while the arguments are
/// streamed or the call runs. A call with complete arguments, a result or an error is written at
/// once only if the page has an action of this name or approval was requested; other phases are
/// always written at once.
fn needs_prompt_write(call: &ToolCall, session: &Session) -> bool {
    match call.phase() {
        Phase::InputStreaming | Phase::Running => false,
        Phase::InputAvailable | Phase::OutputAvailable | Phase::OutputError => {
            call.approval().is_some() || session.registry().named(call.name()).next().is_some()
        }
        _ => true,
    }
}

/// Builds the journal record of an entry. The claim of the entry is the name of the record.
pub(super) fn build_journal_record(entry: &JournalEntry) -> Record {
    Record {
        name: entry.claim(),
        text: entry.to_value().to_string(),
    }
}

/// Splits a snapshot into one record for each message and one record for the outline.
pub(super) fn split_snapshot(mut snapshot: Value) -> Vec<Record> {
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
            name: message_record_name(id),
            text: message.to_string(),
        });
    }
    records.push(Record {
        name: OUTLINE.to_owned(),
        text: snapshot.to_string(),
    });
    records
}

/// Builds a batch of all unsaved changes, and moves the serialized texts into the batch.
pub(super) fn build_batch(
    session: &Session,
    thread: &TabThread,
    unsaved: &mut UnsavedChanges,
) -> Batch {
    let mut texts = mem::take(&mut unsaved.texts);
    let mut batch = Batch {
        thread_id: thread.id.clone(),
        writer: thread.writer(),
        add: unsaved.entries.clone(),
        ..Batch::default()
    };
    for id in ids_to_write(unsaved.all, &unsaved.messages, session) {
        let name = message_record_name(id.as_str());
        let text = texts.remove(id);
        let serialize = || Some(session.snapshot_message(id)?.to_string());
        match text.or_else(serialize) {
            Some(text) => batch.put.push(Record { name, text }),
            None => batch.remove.push(name),
        }
    }
    if unsaved.outline {
        batch.put.push(Record {
            name: OUTLINE.to_owned(),
            text: session.snapshot_outline().to_string(),
        });
        let is_new = |info: &ThreadInfo| unsaved.all || thread.is_list_entry_due(info, session);
        batch.info = Some(build_thread_info(session)).filter(is_new);
    }
    batch
}

/// Returns the ids of the messages to write: the ids of all messages of the session if `all` is
/// true, otherwise the ids of the changed messages.
fn ids_to_write<'a>(
    all: bool,
    messages: &'a HashSet<MessageId>,
    session: &'a Session,
) -> impl Iterator<Item = &'a MessageId> {
    let all_messages = session.conversation().all_messages().filter(move |_| all);
    let changed_ids = messages.iter().filter(move |_| !all);
    all_messages.map(|message| message.id()).chain(changed_ids)
}

impl UnsavedChanges {
    /// Returns true if there is nothing to write.
    pub(super) fn has_no_changes(&self) -> bool {
        self.is_empty()
    }

    /// Returns the complete conversation as changes, with the unsaved journal entries.
    pub(super) fn to_whole_thread(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            ..Self::whole_thread()
        }
    }

    pub(super) fn entries(&self) -> Vec<Record> {
        self.entries.clone()
    }
}

/// Builds the list entry of a conversation, with the beginning of the user's first message as the
/// title.
fn build_thread_info(session: &Session) -> ThreadInfo {
    let mut path = session.conversation().path();
    let first_message = path.find(|message| message.is_from_user());
    let text = first_message
        .map(|message| message.text())
        .unwrap_or_default();
    let normalized_text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = normalized_text.chars().take(MAX_TITLE_CHARS).collect();
    ThreadInfo::new(session.thread_id(), title, now())
}
