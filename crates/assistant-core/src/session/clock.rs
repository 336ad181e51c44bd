//! How long a turn takes: the agent, its tools, and what a person is asked in between.
//!
//! A run's end notes what has passed since the one before with the newest message. A time that
//! nobody measured, such as the one between a page and its reload, does not count.

use super::{Cx, FinishReason, InvocationId, Session};
use crate::{
    conversation::{Cost, State},
    event::TokenUsage,
};

/// What has passed since time was noted last.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    /// Until when the time of the turn is noted; `None` while no turn goes on.
    noted: Option<i64>,
    /// Since when nothing goes on but a question.
    asks_since: Option<i64>,
    /// How long questions stood since then, in milliseconds.
    waited: i64,
    /// The handlers that ask the person, once for each question.
    asking: Vec<InvocationId>,
}

impl Clock {
    /// The agent is asked: for a new turn time begins here.
    pub(super) fn run_begins(&mut self, goes_on: bool, now: i64) {
        self.watch(false, now);
        match goes_on {
            true => drop(self.noted.get_or_insert(now)),
            false => {
                *self = Self {
                    noted: Some(now),
                    ..Self::default()
                }
            }
        }
    }

    /// A handler begins to ask, or has its answer.
    pub(super) fn note_asking(&mut self, handler: InvocationId, asks: bool) {
        if asks {
            self.asking.push(handler);
        } else if let Some(place) = self.asking.iter().position(|asking| *asking == handler) {
            self.asking.swap_remove(place);
        }
    }

    fn watch(&mut self, asks: bool, now: i64) {
        match (asks, self.asks_since) {
            (true, None) => self.asks_since = Some(now),
            (false, Some(since)) => {
                self.waited = self.waited.saturating_add(now.saturating_sub(since));
                self.asks_since = None;
            }
            _ => {}
        }
    }

    /// What has passed, and for how much of it a person was asked.
    fn take(&mut self, now: i64) -> (Option<u64>, Option<u64>) {
        self.watch(false, now);
        let since = self.noted.replace(now);
        // A clock may be set back.
        let took = since.and_then(|since| u64::try_from(now.saturating_sub(since)).ok());
        let waited = u64::try_from(std::mem::take(&mut self.waited)).ok();
        let waited = waited.zip(took).map(|(waited, took)| waited.min(took));
        (took, waited.filter(|waited| *waited > 0))
    }
}

impl Session {
    /// A run has ended: what it took is kept with the newest message.
    pub(super) fn note_cost(&mut self, usage: &[TokenUsage], cx: &mut Cx<'_>) {
        let (duration_ms, waited_ms) = self.turn.clock().take(cx.now);
        let prices = usage.iter().filter_map(|usage| cx.host.price(usage));
        let cost = Cost {
            usage: usage.to_vec(),
            price_micros: prices.reduce(u64::saturating_add),
            duration_ms,
            waited_ms,
        };
        self.conversation.note_cost(&cost);
    }

    /// Follows whether a person is asked, and whether the turn is over.
    pub(super) fn follow_clock(&mut self, cx: &mut Cx<'_>) {
        if self.turn.is_running() || !self.turn.clock().is_running() {
            return;
        }
        let asks = self.waits_for_person() || self.only_handlers_ask();
        self.turn.clock().watch(asks, cx.now);
        if asks || self.is_busy() {
            return;
        }
        // What follows the end of an answer is the time that its connection stays open.
        let answered = self.turn.summary().finish == Some(FinishReason::Stop);
        if !answered {
            self.note_cost(&[], cx);
        }
        *self.turn.clock() = Clock::default();
    }

    /// Returns whether handlers wait for the person, and nothing else goes on.
    fn only_handlers_ask(&mut self) -> bool {
        let asking = std::mem::take(&mut self.turn.clock().asking);
        let asks = |state: &State| matches!(state, State::Running(id, ..) if asking.contains(id));
        let works = |state: &State| state.is_under_way() && !asks(state);
        let only = self.conversation.has_open(asks) && !self.conversation.has_open(works);
        self.turn.clock().asking = asking;
        only
    }
}

impl Clock {
    const fn is_running(&self) -> bool {
        self.noted.is_some()
    }
}
