//! Defines the results and errors of handlers.

use std::fmt;

use serde_json::Value;

use crate::event::Object;

/// The output of a handler that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutcome {
    /// The agent continues with this result.
    Continue(Value),
    /// The loop ends with this result, which is sent with the next user message (rule "ending the
    /// loop").
    StopLoop(Value),
}

/// The error of a handler. The model receives only the message, the type and the suggestion.
///
/// The `?` operator converts any type that implements `Display` into a `ToolError`. For this
/// reason, `ToolError` does not implement `Display`.
///
/// ```
/// use assistant_core::action::ToolError;
///
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     Ok(text.parse::<u32>()?)
/// }
/// assert_eq!(parse("x").unwrap_err().message(), "invalid digit found in string");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolError {
    pub(crate) message: String,
    /// A word that names the kind of the error.
    pub(crate) error_type: Option<String>,
    /// A suggestion for the model's next step.
    pub(crate) suggestion: Option<String>,
}

impl ToolError {
    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Consumes the error and returns the message.
    #[must_use]
    pub fn into_message(self) -> String {
        self.message
    }

    /// Returns true if the kind of the error is `word`.
    #[must_use]
    pub fn is_of_type(&self, word: &str) -> bool {
        self.error_type.as_deref() == Some(word)
    }

    /// Creates an error with a message for the user and the model.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            error_type: None,
            suggestion: None,
        }
    }

    /// Sets the kind of the error.
    #[must_use]
    pub fn error_type(mut self, word: impl Into<String>) -> Self {
        self.error_type = Some(word.into());
        self
    }

    /// Sets the suggestion for the model's next step.
    #[must_use]
    pub fn suggestion(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }

    /// Returns the JSON object that the model receives: `{"error": …}`, with `errorType` and
    /// `suggestion` if they are set.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.insert("error".to_owned(), self.message.as_str().into());
        if let Some(word) = &self.error_type {
            object.insert("errorType".to_owned(), word.as_str().into());
        }
        if let Some(text) = &self.suggestion {
            object.insert("suggestion".to_owned(), text.as_str().into());
        }
        Value::Object(object)
    }
}

impl<E: fmt::Display> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
