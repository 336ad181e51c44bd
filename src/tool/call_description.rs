//! Renders the page's description of a call that needs approval: title, sentence and rows. Texts
//! from an application are truncated and shown as plain text, and the exact arguments are shown
//! below a truncated description. The module also selects the argument that is shown next to the
//! name of a call.

use leptos::prelude::*;
use serde_json::Value;

use super::{
    ExactText,
    text_pieces::escape_hidden,
    unmentioned_args::{ShownText, find_unmentioned},
};
use crate::{
    action::ToolCallView,
    ui::{Icon, LabelName, Words, dynamic, memo, truncate},
};

/// The maximum length of a sentence, in characters.
const MAX_SENTENCE: usize = 500;
/// The maximum number of rows.
const MAX_ROWS: usize = 12;
/// The maximum length of a row's name, in characters.
const MAX_NAME: usize = 60;
/// The maximum length of a row's value, in characters.
const MAX_VALUE: usize = 300;
/// The maximum length of the summary argument, in characters.
const MAX_ARGUMENT: usize = 60;

/// The part of a call that its description covers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DescribedExtent {
    /// No part of the call, because the page does not describe the call.
    Nothing,
    /// A part of the call, because the description was truncated.
    Part,
    /// The complete call. The value contains the arguments that the description does not mention,
    /// if any.
    All(Option<Value>),
}

/// The page's description of a call, truncated for the card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShownDescription {
    sentence: String,
    rows: Vec<(String, String)>,
    cut: bool,
}

/// The page's description of a call, as reactive values.
#[derive(Clone, Copy)]
pub(super) struct CallDescription {
    call: ToolCallView<Value>,
    by_agent: bool,
    shown: Memo<Option<ShownDescription>>,
}

impl CallDescription {
    pub(super) fn new(call: ToolCallView<Value>, by_agent: bool) -> Self {
        Self {
            call,
            by_agent,
            shown: memo(move || match by_agent {
                // The page's description is not shown for a question of the agent.
                true => None,
                false => describe_call(call),
            }),
        }
    }

    /// Returns the page's description as the card shows it; `None` if the page does not describe
    /// the call. The description is tracked.
    pub(super) fn shown_description(self) -> Option<ShownDescription> {
        self.shown.get()
    }

    /// Returns a memo of the part of the call that the description covers.
    pub(super) fn extent(self) -> Memo<DescribedExtent> {
        memo(move || {
            self.shown.with(|description| match description {
                None => DescribedExtent::Nothing,
                Some(description) if description.cut => DescribedExtent::Part,
                Some(description) => {
                    DescribedExtent::All(self.call.args_value().and_then(|args| {
                        let text = ShownText {
                            sentence: &description.sentence,
                            rows: &description.rows,
                        };
                        find_unmentioned(&args, &text)
                    }))
                }
            })
        })
    }

    /// Renders the heading of the card: an icon and the page's question, or the name of the call if
    /// the page has no question. Below the question is the name of a call that the agent runs, or
    /// the title of a call that the page runs, unless the question contains the title.
    pub(super) fn heading(self, words: &Words) -> AnyView {
        let (call, by_agent) = (self.call, self.by_agent);
        let icon = move || match (by_agent, call.risk()) {
            (true, _) => Icon::Question.view(),
            (false, crate::action::Risk::Plain) => Icon::Tool.view(),
            (false, _) => Icon::Alert.view(),
        };
        let (title_words, name_words) = (words.clone(), words.clone());
        let title = move || match self.question(&title_words) {
            Some(text) => view! { <ExactText text readable=true /> }.into_any(),
            None => self.call_name(&title_words),
        };
        let is_run_by_page = untrack(|| !call.is_run_by_agent());
        let subtitle = move || {
            let question = self.question(&name_words)?;
            let text = match is_run_by_page {
                true => {
                    let title = call.title().unwrap_or_else(|| call.name());
                    let is_in_question = question.to_lowercase().contains(&title.to_lowercase());
                    (!is_in_question)
                        .then(|| view! { <ExactText text=title readable=true /> }.into_any())?
                }
                false => self.call_name(&name_words),
            };
            Some(view! { <p class="la-approval-what">{text}</p> })
        };
        view! {
            {dynamic(icon)}
            <div class="la-approval-heading">
                <p class="la-approval-title" dir="auto">
                    {dynamic(title)}
                </p>
                {dynamic(subtitle)}
            </div>
        }
        .into_any()
    }

