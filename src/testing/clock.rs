//! Replaces the clock of the browser with a clock that a test controls.

use std::time::Duration;

use crate::ui::clock;

/// A fake clock for all assistants and components of a test. The clock is paused until the test
/// advances the time. Dropping the clock restores the browser's time.
///
/// The clock controls intentional delays: the limits of handlers and questions, the pace of a
/// scripted agent, and the time for which a button shows "Copied". Frames and the network are not
/// affected. Delays that began before the clock was created follow the browser's time.
///
/// ```
/// use std::time::Duration;
/// use leptos_assistant::testing::{FakeClock, settle};
///
/// # async fn test() {
/// let clock = FakeClock::at(1_700_000_000_000);
/// // … a handler with a limit of a minute is running …
/// clock.advance(Duration::from_secs(60));
/// settle().await;
/// # }
/// ```
#[derive(Debug)]
#[must_use = "dropping it gives the browser's time back at once"]
pub struct FakeClock(());

impl FakeClock {
    /// Creates a clock that is paused at `now`, in milliseconds since 1970.
    pub fn at(now: i64) -> Self {
        clock::set_now(now);
        Self(())
    }

    /// Advances the time. Timers that become due fire before this function returns, in order; while
    /// a timer fires, the clock shows the time at which the timer was due. Code that waits for a
    /// timer, such as the rest of a handler, runs in the page's next tasks: see
    /// [`settle`](super::settle).
    pub fn advance(&self, by: Duration) {
        clock::advance(i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
    }
}

impl Drop for FakeClock {
    fn drop(&mut self) {
        clock::restore_browser_time();
    }
}
