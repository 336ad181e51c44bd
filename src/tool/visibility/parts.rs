//! Observes and examines the parts of a card that must be visible: title, question, rows,
//! arguments, fields, end marks and buttons.
//!
//! The browser reports which parts are in view and, with `IntersectionObserver` v2, whether they
//! are guaranteed to be visible. A part without that guarantee is examined by hit tests, because
//! the report covers the whole element, including content that is scrolled out of view, and counts
//! transparent layers as covers.

use std::{cell::RefCell, rc::Rc};

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::{
    SETTLE_MS, appearance,
    covers::{Cover, Grid, HitTest},
    occlusion_report,
};
use crate::ui;

/// The selector of the parts of a built-in card.
const PART_SELECTOR: &str = ":is(.la-dialog-title, .la-dialog-text, .la-dialog-form > .la-dialog-actions > .la-button, .la-approval-title, .la-approval-what, .la-approval-risk, .la-approval-text, \
    .la-approval-row > *, .la-batch-rows > li, .la-agent-text, .la-question-words, .la-question-action-name, .la-question-choices .la-field, .la-code, .la-approval-end, \
    .la-approval-actions > .la-button, .la-approval-split > .la-button, .la-form :is(input, select, textarea, button), .la-field-exact):not([hidden], [hidden] *, details *)";
/// The selector of the parts of a card that the application renders, in addition to the card
/// itself.
const CUSTOM_PART_SELECTOR: &str =
    ":is(:scope > .la-approval-end, button):not([hidden], [hidden] *, details *)";
/// The minimum age of a report that a part is not visible, in milliseconds. A newer report may be
/// caused by a button that changes under the pointer.
const MIN_REPORT_AGE_MS: i64 = 300;
/// The maximum movement of a card that still counts as stationary, in pixels.
const MOVEMENT_TOLERANCE: f64 = 4.0;
/// The minimum time between two reports of the browser, in milliseconds. Browsers permit no lower
/// value.
const REPORT_DELAY_MS: f64 = 100.0;
/// The visible shares of a part at which the browser reports.
const THRESHOLDS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The browser's latest report on a part.
#[derive(Clone, Copy)]
struct VisibilityReport {
    in_view: bool,
    /// True if the browser guarantees that the part is visible; `None` if the browser gives no
    /// guarantees.
    visible: Option<bool>,
    /// The time of the report, in milliseconds since 1970.
    at: i64,
}

/// The result of examining a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartVisibility {
    Visible,
    OutOfView,
    Covered,
}

struct CardPart {
    element: Element,
    report: Option<VisibilityReport>,
    /// The time since which the part has been visible; `None` while the part is not visible.
    visible_since: Option<i64>,
    /// The time since which the part counts as read, because it was visible for at least
    /// [`SETTLE_MS`]; `None` before.
    read_since: Option<i64>,
}

/// The conditions of an answer, at one time.
#[derive(Clone, Copy, Default)]
pub(super) struct Conditions {
    /// True once each part was visible for at least [`SETTLE_MS`].
    pub(super) read: bool,
    /// True if nothing has covered the visible part of the card for at least [`SETTLE_MS`].
    pub(super) clear: bool,
    /// True if the card has not moved for at least [`SETTLE_MS`].
    pub(super) still: bool,
}

/// The result of examining a card.
#[derive(Clone, Copy)]
pub(super) struct CardState {
    /// The conditions now.
    pub(super) now: Conditions,
    /// The conditions at the time of the press, or now if there is no press.
    pub(super) at_press: Conditions,
    /// True if the card has been covered for at least [`SETTLE_MS`], so that a note is shown.
    pub(super) covered: bool,
    /// True if the card has been uncovered for twice [`SETTLE_MS`] and is still not read, so that
    /// the user is asked to continue reading.
    pub(super) waits: bool,
}

/// An observer of the parts of one card. Dropping the value ends the observation.
pub(super) struct CardParts {
    card: Element,
    list: Rc<RefCell<Vec<CardPart>>>,
    observer: Option<IntersectionObserver>,
    _reported: Closure<dyn FnMut(Array)>,
    begun: i64,
    /// The positions of the left and bottom edges of the card, in pixels.
    place: (f64, f64),
    moved: i64,
    /// The time since which the card has been covered; `None` while the card is not covered.
    covered: Option<i64>,
    /// The time at which the card was last covered.
    cleared: i64,
}

