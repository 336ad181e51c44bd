//! Renders the number of a question among several.

use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, dynamic},
};

/// Renders the number of a question among all questions of the agent. Renders nothing for a single
/// question.
pub(super) fn question_number(assistant: &Assistant, id: String) -> AnyView {
    let (interrupts, words) = (assistant.interrupts(), Words::current());
    dynamic(move || {
        let label = interrupts.with(|list| {
            let index = list.iter().position(|open| open.interrupt().id == id)?;
            fill_number_and_count(&words.word(|l| &l.place), index + 1, list.len())
        });
        label.map(|label| view! { <span class="la-approval-place">{label}</span> })
    })
    .into_any()
}

/// Fills a label with a number and a count; `None` if the count is less than two.
pub(super) fn fill_number_and_count(word: &str, number: usize, count: usize) -> Option<String> {
    let replace = |name, number: usize| word.replace(name, &number.to_string());
    (count > 1).then(|| replace("{number}", number).replace("{count}", &count.to_string()))
}
