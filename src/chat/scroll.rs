//! Scrolls the transcript: follows the end while the end is in view, and keeps the position of a
//! reader who has scrolled up.
//!
//! New content is followed only while the end is in view. A reader who scrolls up keeps their
//! position, even if content above changes, and gets a button that jumps to the end. The module
//! `scroll_anchor` tracks the reader's position, and the module `list` mounts the messages.

use std::cell::{Cell, RefCell};

use assistant_core::conversation::MessageId;
use js_sys::Date;
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};

use super::{list::BlockList, scroll_anchor::ScrollAnchor};
use crate::ui::{after, effect};

/// The maximum distance to the end at which the view counts as at the end, in pixels, unless a
/// gesture has moved it up.
const END_TOLERANCE: i32 = 48;
/// The events of gestures by which the user may scroll up.
const GESTURES: [&str; 3] = ["wheel", "touchmove", "keydown"];
/// The time for which scrolling counts as the effect of a gesture, in milliseconds.
const GESTURE_MS: f64 = 1_000.0;
/// The time after which an opened element has its new height, in milliseconds.
const LAYOUT_MS: u32 = 100;
/// The space above a question that is shown from its top, in pixels.
const QUESTION_MARGIN: f64 = 8.0;
/// The selector of the questions to the user, in messages and in the inbox.
const QUESTION_SELECTOR: &str = ".la-tool[data-phase=approval-requested], \
                                 .la-tool:has(> .la-approval), \
                                 .la-inbox > :not(.la-inbox-progress, [inert])";

/// The selector of the summary of several questions.
const SUMMARY_SELECTOR: &str = ".la-batch";

/// The scroll state of the transcript: at the end, at a question, or at the position of the reader.
#[derive(Clone, Copy)]
pub(super) struct ScrollState {
    pub(super) scroller: NodeRef<html::Div>,
    pub(super) content: NodeRef<html::Div>,
    pub(super) at_end: RwSignal<bool>,
    list: BlockList,
    last_top: StoredValue<Cell<i32>, LocalStorage>,
    /// The time of the last gesture, in milliseconds since 1970.
    last_gesture: StoredValue<Cell<f64>, LocalStorage>,
    anchor: StoredValue<RefCell<ScrollAnchor>, LocalStorage>,
    /// True if the first question must be scrolled into view once it is mounted.
    is_question_pending: StoredValue<bool>,
    /// True if a question is shown from its top, and the user has not scrolled since.
    pub(super) held: RwSignal<bool>,
    /// The id of the message that contains the first open question.
    question: StoredValue<Option<MessageId>>,
}

impl ScrollState {
    /// Creates the scroll state, and observes the size of the content until the component is
    /// unmounted.
    pub(super) fn new(list: BlockList) -> Self {
        let scroll = Self {
            scroller: NodeRef::new(),
            content: list.pinned.content,
            at_end: RwSignal::new(true),
            list,
            last_top: StoredValue::new_local(Cell::new(0)),
            last_gesture: StoredValue::new_local(Cell::new(0.0)),
            anchor: StoredValue::new_local(RefCell::default()),
            is_question_pending: StoredValue::new(false),
            held: RwSignal::new(false),
            question: StoredValue::new(None),
        };
        effect(move |_| {
            if let (Some(scroller), Some(content)) = (scroll.scroller.get(), scroll.content.get()) {
                scroll.watch_sizes(&scroller, &content);
                scroll.watch_gestures(&scroller);
            }
        });
        scroll
    }

    /// Observes the sizes of the content and its container, because the end leaves the view when
    /// the content grows, and when the container shrinks, for example when a notice appears below.
    fn watch_sizes(self, scroller: &web_sys::HtmlElement, content: &web_sys::HtmlElement) {
        let callback = Closure::<dyn FnMut()>::new(move || self.handle_resize());
        let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(scroller);
        observer.observe(content);
        let observer_with_callback = SendWrapper::new((observer, callback));
        on_cleanup(move || observer_with_callback.0.disconnect());
    }

    /// Records the gestures by which the user may scroll up. The listeners are passive, so that they
    /// do not delay scrolling.
    fn watch_gestures(self, scroller: &web_sys::HtmlElement) {
        let callback = Closure::<dyn FnMut(_)>::new(move |event: web_sys::Event| {
            if scrolls_up(&event) {
                let _ = self.last_gesture.try_with_value(|at| at.set(Date::now()));
            }
        });
        let options = web_sys::AddEventListenerOptions::new();
        options.set_passive(true);
        for name in GESTURES {
            // The error is ignored, because adding a listener fails only for invalid options.
            let _ = scroller.add_event_listener_with_callback_and_add_event_listener_options(
                name,
                callback.as_ref().unchecked_ref(),
                &options,
            );
        }
        let (scroller, callback) = (
            SendWrapper::new(scroller.clone()),
            SendWrapper::new(callback),
        );
        on_cleanup(move || {
            for name in GESTURES {
                let function = callback.as_ref().unchecked_ref();
                let _ = scroller.remove_event_listener_with_callback(name, function);
            }
        });
    }

