//! How the decoder reads, where it stands, and what it says when it cannot read on.

use serde_json::Value;

use crate::event::Diagnostic;
use crate::wire::fault::{Notes, ProtocolError, quote};

/// How to read, and where to note what was tolerated.
pub(super) struct Context<'a> {
    /// The event type (or a word for the document) that messages name.
    pub(super) event: &'a str,
    /// The letter of the protocol: a null is not an absent field.
    pub(super) strict: bool,
    /// Keep undescribed fields of messages and calls instead of removing them.
    pub(super) keep_extra: bool,
    /// Where notes go.
    pub(super) notes: &'a mut Notes,
}

impl Context<'_> {
    /// Notes that something undescribed was removed.
    pub(super) fn removed(&mut self, path: Path<'_>) {
        let message = format!(
            "Removed unrecognised material at '{}' on {}.",
            quote(&path.pointer()),
            quote(self.event)
        );
        self.notes.add(Diagnostic::new("unknown-field", message));
    }

    /// The fatal error for a described field with a wrong value.
    pub(super) fn malformed(&self, path: Path<'_>, problem: &str) -> Fault {
        // A JSON object, because the problem may quote JSON itself.
        let path = Value::String(quote(&path.pointer()));
        let problem = Value::String(problem.to_owned());
        let event = quote(self.event);
        let message = format!("Malformed {event}: {{\"path\":{path},\"message\":{problem}}}");
        Fault::Fatal(ProtocolError {
            code: "malformed",
            message,
        })
    }

    /// The fatal error for a value that could be of several types and is of none; what is wrong
    /// within the one that it looks like is told as well.
    pub(super) fn none_of(&self, path: Path<'_>, within: Fault) -> Fault {
        let Fault::Fatal(within) = within else {
            return within;
        };
        let fault = self.malformed(path, "Invalid input");
        let (Fault::Fatal(mut error), Some((_, within))) = (fault, within.message.split_once(": "))
        else {
            return Fault::Unknown;
        };
        error.message.pop();
        error.message.push_str(",\"within\":");
        error.message.push_str(within);
        error.message.push('}');
        Fault::Fatal(error)
    }

    /// The fatal error for a value of another type.
    pub(super) fn wrong_type(
        &self,
        path: Path<'_>,
        expected: &str,
        found: Option<&Value>,
    ) -> Fault {
        let found = type_name(found);
        self.malformed(
            path,
            &format!("Invalid input: expected {expected}, received {found}"),
        )
    }
}

/// Why a value could not be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is not described by this version: the smallest thing that may be absent is removed.
    Unknown,
    /// It is described and wrong: the stream ends.
    Fatal(ProtocolError),
}

/// A value read, or why not.
pub(super) type Read<T> = Result<T, Fault>;

/// Where a value stands in its event; written out only when a note or an error needs it.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root,
    Key(&'a Self, &'a str),
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

/// The type of a value in the words of JavaScript.
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
