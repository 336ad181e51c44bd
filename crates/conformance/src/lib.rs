//! What the tests next door share: random and malformed streams, nonsense, counted work, and how
//! long to look.
//!
//! `tests/schema.rs` and `tests/differential` hold the core against other implementations,
//! `tests/fuzz.rs` against nonsense, `tests/work` counts what it does; `benches/agui.rs` takes
//! the time, `examples` print what the engine makes of an input. Nothing here is published, and nothing here knows what is right: that is said by the
//! suites and rules in the core's own tests.

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

/// How long a property is looked at: `cases` of a fixed seed, so that a build is the same twice.
///
/// `PROPTEST_CASES` asks for a longer look, from a seed that nobody has seen unless
/// `PROPTEST_RNG_SEED` names one.
#[must_use]
pub fn look(cases: u32) -> Config {
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
