//! Tracks whether a user can have read a request before answering the request.
//!
//! An answer is accepted once each part of the card was visible for half a second, nothing has
//! covered the visible part for as long and, for a press by pointer, the card has not moved for as
//! long. So a click that was meant for another element, or that comes before the request can have
//! been read, has no effect. A key acts on the focused button, so movement does not matter for
//! keys. Scripted events have no effect at all.
//!
//! `parts` observes the parts of a card, `appearance`, `covers` and `occlusion_report` examine one
//! part, `presses` tracks the user's presses, `raised_dialog` opens a covered request above the
//! page, and `scheduler` limits the time that examinations take.

mod appearance;
mod covers;
mod occlusion_report;
mod parts;
mod presses;
mod raised_dialog;
mod scheduler;

use assistant_core::session::Refusal;
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use self::{
    covers::HitTest,
    parts::{CardParts, Conditions},
    presses::Presses,
    raised_dialog::RaiseControl,
};
use crate::{
    assistant::DecisionConditions,
    ui::{after, effect, now},
};

pub(crate) use raised_dialog::cover_note;
pub(super) use raised_dialog::render_raisable;

/// The time for which each part must be visible, and the card uncovered and in place, in
/// milliseconds.
const SETTLE_MS: u32 = 500;
/// The interval between examinations while a condition is not met, in milliseconds.
const UNMET_INTERVAL_MS: u32 = 100;
/// The interval between examinations while all conditions are met, in milliseconds.
const MET_INTERVAL_MS: u32 = 250;
/// The selector of the element that contains the end marks and the buttons of one request.
const CARD_SELECTOR: &str = ".la-approval, .la-approval-custom, .la-batch, .la-dialog-form";

/// A tracker that decides whether an answer to one request is accepted.
#[derive(Clone, Copy)]
pub(crate) struct Visibility {
    /// The marks at the ends of texts that must be read.
    marks: StoredValue<Vec<NodeRef<html::Span>>>,
    parts: StoredValue<Option<SendWrapper<CardParts>>>,
    presses: Presses,
    /// The number of times that tracking has begun, so that timers of earlier content can be
    /// ignored.
    round: StoredValue<u32>,
    /// True once each part was visible for at least [`SETTLE_MS`].
    read: RwSignal<bool>,
    /// True once nothing has covered the visible part for at least [`SETTLE_MS`].
    clear: RwSignal<bool>,
    /// True once the card has not moved for at least [`SETTLE_MS`].
    still: RwSignal<bool>,
    /// True if a part stays out of view, or if the user tried to approve before the complete
    /// request was visible.
    prompts: RwSignal<bool>,
    /// True if the card has been covered for at least [`SETTLE_MS`].
    covered: RwSignal<bool>,
    /// The control that opens the request above the page, if the request is rendered by
    /// `render_raisable`.
    on_top: Option<RaiseControl>,
}

