//! Compares our decoder and reducer with the AG-UI reference client, with random streams
//! ([`random`]) and with a wrong value in every field ([`malformed`]).
//!
//! Permitted differences are in `docs/agui-differences.md`; [`compare::rule`] names the rows that
//! these streams cover. The reference runs in Node.js: `cargo xtask test` installs it and requires
//! it by `AGUI_REFERENCE=required`. Without it, the comparison is skipped with a message.

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
fn every_permitted_difference_is_documented() {
    for rule in rule::ALL {
        assert!(DIFFERENCES.contains(&format!("\n| {rule} | ")), "{rule}");
    }
}
