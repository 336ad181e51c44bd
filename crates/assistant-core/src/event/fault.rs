//! Defines the errors and diagnostics of decoders.
//!
//! A [`ProtocolError`] ends the stream. A diagnostic does not end it. The sizes of errors and of
//! the collected diagnostics are limited.

use core::fmt;

use super::Diagnostic;

/// The maximum number of diagnostics that are collected between two calls of [`Notes::take`].
/// Further diagnostics are only counted.
const MAX_NOTES: usize = 256;
/// The maximum length of an excerpt of input in a message, in characters.
const MAX_QUOTE_LEN: usize = 200;

/// A violation of the protocol that ends the stream. Events that were delivered before the
/// violation remain valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl ProtocolError {
    /// Creates an error.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Creates the error for an event that the protocol does not permit at this position.
    #[must_use]
    pub fn sequence(message: String) -> Self {
        Self::new("sequence", message)
    }

    /// Returns a stable code for programs, such as `invalid-json`, `invalid-frame`, `malformed`,
    /// `sequence`, `not-a-stream`, `limit`, `event-limit` or `too-many-streams`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Returns a message for the agent's developers.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ProtocolError {}

/// A collector of diagnostics. The number of diagnostics is limited, because an agent can cause a
/// diagnostic with every event.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    list: Vec<Diagnostic>,
    left_out: usize,
    nulls: Vec<(String, &'static str)>,
}

impl Notes {
    /// Creates an empty collector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic. If the limit is reached, the diagnostic is only counted.
    pub fn add(&mut self, note: Diagnostic) {
        if self.list.len() < MAX_NOTES {
            self.list.push(note);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a diagnostic about an optional field that is `null`. The diagnostic is added only once
    /// for each field of an event type, because producers usually repeat such a field on every
    /// event.
    pub fn null(&mut self, event: &str, field: &'static str) {
        if self
            .nulls
            .iter()
            .any(|(known, name)| known == event && *name == field)
        {
            return;
        }
        if self.nulls.len() >= MAX_NOTES {
            return;
        }
        self.nulls.push((event.to_owned(), field));
        let message = format!("{event}.{field}: null is read as an absent field.");
        self.add(Diagnostic::new("null-optional", message));
    }

    /// Removes and returns the diagnostics since the previous call, oldest first. If diagnostics
    /// were omitted because of the limit, an additional diagnostic contains their number.
    #[must_use]
    pub fn take(&mut self) -> Vec<Diagnostic> {
        let mut list = core::mem::take(&mut self.list);
        let omitted_count = core::mem::take(&mut self.left_out);
        if omitted_count > 0 {
            let message = format!("{omitted_count} more diagnostics were left out.");
            list.push(Diagnostic::new("left-out", message));
        }
        list
    }
}

/// Returns an excerpt of input for a message. The excerpt has at most 200 characters, followed by
/// an ellipsis if the text is longer.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut excerpt: String = text.chars().take(MAX_QUOTE_LEN).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}
