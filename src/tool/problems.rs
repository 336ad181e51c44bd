//! What is wrong with what a form gave, in the words in force: it follows another language.

use assistant_core::session::Refusal;
use leptos::prelude::*;

use super::Problem;
use crate::ui::{Labels, Words};

/// Why the last value of a form was not taken.
#[derive(Clone, Copy)]
pub(super) struct Problems(RwSignal<Option<Refusal>>);

impl Problems {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Keeps what was said to a value. Returns whether it was taken.
    pub(super) fn tell(self, outcome: Result<(), Refusal>) -> bool {
        let taken = outcome.is_ok();
        // The form is gone if what it is about has changed.
        let _ = self.0.try_set(outcome.err());
        taken
    }

    /// A sentence for each of them.
    pub(super) fn said(self, words: &Words) -> Signal<Vec<Problem>> {
        let words = words.clone();
        Signal::derive(move || match self.0.get() {
            Some(refusal) => in_words(refusal, &words.get()),
            None => Vec::new(),
        })
    }
}

fn in_words(refusal: Refusal, labels: &Labels) -> Vec<Problem> {
    match refusal {
        Refusal::InvalidEdit(list) => {
            let problems = list.into_iter().map(|found| Problem {
                message: labels.reason(found.keyword, &found.limit, &found.message),
                path: found.path,
            });
            problems.collect()
        }
        refusal => vec![Problem {
            path: String::new(),
            message: Labels::refusal(&refusal)(labels).to_string(),
        }],
    }
}
