//! Counts over histories.

use std::ops::AddAssign;

use serde_json::{Value, json};

/// Counts of histories, events and violations. All except the first three must be zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of histories.
    pub histories: u64,
    /// The number of killed tabs.
    pub crashes: u64,
    /// The number of handlers that were started without the store's confirmation.
    pub page_starts: u64,
    /// The number of violations of exactly-once execution: handlers that ran again without consent,
    /// handlers that a tab without ownership started or did not refuse to start, and anything that
    /// a page started automatically after importing the conversation.
    pub double_starts: u64,
    /// The number of calls without a result, with several, or with another than the stored result,
    /// and of results without a call.
    pub lost_results: u64,
    /// The number of stored texts that are missing or incomplete.
    pub lost_text: u64,
    /// The number of times that the chat could not continue: it refused a message or a stored
    /// state, stayed busy, or could not claim a call although the store worked.
    pub stuck: u64,
    /// The number of cards that differed from their calls, and of calls that ran with other
    /// arguments than the approved ones.
    pub wrong_card: u64,
}

impl Tally {
    /// Returns true if all invariants held.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.double_starts + self.lost_results + self.lost_text + self.stuck + self.wrong_card == 0
    }

    /// Returns the tally as one JSON object.
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
