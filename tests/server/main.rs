//! What a server draws, natively and through the public face. Nothing here has a browser: a call
//! into one would end the process.
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
