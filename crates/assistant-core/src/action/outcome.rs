//! What a handler gives back.

use std::fmt;

use serde_json::Value;

use crate::event::Object;

/// The output of a handler that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutcome {
    /// The result; the agent goes on with it.
    Continue(Value),
    /// The result; it goes out with the next user message, the loop ends here (rule "ending the loop").
    StopLoop(Value),
}

/// Why a handler failed. The model sees the message, the type and the suggestion, nothing else.
///
/// Made by `?` from whatever can be printed: errors, boxed errors, text. For that it cannot be
/// printed itself; its message can.
///
/// ```
/// use assistant_core::action::ToolError;
///
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     Ok(text.parse::<u32>()?)
/// }
/// assert_eq!(parse("x").unwrap_err().message, "invalid digit found in string");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// A sentence.
    pub message: String,
    /// A word for the kind of error.
    pub error_type: Option<String>,
    /// A suggestion of what the model could do instead.
    pub suggestion: Option<String>,
}

impl ToolError {
    /// An error with a sentence for person and model.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            error_type: None,
            suggestion: None,
        }
    }

    /// Adds a word for the kind of error.
    #[must_use]
    pub fn error_type(mut self, word: impl Into<String>) -> Self {
        self.error_type = Some(word.into());
        self
    }

    /// Adds what the model could do instead.
    #[must_use]
    pub fn suggestion(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }

    /// The error as the model sees it: `{"error": …}` with type and suggestion where known.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut out = Object::new();
        out.insert("error".to_owned(), self.message.as_str().into());
        if let Some(word) = &self.error_type {
            out.insert("errorType".to_owned(), word.as_str().into());
        }
        if let Some(text) = &self.suggestion {
            out.insert("suggestion".to_owned(), text.as_str().into());
        }
        Value::Object(out)
    }
}

impl<E: fmt::Display> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
