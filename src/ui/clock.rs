//! The fake clock of a test, which replaces the browser's time while the fake clock is set.

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
    let previous = CLOCK.replace(Some(clock));
    drop(previous);
}

/// Restores the browser's time; pending callbacks are dropped.
pub(crate) fn restore_browser_time() {
    let previous = CLOCK.take();
    drop(previous);
}

/// Returns the fake time; `None` if no fake time is set.
pub(super) fn now() -> Option<i64> {
    CLOCK.with_borrow(|clock| clock.as_ref().map(|clock| clock.now))
}

/// Schedules a callback in the fake time. If no fake time is set, or if the delay is zero, returns
/// the callback, which the browser must then schedule.
pub(super) fn schedule(ms: u32, act: Box<dyn FnOnce()>) -> Option<Box<dyn FnOnce()>> {
    CLOCK.with_borrow_mut(|clock| match clock {
        Some(clock) if ms > 0 => {
            let due_at = clock.now + i64::from(ms);
            clock.due.push(ScheduledCallback { at: due_at, act });
            None
        }
        _ => Some(act),
    })
}

/// Advances the fake time; due callbacks run in order, each at its own time.
pub(crate) fn advance(ms: i64) {
    let end = now().unwrap_or_default() + ms;
    while let Some(act) = take_due_callback(end) {
        act();
    }
    CLOCK.with_borrow_mut(|clock| {
        if let Some(clock) = clock {
            clock.now = end;
        }
    });
}

fn take_due_callback(end: i64) -> Option<Box<dyn FnOnce()>> {
    CLOCK.with_borrow_mut(|clock| {
        let clock = clock.as_mut()?;
        let callbacks = clock.due.iter().enumerate();
        let (index, callback) = callbacks.min_by_key(|(_, callback)| callback.at)?;
        if callback.at > end {
            return None;
        }
        clock.now = clock.now.max(callback.at);
        Some(clock.due.remove(index).act)
    })
}
