//! Renders a question about several actions. Each action is shown with the exact arguments and has
//! its own decision; all decisions are sent together.
//!
//! The module `question` renders the surrounding card, and `action_choice` renders each action.

use assistant_core::session::{ActionDecision, OpenInterrupt, Refusal};
use leptos::prelude::*;

use super::{
    action_choice::{ActionChoice, IncompleteDecision, action_choice},
    visibility::Visibility,
};
use crate::ui::{LabelName, Words, dynamic, memo};

/// The user's decisions about the actions of a question. The list is empty if the question does not
/// accept a decision for each action.
#[derive(Clone, Copy)]
pub(super) struct ActionChoices(StoredValue<Vec<ActionChoice>>);

impl ActionChoices {
    pub(super) fn new(open: &OpenInterrupt) -> Self {
        let actions = match open.takes_decisions() {
            true => open.actions(),
            false => &[],
        };
        Self(StoredValue::new(
            actions.iter().map(ActionChoice::new).collect(),
        ))
    }

    /// Returns the decisions in the order of the actions, or the first error while a decision is
    /// incomplete. Tracks the signals of the choices.
    fn decisions(self) -> Result<Vec<ActionDecision>, IncompleteDecision> {
        let choices = self.0.try_get_value().unwrap_or_default();
        choices.into_iter().map(ActionChoice::decision).collect()
    }

    /// Returns the decisions to send. If a decision is missing or incomplete, shows the errors of
    /// the actions and returns a refusal with the number of complete decisions.
    pub(super) fn collect_decisions(self) -> Result<Vec<ActionDecision>, Refusal> {
        untrack(|| self.decisions()).map_err(|_| {
            let choices = self.0.try_get_value().unwrap_or_default();
            for choice in &choices {
                choice.tried.set(true);
            }
            let is_complete = |choice: &&ActionChoice| untrack(|| choice.decision()).is_ok();
            Refusal::EachAction {
                actions: choices.len(),
                decisions: choices.iter().filter(is_complete).count(),
            }
        })
    }

    /// Returns a memo that is true once every action has a complete decision.
    pub(super) fn are_made(self) -> Memo<bool> {
        memo(move || self.decisions().is_ok())
    }

    /// Renders the actions, which accept decisions while `accepts_answers` is true.
    pub(super) fn view(
        self,
        open: &OpenInterrupt,
        accepts_answers: Signal<bool>,
        visibility: Visibility,
    ) -> AnyView {
        let words = Words::current();
        let choices = self.0.get_value();
        let count = choices.len();
        let title = move || words.count(LabelName::DecideEach, count);
        let actions = open.actions().iter().zip(choices).enumerate();
        let actions = actions
            .map(|(index, (action, choice))| {
                action_choice(index + 1, action, choice, accepts_answers, visibility)
            })
            .collect_view();
        view! {
            <p class="la-approval-text">{dynamic(title)}</p>
            {actions}
        }
        .into_any()
    }
}
