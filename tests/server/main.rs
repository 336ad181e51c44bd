//! Server rendering, natively and through the public API. There is no browser here: a call into one
//! would abort the process.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod app;
mod handle;
mod log;
mod shell;
