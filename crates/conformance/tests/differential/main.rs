//! Streams through our stages and reducer, and through the AG-UI reference client: random ones
//! ([`random`]), and every field with every wrong value ([`malformed`]).
//!
//! What may differ is in `docs/agui-differences.md`; [`compare::rule`] names the rows that these
//! streams meet. The reference runs in Node.js: `cargo xtask test` installs it and asks for it by
//! `AGUI_REFERENCE=required`. Without either there is nothing to compare with, which is said.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod compare;
mod findings;
mod malformed;
mod random;
mod reference;

use compare::rule;

const DIFFERENCES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/agui-differences.md"
));

#[test]
fn every_excuse_is_a_difference_that_is_written_down() {
    for rule in rule::ALL {
        assert!(DIFFERENCES.contains(&format!("\n| {rule} | ")), "{rule}");
    }
}