    /// Returns true if the page runs the call, and the heading has the page's question instead of
    /// the name of the call.
    pub(super) fn is_name_omitted(self, words: &Words) -> bool {
        untrack(|| !self.call.is_run_by_agent()) && self.question(words).is_some()
    }

    /// Renders the name of the call, after a label that distinguishes calls that the agent asks
    /// about, calls that the agent runs and calls that the page runs.
    pub(super) fn call_name(self, words: &Words) -> AnyView {
        let label = match (self.by_agent, untrack(|| self.call.is_run_by_agent())) {
            (true, _) => LabelName::AgentCallQuestion,
            (false, true) => LabelName::AgentWillRun,
            (false, false) => LabelName::PageWillRun,
        };
        let call = self.call;
        view! {
            {words.text(label)} " "
            <code class="la-code-inline" dir="ltr">
                {dynamic(move || view! { <ExactText text=call.name() /> })}
            </code>
        }
        .into_any()
    }

    /// Returns the page's question about the call: the sentence of the description, or else a
    /// question that contains the title. Returns `None` if both are missing, or if the agent asks
    /// the question.
    pub(super) fn question(self, words: &Words) -> Option<String> {
        if self.by_agent {
            return None;
        }
        let sentence = self.shown.with(|description| {
            description
                .as_ref()
                .map(|description| description.sentence.clone())
        });
        sentence.filter(|text| !text.is_empty()).or_else(|| {
            let title = self.call.title()?;
            Some(match title.ends_with(['?', '!', '.', '…']) {
                true => title,
                false => words
                    .word(LabelName::TitleQuestion)
                    .replace("{title}", &title),
            })
        })
    }

    /// Returns the argument that distinguishes the call from other calls of the same action; `None`
    /// if there is no such argument, or if the sentence of the description contains the argument.
    pub(super) fn summary_argument(self) -> Option<String> {
        let text = summary_argument(&self.call.args_value()?)?;
        let is_shown = self.shown.with(|description| {
            description
                .as_ref()
                .is_some_and(|description| description.sentence.contains(&text))
        });
        (!is_shown).then_some(text)
    }

    /// Renders a warning for a dangerous call, and the description of the action if the page does
    /// not describe the call. Renders nothing if the agent asks the question.
    pub(super) fn warning_text(self, words: &Words) -> AnyView {
        let (call, by_agent, words) = (self.call, self.by_agent, words.clone());
        if by_agent {
            return ().into_any();
        }
        let warning = move || {
            (call.risk() == crate::action::Risk::Danger).then(|| {
                view! { <p class="la-approval-risk">{words.text(LabelName::BeCareful)}</p> }
            })
        };
        let description = move || {
            let has_page_description = self.shown.with(Option::is_some);
            let text = (!has_page_description)
                .then(|| call.description())
                .flatten();
            let text = text.filter(|text| !text.is_empty());
            text.map(|text| view! { <p class="la-approval-text" dir="auto">{text}</p> })
        };
        view! { {dynamic(warning)} {dynamic(description)} }.into_any()
    }

