//! Whole histories of a chat: sessions, a store, an agent, a person, and tabs that are killed at any
//! point. From a seed, so that each can be played again.
//!
//! What must hold, whatever is killed when: a handler starts once, unless a person or its action
//! agreed to a second time; a tab that does not own the conversation starts nothing;
//! no start is made without the word of the store of a call that a store was given, whatever its tab thinks of that; every call has one result; nothing that was written down is lost; there
//! is always a way to go on; a card shows what its call is.

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

/// How many steps a history has before everybody becomes patient.
const STEPS: usize = 60;

/// Plays the history of a seed.
#[must_use]
pub fn play(seed: u64) -> Tally {
    let mut history = history::History::new(seed);
    for _ in 0..STEPS {
        history.step();
    }
    history.settle();
    history.tally
}
