//! The integration tests of `assistant-protocols`, one binary for all of them. Sessions with each
//! protocol are tested with the engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod agui;
mod sse;
#[cfg(feature = "ui-stream")]
mod ui_stream;
