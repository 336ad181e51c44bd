//! Selects the window that shows a question, so that no question is shown twice.
//!
//! Each component that could show a question claims the question. The window that was mounted first
//! shows the question, until its component is unmounted or another component takes the question
//! over. The announcements to assistive technology belong to the first window that is open.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::conversation::CallKey;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// An item that only one window shows, even if several windows are mounted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    Call(CallKey),
    /// An interrupt of the agent, identified by its id.
    Interrupt(String),
    /// A question of a handler, in a card or a dialog.
    Handler(u64),
    /// The announcements to assistive technology.
    Speech,
}

/// A window that claims questions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimingWindow {
    /// The number of the window in mounting order.
    pub(crate) number: u64,
    pub(crate) name: Signal<String>,
    /// False while the window is a closed popup or sidebar.
    pub(crate) is_open: Signal<bool>,
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
    /// question is added, removed or moved to the first position.
    pub(crate) fn claim(
        &self,
        question: &Question,
        id: u64,
        window: ClaimingWindow,
    ) -> ArcRwSignal<u32> {
        let mut claims = self.0.borrow_mut();
        let question_claims = claims.entry(question.clone()).or_default();
        let is_mounted_later = |claim: &Claim| claim.window.number > window.number;
        let index = question_claims.list.iter().position(is_mounted_later);
        let index = index.unwrap_or(question_claims.list.len());
        question_claims.list.insert(index, Claim { id, window });
        notify_claimants(claims, question)
    }

    /// Returns the name of the window that shows the question; `None` if the component with the
    /// given id shows the question, or if no window claims the question.
    pub(crate) fn showing_window_name(&self, question: &Question, id: u64) -> Option<String> {
        let claims = self.0.borrow();
        let list = &claims.get(question)?.list;
        // A closed window cannot be heard. Other questions do not move when a window is opened or
        // closed, because the user may be answering them.
        let is_audible = |claim: &&Claim| claim.window.is_open.try_get() == Some(true);
        let audible_claim = (*question == Question::Speech).then(|| list.iter().find(is_audible));
        let claim = audible_claim.flatten().or_else(|| list.first())?;
        let window_name = || claim.window.name.try_get().unwrap_or_default();
        (claim.id != id).then(window_name)
    }

    /// Moves the claim of the component with the given id to the first position, so that the
    /// component shows the question. If the component has no claim, the order does not change.
    pub(crate) fn take_over(&self, question: &Question, id: u64) {
        let mut claims = self.0.borrow_mut();
        let Some(question_claims) = claims.get_mut(question) else {
            return;
        };
        if let Some(index) = question_claims.list.iter().position(|claim| claim.id == id) {
            let mut claim = question_claims.list.remove(index);
            // With the number 0, the claim stays before the claims of windows that are mounted
            // later.
            claim.window.number = 0;
            question_claims.list.insert(0, claim);
        }
        notify_claimants(claims, question);
    }

    /// Removes the claim of the component with the given id, which was unmounted.
    pub(crate) fn remove(&self, question: &Question, id: u64) {
        let mut claims = self.0.borrow_mut();
        let Some(question_claims) = claims.get_mut(question) else {
            return;
        };
        question_claims.list.retain(|claim| claim.id != id);
        if question_claims.list.is_empty() {
            claims.remove(question);
            return;
        }
        notify_claimants(claims, question);
    }
}

/// Ends the borrow of the claims, notifies the components that claim a question, and returns the
/// signal of the question. If no component claims the question, the signal is new.
fn notify_claimants(
    claims: std::cell::RefMut<'_, HashMap<Question, QuestionClaims>>,
    question: &Question,
) -> ArcRwSignal<u32> {
    let signal = claims
        .get(question)
        .map(|question_claims| question_claims.changed.clone());
    drop(claims);
    let signal = signal.unwrap_or_default();
    signal.update(|count| *count = count.wrapping_add(1));
    signal
}
