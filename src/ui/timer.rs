//! Timers of the browser, as callbacks and as futures.

use std::time::Duration;

use futures_channel::oneshot;
use wasm_bindgen::{JsCast, closure::Closure};

/// Calls back after some time. Without a window nothing is called.
pub(crate) fn after(ms: u32, callback: impl FnOnce() + 'static) {
    #[cfg(feature = "testing")]
    let Some(callback) = super::clock::keep(ms, Box::new(callback)) else {
        return;
    };
    after_by_browser(ms, callback);
}

/// The same by the browser's time, whatever a test says that it is.
pub(crate) fn after_by_browser(ms: u32, callback: impl FnOnce() + 'static) {
    let Some(window) = super::browser() else {
        return;
    };
    let callback = Closure::once_into_js(callback);
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    // Fails only without a callback.
    let _ =
        window.set_timeout_with_callback_and_timeout_and_arguments_0(callback.unchecked_ref(), ms);
}

/// How late what has no hurry is done where the browser does not say when it is idle, in milliseconds.
const IDLE_MS: u32 = 300;

/// Calls back when the page has nothing else to do. Without a window nothing is called.
pub(crate) fn when_idle(callback: impl FnOnce() + 'static) {
    let Some(window) = super::browser() else {
        return;
    };
    // Not every browser has it.
    if js_sys::Reflect::has(&window, &"requestIdleCallback".into()) == Ok(true) {
        let callback = Closure::once_into_js(callback);
        // Fails only without a callback.
        let _ = window.request_idle_callback(callback.unchecked_ref());
    } else {
        after_by_browser(IDLE_MS, callback);
    }
}

/// Waits.
pub(crate) async fn sleep(duration: Duration) {
    let (sender, receiver) = oneshot::channel();
    let ms = u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
    after(ms, move || {
        // Dropped receivers are futures that nobody awaits any more.
        let _ = sender.send(());
    });
    let _ = receiver.await;
}

/// Waits until what is due on the page by now is done: effects, mounts, a navigation. All of them
/// come before the next message of a channel; unlike timers, messages are not held back in hidden
/// tabs.
pub(crate) async fn page_settled() {
    let Some(Ok(channel)) = super::browser().map(|_| web_sys::MessageChannel::new()) else {
        return;
    };
    let (sender, receiver) = oneshot::channel();
    let came = Closure::once_into_js(move || {
        let _ = sender.send(());
    });
    let port = channel.port1();
    port.set_onmessage(Some(came.unchecked_ref()));
    // Fails only with something to hand over.
    let _ = channel.port2().post_message(&wasm_bindgen::JsValue::NULL);
    let _ = receiver.await;
    port.close();
}
