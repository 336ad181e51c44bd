//! Components in a real browser, through their public API.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod actions;
mod allowed;
mod answer_timing;
mod api;
mod approval;
mod approval_stores;
mod arrange;
mod asking;
mod attachments;
mod attention;
mod bad_input;
mod branches;
#[cfg(feature = "callouts")]
mod callouts;
mod calm;
mod cards;
mod composer;
mod connection;
mod costs;
mod covered;
mod cut_off;
mod decisions;
mod describing;
mod exact;
mod files;
mod fit;
mod focus;
mod forms;
mod frames;
mod fresh;
mod handlers;
mod history;
mod http;
mod inbox;
mod interrupt_renderers;
mod interrupts;
mod language;
mod lifecycle;
mod limits;
mod long;
mod markdown;
mod migration;
mod notices;
mod part_renderers;
mod parts;
mod preview;
#[cfg(all(feature = "ui-stream", feature = "completions"))]
mod protocols;
mod provenance;
mod queued;
mod reattach;
mod rules;
mod schemas;
mod store;
mod support;
mod text;
mod tool_renderers;
mod transcript;
mod tree;
mod trusted;
mod unmounting;
mod verdicts;
mod weight;
mod windows;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
