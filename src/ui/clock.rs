//! The fake clock of a test, which replaces the browser's time while it is set.

use std::cell::RefCell;

/// A scheduled callback.
struct ScheduledCallback {
    at: i64,
    act: Box<dyn FnOnce()>,
}

#[derive(Default)]
struct FakeTime {
    now: i64,
    /// The callbacks, in the order in which they were scheduled.
    due: Vec<ScheduledCallback>,
}

thread_local! {
    static CLOCK: RefCell<Option<FakeTime>> = const { RefCell::new(None) };
}

/// Sets the fake time, in milliseconds since 1970.
pub(crate) fn set_now(now: i64) {
    let clock = FakeTime {
        now,
        due: Vec::new(),
    };
    let old = CLOCK.replace(Some(clock));
    drop(old);
}

/// Restores the browser's time; pending callbacks are dropped.
pub(crate) fn restore_browser_time() {
    let old = CLOCK.take();
    drop(old);
}

/// Returns the fake time, if it is set.
pub(super) fn now() -> Option<i64> {
    CLOCK.with_borrow(|clock| clock.as_ref().map(|clock| clock.now))
}

/// Schedules a callback in the fake time. Returns the callback if the browser must schedule it:
/// without a fake time, or without a delay.
pub(super) fn schedule(ms: u32, act: Box<dyn FnOnce()>) -> Option<Box<dyn FnOnce()>> {
    CLOCK.with_borrow_mut(|clock| match clock {
        Some(clock) if ms > 0 => {
            let at = clock.now + i64::from(ms);
            clock.due.push(ScheduledCallback { at, act });
            None
        }
        _ => Some(act),
    })
}

/// Advances the fake time; due callbacks run in order, each at its own time.
pub(crate) fn advance(ms: i64) {
    let until = now().unwrap_or_default() + ms;
    while let Some(act) = take_due_callback(until) {
        act();
    }
    CLOCK.with_borrow_mut(|clock| {
        if let Some(clock) = clock {
            clock.now = until;
        }
    });
}

fn take_due_callback(until: i64) -> Option<Box<dyn FnOnce()>> {
    CLOCK.with_borrow_mut(|clock| {
        let clock = clock.as_mut()?;
        let due = clock.due.iter().enumerate();
        let (place, due) = due.min_by_key(|(_, due)| due.at)?;
        if due.at > until {
            return None;
        }
        clock.now = clock.now.max(due.at);
        Some(clock.due.remove(place).act)
    })
}
