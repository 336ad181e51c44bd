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
    /// Writes fail.
    pub(super) full: bool,
}

impl Store {
    /// Makes a tab the one that writes from now on.
    pub(super) fn take(&mut self, tab: u64) {
        let before = self.writer.replace(tab).filter(|before| *before != tab);
        self.fenced.extend(before.filter(|_| self.fences));
    }

    /// Writes a snapshot, all or nothing.
    pub(super) fn save(&mut self, tab: u64, snapshot: Value) -> bool {
        let writes = !self.full && !self.fenced.contains(&tab);
        if writes {
            self.snapshot = Some(snapshot);
        }
        writes
    }

    /// Adds an entry, unless somebody was there first.
    pub(super) fn add(&mut self, tab: u64, entry: &JournalEntry) -> Result<(), String> {
        if self.fenced.contains(&tab) {
            return Err("another tab has this conversation now".to_owned());
        }
        if self.full {
            return Err("the store is full".to_owned());
        }
        if !self.claims.insert(entry.claim()) {
            return Err("another tab was first".to_owned());
        }
        self.journal.push(entry.to_value());
        Ok(())
    }

    /// What a new tab finds.
    pub(super) fn load(&self) -> Option<(Value, Vec<JournalEntry>)> {
        let read = |entry: &Value| JournalEntry::from_value(entry).ok();
        let journal = self.journal.iter().filter_map(read).collect();
        Some((self.snapshot.clone()?, journal))
    }
}
