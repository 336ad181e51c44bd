//! The window of a chat, and the parts of the window that the page can change.

use leptos::prelude::*;
use leptos_assistant::{Attachments, ChatWindow, Suggestion, chat::ComposerHandle};
use serde_json::Value;

use crate::{commands::Args, texts::Texts};

/// The composer and the suggested messages of a window.
#[derive(Clone, Copy, Default)]
pub(crate) struct WindowHandles {
    composer: ComposerHandle,
    suggestions: RwSignal<Vec<Suggestion>>,
    follow_ups: RwSignal<Vec<Suggestion>>,
}

impl WindowHandles {
    /// Renders the window. Before the first message, the window shows the page's greeting or the
    /// default greeting.
    pub(crate) fn draw(self, attachments: Option<Attachments>, texts: &Texts) -> AnyView {
        let (label, empty_title) = (texts.label(), texts.greeting());
        let Self {
            composer,
            suggestions,
            follow_ups,
        } = self;
        match attachments {
            Some(attachments) => {
                view! { <ChatWindow label empty_title composer suggestions follow_ups attachments /> }
                    .into_any()
            }
            None => view! { <ChatWindow label empty_title composer suggestions follow_ups /> }
                .into_any(),
        }
    }

    /// Calls the method with this name and returns its result, or null if the method has no result.
    /// Returns `None` for a method that neither reads nor changes the window.
    pub(crate) fn run_method(self, name: &str, args: &Args) -> Option<Value> {
        match name {
            "text" => return Some(untrack(|| self.composer.text()).into()),
            "setText" => self.composer.set_text(args.text(0)),
            "focus" => self.composer.focus(),
            "setSuggestions" => self.suggestions.set(parse_suggestions(&args.value(0))),
            "setFollowUps" => self.follow_ups.set(parse_suggestions(&args.value(0))),
            _ => return None,
        }
        Some(Value::Null)
    }
}

/// Parses a list of suggestions. Each suggestion is a text or an object `{text, label?}`; other
/// values are ignored.
fn parse_suggestions(list: &Value) -> Vec<Suggestion> {
    let list = list.as_array().into_iter().flatten();
    let parse_suggestion = |value: &Value| {
        let text = value.as_str().or_else(|| value.get("text")?.as_str())?;
        let suggestion = Suggestion::new(text);
        Some(match value.get("label").and_then(Value::as_str) {
            Some(label) => suggestion.label(label),
            None => suggestion,
        })
    };
    list.filter_map(parse_suggestion).collect()
}