    /// Handles scrolling: records the position, and mounts the blocks near the view. Only scrolling
    /// up leaves the end, because the distance to the end does not show the user's intent if the
    /// content has grown. A gesture leaves the end by any distance: a slow gesture moves a few
    /// pixels at a time, and would otherwise be undone by each new line. Other movements, such as
    /// that of a view whose content shrinks, leave the end by more than [`END_TOLERANCE`].
    pub(super) fn handle_scroll(self) {
        let Some(element) = self.scroller.get_untracked() else {
            return;
        };
        let top = element.scroll_top();
        let old_top = self.last_top.with_value(|last| last.replace(top));
        let distance_to_end = element.scroll_height() - top - element.client_height();
        let is_near_end = distance_to_end <= END_TOLERANCE;
        if top != old_top {
            self.set_held(false);
        }
        if top < old_top {
            let gesture_age = Date::now() - self.last_gesture.with_value(Cell::get);
            let tolerance = match (0.0..GESTURE_MS).contains(&gesture_age) {
                true => 1,
                false => END_TOLERANCE,
            };
            self.set_at_end(distance_to_end <= tolerance);
        } else if top > old_top && is_near_end {
            self.set_at_end(true);
        }
        self.record_position();
        // No blocks are mounted while a view that follows the end is still scrolling to the end.
        if is_near_end || !self.at_end.get_untracked() {
            self.mount_near_view();
        }
    }

    /// Handles a change of size: shows an open question from its top, follows the end, or restores
    /// the position of the reader. The function runs after layout and before paint, so the movement
    /// is not visible.
    fn handle_resize(self) {
        // A question that is shown from its top stays at the top while its height changes.
        let must_show_question = self.is_question_pending.try_get_value() == Some(true)
            || self.held.try_get_untracked() == Some(true);
        if must_show_question && self.show_question() {
            return;
        }
        if self.at_end.try_get_untracked() != Some(false) {
            if self.has_messages() {
                self.jump_to_end();
            }
            return;
        }
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        let shift = self
            .anchor
            .try_with_value(|anchor| anchor.borrow().measure_shift(&element))
            .unwrap_or_default();
        if shift.abs() >= 0.5 {
            element.scroll_by_with_x_and_y(0.0, shift);
            self.last_top
                .with_value(|last| last.set(element.scroll_top()));
        }
        self.record_position();
    }

    /// Records the position of the reader, unless the view follows the end.
    fn record_position(self) {
        if self.at_end.get_untracked() {
            return;
        }
        let (scroller, content) = (self.scroller.get_untracked(), self.content.get_untracked());
        if let (Some(scroller), Some(content)) = (scroller, content) {
            let anchor = ScrollAnchor::record(&scroller, &content);
            self.anchor.with_value(|old| old.replace(anchor));
        }
    }

    fn mount_near_view(self) {
        let (scroller, content) = (self.scroller.get_untracked(), self.content.get_untracked());
        if let (Some(scroller), Some(content)) = (scroller, content) {
            self.list
                .mount_near_view(&scroller, &content, self.at_end.get_untracked());
        }
    }

    /// Returns true if there are messages. The content before the first message is shown from its
    /// beginning.
    fn has_messages(self) -> bool {
        self.list.total.try_get_untracked().unwrap_or_default() > 0
    }

    /// Stops following the end, so that an element that the user opens or closes keeps its
    /// position. Follows the end again after [`LAYOUT_MS`] if the end is still in view.
    pub(super) fn hold_toggled_element(self) {
        if self.at_end.get_untracked() {
            self.at_end.set(false);
            self.record_position();
            after(LAYOUT_MS, move || {
                let Some(Some(element)) = self.scroller.try_get_untracked() else {
                    return;
                };
                let distance_to_end =
                    element.scroll_height() - element.scroll_top() - element.client_height();
                self.set_at_end(distance_to_end <= 1);
            });
        }
    }

