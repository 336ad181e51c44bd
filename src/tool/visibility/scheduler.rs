//! Schedules the periodic examinations of all cards of the page, which share hit tests and a
//! limited part of the page's time. An examination at a press is not scheduled, but runs at once.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use js_sys::Date;

use super::{Visibility, covers::HitTest};
use crate::ui::{WorkSlice, next_frame, sleep_by_browser, spawn_local};

/// The pause after examinations, as a multiple of the time that the examinations took.
const PAUSE_FACTOR: f64 = 2.0;
/// The longest pause, in milliseconds.
const MAX_PAUSE_MS: f64 = 200.0;

thread_local! {
    /// The cards that wait for an examination.
    static WAITING_CARDS: RefCell<Vec<Visibility>> = const { RefCell::new(Vec::new()) };
    /// The end of the pause, in milliseconds since 1970.
    static PAUSE_END_MS: Cell<f64> = const { Cell::new(0.0) };
}

/// Examines a card now, or in a later frame if the examinations of this frame have used up their
/// time.
pub(super) fn schedule_examination(card: Visibility) {
    let is_first = WAITING_CARDS.with_borrow_mut(|waiting| {
        let is_waiting = waiting.iter().any(|other_card| other_card.is_same(card));
        if !is_waiting {
            waiting.push(card);
        }
        !is_waiting && waiting.len() == 1
    });
    if !is_first {
        return;
    }
    let has_time = remaining_pause_ms() <= 0.0 && !WorkSlice::begin().is_used_up();
    if !has_time || examine_waiting_cards() {
        spawn_local(examine_cards_later());
    }
}

/// Returns the remaining time of the pause, in milliseconds. The result is not positive if the
/// pause is over.
fn remaining_pause_ms() -> f64 {
    let pause = PAUSE_END_MS.get() - Date::now();
    // A pause above the maximum is ignored, because the clock must have been set back.
    if pause > MAX_PAUSE_MS { 0.0 } else { pause }
}

async fn examine_cards_later() {
    loop {
        let pause = remaining_pause_ms().max(0.0);
        sleep_by_browser(Duration::from_secs_f64(pause / 1_000.0)).await;
        next_frame().await;
        if !examine_waiting_cards() {
            break;
        }
    }
}

/// Examines cards until the time limit of this frame is used up. Returns true if some cards are
/// still waiting.
fn examine_waiting_cards() -> bool {
    let start = Date::now();
    let slice = WorkSlice::begin();
    let mut tests = HitTest::default();
    let has_waiting = loop {
        let first_card = WAITING_CARDS.with_borrow(|waiting| waiting.first().copied());
        let Some(card) = first_card else { break false };
        card.examine(None, &mut tests);
        let has_waiting = WAITING_CARDS.with_borrow_mut(|waiting| {
            waiting.remove(0);
            !waiting.is_empty()
        });
        if slice.is_used_up() {
            break has_waiting;
        }
    };
    drop((tests, slice));
    let now = Date::now();
    let pause = ((now - start) * PAUSE_FACTOR).clamp(0.0, MAX_PAUSE_MS);
    PAUSE_END_MS.set(now + pause);
    has_waiting
}
