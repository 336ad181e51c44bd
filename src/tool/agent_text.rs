//! Renders the agent's text about a question. The text is attributed to the agent and limited in
//! length, so that the page's own text stays in view.

use leptos::prelude::*;

use super::ExactText;
use crate::ui::{Icon, LabelName, Words};

/// The maximum length of the text that is shown at first, in characters. The rest can be expanded.
const MAX_CHARS: usize = 500;
/// The maximum number of lines of the text that is shown at first.
const MAX_LINES: usize = 8;

/// Renders a text under a label that attributes the text to the agent. The part beyond the limits
/// is collapsed.
pub(super) fn agent_text(words: &Words, text: &str) -> AnyView {
    let (excerpt, rest) = split_at_limit(text.trim());
    let excerpt = match rest.is_empty() {
        true => excerpt.to_owned(),
        false => format!("{excerpt}…"),
    };
    let rest = (!rest.is_empty()).then(|| {
        let rest = rest.to_owned();
        view! {
            <details class="la-fold">
                <summary class="la-fold-summary">
                    {Icon::chevron()} <span>{words.text(LabelName::AllOfIt)}</span>
                </summary>
                <p class="la-agent-text" dir="auto">
                    <ExactText text=rest readable=true />
                </p>
            </details>
        }
    });
    view! {
        <div class="la-agent-words">
            <p class="la-tool-label">{words.text(LabelName::AgentText)}</p>
            <p class="la-agent-text la-approval-question" dir="auto">
                <ExactText text=excerpt readable=true />
            </p>
            {rest}
        </div>
    }
    .into_any()
}

/// Splits a text into the part that is shown at first, and the collapsed rest.
fn split_at_limit(text: &str) -> (&str, &str) {
    let end_of_chars = text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    let mut line_breaks = text.match_indices('\n').map(|(at, _)| at);
    let end_of_lines = line_breaks.nth(MAX_LINES - 1);
    let end = [end_of_chars, end_of_lines].into_iter().flatten().min();
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::split_at_limit;

    #[test]
    fn a_long_text_is_cut_by_characters_and_by_lines() {
        assert_eq!(split_at_limit("May I?"), ("May I?", ""));
        let long = "ä".repeat(700);
        let (shown, rest) = split_at_limit(&long);
        assert_eq!((shown.chars().count(), rest.chars().count()), (500, 200));
        let lines = "x\n".repeat(40);
        assert_eq!(split_at_limit(&lines).0.lines().count(), 8);
    }
}