    /// Handles a change of the open questions. If a question is already shown from its top, or the
    /// view is at the end and a question is new, mounts the message of the first question and
    /// scrolls to the top of that question. Once no question is open, scrolls back to the end if a
    /// question was shown from its top.
    pub(super) fn handle_questions_change(
        self,
        has_new: bool,
        has_open: bool,
        first_message_id: Option<&MessageId>,
    ) {
        self.question.set_value(first_message_id.cloned());
        if !has_open {
            self.is_question_pending.set_value(false);
        }
        let is_held = self.held.try_get_untracked() == Some(true);
        if has_open && (is_held || (has_new && self.at_end.get_untracked())) {
            if let Some(first_message_id) = first_message_id {
                self.list.mount_message(first_message_id);
            }
            self.show_mounted_question();
        } else if !has_open && is_held {
            self.list.invalidate_inspection();
            self.jump_to_end();
        }
    }

    /// Scrolls to the end, or to the first open question if its message is not mounted. The newest
    /// messages are always mounted, so such a question is far above these messages.
    pub(super) fn jump_to_latest(self) {
        let question = self.question.get_value();
        match question.is_some_and(|message| self.list.mount_message(&message)) {
            true => self.show_mounted_question(),
            false => self.jump_to_end(),
        }
    }

    /// Scrolls to the first question once the question is in the page.
    fn show_mounted_question(self) {
        self.is_question_pending.set_value(true);
        // The question is also shown without a resize, because there is no resize if the question
        // replaces content of the same height.
        after(0, move || {
            if self.is_question_pending.try_get_value() == Some(true) {
                self.show_question();
            }
        });
    }

    /// Shows the first question from its top. Returns false if the transcript or a question is not
    /// mounted.
    fn show_question(self) -> bool {
        let Some(Some(scroller)) = self.scroller.try_get_untracked() else {
            return false;
        };
        let Some(question) = scroller.query_selector(QUESTION_SELECTOR).ok().flatten() else {
            return false;
        };
        self.is_question_pending.set_value(false);
        // The summary of several questions is shown first if it leaves half of the view to the
        // first question, so that the user knows their number.
        let question_top = question.get_bounding_client_rect().top();
        let summary = scroller.query_selector(SUMMARY_SELECTOR).ok().flatten();
        let available_height = f64::from(scroller.client_height()) - 2.0 * QUESTION_MARGIN;
        let top_element = summary.filter(|summary| {
            let bounds = summary.get_bounding_client_rect();
            bounds.top() <= question_top && bounds.height() <= available_height / 2.0
        });
        let edge = scroller.get_bounding_client_rect().top() + QUESTION_MARGIN;
        let top_element = top_element.unwrap_or(question);
        let distance = top_element.get_bounding_client_rect().top() - edge;
        scroller.scroll_by_with_x_and_y(0.0, distance);
        let top = scroller.scroll_top();
        self.last_top.with_value(|last| last.set(top));
        let distance_to_end = scroller.scroll_height() - top - scroller.client_height();
        self.set_held(true);
        self.set_at_end(distance_to_end <= 1);
        self.record_position();
        true
    }

    /// Scrolls to the end, and follows the end from now on.
    pub(super) fn jump_to_end(self) {
        self.set_held(false);
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        element.set_scroll_top(element.scroll_height());
        // The position is recorded, because a view whose content has shrunk does not move up by the
        // user's intent.
        self.last_top
            .with_value(|last| last.set(element.scroll_top()));
        self.set_at_end(true);
    }

    fn set_held(self, is_held: bool) {
        if self.held.try_get_untracked() == Some(!is_held) {
            self.held.set(is_held);
        }
    }

    /// Stops following the end, so that the position of the reader stays while the content below is
    /// replaced.
    pub(super) fn hold_position(self) {
        self.set_at_end(false);
        self.record_position();
    }

    /// Ends the effect of [`Self::hold_position`] after the content was replaced. If the end is in
    /// view, the view follows the end; otherwise the position is kept.
    pub(super) fn resume_following(self) {
        let Some(Some(element)) = self.scroller.try_get_untracked() else {
            return;
        };
        let distance_to_end =
            element.scroll_height() - element.scroll_top() - element.client_height();
        self.set_at_end(distance_to_end <= END_TOLERANCE);
        self.record_position();
    }

    fn set_at_end(self, at_end: bool) {
        if self.at_end.try_get_untracked() == Some(!at_end) {
            self.at_end.set(at_end);
            self.list.invalidate_inspection();
        }
    }
}

/// Returns true if an event may scroll the view up. The direction of a touch is not known.
fn scrolls_up(event: &web_sys::Event) -> bool {
    if let Some(wheel) = event.dyn_ref::<web_sys::WheelEvent>() {
        return wheel.delta_y() < 0.0;
    }
    let key = event.dyn_ref::<web_sys::KeyboardEvent>();
    key.is_none_or(|key| matches!(key.key().as_str(), "ArrowUp" | "PageUp" | "Home" | " "))
}
