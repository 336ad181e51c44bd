//! Converts the refusal of a form's value to errors in the current language.

use assistant_core::session::Refusal;
use leptos::prelude::*;

use super::Problem;
use crate::ui::{Labels, Words};

/// The reason why the last value of a form was refused; `None` if the value was accepted.
#[derive(Clone, Copy)]
pub(super) struct LastRefusal(RwSignal<Option<Refusal>>);

impl LastRefusal {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Stores the outcome of submitting a value. Returns true if the value was accepted.
    pub(super) fn record_outcome(self, outcome: Result<(), Refusal>) -> bool {
        let is_accepted = outcome.is_ok();
        // The result is ignored, because the signal may have been disposed together with the form.
        let _ = self.0.try_set(outcome.err());
        is_accepted
    }

    /// Returns a signal with a message for each error of the last value.
    pub(super) fn messages(self, words: &Words) -> Signal<Vec<Problem>> {
        let words = words.clone();
        Signal::derive(move || match self.0.get() {
            Some(refusal) => to_problems(refusal, &words.get()),
            None => Vec::new(),
        })
    }
}

fn to_problems(refusal: Refusal, labels: &Labels) -> Vec<Problem> {
    match refusal {
        Refusal::InvalidEdit(list) => {
            let problems = list.into_iter().map(|violation| Problem {
                message: labels.reason(violation.keyword(), violation.limit(), violation.message()),
                path: violation.path().to_owned(),
            });
            problems.collect()
        }
        refusal => vec![Problem {
            path: String::new(),
            message: labels.text(Labels::refusal(&refusal)).to_string(),
        }],
    }
}
