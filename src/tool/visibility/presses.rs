//! Clicks and keys of the user inside a card.

use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, Event, MouseEvent};

use crate::ui::{accepts_scripts, after_by_browser, is_trusted};

/// The events by which a user decides. A `submit` follows one of them.
const PRESSES: [&str; 2] = ["click", "keydown"];

/// A click or a key of the user in the card.
#[derive(Clone, Copy, Default)]
pub(super) struct Press {
    /// True if a pointer made it.
    pub(super) pointed: bool,
    /// Distinguishes it from earlier presses.
    number: u32,
}

/// Tracks the press that is being handled.
#[derive(Clone, Copy)]
pub(super) struct Presses {
    /// `None` while a script makes one.
    current: StoredValue<Option<Press>>,
    /// The number of the last one.
    last: StoredValue<u32>,
}

impl Presses {
    pub(super) fn new() -> Self {
        Self {
            current: StoredValue::new(None),
            last: StoredValue::new(0),
        }
    }

    /// Returns the press of the user that is being handled.
    pub(super) fn current(self) -> Option<Press> {
        let by_test = || accepts_scripts().then_some(Press::default());
        self.current.get_value().or_else(by_test)
    }

    /// Listens before the buttons of the card do, until the owner is disposed.
    pub(super) fn follow(self, card: Element) {
        let pressed = Closure::<dyn Fn(Event)>::new(move |event: Event| self.pressed(&event));
        let callback = pressed.as_ref().unchecked_ref();
        for kind in PRESSES {
            // Does not fail.
            let _ = card.add_event_listener_with_callback_and_bool(kind, callback, true);
        }
        let listening = SendWrapper::new((card, pressed));
        on_cleanup(move || {
            let (card, pressed) = &*listening;
            let callback = pressed.as_ref().unchecked_ref();
            for kind in PRESSES {
                let _ = card.remove_event_listener_with_callback_and_bool(kind, callback, true);
            }
        });
    }

    /// Lets a press decide while it is handled, until the browser's next task; an event that a script makes
    /// meanwhile ends it.
    fn pressed(self, event: &Event) {
        let before = self.last.try_get_value().unwrap_or_default();
        let number = before.wrapping_add(1);
        self.last.set_value(number);
        // A click by a key has a click count of zero.
        let click = event.dyn_ref::<MouseEvent>();
        let pointed = click.is_some_and(|click| click.detail() > 0);
        let press = is_trusted(event).then_some(Press { pointed, number });
        self.current.set_value(press);
        after_by_browser(0, move || {
            let _ = self.current.try_update_value(|press| {
                let same = press.is_some_and(|press| press.number == number);
                *press = press.filter(|_| !same);
            });
        });
    }
}
