//! Renders the number of a question among several.

use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, dynamic, insert_position},
};

/// Renders the number of a question among all questions of the agent. Renders nothing for a single
/// question.
pub(super) fn question_number(assistant: &Assistant, id: String) -> AnyView {
    let (interrupts, words) = (assistant.interrupts(), Words::current());
    dynamic(move || {
        let label = interrupts.with(|list| {
            let index = list.iter().position(|open| open.interrupt().id == id)?;
            position_label(&words.word(|l| &l.place), index + 1, list.len())
        });
        label.map(|label| view! { <span class="la-approval-place">{label}</span> })
    })
    .into_any()
}

/// Inserts a number and a count into a label; `None` if the count is less than two.
pub(super) fn position_label(label: &str, number: usize, count: usize) -> Option<String> {
    (count > 1).then(|| insert_position(label, number, count))
}
