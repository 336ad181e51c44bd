//! Converts stored records to the engine's types.

use std::collections::HashMap;

use assistant_core::session::{JournalEntry, assemble_snapshot};
use serde_json::Value;

use crate::store::{OUTLINE, StoreError, StoreErrorKind, StoredThread, message_id_in_name};

/// Returns the snapshot, and the journal sorted by call and attempt. Fails if the outline or a
/// message is missing or unreadable; an unreadable journal entry is skipped.
pub(super) fn parse_stored_thread(
    stored: &StoredThread,
) -> Result<(Value, Vec<JournalEntry>), StoreError> {
    let corrupt = |message: String| StoreError::new(StoreErrorKind::Corrupt, message);
    let parse = |text: &str| serde_json::from_str::<Value>(text);
    let mut messages = HashMap::new();
    let mut outline = None;
    for record in &stored.records {
        if record.name == OUTLINE {
            outline = Some(parse(&record.text).map_err(|error| corrupt(error.to_string()))?);
        } else if let Some(id) = message_id_in_name(&record.name) {
            messages.insert(id, record.text.as_str());
        }
    }
    let outline = outline.ok_or_else(|| corrupt("its outline is missing".to_owned()))?;
    let message = |id: &str| parse(messages.get(id)?).ok();
    let snapshot = assemble_snapshot(outline, message);
    let snapshot = snapshot.map_err(|error| corrupt(error.to_string()))?;
    // An entry that cannot be read keeps its claim, so its call does not start again.
    let entry = |text: &str| JournalEntry::from_value(&parse(text).ok()?).ok();
    let entries = stored.journal.iter();
    let mut journal: Vec<JournalEntry> = entries.filter_map(|it| entry(&it.text)).collect();
    journal.sort_by_key(|entry| (entry.call_key(), attempt_order(entry)));
    Ok((snapshot, journal))
}

/// Returns the sort key of a journal entry within its call: starts by attempt, results last.
const fn attempt_order(entry: &JournalEntry) -> u32 {
    match entry {
        JournalEntry::Started { attempt, .. } => *attempt,
        JournalEntry::Finished { .. } => u32::MAX,
    }
}