impl CardParts {
    /// Observes a card; `reported` is called after each report of the browser.
    pub(super) fn observe(card: Element, now: i64, reported: impl Fn() + 'static) -> Self {
        let list = Rc::<RefCell<Vec<CardPart>>>::default();
        let parts = Rc::clone(&list);
        let on_report = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            if let Ok(mut list) = parts.try_borrow_mut() {
                for entry in entries.iter() {
                    let entry: IntersectionObserverEntry = entry.unchecked_into();
                    let target = entry.target();
                    if let Some(part) = list.iter_mut().find(|part| part.element == target) {
                        let report = VisibilityReport::from_entry(&entry, ui::now());
                        if !report.in_view {
                            // The time is reset now, because the part may be in view again before
                            // the next examination.
                            part.visible_since = None;
                        }
                        part.report = Some(report);
                    }
                }
            }
            reported();
        });
        Self {
            observer: create_intersection_observer(&on_report),
            card,
            list,
            _reported: on_report,
            begun: now,
            place: (0.0, 0.0),
            moved: now,
            covered: None,
            cleared: now,
        }
    }

    /// Returns the first part that is not read yet, preferably an end mark, because scrolling to an
    /// end mark brings the text before it into view; `None` if all parts are read.
    pub(super) fn next_unread_part(&self) -> Option<Element> {
        let list = self.list.try_borrow().ok()?;
        let unread_parts = || list.iter().filter(|part| part.read_since.is_none());
        let end_mark =
            unread_parts().find(|part| part.element.class_list().contains("la-approval-end"));
        let part = end_mark.or_else(|| unread_parts().next())?;
        Some(part.element.clone())
    }

    /// Examines the card in its current state. During a press, every visible part is also examined
    /// by hit tests, and the time between the press and its handling does not count for the press.
    pub(super) fn examine(
        &mut self,
        now: i64,
        pressed_at: Option<i64>,
        tests: &mut HitTest,
    ) -> CardState {
        let pressed = pressed_at.is_some();
        let has_settled_at =
            |time: i64, since: i64| time.saturating_sub(since) >= i64::from(SETTLE_MS);
        let has_settled = |since| has_settled_at(now, since);
        self.update_parts();
        self.track_movement(now);
        // Without a press, the parts of a card that was never in view are not examined, because the
        // card cannot have been read.
        let is_passive = !pressed && !self.was_in_view();
        let is_card_shown = is_passive || appearance::is_shown(&self.card);
        // The time since which all parts count as read; `None` if a part is unread.
        let (mut read_since, mut is_covered) = (None, false);
        if let Ok(mut list) = self.list.try_borrow_mut() {
            for part in list.iter_mut() {
                let visibility = match is_passive {
                    true => PartVisibility::OutOfView,
                    false => {
                        part.examine_visibility(&self.card, is_card_shown, pressed, now, tests)
                    }
                };
                part.record_visibility(visibility, now);
                is_covered |= visibility == PartVisibility::Covered;
            }
            let times: Option<Vec<i64>> = list.iter().map(|part| part.read_since).collect();
            read_since = times.and_then(|times| times.into_iter().max());
        }
        if is_covered {
            self.covered = self.covered.or(Some(now));
            self.cleared = now;
        } else {
            self.covered = None;
        }
        let conditions_at = |time| Conditions {
            read: read_since.is_some_and(|since| since <= time),
            clear: !is_covered && has_settled_at(time, self.cleared),
            still: has_settled_at(time, self.moved),
        };
        CardState {
            now: conditions_at(now),
            at_press: conditions_at(pressed_at.unwrap_or(now)),
            covered: self.covered.is_some_and(has_settled),
            waits: read_since.is_none()
                && !is_covered
                && has_settled(
                    self.begun
                        .max(self.cleared)
                        .saturating_add(i64::from(SETTLE_MS)),
                ),
        }
    }

    /// Returns true if a part is in view, or was visible for long enough to be read.
    fn was_in_view(&self) -> bool {
        let is_in_view = |part: &CardPart| part.report.is_some_and(|report| report.in_view);
        let list = self.list.try_borrow();
        list.is_ok_and(|list| {
            list.iter()
                .any(|part| part.read_since.is_some() || is_in_view(part))
        })
    }

    /// Updates the list of parts: observes new elements, and stops observing removed elements.
    fn update_parts(&self) {
        let is_custom = self.card.class_list().contains("la-approval-custom");
        let selector = if is_custom {
            CUSTOM_PART_SELECTOR
        } else {
            PART_SELECTOR
        };
        let Ok(elements) = self.card.query_selector_all(selector) else {
            return;
        };
        let elements = (0..elements.length())
            .filter_map(|index| elements.item(index)?.dyn_into::<Element>().ok());
        let custom_card = is_custom.then(|| self.card.clone());
        let elements: Vec<Element> = elements.chain(custom_card).filter(has_content).collect();
        let Ok(mut list) = self.list.try_borrow_mut() else {
            return;
        };
        list.retain(|part| {
            let is_present = elements.contains(&part.element);
            if let (false, Some(observer)) = (is_present, &self.observer) {
                observer.unobserve(&part.element);
            }
            is_present
        });
        for element in elements {
            if list.iter().any(|part| part.element == element) {
                continue;
            }
            if let Some(observer) = &self.observer {
                observer.observe(&element);
            }
            list.push(CardPart {
                report: self.observer.is_none().then_some(VisibilityReport::UNKNOWN),
                element,
                visible_since: None,
                read_since: None,
            });
        }
    }

    fn track_movement(&mut self, now: i64) {
        let rect = self.card.get_bounding_client_rect();
        let position = (rect.left(), rect.bottom());
        let (x, y) = (position.0 - self.place.0, position.1 - self.place.1);
        if x.abs() > MOVEMENT_TOLERANCE || y.abs() > MOVEMENT_TOLERANCE {
            self.place = position;
            self.moved = now;
        }
    }
}

