//! Schedules the periodic examinations of all cards of the page, which share hit tests and a part
//! of the page's time. An examination at a press does not wait for its turn.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use js_sys::Date;

use super::{Visibility, covers::HitTest};
use crate::ui::{WorkSlice, next_frame, sleep_by_browser, spawn_local};

/// The pause after examinations, as a multiple of the time that they took.
const REST: f64 = 2.0;
/// The longest pause, in milliseconds.
const MAX_REST_MS: f64 = 200.0;

thread_local! {
    /// The cards that wait for their turn.
    static WAITING: RefCell<Vec<Visibility>> = const { RefCell::new(Vec::new()) };
    /// The end of the pause, in milliseconds since 1970.
    static RESTS_UNTIL: Cell<f64> = const { Cell::new(0.0) };
}

/// Examines a card now, or in a later frame if examinations have used up their time.
pub(super) fn schedule_examination(card: Visibility) {
    let is_first = WAITING.with_borrow_mut(|waiting| {
        let waits = waiting.iter().any(|other| other.is_same(card));
        if !waits {
            waiting.push(card);
        }
        !waits && waiting.len() == 1
    });
    if !is_first {
        return;
    }
    let has_time = remaining_pause_ms() <= 0.0 && !WorkSlice::begin().is_used_up();
    if !has_time || examine_waiting_cards() {
        spawn_local(examine_cards_later());
    }
}

/// Returns the remaining time of the pause, in milliseconds; not positive if the pause is over.
fn remaining_pause_ms() -> f64 {
    let rest = RESTS_UNTIL.get() - Date::now();
    // A longer rest than the maximum means that the clock was set back.
    if rest > MAX_REST_MS { 0.0 } else { rest }
}

async fn examine_cards_later() {
    loop {
        let rest = remaining_pause_ms().max(0.0);
        sleep_by_browser(Duration::from_secs_f64(rest / 1_000.0)).await;
        next_frame().await;
        if !examine_waiting_cards() {
            break;
        }
    }
}

/// Examines cards for as long as this frame has time. Returns true if some cards still wait.
fn examine_waiting_cards() -> bool {
    let began = Date::now();
    let slice = WorkSlice::begin();
    let mut tests = HitTest::default();
    let waits = loop {
        let next = WAITING.with_borrow(|waiting| waiting.first().copied());
        let Some(card) = next else { break false };
        card.examine(false, &mut tests);
        let waits = WAITING.with_borrow_mut(|waiting| {
            waiting.remove(0);
            !waiting.is_empty()
        });
        if slice.is_used_up() {
            break waits;
        }
    };
    drop((tests, slice));
    let now = Date::now();
    let rest = ((now - began) * REST).clamp(0.0, MAX_REST_MS);
    RESTS_UNTIL.set(now + rest);
    waits
}
