//! Whether a person can have seen what they are about to approve, and meant it: every part of it
//! was in view to its end, and from then on it has stood unchanged, and in its place, for half a
//! second.
//!
//! A click that was meant for something else, and one that comes before anybody can have read,
//! approves nothing: when a card goes, the next one moves to where the pointer is. Keys mean the
//! button that has the focus, wherever it moves. Clicks and keys that a script makes decide nothing.
//! Where the browser cannot tell what is in view, time alone counts.

use assistant_core::session::Refusal;
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{
    Element, Event, IntersectionObserver, IntersectionObserverEntry, MouseEvent,
    ScrollIntoViewOptions, ScrollLogicalPosition,
};

use crate::{
    action::Gate,
    ui::{accepts_scripts, after, after_by_browser, effect, is_trusted},
};

/// How long it stands before an approval counts, in milliseconds.
const STANDS: u32 = 500;
/// How often it is looked whether it stands where it stood, in milliseconds.
const LOOKS: u32 = 250;
/// How far it may move without that anybody misses it, in pixels.
const SLACK: f64 = 4.0;
/// What holds the ends and the buttons.
const CARD: &str = ".la-approval, .la-approval-custom, .la-batch";

/// The events by which a user decides. A `submit` follows one of them.
const PRESSES: [&str; 2] = ["click", "keydown"];

/// What stays in view at the end of a card.
const BUTTONS: &str = ".la-approval-actions";

/// How far a person can have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// An end was not in view.
    Begun,
    /// It stands.
    Stands,
    /// It has stood long enough.
    Seen,
}

/// Follows whether something was seen.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Stand where something ends that is to be read.
    ends: StoredValue<Vec<End>>,
    stage: RwSignal<Stage>,
    /// Counts how often it was shown again: what a timer of another round says is void.
    round: StoredValue<u32>,
    /// The person is to be told to read on: an end stays out of view, or they wanted to approve
    /// before it was in view.
    asks: RwSignal<bool>,
    /// It has stood in its place for long enough.
    rests: RwSignal<bool>,
    /// Where its card came to stand last: its left and its bottom edge.
    place: StoredValue<(f64, f64)>,
    /// The press that is being handled; none while a script makes one.
    press: StoredValue<Option<Press>>,
    /// The number of the last one.
    last_press: StoredValue<u32>,
}

/// A click or a key of the user in the card.
#[derive(Clone, Copy, Default)]
struct Press {
    /// True if a pointer made it.
    pointed: bool,
    /// Tells it from the presses before.
    number: u32,
}

/// A mark, whether it is where it can be seen, and whether it was seen.
#[derive(Clone, Copy)]
struct End {
    mark: NodeRef<html::Span>,
    near: bool,
    seen: bool,
}

impl End {
    /// Returns whether this is the mark.
    fn is(&self, mark: &Element) -> bool {
        let own = self.mark.get_untracked();
        own.is_some_and(|own| own.is_same_node(Some(mark)))
    }

    /// Returns whether the buttons of the card, which stay in view, do not stand before it.
    fn is_free(&self) -> bool {
        let Some(mark) = self.mark.get_untracked() else {
            return false;
        };
        let card = mark.closest(CARD).ok().flatten();
        let buttons = card.and_then(|card| card.query_selector(BUTTONS).ok().flatten());
        buttons.is_none_or(|buttons| {
            if buttons.contains(Some(&mark)) {
                return true;
            }
            let (mark, buttons) = (
                mark.get_bounding_client_rect(),
                buttons.get_bounding_client_rect(),
            );
            mark.bottom() <= buttons.top() + SLACK || mark.top() >= buttons.bottom() - SLACK
        })
    }
}

