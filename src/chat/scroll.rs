//! Sticking to the end without ever pulling a reader back.
//!
//! The transcript follows what is new only while its end is in view. Whoever scrolls up stays
//! where they are, whatever changes above, and gets a button to jump to the end. Neighbours:
//! `place` knows what the reader sees, `list` which messages are there to be seen.

use std::cell::{Cell, RefCell};

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{list::List, place::Place};

/// How far from the end still counts as at the end, in pixels.
const NEAR: i32 = 48;

/// Whether the end is in view, and the elements that scroll and grow.
#[derive(Clone, Copy)]
pub(super) struct StickToEnd {
    pub(super) scroller: NodeRef<html::Div>,
    pub(super) content: NodeRef<html::Div>,
    pub(super) at_end: RwSignal<bool>,
    list: List,
    last_top: StoredValue<Cell<i32>, LocalStorage>,
    place: StoredValue<RefCell<Place>, LocalStorage>,
}

impl StickToEnd {
    /// Watches the content from when it is there until the component goes.
    pub(super) fn new(list: List) -> Self {
        let stick = Self {
            scroller: NodeRef::new(),
            content: NodeRef::new(),
            at_end: RwSignal::new(true),
            list,
            last_top: StoredValue::new_local(Cell::new(0)),
            place: StoredValue::new_local(RefCell::default()),
        };
        Effect::new(move |_| {
            if let (Some(scroller), Some(content)) = (stick.scroller.get(), stick.content.get()) {
                stick.watch(&scroller, &content);
            }
        });
        stick
    }

    /// The end goes out of view when the content grows, and when the place for it shrinks, as it
    /// does when a notice appears below.
    fn watch(self, scroller: &web_sys::HtmlElement, content: &web_sys::HtmlElement) {
        let changed = Closure::<dyn FnMut()>::new(move || self.size_changed());
        let Ok(observer) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(scroller);
        observer.observe(content);
        let watching = SendWrapper::new((observer, changed));
        on_cleanup(move || watching.0.disconnect());
    }

    /// The person scrolled. Only moving up leaves the end: when content has grown since, the
    /// distance to the end says nothing about what the person wants.
    pub(super) fn scrolled(self) {
        let Some(element) = self.scroller.get_untracked() else {
            return;
        };
        let top = element.scroll_top();
        let before = self.last_top.with_value(|last| last.replace(top));
        let at_end = element.scroll_height() - top - element.client_height() <= NEAR;
        let moved_up = top < before;
        if at_end || moved_up {
            self.set_at_end(at_end);
        }
        self.note_place();
        // Whoever follows the end and is not there yet is on the way.
        if at_end == self.at_end.get_untracked() {
            self.look();
        }
    }

    /// Whoever reads is put back to their place; whoever follows goes along. This comes after the
    /// layout and before the page is painted, so nobody sees it move.
    fn size_changed(self) {
        if self.at_end.try_get_untracked() != Some(false) {
            if self.has_messages() {
                self.jump();
            }
            return;
        }
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        let shift = self
            .place
            .try_with_value(|place| place.borrow().shift(&element))
            .unwrap_or_default();
        if shift.abs() >= 0.5 {
            element.scroll_by_with_x_and_y(0.0, shift);
            self.last_top
                .with_value(|last| last.set(element.scroll_top()));
        }
        self.note_place();
    }

    /// Remembers what the reader sees.
    fn note_place(self) {
        if self.at_end.get_untracked() {
            return;
        }
        let (scroller, content) = (self.scroller.get_untracked(), self.content.get_untracked());
        if let (Some(scroller), Some(content)) = (scroller, content) {
            let place = Place::of(&scroller, &content);
            self.place.with_value(|old| old.replace(place));
        }
    }

    /// Sees to it that what comes near is in the page.
    fn look(self) {
        let (scroller, content) = (self.scroller.get_untracked(), self.content.get_untracked());
        if let (Some(scroller), Some(content)) = (scroller, content) {
            self.list
                .look(&scroller, &content, self.at_end.get_untracked());
        }
    }

    /// What stands there before the first message is read from its beginning.
    fn has_messages(self) -> bool {
        self.list.total.try_get_untracked().unwrap_or_default() > 0
    }

    /// Shows the end and follows it from now on.
    pub(super) fn jump(self) {
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        element.set_scroll_top(element.scroll_height());
        self.set_at_end(true);
    }

    fn set_at_end(self, at_end: bool) {
        if self.at_end.try_get_untracked() == Some(!at_end) {
            self.at_end.set(at_end);
            self.list.look_again();
        }
    }
}
