//! Whether a person can have seen what they are about to approve, and meant it: every part of it
//! was in view to its end, and from then on it has stood unchanged, and in its place, for half a
//! second.
//!
//! A click that was meant for something else, and one that comes before anybody can have read,
//! approves nothing: when a card goes, the next one moves to where the pointer is. Keys mean the
//! button that has the focus, wherever it moves. Where the browser cannot tell what is in view,
//! time alone counts.

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, MouseEvent, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

use crate::{
    action::Gate,
    ui::{after, effect},
};

/// How long it stands before an approval counts, in milliseconds.
const STANDS: u32 = 500;
/// How often it is looked whether it stands where it stood, in milliseconds.
const LOOKS: u32 = 250;
/// How far it may move without that anybody misses it, in pixels.
const SLACK: f64 = 4.0;
/// What holds the ends and the buttons.
const CARD: &str = ".la-approval, .la-approval-custom, .la-batch";

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
    /// Whether the click that is being handled comes from a pointer.
    pointed: StoredValue<bool>,
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
            pointed: StoredValue::new(false),
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
            passes: Callback::new(move |()| self.allows()),
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

    /// Whether an approval counts now. To whoever has not come to the end it is shown.
    pub(super) fn allows(self) -> bool {
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
        stage == Stage::Seen && (self.rests.get_untracked() || !self.pointed.get_value())
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
            self.hear(card);
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

    /// Hears before the card's buttons whether it is a pointer that clicks.
    fn hear(self, card: Element) {
        let heard = Closure::<dyn Fn(MouseEvent)>::new(move |event: MouseEvent| {
            // A click by a key counts no clicks.
            self.pointed.set_value(event.detail() > 0);
        });
        let callback = heard.as_ref().unchecked_ref();
        // Neither fails.
        let _ = card.add_event_listener_with_callback_and_bool("click", callback, true);
        let hearing = SendWrapper::new((card, heard));
        on_cleanup(move || {
            let (card, heard) = &*hearing;
            let callback = heard.as_ref().unchecked_ref();
            let _ = card.remove_event_listener_with_callback_and_bool("click", callback, true);
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
