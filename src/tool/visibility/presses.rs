//! Tracks the clicks and keys by which a user decides inside a card.
//!
//! A page can redirect an event of the user to a button that the user did not intend to press: by a
//! label, by pointer capture, by a box that extends beyond the button, or by moving the focus while
//! a key is down. So a click is accepted only inside the button that the pointer went down on, and
//! a key only on the button that had the focus when the key went down. A click that follows neither
//! a pointer nor a key comes from assistive technology.

use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, Event, EventTarget, KeyboardEvent, MouseEvent};

use crate::ui::{after_by_browser, are_scripts_accepted, closest, is_trusted, now};

/// The events by which a user decides. A `submit` event follows one of these events.
const DECISION_EVENTS: [&str; 2] = ["click", "keydown"];
/// The events that begin a press.
const PRESS_START_EVENTS: [&str; 2] = ["pointerdown", "keydown"];
/// The time after which a click no longer belongs to a press that began on another element, in
/// milliseconds.
const PRESS_EXPIRY_MS: i64 = 1_000;
/// The maximum delay of a press that is taken into account, in milliseconds.
const MAX_DELAY_MS: f64 = 10_000.0;
/// The minimum time between the last typed letter and a key that decides, in milliseconds.
const TYPING_PAUSE_MS: i64 = 500;

/// A click or a key press by the user in the card.
#[derive(Clone, Copy, Default)]
pub(super) struct Press {
    /// True if the press was made by a pointer.
    pub(super) pointed: bool,
    /// The time of the user's press, which may be earlier than its handling, in milliseconds since
    /// 1970.
    pub(super) at: i64,
    /// The number that distinguishes this press from earlier presses.
    number: u32,
}

/// The start of the latest press, anywhere on the page.
#[derive(Clone)]
struct PressStart {
    target: SendWrapper<Option<Element>>,
    /// The pressed key; `None` for a press by a pointer.
    key: Option<String>,
    repeats: bool,
    at: i64,
}

/// A tracker of the press that is being handled.
#[derive(Clone, Copy)]
pub(super) struct Presses {
    /// The press that is being handled; `None` during a scripted press.
    current: StoredValue<Option<Press>>,
    /// The number of the last press.
    last: StoredValue<u32>,
    begun: StoredValue<Option<PressStart>>,
    /// The time at which a letter was last typed, in milliseconds since 1970.
    typed: StoredValue<i64>,
}

impl Presses {
    pub(super) fn new() -> Self {
        Self {
            current: StoredValue::new(None),
            last: StoredValue::new(0),
            begun: StoredValue::new(None),
            typed: StoredValue::new(0),
        }
    }

    /// Returns the press of the user that is being handled; `None` if no press is being handled, or
    /// only a scripted press. If a test accepts scripted events, a press is always returned.
    pub(super) fn current(self) -> Option<Press> {
        let test_press = || {
            are_scripts_accepted().then(|| Press {
                at: now(),
                ..Press::default()
            })
        };
        self.current.get_value().or_else(test_press)
    }

    /// Handles presses before the buttons of the card handle the presses, until the owner is
    /// disposed.
    pub(super) fn listen_on(self, card: Element) {
        add_capture_listener(card.into(), DECISION_EVENTS, move |event| {
            self.on_press(event);
        });
        add_capture_listener(window().into(), PRESS_START_EVENTS, move |event| {
            self.on_press_start(event);
        });
    }

    fn on_press_start(self, event: &Event) {
        if !is_trusted(event) {
            return;
        }
        let key = event.dyn_ref::<KeyboardEvent>();
        if key.is_some_and(|key| key.key() != " " && key.key().chars().count() == 1) {
            self.typed.set_value(time_of(event));
        }
        // The composed path is used, because the target at the window is only the host for an event
        // inside of a shadow root.
        let target = event.composed_path().get(0).dyn_into().ok();
        self.begun.set_value(Some(PressStart {
            target: SendWrapper::new(target),
            key: key.map(KeyboardEvent::key),
            repeats: key.is_some_and(KeyboardEvent::repeat),
            at: time_of(event),
        }));
    }

