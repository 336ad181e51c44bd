//! Divides the work of reading a response into slices, between which the page handles input and
//! draws frames.

use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::select;
use js_sys::Date;
use wasm_bindgen::{JsCast, closure::Closure};

use crate::ui::{browser, page_settled, sleep_by_browser};

/// The number of bytes that are read between two readings of the clock.
pub(super) const SLICE_BYTES: u32 = 8 * 1024;
/// The longest work in one frame, in milliseconds.
const SLICE_MS: f64 = 8.0;
/// The pause after which a new slice begins, in milliseconds: the page was idle meanwhile.
const IDLE_MS: f64 = 4.0;
/// The longest wait for a frame, which a browser may not draw.
const LONGEST_FRAME: Duration = Duration::from_millis(50);

/// The time spent since the page could last handle input.
#[derive(Debug, Default)]
pub(super) struct Slices {
    worked: f64,
    ended: f64,
}

impl Slices {
    /// Carries out a piece of work, and waits for the next frame if the slice is used up.
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

/// Waits for the next frame and the tasks behind it. Hidden tabs draw no frames: they only handle
/// the tasks that wait.
async fn next_frame() {
    let Some(window) = browser() else { return };
    let is_hidden = window.document().is_none_or(|document| document.hidden());
    if !is_hidden {
        let (sender, receiver) = oneshot::channel();
        let drawn = Closure::once_into_js(move || {
            // The receiver is dropped if the future is.
            let _ = sender.send(());
        });
        // Fails only without a callback.
        let _ = window.request_animation_frame(drawn.unchecked_ref());
        let timeout = std::pin::pin!(sleep_by_browser(LONGEST_FRAME));
        select(receiver, timeout).await;
    }
    page_settled().await;
}
