//! Defines the verifier's table of the entities of one kind, with their owners.

use assistant_core::order::in_order;
use foldhash::HashMap;

#[derive(Debug, Clone)]
pub(super) struct EntityEntry {
    /// The number of the entity's last opening within the table. Error messages list open entities
    /// in the order of these numbers.
    turn: u32,
    open: bool,
    /// The subagent that opened the entity, or `None` for the parent agent. The owner remains
    /// recorded after the entity is closed.
    pub(super) owner: Option<String>,
    /// The name of the entity. A repeated start event is recognized by this name.
    pub(super) name: Option<String>,
}

/// All entities of one kind in a run. Ids are unique only within a kind.
#[derive(Debug, Clone, Default)]
pub(super) struct EntityTable {
    entries: HashMap<String, EntityEntry>,
    open: u32,
    turn: u32,
    /// The id of the entity that was opened last. The id is empty after this entity is closed. Most
    /// lookups are for this id, and a comparison is faster than a lookup in the map.
    newest: String,
}

impl EntityTable {
    pub(super) fn get(&self, id: &str) -> Option<&EntityEntry> {
        self.entries.get(id)
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        let is_newest = !id.is_empty() && self.newest == id;
        is_newest || self.entries.get(id).is_some_and(|entry| entry.open)
    }

    pub(super) const fn has_open_entries(&self) -> bool {
        self.open > 0
    }

    /// Opens an entity. If the table already contains the entity, the entity's owner is kept.
    pub(super) fn open(&mut self, id: &str, owner: Option<&str>, name: Option<&str>) {
        self.turn = self.turn.saturating_add(1);
        let turn = self.turn;
        let name = name.map(str::to_owned);
        id.clone_into(&mut self.newest);
        if let Some(entry) = self.entries.get_mut(id) {
            if !entry.open {
                self.open += 1;
            }
            entry.open = true;
            entry.turn = turn;
            entry.name = name;
            return;
        }
        self.open += 1;
        let entry = EntityEntry {
            turn,
            open: true,
            owner: owner.map(str::to_owned),
            name,
        };
        self.entries.insert(id.to_owned(), entry);
    }

    /// Closes an entity, and returns true if it was open.
    pub(super) fn close(&mut self, id: &str) -> bool {
        if self.newest == id {
            self.newest.clear();
        }
        match self.entries.get_mut(id) {
            Some(entry) if entry.open => {
                entry.open = false;
                self.open -= 1;
                true
            }
            _ => false,
        }
    }

    /// Records the owner of an entity without opening it. A known owner is replaced only if
    /// `replace` is true.
    pub(super) fn record_owner(&mut self, id: &str, owner: Option<&str>, replace: bool) {
        if let Some(entry) = self.entries.get_mut(id) {
            if replace {
                entry.owner = owner.map(str::to_owned);
            }
            return;
        }
        let entry = EntityEntry {
            turn: 0,
            open: false,
            owner: owner.map(str::to_owned),
            name: None,
        };
        self.entries.insert(id.to_owned(), entry);
    }

    /// Returns the open entities in the order in which they were opened.
    pub(super) fn open_entries(&self) -> Vec<(&str, &EntityEntry)> {
        let entries = self.entries.iter().filter(|(_, entry)| entry.open);
        let entries = entries.map(|(id, entry)| (id.as_str(), entry)).collect();
        in_order(entries, |(_, entry)| i64::from(entry.turn))
    }
}