    /// Sets the current press until the browser's next task, if the event is accepted as the
    /// user's; otherwise clears the current press.
    fn on_press(self, event: &Event) {
        let last_number = self.last.try_get_value().unwrap_or_default();
        let number = last_number.wrapping_add(1);
        self.last.set_value(number);
        // A click count of zero means that a key caused the click.
        let click = event.dyn_ref::<MouseEvent>();
        let is_by_pointer = click.is_some_and(|click| click.detail() > 0);
        let at = time_of(event);
        let is_accepted =
            is_trusted(event) && (are_scripts_accepted() || self.is_on_pressed_element(event, at));
        self.current.set_value(is_accepted.then_some(Press {
            pointed: is_by_pointer,
            at,
            number,
        }));
        after_by_browser(0, move || {
            let _ = self.current.try_update_value(|press| {
                let is_same = press.is_some_and(|press| press.number == number);
                *press = press.filter(|_| !is_same);
            });
        });
    }

    /// Returns true if a trusted event goes to the element that the user pressed, submits the form
    /// of that element, or is a click of assistive technology, which follows no recent press.
    /// Returns false for a repeated key, and for a key that follows typing too soon. `at` is the
    /// time of the event.
    fn is_on_pressed_element(self, event: &Event, at: i64) -> bool {
        let Some(target) = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok())
        else {
            return false;
        };
        let button = closest(&target, "button").unwrap_or(target);
        let start = self.begun.get_value();
        let is_on_button = |start: &PressStart| {
            let target = start.target.as_ref();
            target.is_some_and(|target| button.contains(Some(target)))
        };
        let is_recent = |start: &PressStart| at.saturating_sub(start.at) < PRESS_EXPIRY_MS;
        match (event.dyn_ref::<MouseEvent>(), start) {
            (None, _) => event
                .dyn_ref::<KeyboardEvent>()
                .is_none_or(|key| !key.repeat()),
            (Some(click), start) if click.detail() > 0 => {
                let starts_on_button =
                    start.is_none_or(|start| start.key.is_none() && is_on_button(&start));
                starts_on_button && is_inside(&button, click)
            }
            (Some(_), Some(start)) if start.key.is_some() => {
                let is_quiet = at.saturating_sub(self.typed.get_value()) >= TYPING_PAUSE_MS;
                let is_intended =
                    (is_on_button(&start) && is_quiet) || is_form_submission(&start, &button);
                (is_intended && !start.repeats) || !is_recent(&start)
            }
            (Some(_), Some(start)) => is_on_button(&start) || !is_recent(&start),
            (Some(_), None) => true,
        }
    }
}

/// Returns the time of an event, in milliseconds since 1970. A busy page handles events late.
fn time_of(event: &Event) -> i64 {
    let delay = window()
        .performance()
        .map_or(0.0, |performance| performance.now() - event.time_stamp());
    // The delay is limited, because the time of an event may be unknown, or counted from the start
    // of another document.
    now().saturating_sub(delay.clamp(0.0, MAX_DELAY_MS) as i64)
}

/// Returns true if a press began with Enter in a field of the button's form, so that the browser
/// clicks the button.
fn is_form_submission(start: &PressStart, button: &Element) -> bool {
    let field = start.target.as_ref();
    let form = closest(button, "form").filter(|form| form.contains(field.map(AsRef::as_ref)));
    form.is_some()
        && start.key.as_deref() == Some("Enter")
        && field.is_some_and(|field| field.matches("input, select").unwrap_or(false))
}

/// Returns true if a click is inside of the box of a button, or at most one pixel outside.
fn is_inside(button: &Element, click: &MouseEvent) -> bool {
    let rect = button.get_bounding_client_rect();
    let (x, y) = (f64::from(click.client_x()), f64::from(click.client_y()));
    // One pixel is tolerated, because the position of a click is an integer, and the edges are
    // fractional.
    x + 1.0 >= rect.left()
        && x - 1.0 <= rect.right()
        && y + 1.0 >= rect.top()
        && y - 1.0 <= rect.bottom()
}

/// Listens for events in the capture phase, until the owner is disposed.
fn add_capture_listener(
    target: EventTarget,
    events: [&'static str; 2],
    handle: impl Fn(&Event) + 'static,
) {
    let handle = Closure::<dyn Fn(Event)>::new(move |event: Event| handle(&event));
    let callback = handle.as_ref().unchecked_ref();
    for event_name in events {
        // The error is ignored, because adding a listener cannot fail.
        let _ = target.add_event_listener_with_callback_and_bool(event_name, callback, true);
    }
    let listener = SendWrapper::new((target, handle));
    on_cleanup(move || {
        let (target, handle) = &*listener;
        let callback = handle.as_ref().unchecked_ref();
        for event_name in events {
            let _ = target.remove_event_listener_with_callback_and_bool(event_name, callback, true);
        }
    });
}
