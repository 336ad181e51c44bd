//! Defines the contexts, locations and errors of decoders.

use serde_json::Value;

use crate::event::Diagnostic;
use crate::event::fault::{Notes, ProtocolError, quote};

/// The context of a decoding step: its options, and the collector of its diagnostics.
#[derive(Debug)]
pub struct Context<'a> {
    pub(crate) event: &'a str,
    pub(crate) strict: bool,
    /// True if unknown fields of messages and calls are kept, false if they are removed.
    pub(crate) keep_extra: bool,
    pub(crate) notes: &'a mut Notes,
}

impl<'a> Context<'a> {
    /// Creates the context for an event or a document. Error messages contain `name`, which is the
    /// type of the event or the name of the document. If `strict` is true, `null` is not accepted
    /// for an absent field.
    #[must_use]
    pub const fn new(name: &'a str, strict: bool, notes: &'a mut Notes) -> Self {
        Self {
            event: name,
            strict,
            keep_extra: false,
            notes,
        }
    }

    /// Returns the type of the event, or the name of the document.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.event
    }

    /// Returns true if decoding is strict, so that `null` is not accepted for an absent field.
    #[must_use]
    pub const fn is_strict(&self) -> bool {
        self.strict
    }

    /// Adds a diagnostic to the collector.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.notes.add(diagnostic);
    }

    /// Adds a diagnostic about an unknown field that was removed.
    pub fn report_removed(&mut self, path: Path<'_>) {
        let message = format!(
            "Removed unrecognised material at '{}' on {}.",
            quote(&path.pointer()),
            quote(self.event)
        );
        self.notes.add(Diagnostic::new("unknown-field", message));
    }

    /// Returns the fatal error for a known field with an invalid value.
    pub fn malformed(&self, path: Path<'_>, problem: &str) -> Fault {
        // The path and the problem are encoded as JSON strings, since the problem may contain JSON.
        let path = Value::String(quote(&path.pointer()));
        let problem = Value::String(problem.to_owned());
        let event = quote(self.event);
        let message = format!("Malformed {event}: {{\"path\":{path},\"message\":{problem}}}");
        Fault::Fatal(ProtocolError {
            code: "malformed",
            message,
        })
    }

    /// Returns the fatal error for a value that matches no type of a union. The error includes the
    /// details of `within`, which is the fault in the type that the value resembles. If `within` is
    /// [`Fault::Unknown`], it is returned unchanged.
    pub fn none_of(&self, path: Path<'_>, within: Fault) -> Fault {
        let Fault::Fatal(inner_error) = within else {
            return within;
        };
        let fault = self.malformed(path, "Invalid input");
        let (Fault::Fatal(mut error), Some((_, details))) =
            (fault, inner_error.message.split_once(": "))
        else {
            return Fault::Unknown;
        };
        error.message.pop();
        error.message.push_str(",\"within\":");
        error.message.push_str(details);
        error.message.push('}');
        Fault::Fatal(error)
    }

    /// Returns the fatal error for a value with the wrong type.
    pub fn wrong_type(&self, path: Path<'_>, expected: &str, found: Option<&Value>) -> Fault {
        let found_type = type_name(found);
        self.malformed(
            path,
            &format!("Invalid input: expected {expected}, received {found_type}"),
        )
    }
}

/// The reason why a value could not be read.
#[derive(Debug)]
pub enum Fault {
    /// The value is unknown in this version. The smallest optional item that encloses the value is
    /// removed.
    Unknown,
    /// A known field has an invalid value, which ends the stream.
    Fatal(ProtocolError),
}

/// The result of reading a value.
pub type Read<T> = Result<T, Fault>;

/// The location of a value in its event or document. The location is formatted only for a
/// diagnostic or an error.
#[derive(Debug, Clone, Copy)]
pub enum Path<'a> {
    /// The whole value.
    Root,
    /// A member of an object.
    Key(&'a Self, &'a str),
    /// An element of a list.
    Index(&'a Self, usize),
}

impl Path<'_> {
    fn pointer(self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => {
                let key = quote(key).replace('~', "~0").replace('/', "~1");
                format!("{}/{key}", parent.pointer())
            }
            Self::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// Returns the name of a value's type in JavaScript.
pub(super) fn type_name(value: Option<&Value>) -> &'static str {
    match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}
