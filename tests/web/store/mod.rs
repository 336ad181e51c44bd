//! Stores, and a chat with working and failing ones.

mod browser;
mod claims;
mod draft;
mod faults;
mod headless;
mod journey;
mod opening;
mod persistence;
mod pieces;
mod promises;
mod tabs;
mod unload;

use leptos_assistant::{
    store::{Batch, Record, Store},
    testing::settle,
};

fn record(name: &str, text: &str) -> Record {
    Record::new(name, text)
}

fn batch(writer: &str) -> Batch {
    Batch::new("t", writer)
}

/// Waits until a stored conversation contains a text.
async fn is_stored(store: &dyn Store, thread_id: &str, text: &str) -> bool {
    for _ in 0..500 {
        let stored = store.load(thread_id).await.ok().flatten();
        let mut records = stored.into_iter().flat_map(|stored| stored.records);
        if records.any(|record| record.text.contains(text)) {
            return true;
        }
        settle().await;
    }
    false
}
