//! Plays histories of a malicious agent and a user who approves only what a card shows. Nothing
//! else may run. Use `PROPTEST_CASES=100000` for a long search.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod branches;
mod consent;
mod copies;
mod desk;
mod grants;
mod outgoing;
mod person;
mod questions;

use conformance::attacker::any_moves;
use conformance::property_config;
use person::Scene;
use proptest::prelude::*;

proptest! {
    #![proptest_config(property_config(300))]

    #[test]
    fn only_calls_approved_as_shown_run(options in any::<u8>(), history in any_moves()) {
        let mut scene = Scene::new(options);
        for step in &history.0 {
            scene.play(step);
        }
        scene.settle();
    }
}
