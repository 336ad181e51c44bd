//! Which of several windows shows a question, so that it is asked once.
//!
//! Each place that could show a question claims it. The window that was mounted first shows it; when
//! its place goes, the next one does.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::conversation::CallKey;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// Something that is shown once, however many windows there are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// Whether a call may run.
    Call(CallKey),
    /// What the agent asks, by the id of the interrupt.
    Interrupt(String),
    /// What a handler asks in a card or a dialog.
    Handler(u64),
    /// What is announced.
    Speech,
}

/// A window that holds questions: which one it is, in order of mounting, and what it is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) number: u64,
    pub(crate) name: Signal<String>,
}

/// A place that could show a question.
struct Place {
    id: u64,
    window: Window,
}

/// The places of one question, first the one that shows it.
#[derive(Default)]
struct Places {
    list: Vec<Place>,
    changed: ArcRwSignal<u32>,
}

/// The claims of all windows of one assistant.
pub(crate) struct Claims(SendWrapper<RefCell<HashMap<Question, Places>>>);

impl Default for Claims {
    fn default() -> Self {
        Self(SendWrapper::new(RefCell::default()))
    }
}

impl Claims {
    /// Claims a question for a place. The signal tells when another place comes first.
    pub(crate) fn claim(&self, question: &Question, id: u64, window: Window) -> ArcRwSignal<u32> {
        let mut all = self.0.borrow_mut();
        let places = all.entry(question.clone()).or_default();
        let later = |place: &Place| place.window.number > window.number;
        let at = places.list.iter().position(later);
        let at = at.unwrap_or(places.list.len());
        places.list.insert(at, Place { id, window });
        told(all, question)
    }

    /// The window that shows the question instead of a place; `None` if the place does.
    pub(crate) fn elsewhere(&self, question: &Question, id: u64) -> Option<String> {
        let all = self.0.borrow();
        let first = all.get(question)?.list.first()?;
        let name = || first.window.name.try_get().unwrap_or_default();
        (first.id != id).then(name)
    }

    /// Shows the question in a place from now on.
    pub(crate) fn take_over(&self, question: &Question, id: u64) {
        let mut all = self.0.borrow_mut();
        let Some(places) = all.get_mut(question) else {
            return;
        };
        if let Some(at) = places.list.iter().position(|place| place.id == id) {
            let mut place = places.list.remove(at);
            // Whatever is mounted later comes after it.
            place.window.number = 0;
            places.list.insert(0, place);
        }
        told(all, question);
    }

    /// The place is gone.
    pub(crate) fn leave(&self, question: &Question, id: u64) {
        let mut all = self.0.borrow_mut();
        let Some(places) = all.get_mut(question) else {
            return;
        };
        places.list.retain(|place| place.id != id);
        if places.list.is_empty() {
            all.remove(question);
            return;
        }
        told(all, question);
    }
}

/// Tells the places of a question to look again, once the claims are free.
fn told(
    all: std::cell::RefMut<'_, HashMap<Question, Places>>,
    question: &Question,
) -> ArcRwSignal<u32> {
    let changed = all.get(question).map(|places| places.changed.clone());
    drop(all);
    let changed = changed.unwrap_or_default();
    changed.update(|count| *count = count.wrapping_add(1));
    changed
}
