//! Complete histories of a chat: sessions, a store, an agent, a user, and tabs that are killed at
//! any point. Each is generated from a seed and can be repeated.
//!
//! Invariants, whatever is killed at any time: a handler starts once, unless the user or its action
//! agreed to a second time; a tab that does not own the conversation starts nothing; a call that a
//! store was given starts only with the store's confirmation, regardless of its tab's own state;
//! every call has one result; no stored data is lost; the chat can always continue; a card shows
//! its call correctly.

mod agent;
mod follower;
mod history;
mod page;
mod person;
mod saving;
mod settle;
mod store;
mod tally;

pub use tally::Tally;

/// The number of random steps before a history is completed.
const STEPS: usize = 60;

/// Plays the history of a seed, and returns its counts.
#[must_use]
pub fn play_history(seed: u64) -> Tally {
    let mut history = history::ChatSimulation::new(seed);
    for _ in 0..STEPS {
        history.play_random_step();
    }
    history.complete();
    history.tally
}
