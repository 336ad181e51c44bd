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
    /// Writes fail.
    pub(super) full: bool,
}

impl Store {
    /// Writes a snapshot, all or nothing.
    pub(super) fn save(&mut self, snapshot: Value) -> bool {
        if !self.full {
            self.snapshot = Some(snapshot);
        }
        !self.full
    }

    /// Adds an entry, unless somebody was there first.
    pub(super) fn add(&mut self, entry: &JournalEntry) -> Result<(), String> {
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
