//! The integration tests of `assistant-protocols`, in one binary. The tests of the engine run
//! sessions with each protocol.

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
