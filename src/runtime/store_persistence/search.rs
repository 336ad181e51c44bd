//! Searches the text of stored conversations.

use std::time::Duration;

use serde_json::Value;

use super::StorePersistence;
use crate::{
    runtime::persistence::ThreadSearch,
    store::{Record, ThreadInfo, message_id_in_name},
    ui::sleep,
};

/// The maximum number of conversations that one search reads, newest first.
const MAX_CONVERSATIONS: usize = 500;
/// The number of bytes of records after which a search ends.
const MAX_SEARCH_BYTES: usize = 32 << 20;

impl StorePersistence {
    /// Reads the listed conversations that are not marked as deleted, one after the other, up to
    /// [`MAX_CONVERSATIONS`] and [`MAX_SEARCH_BYTES`]. Reports the id of each conversation with a
    /// message that contains the words, and then the end; a cancelled search reports nothing more.
    /// The page can handle input between two conversations.
    pub(super) async fn run_search(&self, search: ThreadSearch) {
        let words = search.words.trim().to_lowercase();
        let threads: Vec<ThreadInfo> = self.listed.borrow().clone().unwrap_or_default();
        let mut budget = MAX_SEARCH_BYTES;
        let is_not_deleted = |thread: &&ThreadInfo| thread.deleted_at.is_none();
        for thread in threads
            .iter()
            .filter(is_not_deleted)
            .take(MAX_CONVERSATIONS)
        {
            if words.is_empty() || budget == 0 || self.ended.get() {
                break;
            }
            sleep(Duration::ZERO).await;
            if !search.wanted.get() {
                return;
            }
            // A conversation that cannot be read is skipped.
            let Ok(Some(stored_thread)) = self.with_timeout(self.store.load(&thread.id)).await
            else {
                continue;
            };
            let size = |record: &Record| record.text.len();
            budget = budget.saturating_sub(stored_thread.records.iter().map(size).sum());
            let is_match = stored_thread
                .records
                .iter()
                .any(|record| contains_words(record, &words));
            if is_match && search.wanted.get() {
                (search.found)(Some(&thread.id));
            }
        }
        if search.wanted.get() {
            (search.found)(None);
        }
    }
}

/// Returns true if a record is a message with a text that contains the words, which are in lower
/// case.
fn contains_words(record: &Record, words: &str) -> bool {
    if message_id_in_name(&record.name).is_none() {
        return false;
    }
    // JSON escapes only these characters, so a message is parsed only if its JSON contains the
    // words or the words contain such a character.
    let is_escaped = |c: char| c.is_control() || matches!(c, '"' | '\\');
    if !words.contains(is_escaped) && !record.text.to_lowercase().contains(words) {
        return false;
    }
    let message: Value = serde_json::from_str(&record.text).unwrap_or_default();
    let parts = message.get("parts").and_then(Value::as_array);
    let mut texts = parts.into_iter().flatten().filter_map(|part| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        part.get("text").and_then(Value::as_str).filter(|_| is_text)
    });
    texts.any(|text| text.to_lowercase().contains(words))
}
