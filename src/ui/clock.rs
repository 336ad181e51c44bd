//! The time of a test, in place of the browser's, for as long as it is set.

use std::cell::RefCell;

/// What is due, and when.
struct Due {
    at: i64,
    act: Box<dyn FnOnce()>,
}

#[derive(Default)]
struct Clock {
    now: i64,
    /// In the order in which it was asked for.
    due: Vec<Due>,
}

thread_local! {
    static CLOCK: RefCell<Option<Clock>> = const { RefCell::new(None) };
}

/// Stops the time at some milliseconds since 1970.
pub(crate) fn set(now: i64) {
    let clock = Clock {
        now,
        due: Vec::new(),
    };
    let old = CLOCK.replace(Some(clock));
    drop(old);
}

/// Gives the browser its time back; what was due never comes.
pub(crate) fn unset() {
    let old = CLOCK.take();
    drop(old);
}

/// The time of the test, if there is one.
pub(super) fn now() -> Option<i64> {
    CLOCK.with_borrow(|clock| clock.as_ref().map(|clock| clock.now))
}

/// Keeps an act until it is due, or gives it back for the browser to keep. What waits for no time
/// at all only waits for the page.
pub(super) fn keep(ms: u32, act: Box<dyn FnOnce()>) -> Option<Box<dyn FnOnce()>> {
    CLOCK.with_borrow_mut(|clock| match clock {
        Some(clock) if ms > 0 => {
            let at = clock.now + i64::from(ms);
            clock.due.push(Due { at, act });
            None
        }
        _ => Some(act),
    })
}

/// Lets some milliseconds pass: what is due by then happens, each at its time.
pub(crate) fn advance(ms: i64) {
    let until = now().unwrap_or_default() + ms;
    while let Some(act) = next_until(until) {
        act();
    }
    CLOCK.with_borrow_mut(|clock| {
        if let Some(clock) = clock {
            clock.now = until;
        }
    });
}

fn next_until(until: i64) -> Option<Box<dyn FnOnce()>> {
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
