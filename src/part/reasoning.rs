//! Renders the reasoning of the model as a text that expands from a summary with the duration.
//!
//! While the reasoning streams, its newest line is shown next to the title. Reasoning without text,
//! such as encrypted reasoning, is not shown.

use assistant_core::conversation::{MessageId, Part};
use leptos::prelude::*;

use super::{PartHandle, text};
use crate::{
    assistant::Assistant,
    ui::{Icon, LabelName, Labels, Words, dynamic, memo, when},
    view::PartCell,
};

/// The maximum length of the newest line, in characters.
const MAX_LATEST_LINE: usize = 160;

pub(super) fn view(
    part: PartHandle,
    assistant: Assistant,
    message: MessageId,
    cell: PartCell,
) -> AnyView {
    let mark = cell.mark.clone();
    let has_text = memo(move || mark.with(|mark| mark.len > 0));
    let render = move || reasoning_view(part, assistant.clone(), message.clone(), cell.clone());
    when(move || has_text.get(), render).into_any()
}

fn reasoning_view(
    part: PartHandle,
    assistant: Assistant,
    message: MessageId,
    cell: PartCell,
) -> AnyView {
    let words = Words::current();
    let mark = cell.mark.clone();
    let is_open = memo(move || mark.with(|mark| mark.open));
    let title = move || match is_open.get() {
        true => words.word(LabelName::Thinking).into_owned(),
        false => reasoning_title(&words.get(), part.with_untracked(reasoning_ms).flatten()),
    };
    let newest_line = move || {
        let line = is_open.get().then(|| part.with(latest_line)).flatten();
        line.filter(|line| !line.is_empty()).map(|line| {
            // The line is hidden from assistive technology, because the line changes with each
            // word, and the user can expand the whole text.
            view! {
                <span class="la-reasoning-latest" aria-hidden="true">
                    <span dir="auto">{line}</span>
                </span>
            }
        })
    };
    view! {
        <details class="la-part la-reasoning" data-open=move || is_open.get().then_some("")>
            <summary class="la-reasoning-summary">
                {Icon::chevron()}
                <span class="la-reasoning-title">{dynamic(title)}</span>
                {dynamic(newest_line)}
            </summary>
            <div class="la-reasoning-text">
                {text::agent_text(assistant, message, cell)}
            </div>
        </details>
    }
    .into_any()
}

fn reasoning_ms(part: &Part) -> Option<u64> {
    match part {
        Part::Reasoning(part) => part.span()?.duration(),
        _ => None,
    }
}

fn reasoning_title(labels: &Labels, ms: Option<u64>) -> String {
    let Some(ms) = ms else {
        return labels.text(LabelName::Reasoning).to_string();
    };
    let seconds = (ms + 500) / 1000;
    let time = match (seconds / 60, seconds % 60) {
        (0, 0) => return labels.text(LabelName::ThoughtBriefly).to_string(),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    };
    labels.text(LabelName::ThoughtFor).replace("{time}", &time)
}

/// Returns the end of the newest non-empty line, without the most common Markdown markup. Returns
/// an empty string for a part that is not reasoning.
fn latest_line(part: &Part) -> String {
    let Part::Reasoning(part) = part else {
        return String::new();
    };
    let is_markup = |c: char| c.is_whitespace() || matches!(c, '*' | '#' | '`' | '_' | '>' | '-');
    let line = part.text().trim_end_matches(is_markup);
    let line = line.rsplit(['\n', '\r']).next().unwrap_or_default();
    let line = line.trim_start_matches(is_markup);
    let start = line
        .char_indices()
        .rev()
        .nth(MAX_LATEST_LINE)
        .map_or(0, |(index, _)| index);
    line.get(start..)
        .unwrap_or_default()
        .replace(['*', '`'], "")
}
