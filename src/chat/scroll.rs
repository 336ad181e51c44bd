//! Sticking to the end without ever pulling a reader back.
//!
//! The transcript follows what is new only while its end is in view. Whoever scrolls up stays
//! where they are and gets a button to jump to the end.

use std::cell::Cell;

use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

/// How far from the end still counts as at the end, in pixels.
const NEAR: i32 = 48;

/// Whether the end is in view, and the elements that scroll and grow.
#[derive(Clone, Copy)]
pub(super) struct StickToEnd {
    pub(super) scroller: NodeRef<html::Div>,
    pub(super) content: NodeRef<html::Div>,
    pub(super) at_end: RwSignal<bool>,
    last_top: StoredValue<SendWrapper<Cell<i32>>>,
}

impl StickToEnd {
    /// Watches the content from when it is there until the component goes.
    pub(super) fn new() -> Self {
        let stick = Self {
            scroller: NodeRef::new(),
            content: NodeRef::new(),
            at_end: RwSignal::new(true),
            last_top: StoredValue::new(SendWrapper::new(Cell::new(0))),
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
        let grew = Closure::<dyn FnMut()>::new(move || self.grew());
        let Ok(observer) = web_sys::ResizeObserver::new(grew.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(scroller);
        observer.observe(content);
        let watching = SendWrapper::new((observer, grew));
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
        if (at_end || moved_up) && self.at_end.get_untracked() != at_end {
            self.at_end.set(at_end);
        }
    }

    fn grew(self) {
        if self.at_end.try_get_untracked() == Some(true) && self.has_messages() {
            self.jump();
        }
    }

    /// What stands there before the first message is read from its beginning.
    fn has_messages(self) -> bool {
        let content = self.content.try_get_untracked().flatten();
        let first = content.map(|content| content.query_selector("[data-message-id]"));
        matches!(first, Some(Ok(Some(_))))
    }

    /// Shows the end and follows it from now on.
    pub(super) fn jump(self) {
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        element.set_scroll_top(element.scroll_height());
        if self.at_end.try_get_untracked() == Some(false) {
            self.at_end.set(true);
        }
    }
}