impl Drop for CardParts {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

impl VisibilityReport {
    /// The report that is assumed if the browser has no observer.
    const UNKNOWN: Self = Self {
        in_view: true,
        visible: None,
        at: 0,
    };

    fn from_entry(entry: &IntersectionObserverEntry, at: i64) -> Self {
        let property = Reflect::get(entry, &"isVisible".into()).ok();
        Self {
            in_view: entry.is_intersecting(),
            visible: property.and_then(|property| property.as_bool()),
            at,
        }
    }
}

impl CardPart {
    /// Updates the part with the result of an examination.
    fn record_visibility(&mut self, visibility: PartVisibility, now: i64) {
        self.visible_since = match visibility {
            PartVisibility::Visible => self.visible_since.or(Some(now)),
            PartVisibility::OutOfView | PartVisibility::Covered => None,
        };
        let settles_at = |since: i64| since.saturating_add(i64::from(SETTLE_MS));
        let settled_at = self.visible_since.map(settles_at).filter(|at| *at <= now);
        self.read_since = self.read_since.or(settled_at);
    }

    fn examine_visibility(
        &self,
        card: &Element,
        is_card_shown: bool,
        pressed: bool,
        now: i64,
        tests: &mut HitTest,
    ) -> PartVisibility {
        // An element without layout boxes is hidden.
        let is_drawn = self.element.get_client_rects().length() > 0;
        if !is_card_shown || !is_drawn || !appearance::is_shown_within(&self.element, card) {
            return PartVisibility::Covered;
        }
        let Some(report) = self.report.filter(|report| report.in_view) else {
            return PartVisibility::OutOfView;
        };
        let is_guaranteed = report.visible == Some(true);
        if is_guaranteed && !pressed {
            return PartVisibility::Visible;
        }
        match tests.find_cover(&self.element, card, Grid::Wide) {
            Cover::Foreign => PartVisibility::Covered,
            _ if is_guaranteed => PartVisibility::Visible,
            Cover::Card | Cover::OutOfView => PartVisibility::OutOfView,
            Cover::Nothing if report.visible == Some(false) => {
                let is_old_enough = now.saturating_sub(report.at) >= MIN_REPORT_AGE_MS;
                // During a press, the narrow grid is used as well, because a cover over a single
                // letter can fit between the points of the wide grid.
                let is_partly_covered = pressed
                    && tests.find_cover(&self.element, card, Grid::Narrow) == Cover::Foreign;
                let is_covered = is_partly_covered
                    || (is_old_enough && occlusion_report::is_proof_of_cover(&self.element));
                match is_covered {
                    true => PartVisibility::Covered,
                    false => PartVisibility::Visible,
                }
            }
            Cover::Nothing | Cover::Transparent => PartVisibility::Visible,
        }
    }
}

/// Creates an observer, which also reports occlusion if the browser supports such reports. Returns
/// `None` if the browser cannot create an observer.
fn create_intersection_observer(
    on_report: &Closure<dyn FnMut(Array)>,
) -> Option<IntersectionObserver> {
    let options = IntersectionObserverInit::new();
    let thresholds: Array = THRESHOLDS
        .iter()
        .map(|share| js_sys::Number::from(*share))
        .collect();
    options.set_threshold(&thresholds);
    let occlusion_options = [
        ("trackVisibility", true.into()),
        ("delay", REPORT_DELAY_MS.into()),
    ];
    for (name, value) in occlusion_options {
        // The error is ignored, because setting a property of a new object cannot fail.
        let _ = Reflect::set(&options, &name.into(), &value);
    }
    IntersectionObserver::new_with_options(on_report.as_ref().unchecked_ref(), &options).ok()
}

fn has_content(element: &Element) -> bool {
    const NO_TEXT: &str = ".la-approval-end, .la-approval-custom, input, select, textarea";
    let is_blank = || {
        let text = element.text_content().unwrap_or_default();
        text.trim().is_empty()
    };
    element.matches(NO_TEXT).unwrap_or(false) || !is_blank()
}
