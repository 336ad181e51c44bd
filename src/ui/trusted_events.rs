//! Distinguishes events of the user from scripted events.

use assistant_core::conversation::Decider;
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use web_sys::Event;

/// Returns true if a user caused an event (a click, a key or a choice), or if a test accepts
/// scripted events ([`are_scripts_accepted`]). Scripted events, such as those of `button.click()`
/// and `dispatchEvent`, have no effect otherwise.
///
/// Do not use this function for a `submit` event: an event caused by `form.requestSubmit()` is also
/// trusted.
pub(crate) fn is_trusted(event: &Event) -> bool {
    event.is_trusted() || are_scripts_accepted()
}

/// The events of a press, a key or a choice of the user. For the reason why `submit` is missing,
/// see [`is_trusted`].
const USER_EVENTS: [&str; 11] = [
    "click",
    "pointerdown",
    "pointerup",
    "mousedown",
    "mouseup",
    "touchend",
    "keydown",
    "keypress",
    "keyup",
    "input",
    "change",
];

/// Returns the decider of an event: the user for a trusted event, otherwise the application.
pub(crate) fn decider_by(event: &Event) -> Decider {
    match is_trusted(event) {
        true => Decider::Person,
        false => Decider::Application,
    }
}

/// Returns the current decider: the user while a trusted event is handled, or if a test accepts
/// scripted events, and otherwise the application. In a shadow root, the browser does not expose
/// the event, so the application is the decider.
pub(crate) fn decider() -> Decider {
    let event = window().event().dyn_into::<Event>().ok();
    let is_user_event = |event: &Event| USER_EVENTS.contains(&event.type_().as_str());
    match event.filter(is_user_event) {
        Some(event) => decider_by(&event),
        None if are_scripts_accepted() => Decider::Person,
        None => Decider::Application,
    }
}

/// Returns true if a test accepts scripted events, and decisions without an event.
pub(crate) fn are_scripts_accepted() -> bool {
    #[cfg(feature = "testing")]
    return scripted::are_accepted();
    #[cfg(not(feature = "testing"))]
    false
}

/// The switch that makes scripted events count as trusted, for tests, which cannot create trusted
/// events.
#[cfg(feature = "testing")]
pub(crate) mod scripted {
    use std::cell::Cell;

    thread_local! {
        static ACCEPTING_TESTS: Cell<u32> = const { Cell::new(0) };
    }

    pub(crate) fn are_accepted() -> bool {
        ACCEPTING_TESTS.get() > 0
    }

    pub(crate) fn begin_accepting() {
        ACCEPTING_TESTS.set(ACCEPTING_TESTS.get().saturating_add(1));
    }

    pub(crate) fn end_accepting() {
        ACCEPTING_TESTS.set(ACCEPTING_TESTS.get().saturating_sub(1));
    }

    /// Refuses scripted events again, although tests have not ended that accept them.
    pub(crate) fn refuse() {
        ACCEPTING_TESTS.set(0);
    }
}
