//! The store of tabs: the newest snapshot, and an append-only journal.

use std::collections::HashSet;

use assistant_core::session::JournalEntry;
use serde_json::Value;

/// The database of a browser.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    snapshot: Option<Value>,
    journal: Vec<Value>,
    claims: HashSet<String>,
    /// The numbers of tabs that may no longer write, since another one took the conversation over.
    fenced: HashSet<u64>,
    writer: Option<u64>,
    /// True if it fences earlier writers; claims hold in any case.
    pub(super) fences: bool,
    pub(super) mood: FailureMode,
    /// Batches that were passed and not written yet, in order.
    late: Vec<Batch>,
    /// The calls that were, or may have been, passed to it, with the tab. Other tabs may know them.
    given: HashSet<(u64, u64)>,
}

/// The failure mode of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FailureMode {
    /// It works.
    #[default]
    Works,
    /// It writes nothing, and reports that.
    Full,
    /// It does not report the result of a write, which happens later, or never.
    Silent,
}

/// An atomic batch.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) tab: u64,
    pub(super) snapshot: Option<Value>,
    /// An entry that must be new.
    pub(super) claim: Option<JournalEntry>,
    /// Entries that are added unless they exist.
    pub(super) add: Vec<JournalEntry>,
}

/// The reason for which a batch is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another tab was first, or owns the conversation now.
    Refused,
    /// The store is full.
    Full,
    /// The result is unknown.
    NoAnswer,
}

impl Store {
    /// Makes a tab the only writer.
    pub(super) fn take(&mut self, tab: u64) {
        self.flush_pending(true);
        let before = self.writer.replace(tab).filter(|before| *before != tab);
        self.fenced.extend(before.filter(|_| self.fences));
    }

    /// Writes a batch.
    pub(super) fn write(&mut self, batch: Batch) -> Result<(), Fault> {
        match self.mood {
            FailureMode::Full => Err(Fault::Full),
            FailureMode::Silent => {
                self.record_given(batch.tab, batch.snapshot.as_ref());
                self.late.push(batch);
                Err(Fault::NoAnswer)
            }
            FailureMode::Works => {
                self.flush_pending(true);
                let (tab, snapshot) = (batch.tab, batch.snapshot.clone());
                self.put(batch)?;
                self.record_given(tab, snapshot.as_ref());
                Ok(())
            }
        }
    }

    /// Records the calls that a tab wrote or read.
    pub(super) fn record_given(&mut self, tab: u64, snapshot: Option<&Value>) {
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

    /// Writes or drops the batches that were passed to a silent store.
    pub(super) fn flush_pending(&mut self, is_written: bool) {
        for batch in std::mem::take(&mut self.late) {
            if is_written {
                // The result is no longer reported.
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

    /// Returns the stored state for a new tab.
    pub(super) fn load(&self) -> Option<(Value, Vec<JournalEntry>)> {
        let read = |entry: &Value| JournalEntry::from_value(entry).ok();
        let journal = self.journal.iter().filter_map(read).collect();
        Some((self.snapshot.clone()?, journal))
    }
}
