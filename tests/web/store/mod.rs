//! Stores, and a chat with working and failing ones.

mod browser;
mod faults;
mod journey;
mod persistence;
mod promises;
mod tabs;

use leptos_assistant::store::{Batch, Record};

fn record(name: &str, text: &str) -> Record {
    Record {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

fn batch(writer: &str) -> Batch {
    Batch {
        thread_id: "t".to_owned(),
        writer: writer.to_owned(),
        ..Batch::default()
    }
}
