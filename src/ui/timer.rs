//! Provides the timers of the browser, as callbacks and as futures.

use std::time::Duration;

use futures_channel::oneshot;
use wasm_bindgen::{JsCast, closure::Closure};

/// Calls `callback` after a delay, measured by the fake clock if a test has set the clock. Never
/// calls `callback` without a window.
pub(crate) fn after(ms: u32, callback: impl FnOnce() + 'static) {
    #[cfg(feature = "testing")]
    let Some(callback) = super::clock::schedule(ms, Box::new(callback)) else {
        return;
    };
    after_by_browser(ms, callback);
}

/// Calls `callback` after a delay, measured by the browser even if a test has set the fake clock.
/// Never calls `callback` without a window.
pub(crate) fn after_by_browser(ms: u32, callback: impl FnOnce() + 'static) {
    let Some(window) = super::browser() else {
        return;
    };
    let callback = Closure::once_into_js(callback);
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    // The error is ignored, because `setTimeout` fails only without a callback.
    let _ =
        window.set_timeout_with_callback_and_timeout_and_arguments_0(callback.unchecked_ref(), ms);
}

/// The delay of idle callbacks in browsers without `requestIdleCallback`, in milliseconds.
const IDLE_MS: u32 = 300;

/// Calls `callback` when the page is idle. Never calls `callback` without a window.
pub(crate) fn when_idle(callback: impl FnOnce() + 'static) {
    let Some(window) = super::browser() else {
        return;
    };
    // A timer is used in browsers that do not support `requestIdleCallback`.
    if js_sys::Reflect::has(&window, &"requestIdleCallback".into()) == Ok(true) {
        let callback = Closure::once_into_js(callback);
        // The error is ignored, because the request fails only without a callback.
        let _ = window.request_idle_callback(callback.unchecked_ref());
    } else {
        after_by_browser(IDLE_MS, callback);
    }
}

/// Waits for a duration, measured by the fake clock if a test has set the clock. Returns at once
/// without a window.
pub(crate) async fn sleep(duration: Duration) {
    let (sender, receiver) = oneshot::channel();
    let ms = u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
    after(ms, move || {
        // The error is ignored, because sending fails only if the future, which owns the receiver,
        // was dropped.
        let _ = sender.send(());
    });
    let _ = receiver.await;
}

/// Waits for a duration, measured by the browser even if a test has set the fake clock. Returns at
/// once without a window.
pub(crate) async fn sleep_by_browser(duration: Duration) {
    let (sender, receiver) = oneshot::channel();
    let ms = u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
    after_by_browser(ms, move || {
        // The error is ignored, because sending fails only if the future, which owns the receiver,
        // was dropped.
        let _ = sender.send(());
    });
    let _ = receiver.await;
}

/// Waits until pending work of the page is done: effects, mounts and navigations. This work runs
/// before the next message of a channel; unlike timers, messages are not throttled in hidden tabs.
pub(crate) async fn wait_for_pending_work() {
    let Some(Ok(channel)) = super::browser().map(|_| web_sys::MessageChannel::new()) else {
        return;
    };
    let (sender, receiver) = oneshot::channel();
    let on_message = Closure::once_into_js(move || {
        let _ = sender.send(());
    });
    let port = channel.port1();
    port.set_onmessage(Some(on_message.unchecked_ref()));
    // The error is ignored, because sending fails only for an object that cannot be transferred.
    let _ = channel.port2().post_message(&wasm_bindgen::JsValue::NULL);
    let _ = receiver.await;
    port.close();
}
