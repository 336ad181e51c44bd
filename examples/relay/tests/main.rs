//! Tests of the relay: its stores, and runs that are read over connections that are cut.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

#[macro_use]
mod support;
mod cuts;
mod outages;
mod runs;
mod several;
mod sqlite;
mod stores;
mod unstored;
mod users;
