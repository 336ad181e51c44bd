//! Whether a person can have seen what they are about to approve: its end was in view, and from
//! then on it has stood unchanged for half a second.
//!
//! A click that was meant for something else, and one that comes before anybody can have read,
//! approves nothing. Where the browser cannot tell what is in view, time alone counts.

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{
    IntersectionObserver, IntersectionObserverEntry, ScrollIntoViewOptions, ScrollLogicalPosition,
};

use crate::ui::after;

/// How long it stands before an approval counts, in milliseconds.
const STANDS: u32 = 500;

/// How far a person can have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its end was not in view.
    Begun,
    /// It stands.
    Stands,
    /// It has stood long enough.
    Seen,
}

/// Follows whether something was seen.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Stands at its end.
    pub(super) end: NodeRef<html::Span>,
    stage: RwSignal<Stage>,
    /// Counts how often it was shown anew: what a timer of another round says is void.
    round: StoredValue<u32>,
    /// The person is to be told to read on: its end stays out of view, or they wanted to approve
    /// before it was in view.
    asks: RwSignal<bool>,
}

impl Seen {
    /// Begins anew whenever the content is another one, and tells so.
    pub(super) fn new<T: Clone + PartialEq + Send + Sync + 'static>(
        content: Memo<T>,
        changed: impl Fn() + 'static,
    ) -> Self {
        let seen = Self {
            end: NodeRef::new(),
            stage: RwSignal::new(Stage::Begun),
            round: StoredValue::new(0),
            asks: RwSignal::new(false),
        };
        Effect::new(move |before: Option<T>| {
            let now = content.get();
            if before.is_some_and(|before| before != now) {
                changed();
            }
            if let Some(end) = seen.end.get() {
                seen.begin(&end);
            }
            now
        });
        seen
    }

    /// Whether an approval counts.
    pub(super) fn is_done(self) -> bool {
        self.stage.get() == Stage::Seen
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
            if let Some(end) = self.end.get_untracked() {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                end.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        stage == Stage::Seen
    }

    fn begin(self, end: &web_sys::Element) {
        self.round
            .update_value(|round| *round = round.wrapping_add(1));
        self.stage.set(Stage::Begun);
        let looked = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let mut entries = entries.iter().map(JsCast::unchecked_into);
            if entries.any(|entry: IntersectionObserverEntry| entry.is_intersecting()) {
                self.stands();
            } else {
                self.waits();
            }
        });
        match IntersectionObserver::new(looked.as_ref().unchecked_ref()) {
            Ok(observer) => {
                observer.observe(end);
                let watching = SendWrapper::new((observer, looked));
                on_cleanup(move || watching.0.disconnect());
            }
            Err(_) => self.stands(),
        }
    }

    /// Its end is in view.
    fn stands(self) {
        if self.stage.try_get_untracked() == Some(Stage::Begun) {
            self.stage.set(Stage::Stands);
            self.later(Stage::Stands, move || self.stage.set(Stage::Seen));
        }
    }

    /// Its end is out of view, and perhaps only for the moment in which the chat scrolls to it.
    fn waits(self) {
        self.later(Stage::Begun, move || self.asks.set(true));
    }

    /// Acts if all is as it is now by then, and the card still there.
    fn later(self, stage: Stage, act: impl FnOnce() + 'static) {
        let Some(round) = self.round.try_get_value() else {
            return;
        };
        after(STANDS, move || {
            let same = self.round.try_get_value() == Some(round);
            if same && self.stage.try_get_untracked() == Some(stage) {
                act();
            }
        });
    }
}
