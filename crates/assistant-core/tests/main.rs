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
mod conversation;
mod registry;
mod snapshots;
mod support;
mod session_run;
mod session_tools;
mod session_approval;
mod session_stop;
mod interleavings;
