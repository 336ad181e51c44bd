//! Divides the work of reading a response into slices, between which the page handles input and
//! draws frames.

use js_sys::Date;

use crate::ui::{SLICE_MS, next_frame};

/// The number of bytes that are processed between two readings of the clock.
pub(super) const SLICE_BYTES: u32 = 8 * 1024;
/// The pause after which a new slice begins, in milliseconds: the page was idle meanwhile.
const IDLE_MS: f64 = 4.0;

/// The time spent since the page was last able to handle input.
#[derive(Debug, Default)]
pub(super) struct Slices {
    worked: f64,
    ended: f64,
}

impl Slices {
    /// Does a piece of work, and waits for the next frame if the slice is used up.
    pub(super) async fn work(&mut self, piece: impl FnOnce()) {
        let began = Date::now();
        // A clock that was set back begins a new slice, too.
        if !(0.0..=IDLE_MS).contains(&(began - self.ended)) {
            self.worked = 0.0;
        }
        piece();
        self.ended = Date::now();
        self.worked += (self.ended - began).max(0.0);
        if self.worked >= SLICE_MS {
            next_frame().await;
            self.worked = 0.0;
            self.ended = Date::now();
        }
    }
}
