//! Stores, and a chat with working and failing ones.

mod browser;
mod claims;
mod draft;
mod faults;
mod journey;
mod opening;
mod persistence;
mod pieces;
mod promises;
mod tabs;

use leptos_assistant::store::{Batch, Record};

fn record(name: &str, text: &str) -> Record {
    Record::new(name, text)
}

fn batch(writer: &str) -> Batch {
    Batch::new("t", writer)
}
