//! Measures the duration of a turn, including the time of the agent, of the tools, and of questions
//! to the user.
//!
//! At the end of a run, the time since the previous run ended is stored with the newest message.
//! Time that is not measured, such as the time between the closing and the reload of a page, is not
//! included.

use super::{Cx, FinishReason, InvocationId, Session};
use crate::{
    conversation::{Cost, State},
    event::TokenUsage,
};

/// A clock that measures a turn, and the part of the turn in which only the user is awaited.
#[derive(Debug, Clone, Default)]
pub(super) struct TurnClock {
    /// The time of the last measurement, in milliseconds since 1970; `None` while no turn is in
    /// progress.
    noted: Option<i64>,
    /// The start of a period in which only a question is open; `None` outside of such a period.
    waiting_since: Option<i64>,
    /// The total time in which only a question was open, in milliseconds.
    waited: i64,
    /// The handlers that wait for the user. A handler is listed once for each of its open
    /// questions.
    asking: Vec<InvocationId>,
}

impl TurnClock {
    /// Continues the measurement of the turn, or restarts it if the run begins a new turn.
    pub(super) fn begin_run(&mut self, continues: bool, now: i64) {
        self.track_waiting(false, now);
        match continues {
            true => drop(self.noted.get_or_insert(now)),
            false => {
                *self = Self {
                    noted: Some(now),
                    ..Self::default()
                }
            }
        }
    }

    /// Records the start of a handler's question to the user (`is_open` is true) or its end.
    pub(super) fn record_handler_question(&mut self, handler: InvocationId, is_open: bool) {
        if is_open {
            self.asking.push(handler);
        } else if let Some(index) = self.asking.iter().position(|asking| *asking == handler) {
            self.asking.swap_remove(index);
        }
    }

    fn track_waiting(&mut self, is_waiting: bool, now: i64) {
        match (is_waiting, self.waiting_since) {
            (true, None) => self.waiting_since = Some(now),
            (false, Some(since)) => {
                self.waited = self.waited.saturating_add(now.saturating_sub(since));
                self.waiting_since = None;
            }
            _ => {}
        }
    }

    /// Returns the time since the last measurement, and the part of that time in which only the
    /// user was awaited, both in milliseconds. Starts the next measurement. Both times are `None`
    /// if there was no measurement before, or if the system clock was set back. The second time is
    /// also `None` if it is zero.
    fn take_elapsed(&mut self, now: i64) -> (Option<u64>, Option<u64>) {
        self.track_waiting(false, now);
        let last_time = self.noted.replace(now);
        // The elapsed time is `None` if the difference is negative because the system clock was set
        // back.
        let elapsed = last_time.and_then(|time| u64::try_from(now.saturating_sub(time)).ok());
        let waiting_time = u64::try_from(std::mem::take(&mut self.waited)).ok();
        let waiting_time = waiting_time
            .zip(elapsed)
            .map(|(waiting, elapsed)| waiting.min(elapsed));
        (elapsed, waiting_time.filter(|time| *time > 0))
    }
}

impl Session {
    /// Stores the cost of a run with the newest message: token usage, price, and the time since the
    /// last measurement.
    pub(super) fn record_cost(&mut self, usage: &[TokenUsage], cx: &mut Cx<'_>) {
        let (duration_ms, waited_ms) = self.turn.clock.take_elapsed(cx.now);
        let prices = usage.iter().filter_map(|usage| cx.host.price(usage));
        let cost = Cost {
            usage: usage.to_vec(),
            price_micros: prices.reduce(u64::saturating_add),
            duration_ms,
            waited_ms,
        };
        self.conversation.record_cost(&cost);
    }

    /// Measures the time in which only the user is awaited, and stores the cost at the end of the
    /// turn.
    pub(super) fn update_turn_clock(&mut self, cx: &mut Cx<'_>) {
        if self.turn.is_running() || !self.turn.clock.is_running() {
            return;
        }
        let is_waiting = self.waits_for_person() || self.has_only_handler_questions();
        self.turn.clock.track_waiting(is_waiting, cx.now);
        if is_waiting || self.is_busy() {
            return;
        }
        // The time after a complete answer is not counted, since only the connection was open.
        let is_answer_complete = self.turn.summary.finish == Some(FinishReason::Stop);
        if !is_answer_complete {
            self.record_cost(&[], cx);
        }
        self.turn.clock = TurnClock::default();
    }

    /// Returns true if handlers wait for the user, and nothing else is in progress.
    fn has_only_handler_questions(&mut self) -> bool {
        let asking_ids = std::mem::take(&mut self.turn.clock.asking);
        let is_asking =
            |state: &State| matches!(state, State::Running(id, ..) if asking_ids.contains(id));
        let is_other = |state: &State| state.is_awaited_by_loop() && !is_asking(state);
        let has_only_questions = self.conversation.has_open_call(is_asking)
            && !self.conversation.has_open_call(is_other);
        self.turn.clock.asking = asking_ids;
        has_only_questions
    }
}

impl TurnClock {
    const fn is_running(&self) -> bool {
        self.noted.is_some()
    }
}
