//! What is counted over histories.

use std::ops::AddAssign;

use serde_json::{Value, json};

/// What was counted over histories. All but the first three must be nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were played.
    pub histories: u64,
    /// How many tabs were killed in them.
    pub crashes: u64,
    /// Handlers that were started without the word of the store, which failed.
    pub page_starts: u64,
    /// Handlers that ran again though nobody had agreed to it, or that a tab started, or was asked to
    /// and did not refuse, which does not own the conversation; also what a page began by itself that
    /// had the conversation loaded as a file.
    pub double_starts: u64,
    /// Calls without a result, with several, or with another than the one that was written down.
    pub lost_results: u64,
    /// Texts that were written down and are not there, or not whole.
    pub lost_text: u64,
    /// Histories at whose end nothing could be said any more.
    pub stuck: u64,
    /// Cards that showed something else than their call, or calls that ran as something else than
    /// what was approved.
    pub wrong_card: u64,
}

impl Tally {
    /// Returns whether everything that must hold has held.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.double_starts + self.lost_results + self.lost_text + self.stuck + self.wrong_card == 0
    }

    /// The tally as one JSON object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "histories": self.histories,
            "crashes": self.crashes,
            "page_starts": self.page_starts,
            "double_starts": self.double_starts,
            "lost_results": self.lost_results,
            "lost_text": self.lost_text,
            "stuck": self.stuck,
            "wrong_card": self.wrong_card,
        })
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.histories += other.histories;
        self.crashes += other.crashes;
        self.page_starts += other.page_starts;
        self.double_starts += other.double_starts;
        self.lost_results += other.lost_results;
        self.lost_text += other.lost_text;
        self.stuck += other.stuck;
        self.wrong_card += other.wrong_card;
    }
}
