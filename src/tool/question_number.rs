//! Renders the number of a question among several.

use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{LabelName, Words, dynamic},
};

/// Renders the number of a question among all questions of the agent. Renders nothing for a single
/// question.
pub(super) fn question_number(assistant: &Assistant, id: String) -> AnyView {
    let (interrupts, words) = (assistant.interrupts(), Words::current());
    dynamic(move || {
        let label = interrupts.with(|list| {
            let index = list.iter().position(|open| open.interrupt().id == id)?;
            (list.len() > 1).then(|| words.position(LabelName::Place, index + 1, list.len()))
        });
        label.map(|label| view! { <span class="la-approval-place">{label}</span> })
    })
    .into_any()
}
