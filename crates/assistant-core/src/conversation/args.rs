//! Defines the arguments of a call: the text that streams in, and the parsed value.

use serde_json::{Map, Value};

use crate::json::partial::{DocumentState, PartialJson};

/// The arguments of a call, as the agent wrote them.
#[derive(Debug, Clone)]
pub(super) struct Arguments {
    pub(super) text: String,
    /// The number of times that the text was replaced with a text that does not begin with the
    /// previous text. Within one generation, the text only grows.
    pub(super) generation: u32,
    /// The value of complete arguments that are valid JSON.
    pub(super) value: Option<Value>,
    pub(super) partial: PartialJson,
    /// True while more text may follow.
    pub(super) open: bool,
    /// True if a message list contained the arguments before the arguments ended, so that more text
    /// may stream in.
    pub(super) listed: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            text: String::new(),
            generation: 0,
            value: None,
            partial: PartialJson::new(),
            open: true,
            listed: false,
        }
    }
}

impl Arguments {
    /// Appends text, and discards the parsed value of the previous text.
    pub(super) fn push(&mut self, delta: &str) {
        self.value = None;
        self.text.push_str(delta);
        self.partial.push(delta);
    }

    /// Replaces the text of the arguments, and increases the generation if the new text does not
    /// begin with the old text.
    pub(super) fn replace(&mut self, text: &str) {
        if !text.starts_with(&self.text) {
            self.generation = self.generation.wrapping_add(1);
        }
        self.text.clear();
        self.partial = PartialJson::new();
        self.push(text);
    }

    /// Marks the text as complete and parses the text. The value of an empty text is an empty
    /// object (rule "empty arguments"). Invalid JSON and text with duplicate keys have no value.
    pub(super) fn end(&mut self) {
        self.open = false;
        self.value = if self.partial.has_duplicate_keys() {
            None
        } else if self.text.trim().is_empty() {
            Some(Value::Object(Map::new()))
        } else if self.partial.state() == DocumentState::Complete {
            self.partial.value().cloned()
        } else {
            serde_json::from_str(&self.text).ok()
        };
    }

    /// Returns true if the text has ended although its JSON is incomplete, or if its value was
    /// discarded. Returns false for other invalid JSON, for duplicate keys, and for nesting beyond
    /// the limit.
    pub(super) fn is_cut_off(&self) -> bool {
        let is_rejected = || self.partial.has_duplicate_keys() || self.partial.is_too_deep();
        if self.open || self.value.is_some() || is_rejected() {
            return false;
        }
        let result = serde_json::from_str::<serde::de::IgnoredAny>(&self.text);
        result.err().is_none_or(|error| error.is_eof())
    }
}
