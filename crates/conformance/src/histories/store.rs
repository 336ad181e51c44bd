//! The store that the tabs share: the newest snapshot, and an append-only journal.

use std::collections::HashSet;

use assistant_core::session::JournalEntry;
use serde_json::Value;

/// The browser's database, with simulated failures.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    snapshot: Option<Value>,
    journal: Vec<Value>,
    claims: HashSet<String>,
    /// The numbers of the tabs that may no longer write, since another tab has taken over.
    fenced: HashSet<u64>,
    writer: Option<u64>,
    /// True if the store refuses writes of earlier owners. Claims are checked in any case.
    pub(super) fences: bool,
    pub(super) mood: FailureMode,
    /// The batches that were passed to the store but not written yet, in order.
    late: Vec<Batch>,
    /// Pairs of a tab and a call whose state this tab has, or may have, passed to the store or read
    /// from it.
    given: HashSet<(u64, u64)>,
}

/// The failure mode of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FailureMode {
    /// The store works.
    #[default]
    Works,
    /// The store refuses every write with an error.
    Full,
    /// The store does not report the result of a write. The batch is written later, or never.
    Silent,
}

/// A batch of changes that is written completely or not at all.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) tab: u64,
    pub(super) snapshot: Option<Value>,
    /// The claim of a start, which must not exist yet.
    pub(super) claim: Option<JournalEntry>,
    /// The entries that are added unless they exist.
    pub(super) add: Vec<JournalEntry>,
}

/// The reason why a batch was not confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteError {
    /// Another tab has made the claim, or owns the conversation.
    Refused,
    /// The store is full.
    Full,
    /// The result is unknown.
    NoAnswer,
}

impl Store {
    /// Makes a tab the owner. If the store fences, the previous owner can no longer write.
    pub(super) fn set_owner(&mut self, tab: u64) {
        self.flush_pending(true);
        let before = self.writer.replace(tab).filter(|before| *before != tab);
        self.fenced.extend(before.filter(|_| self.fences));
    }

    /// Writes a batch, or fails according to the failure mode.
    pub(super) fn write(&mut self, batch: Batch) -> Result<(), WriteError> {
        match self.mood {
            FailureMode::Full => Err(WriteError::Full),
            FailureMode::Silent => {
                self.record_given(batch.tab, batch.snapshot.as_ref());
                self.late.push(batch);
                Err(WriteError::NoAnswer)
            }
            FailureMode::Works => {
                self.flush_pending(true);
                let (tab, snapshot) = (batch.tab, batch.snapshot.clone());
                self.apply_batch(batch)?;
                self.record_given(tab, snapshot.as_ref());
                Ok(())
            }
        }
    }

    /// Records that a tab wrote or read the calls of a snapshot.
    pub(super) fn record_given(&mut self, tab: u64, snapshot: Option<&Value>) {
        let messages = snapshot.and_then(|snapshot| snapshot["messages"].as_array());
        let parts = messages.into_iter().flatten();
        let parts = parts.filter_map(|entry| entry.pointer("/message/parts")?.as_array());
        let keys = parts.flatten().filter_map(|part| part.get("key")?.as_u64());
        self.given.extend(keys.map(|key| (tab, key)));
    }

    /// Returns true if other tabs may know a call of a tab.
    pub(super) fn was_given(&self, tab: u64, call: u64) -> bool {
        self.given.contains(&(tab, call))
    }

    /// Writes or drops the batches that were passed to the store while it was silent.
    pub(super) fn flush_pending(&mut self, is_written: bool) {
        for batch in std::mem::take(&mut self.late) {
            if is_written {
                // The result is no longer reported.
                let _ = self.apply_batch(batch);
            }
        }
    }

    fn apply_batch(&mut self, batch: Batch) -> Result<(), WriteError> {
        if self.fenced.contains(&batch.tab) {
            return Err(WriteError::Refused);
        }
        if let Some(claim) = batch.claim {
            if !self.claims.insert(claim.claim()) {
                return Err(WriteError::Refused);
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

    /// Returns the stored snapshot and journal; `None` if no snapshot was stored.
    pub(super) fn load(&self) -> Option<(Value, Vec<JournalEntry>)> {
        let read = |entry: &Value| JournalEntry::from_value(entry).ok();
        let journal = self.journal.iter().filter_map(read).collect();
        Some((self.snapshot.clone()?, journal))
    }
}