    pub(super) fn rows(self) -> AnyView {
        let rows = move || {
            let rows = self.shown.get().map(|shown| shown.rows).unwrap_or_default();
            (!rows.is_empty()).then(|| {
                let rows = rows.into_iter().map(|(name, value)| {
                    view! {
                        <div class="la-approval-row">
                            <dt>{name}</dt>
                            <dd dir="auto"><ExactText text=value /></dd>
                        </div>
                    }
                });
                view! { <dl class="la-approval-rows">{rows.collect_view()}</dl> }
            })
        };
        dynamic(rows).into_any()
    }
}

/// Returns one line for announcements: the sentence of the description, or else the title or name,
/// followed by the rows of the description. For a question of the agent, the line contains only a
/// label and the name of the call.
pub(crate) fn question_text(call: ToolCallView<Value>, words: &Words) -> String {
    if call.is_asked_by_agent() {
        let name = escape_hidden(&call.name());
        return format!("{} {name}", words.word(LabelName::AgentCallQuestion));
    }
    let description = describe_call(call).unwrap_or_default();
    let first = match description.sentence.is_empty() {
        true => call.title().unwrap_or_else(|| escape_hidden(&call.name())),
        false => description.sentence.trim_end_matches('?').to_owned(),
    };
    let rows = description
        .rows
        .iter()
        .map(|(name, value)| format!("{name}: {value}"));
    let parts: Vec<String> = std::iter::once(first).chain(rows).collect();
    parts.join(", ")
}

/// Returns the page's description of a call, truncated for the card; `None` if the description is
/// missing or empty.
fn describe_call(call: ToolCallView<Value>) -> Option<ShownDescription> {
    let page_description = call.page_description()?;
    let mut description = ShownDescription::default();
    let mut cap = |text: &str, max: usize| {
        // Line breaks are escaped, because they could push text out of sight.
        let text = text.replace('\n', "\\n").replace('\r', "\\r");
        let capped_text = truncate(&text, max).into_owned();
        description.cut |= capped_text != text;
        capped_text
    };
    let sentence = cap(page_description.sentence.trim(), MAX_SENTENCE);
    let filled_rows = page_description.rows.iter();
    let filled_rows =
        filled_rows.filter(|(name, value)| !(name.trim().is_empty() && value.trim().is_empty()));
    let rows: Vec<_> = filled_rows
        .clone()
        .take(MAX_ROWS)
        .map(|(name, value)| (cap(name, MAX_NAME), cap(value, MAX_VALUE)))
        .collect();
    description.cut |= filled_rows.count() > MAX_ROWS;
    (description.sentence, description.rows) = (sentence, rows);
    (!description.sentence.is_empty() || !description.rows.is_empty()).then_some(description)
}

/// Returns the argument that distinguishes calls of one action and is shown next to the name: the
/// first non-blank text without line breaks, or else the first number, truncated. Returns `None` if
/// the arguments contain neither, or if the arguments are not an object.
pub(super) fn summary_argument(args: &Value) -> Option<String> {
    let args = args.as_object()?;
    let text = args.values().filter_map(Value::as_str);
    let mut text = text.filter(|text| !text.trim().is_empty() && !text.contains('\n'));
    let number = || args.values().find(|value| value.is_number());
    let text = match text.next() {
        Some(text) => text.to_owned(),
        None => number()?.to_string(),
    };
    Some(truncate(&text, MAX_ARGUMENT).into_owned())
}

#[cfg(test)]
mod tests {
    use super::summary_argument;
    use serde_json::json;

    #[test]
    fn the_summary_is_the_first_one_line_text_or_the_first_number() {
        for (args, expected) in [
            (json!({"n": 3, "city": "Oslo"}), Some("Oslo")),
            (json!({"body": "a\nb", "to": " ", "n": 3}), Some("3")),
            (json!({"deep": {"city": "Oslo"}}), None),
            (json!("Oslo"), None),
        ] {
            assert_eq!(summary_argument(&args).as_deref(), expected);
        }
        let long = summary_argument(&json!({"q": "ä".repeat(500)})).unwrap_or_default();
        assert_eq!(long.chars().count(), 61);
    }
}
