//! The integration tests of `assistant-core`, one binary for all of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod json_patch;
mod partial_json;
mod schema;
mod sse;
mod agui_wire;