impl Visibility {
    /// Creates a tracker. Whenever the content changes, the tracker starts over and calls `changed`
    /// with the previous and the new content.
    pub(crate) fn new<T: Clone + PartialEq + Send + Sync + 'static>(
        content: Memo<T>,
        changed: impl Fn(&T, &T) + 'static,
    ) -> Self {
        let visibility = Self {
            marks: StoredValue::default(),
            parts: StoredValue::new(None),
            presses: Presses::new(),
            round: StoredValue::new(0),
            read: RwSignal::new(false),
            clear: RwSignal::new(false),
            still: RwSignal::new(false),
            prompts: RwSignal::new(false),
            covered: RwSignal::new(false),
            on_top: use_context(),
        };
        effect(move |previous: Option<T>| {
            let current = content.get();
            if let Some(previous) = previous.filter(|previous| *previous != current) {
                changed(&previous, &current);
            }
            let marks = visibility.marks.get_value();
            let marks: Option<Vec<_>> = marks.iter().map(NodeRef::get).collect();
            if let Some(mark) = marks.and_then(|marks| marks.into_iter().next()) {
                visibility.begin_tracking(&mark);
            }
            current
        });
        visibility
    }

    /// Renders a mark at the end of a text that must be read.
    pub(crate) fn end_mark(self) -> AnyView {
        let mark = NodeRef::new();
        self.marks.update_value(|marks| marks.push(mark));
        // The browser does not report an element without a size as in view at the edge of the
        // window. The mark has a size even without the style sheet.
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

    /// Returns the conditions of decisions for a view rendered by the application.
    pub(super) fn decision_conditions(self) -> DecisionConditions {
        DecisionConditions {
            verify: Callback::new(
                move |()| match (self.presses.current(), self.check_answer()) {
                    (None, _) => Err(Refusal::Scripted),
                    (Some(_), false) => Err(Refusal::TooEarly),
                    (Some(_), true) => Ok(()),
                },
            ),
            are_met: Signal::derive(move || self.is_satisfied()),
        }
    }

    /// Returns true if an answer by pointer or by key is accepted; tracked.
    pub(crate) fn is_satisfied(self) -> bool {
        self.read.get() && self.clear.get() && self.still.get()
    }

    /// Returns true if the user should be asked to continue reading; tracked.
    pub(super) fn should_prompt_to_read(self) -> bool {
        self.prompts.get() && !self.read.get() && !self.covered.get()
    }

    /// Returns true if the card should show a note that the card is covered; tracked.
    pub(crate) fn is_covered(self) -> bool {
        self.covered.get()
    }

    /// Examines the card during a press, and returns true if an answer by this press is accepted.
    /// If a part is unread, asks the user to continue reading, and scrolls to that part.
    pub(crate) fn check_answer(self) -> bool {
        let Some(press) = self.presses.current() else {
            return false;
        };
        let conditions = self.examine_at_press(press.at);
        conditions.read && conditions.clear && (conditions.still || !press.pointed)
    }

    /// Returns the time of the press that is being handled, in milliseconds since 1970; `None` if no
    /// press by the user is being handled.
    pub(super) fn press_time(self) -> Option<i64> {
        self.presses.current().map(|press| press.at)
    }

    /// Examines the card, and returns true if, at the time of a press, every part was visible, and
    /// nothing had covered the card, for at least [`SETTLE_MS`]. If a part is unread, asks the user
    /// to continue reading, and scrolls to that part.
    pub(super) fn check_is_read(self, pressed_at: i64) -> bool {
        let conditions = self.examine_at_press(pressed_at);
        conditions.read && conditions.clear
    }

    /// Examines the card, and returns the conditions at the time of a press. If a part is unread,
    /// asks the user to continue reading, and scrolls to that part.
    fn examine_at_press(self, pressed_at: i64) -> Conditions {
        let conditions = self.examine(Some(pressed_at), &mut HitTest::default());
        if !self.read.get_untracked() {
            self.prompts.set(true);
            let unread_part = self
                .parts
                .with_value(|parts| parts.as_ref().and_then(|parts| parts.next_unread_part()));
            if let Some(part) = unread_part {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                part.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        conditions
    }

    /// Returns true if two values are the same tracker.
    fn is_same(self, other: Self) -> bool {
        self.round == other.round
    }

    fn begin_tracking(self, mark: &web_sys::HtmlSpanElement) {
        self.round
            .update_value(|round| *round = round.wrapping_add(1));
        for signal in [self.read, self.clear, self.still, self.covered] {
            signal.set(false);
        }
        let Ok(Some(card)) = mark.closest(CARD_SELECTOR) else {
            return;
        };
        self.presses.listen_on(card.clone());
        let parts = CardParts::observe(card, now(), move || scheduler::schedule_examination(self));
        self.parts.set_value(Some(SendWrapper::new(parts)));
        on_cleanup(move || {
            let _ = self.parts.try_update_value(Option::take);
        });
        self.examine_periodically();
    }

    /// Schedules an examination of the card now, and periodically as long as the content of the
    /// card is the same.
    fn examine_periodically(self) {
        scheduler::schedule_examination(self);
        let Some(round) = self.round.try_get_value() else {
            return;
        };
        let conditions =
            [self.read, self.clear, self.still].map(|signal| signal.try_get_untracked());
        let interval = match conditions == [Some(true); 3] {
            true => MET_INTERVAL_MS,
            false => UNMET_INTERVAL_MS,
        };
        after(interval, move || {
            if self.round.try_get_value() == Some(round) {
                self.examine_periodically();
            }
        });
    }

    /// Examines the card, and updates the signals. During a press, which happened at `pressed_at`,
    /// visible parts are also examined by hit tests, because reports of the browser may be
    /// outdated. Returns the conditions at the press, or now if there is no press.
    fn examine(self, pressed_at: Option<i64>, tests: &mut HitTest) -> Conditions {
        let state = self
            .parts
            .try_update_value(|parts| Some(parts.as_mut()?.examine(now(), pressed_at, tests)));
        let Some(Some(state)) = state else {
            return Conditions::default();
        };
        let changes = [
            (self.read, state.now.read),
            (self.clear, state.now.clear),
            (self.still, state.now.still),
            (self.covered, state.covered),
        ];
        for (signal, value) in changes {
            set_if_changed(signal, value);
        }
        if state.waits {
            set_if_changed(self.prompts, true);
        }
        state.at_press
    }
}

/// Sets a signal if the value differs; does nothing if the signal is disposed.
fn set_if_changed(signal: RwSignal<bool>, value: bool) {
    if signal.try_get_untracked() == Some(!value) {
        let _ = signal.try_set(value);
    }
}
