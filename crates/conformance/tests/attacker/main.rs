//! Histories of an agent that is up to something, played against a person who agrees only to what
//! a card shows: nothing may run but that. `PROPTEST_CASES=100000` looks for long.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod branches;
mod copies;
mod desk;
mod grants;
mod judge;
mod outgoing;
mod person;
mod questions;

use conformance::attacker::history;
use conformance::look;
use person::Scene;
use proptest::prelude::*;

proptest! {
    #![proptest_config(look(300))]

    #[test]
    fn nothing_runs_but_what_was_shown(options in any::<u8>(), history in history()) {
        let mut scene = Scene::new(options);
        for step in &history.0 {
            scene.play(step);
        }
        scene.settle();
    }
}
