//! Selects the window that shows a question, so that each question is asked once.
//!
//! Each component that could show a question claims it. The window that was mounted first shows the
//! question, until its component is unmounted or another component takes the question over.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::conversation::CallKey;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// An item that only one window shows, even if several windows are mounted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    Call(CallKey),
    /// An interrupt of the agent, by its id.
    Interrupt(String),
    /// A question of a handler, in a card or a dialog.
    Handler(u64),
    /// The announcements.
    Speech,
}

/// A window that claims questions, with its number in mounting order and its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimingWindow {
    pub(crate) number: u64,
    pub(crate) name: Signal<String>,
}

/// The claim of a component that could show a question.
struct Claim {
    id: u64,
    window: ClaimingWindow,
}

/// The claims to one question; the component of the first claim shows the question.
#[derive(Default)]
struct QuestionClaims {
    list: Vec<Claim>,
    changed: ArcRwSignal<u32>,
}

/// The claims of all windows of one assistant.
pub(crate) struct Claims(SendWrapper<RefCell<HashMap<Question, QuestionClaims>>>);

impl Default for Claims {
    fn default() -> Self {
        Self(SendWrapper::new(RefCell::default()))
    }
}

impl Claims {
    /// Claims a question for the component with the given id. The claims are ordered by the
    /// mounting order of their windows. The returned signal changes whenever a claim to the
    /// question is added, removed or made the first.
    pub(crate) fn claim(
        &self,
        question: &Question,
        id: u64,
        window: ClaimingWindow,
    ) -> ArcRwSignal<u32> {
        let mut all = self.0.borrow_mut();
        let places = all.entry(question.clone()).or_default();
        let later = |place: &Claim| place.window.number > window.number;
        let at = places.list.iter().position(later);
        let at = at.unwrap_or(places.list.len());
        places.list.insert(at, Claim { id, window });
        notify_claimants(all, question)
    }

    /// Returns the name of the window that shows the question; `None` if the component with the
    /// given id shows the question, or no window claims it.
    pub(crate) fn showing_window_name(&self, question: &Question, id: u64) -> Option<String> {
        let all = self.0.borrow();
        let first = all.get(question)?.list.first()?;
        let name = || first.window.name.try_get().unwrap_or_default();
        (first.id != id).then(name)
    }

    /// Makes the claim of the component with the given id the first one, so that this component
    /// shows the question. Without such a claim, the order does not change.
    pub(crate) fn take_over(&self, question: &Question, id: u64) {
        let mut all = self.0.borrow_mut();
        let Some(places) = all.get_mut(question) else {
            return;
        };
        if let Some(at) = places.list.iter().position(|place| place.id == id) {
            let mut place = places.list.remove(at);
            // Windows mounted later come after it.
            place.window.number = 0;
            places.list.insert(0, place);
        }
        notify_claimants(all, question);
    }

    /// Removes the claim of the component with the given id, which was unmounted.
    pub(crate) fn remove(&self, question: &Question, id: u64) {
        let mut all = self.0.borrow_mut();
        let Some(places) = all.get_mut(question) else {
            return;
        };
        places.list.retain(|place| place.id != id);
        if places.list.is_empty() {
            all.remove(question);
            return;
        }
        notify_claimants(all, question);
    }
}

/// Ends the borrow of the claims, notifies the components that claim a question, and returns the
/// signal of the question; a new signal if no component claims it.
fn notify_claimants(
    all: std::cell::RefMut<'_, HashMap<Question, QuestionClaims>>,
    question: &Question,
) -> ArcRwSignal<u32> {
    let changed = all.get(question).map(|places| places.changed.clone());
    drop(all);
    let changed = changed.unwrap_or_default();
    changed.update(|count| *count = count.wrapping_add(1));
    changed
}