impl Seen {
    /// Starts over whenever the content is another one, and tells so.
    pub(super) fn new<T: Clone + PartialEq + Send + Sync + 'static>(
        content: Memo<T>,
        changed: impl Fn() + 'static,
    ) -> Self {
        let seen = Self {
            ends: StoredValue::default(),
            stage: RwSignal::new(Stage::Begun),
            round: StoredValue::new(0),
            asks: RwSignal::new(false),
            rests: RwSignal::new(true),
            place: StoredValue::default(),
            press: StoredValue::new(None),
            last_press: StoredValue::new(0),
        };
        effect(move |before: Option<T>| {
            let now = content.get();
            if before.is_some_and(|before| before != now) {
                changed();
            }
            let ends = seen.ends.get_value();
            let marks: Option<Vec<_>> = ends.iter().map(|end| end.mark.get()).collect();
            if let Some(marks) = marks {
                seen.begin(&marks);
            }
            now
        });
        seen
    }

    /// A mark for the end of something that is to be read.
    pub(super) fn end(self) -> AnyView {
        let mark = NodeRef::new();
        self.ends.update_value(|ends| {
            ends.push(End {
                mark,
                near: false,
                seen: false,
            });
        });
        // What has no size is not in view at the very edge; it has one without our style sheet, too.
        view! {
            <span
                class="la-approval-end"
                style:display="inline-block"
                style:inline-size="1px"
                style:block-size="1px"
                node_ref=mark
            ></span>
        }
        .into_any()
    }

    /// What lets approvals pass.
    pub(super) fn gate(self) -> Gate {
        Gate {
            passes: Callback::new(move |()| match (self.press(), self.allows()) {
                (None, _) => Err(Refusal::Scripted),
                (Some(_), false) => Err(Refusal::TooEarly),
                (Some(_), true) => Ok(()),
            }),
            is_open: Signal::derive(move || self.is_done()),
        }
    }

    /// Whether an approval counts, however it is given.
    pub(super) fn is_done(self) -> bool {
        self.stage.get() == Stage::Seen && self.rests.get()
    }

    /// Whether the person is to be told what is missing.
    pub(super) fn asks_to_read(self) -> bool {
        self.asks.get() && self.stage.get() == Stage::Begun
    }

    /// Returns whether the press that is being handled decides. To a user who has not come to the
    /// end it is shown.
    pub(super) fn allows(self) -> bool {
        let press = self.press();
        let read = press.is_some() && self.is_read();
        let pointed = press.is_some_and(|press| press.pointed);
        read && (self.rests.get_untracked() || !pointed)
    }

    /// The press that is being handled.
    fn press(self) -> Option<Press> {
        let by_test = || accepts_scripts().then_some(Press::default());
        self.press.get_value().or_else(by_test)
    }

    /// Returns whether all of it was seen and has stood for long enough. What is missing is shown.
    pub(super) fn is_read(self) -> bool {
        let stage = self.stage.get_untracked();
        if stage == Stage::Begun {
            self.asks.set(true);
            let ends = self.ends.get_value();
            let next = ends.iter().find(|end| !end.seen);
            if let Some(mark) = next.and_then(|end| end.mark.get_untracked()) {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                mark.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        if stage == Stage::Seen && self.has_moved() {
            self.comes_to_rest();
        }
        stage == Stage::Seen
    }

    fn begin(self, marks: &[web_sys::HtmlSpanElement]) {
        self.round
            .update_value(|round| *round = round.wrapping_add(1));
        self.stage.set(Stage::Begun);
        self.rests.set(true);
        self.ends.update_value(|ends| {
            ends.iter_mut()
                .for_each(|end| (end.near, end.seen) = (false, false));
        });
        let Some(first) = marks.first() else {
            return self.stands();
        };
        if let Ok(Some(card)) = first.closest(CARD) {
            self.follow_presses(card);
        }
        let looked = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let entries = entries.iter().map(JsCast::unchecked_into);
            self.came_or_went(entries);
        });
        match IntersectionObserver::new(looked.as_ref().unchecked_ref()) {
            Ok(observer) => {
                for mark in marks {
                    observer.observe(mark);
                }
                let watching = SendWrapper::new((observer, looked));
                on_cleanup(move || watching.0.disconnect());
            }
            Err(_) => self.stands(),
        }
    }

    /// Follows, before the card's buttons do, who presses what.
    fn follow_presses(self, card: Element) {
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

    /// A press decides while it is handled, until the browser turns to its next task; what a script
    /// makes in between decides nothing, and ends it.
    fn pressed(self, event: &Event) {
        let before = self.last_press.try_get_value().unwrap_or_default();
        let number = before.wrapping_add(1);
        self.last_press.set_value(number);
        // A click by a key counts no clicks.
        let click = event.dyn_ref::<MouseEvent>();
        let pointed = click.is_some_and(|click| click.detail() > 0);
        let press = is_trusted(event).then_some(Press { pointed, number });
        self.press.set_value(press);
        after_by_browser(0, move || {
            let _ = self.press.try_update_value(|press| {
                let same = press.is_some_and(|press| press.number == number);
                *press = press.filter(|_| !same);
            });
        });
    }

    /// Marks came into view or went out of it.
    fn came_or_went(self, entries: impl Iterator<Item = IntersectionObserverEntry>) {
        let entries: Vec<_> = entries.collect();
        let _ = self.ends.try_update_value(|ends| {
            for end in ends {
                let entry = entries.iter().rev().find(|entry| end.is(&entry.target()));
                if let Some(entry) = entry {
                    end.near = entry.is_intersecting();
                }
            }
        });
        self.saw();
    }

    /// Some marks are in view, or none, and that perhaps only for the moment in which the chat
    /// scrolls to it.
    fn saw(self) {
        let left = self.ends.try_update_value(|ends| {
            for end in ends.iter_mut().filter(|end| end.near) {
                end.seen |= end.is_free();
            }
            let covered = ends.iter().any(|end| end.near && !end.seen);
            (ends.iter().any(|end| !end.seen), covered)
        });
        if let Some((_, true)) = left {
            self.later(LOOKS, Stage::Begun, move || self.saw());
        }
        match left {
            Some((true, _)) => self.later(STANDS, Stage::Begun, move || self.asks.set(true)),
            Some((false, _)) if self.stage.try_get_untracked() == Some(Stage::Begun) => {
                self.stands();
            }
            _ => {}
        }
    }

    /// All of it was in view.
    fn stands(self) {
        self.stage.set(Stage::Stands);
        self.has_moved();
        self.later(STANDS, Stage::Stands, move || {
            self.stage.set(Stage::Seen);
            if self.has_moved() {
                self.comes_to_rest();
            }
            self.look();
        });
    }

    /// Looks again and again whether it stands where it stood.
    fn look(self) {
        self.later(LOOKS, Stage::Seen, move || {
            if self.has_moved() {
                self.comes_to_rest();
            }
            self.look();
        });
    }

    /// It has moved: waits until it stands in its place for long enough.
    fn comes_to_rest(self) {
        self.rests.set(false);
        let stood = self.place.get_value();
        self.later(STANDS, Stage::Seen, move || {
            if self.has_moved() {
                self.comes_to_rest();
            } else if self.place.get_value() == stood {
                self.rests.set(true);
            }
        });
    }

    /// Whether its card stands elsewhere than when it moved last.
    fn has_moved(self) -> bool {
        let ends = self.ends.try_get_value().unwrap_or_default();
        let mark = ends.first().and_then(|end| end.mark.get_untracked());
        let card = mark.and_then(|mark| mark.closest(CARD).ok().flatten());
        let Some(edges) = card.map(|card| card.get_bounding_client_rect()) else {
            return false;
        };
        let now = (edges.left(), edges.bottom());
        let before = self.place.get_value();
        let moved = (now.0 - before.0).abs() > SLACK || (now.1 - before.1).abs() > SLACK;
        if moved {
            self.place.set_value(now);
        }
        moved
    }

    /// Acts if all is as it is now by then, and the card still there.
    fn later(self, ms: u32, stage: Stage, act: impl FnOnce() + 'static) {
        let Some(round) = self.round.try_get_value() else {
            return;
        };
        after(ms, move || {
            let same = self.round.try_get_value() == Some(round);
            if same && self.stage.try_get_untracked() == Some(stage) {
                act();
            }
        });
    }
}
