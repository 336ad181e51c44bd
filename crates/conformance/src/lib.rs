//! Shared code of the conformance tests: random and malformed streams, invalid input, counted work,
//! and the number of cases.
//!
//! `tests/schema.rs` and `tests/differential` compare the core with other implementations,
//! `tests/fuzz.rs` tests invalid input, `tests/work` counts work; `benches/agui.rs` measures time,
//! `examples` print the engine's results. Nothing here is published, and nothing here defines
//! correct results: those are in the suites and rules of the core's own tests.

pub mod attacker;
pub mod counting;
pub mod cuts;
pub mod histories;
pub mod malformed;
pub mod nonsense;
pub mod oddities;
mod order;
pub mod streams;

use proptest::test_runner::{Config, RngSeed};

/// Returns the configuration of a property test: `cases` from a fixed seed, so that builds are
/// reproducible.
///
/// `PROPTEST_CASES` sets another number of cases, from a random seed unless `PROPTEST_RNG_SEED`
/// sets one.
#[must_use]
pub fn property_config(cases: u32) -> Config {
    let set = |name| std::env::var_os(name).is_some();
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: 4_096,
        ..Config::default()
    };
    if !set("PROPTEST_CASES") {
        config.cases = cases;
        if !set("PROPTEST_RNG_SEED") {
            config.rng_seed = RngSeed::Fixed(1);
        }
    }
    config
}
