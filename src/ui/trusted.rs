//! Tells what a user did from what a script did in their name.

use assistant_core::conversation::Decider;
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use web_sys::Event;

/// Returns whether a user caused an event: a click, a key or a choice of theirs. Events that a script
/// makes (`button.click()`, `dispatchEvent`) are none of a user's, and nothing is decided by them.
///
/// Do not ask for a `submit` event: one of `form.requestSubmit()` is trusted, too.
pub(crate) fn is_trusted(event: &Event) -> bool {
    event.is_trusted() || accepts_scripts()
}

/// Events that a user makes by a press, a key or a choice. `submit` is not among them: see [`is_trusted`].
const OF_USER: [&str; 11] = [
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

/// Returns the one who decides by an event.
pub(crate) fn decider_by(event: &Event) -> Decider {
    match is_trusted(event) {
        true => Decider::Person,
        false => Decider::Application,
    }
}

/// Returns the one who decides now: the user while an event of theirs is handled, otherwise the
/// application. In a shadow root the browser tells no event.
pub(crate) fn decider() -> Decider {
    let event = window().event().dyn_into::<Event>().ok();
    let of_user = |event: &Event| OF_USER.contains(&event.type_().as_str());
    match event.filter(of_user) {
        Some(event) => decider_by(&event),
        None if accepts_scripts() => Decider::Person,
        None => Decider::Application,
    }
}

/// Returns whether a test decides by events of its own, and without any.
pub(crate) fn accepts_scripts() -> bool {
    #[cfg(feature = "testing")]
    return scripted::are_accepted();
    #[cfg(not(feature = "testing"))]
    false
}

/// The one way in for tests, which cannot make events of a user.
#[cfg(feature = "testing")]
pub(crate) mod scripted {
    use std::cell::Cell;

    thread_local! {
        static ACCEPTED_BY: Cell<u32> = const { Cell::new(0) };
    }

    pub(crate) fn are_accepted() -> bool {
        ACCEPTED_BY.get() > 0
    }

    pub(crate) fn accept() {
        ACCEPTED_BY.set(ACCEPTED_BY.get().saturating_add(1));
    }

    pub(crate) fn refuse() {
        ACCEPTED_BY.set(ACCEPTED_BY.get().saturating_sub(1));
    }
}
