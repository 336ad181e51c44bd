//! Where tabs write down what must outlive them: the newest snapshot, and a journal that is only
//! added to.

use std::collections::HashSet;

use assistant_core::session::JournalEntry;
use serde_json::Value;

/// What a browser's database keeps.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    snapshot: Option<Value>,
    journal: Vec<Value>,
    claims: HashSet<String>,
    /// Tabs that write no more, by their numbers: another one took the conversation over.
    fenced: HashSet<u64>,
    writer: Option<u64>,
    /// True if it keeps who wrote before from writing; claims hold in any case.
    pub(super) fences: bool,
    pub(super) mood: Mood,
    /// What was handed over and is not written yet, in order.
    late: Vec<Batch>,
    /// The calls that it was given, or may have been given, and by which tab. Another tab may know them.
    given: HashSet<(u64, u64)>,
}

/// How a store fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mood {
    /// It does not.
    #[default]
    Works,
    /// It writes nothing, and says so.
    Full,
    /// It does not say what becomes of what it is given, which is written later, or never.
    Silent,
}

/// What is written, all of it or nothing.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) tab: u64,
    pub(super) snapshot: Option<Value>,
    /// An entry that must not be there yet.
    pub(super) claim: Option<JournalEntry>,
    /// Entries that are added unless they are there.
    pub(super) add: Vec<JournalEntry>,
}

/// Why a batch is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another tab was first, or has the conversation now.
    Refused,
    /// There is no room.
    Full,
    /// Nobody knows whether it is written.
    NoAnswer,
}

impl Store {
    /// Makes a tab the one that writes from now on.
    pub(super) fn take(&mut self, tab: u64) {
        self.lands(true);
        let before = self.writer.replace(tab).filter(|before| *before != tab);
        self.fenced.extend(before.filter(|_| self.fences));
    }

    /// Writes a batch.
    pub(super) fn write(&mut self, batch: Batch) -> Result<(), Fault> {
        match self.mood {
            Mood::Full => Err(Fault::Full),
            Mood::Silent => {
                self.note_given(batch.tab, batch.snapshot.as_ref());
                self.late.push(batch);
                Err(Fault::NoAnswer)
            }
            Mood::Works => {
                self.lands(true);
                let (tab, snapshot) = (batch.tab, batch.snapshot.clone());
                self.put(batch)?;
                self.note_given(tab, snapshot.as_ref());
                Ok(())
            }
        }
    }

    /// Notes the calls that a tab wrote, or read.
    pub(super) fn note_given(&mut self, tab: u64, snapshot: Option<&Value>) {
        let messages = snapshot.and_then(|snapshot| snapshot["messages"].as_array());
        let parts = messages.into_iter().flatten();
        let parts = parts.filter_map(|entry| entry.pointer("/message/parts")?.as_array());
        let keys = parts.flatten().filter_map(|part| part.get("key")?.as_u64());
        self.given.extend(keys.map(|key| (tab, key)));
    }

    /// Returns true if a call of a tab may be known to others.
    pub(super) fn was_given(&self, tab: u64, call: u64) -> bool {
        self.given.contains(&(tab, call))
    }

    /// What was handed over to a silent store is written after all, or forgotten.
    pub(super) fn lands(&mut self, is_written: bool) {
        for batch in std::mem::take(&mut self.late) {
            if is_written {
                // Nobody hears of it any more.
                let _ = self.put(batch);
            }
        }
    }

    fn put(&mut self, batch: Batch) -> Result<(), Fault> {
        if self.fenced.contains(&batch.tab) {
            return Err(Fault::Refused);
        }
        if let Some(claim) = batch.claim {
            if !self.claims.insert(claim.claim()) {
                return Err(Fault::Refused);
            }
            self.journal.push(claim.to_value());
        }
        for entry in batch.add {
            if self.claims.insert(entry.claim()) {
                self.journal.push(entry.to_value());
            }
        }
        self.snapshot = batch.snapshot.or(self.snapshot.take());
        Ok(())
    }

    /// What a new tab finds.
    pub(super) fn load(&self) -> Option<(Value, Vec<JournalEntry>)> {
        let read = |entry: &Value| JournalEntry::from_value(entry).ok();
        let journal = self.journal.iter().filter_map(read).collect();
        Some((self.snapshot.clone()?, journal))
    }
}
