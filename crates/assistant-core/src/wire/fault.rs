//! What can go wrong in a decoder, and the collector of what was tolerated.
//!
//! A [`ProtocolError`] ends the stream; a note never does. Neither panics, and both stay small
//! whatever a frame holds.

use core::fmt;

use crate::event::Diagnostic;

/// Notes kept between two calls of [`Notes::take`]; what comes beyond is counted, not kept.
const MAX_NOTES: usize = 256;
/// Longest piece of foreign text in a note, in characters.
const MAX_QUOTE: usize = 200;

/// A violation of the protocol that ends the stream. What was delivered before it stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolError {
    /// A stable word for programs: `invalid-json`, `invalid-frame`, `malformed`, `sequence`, `limit`.
    pub code: &'static str,
    /// A sentence for people who debug the agent.
    pub message: String,
}

impl ProtocolError {
    /// An error with its code and sentence.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub(crate) fn sequence(message: String) -> Self {
        Self {
            code: "sequence",
            message,
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ProtocolError {}

/// Collects diagnostics; bounded, because a chatty agent can cause one for every event.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    list: Vec<Diagnostic>,
    left_out: usize,
    nulls: Vec<(String, &'static str)>,
}

impl Notes {
    /// An empty collector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn add(&mut self, note: Diagnostic) {
        if self.list.len() < MAX_NOTES {
            self.list.push(note);
        } else {
            self.left_out += 1;
        }
    }

    /// Notes an optional field that came as `null`: once for each field of an event type, as a
    /// producer that writes one writes it on every event.
    pub(crate) fn null(&mut self, event: &str, field: &'static str) {
        if self
            .nulls
            .iter()
            .any(|(seen, name)| seen == event && *name == field)
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

    /// Everything since the last call, oldest first.
    #[must_use]
    pub fn take(&mut self) -> Vec<Diagnostic> {
        let mut list = core::mem::take(&mut self.list);
        let left_out = core::mem::take(&mut self.left_out);
        if left_out > 0 {
            let message = format!("{left_out} more diagnostics were left out.");
            list.push(Diagnostic::new("left-out", message));
        }
        list
    }
}

/// Foreign text, cut to a length that a sentence can bear.
pub(crate) fn quote(text: &str) -> String {
    let mut cut: String = text.chars().take(MAX_QUOTE).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
