//! The targets of renderers: calls, parts and interrupts.

use assistant_core::conversation::CallKey;

/// The specificity of a match. The more specific match takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Specificity {
    /// A match by a target that accepts any name, reason or type.
    General,
    /// A match by the exact name, reason, type or kind.
    Exact,
}

/// The calls that a renderer draws. A string converts to a target for the tool with that name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolTarget {
    /// The calls of one tool.
    Named(String),
    /// The calls of all tools without a renderer of their own.
    All,
}

impl ToolTarget {
    /// Returns the specificity with which the target matches the name of a tool. Returns `None` if
    /// the target does not apply.
    pub(crate) fn specificity(&self, tool: &str) -> Option<Specificity> {
        match self {
            Self::Named(name) => (name == tool).then_some(Specificity::Exact),
            Self::All => Some(Specificity::General),
        }
    }
}

impl From<&str> for ToolTarget {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for ToolTarget {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// The interrupts that a renderer draws. A string converts to a target for interrupts with that
/// reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterruptTarget {
    /// Interrupts with this reason.
    Reason(String),
    /// All interrupts with reasons for which no renderer is registered.
    All,
}

impl InterruptTarget {
    /// Returns the specificity with which the target matches the reason of an interrupt. Returns
    /// `None` if the target does not apply.
    pub(crate) fn specificity(&self, reason: &str) -> Option<Specificity> {
        match self {
            Self::Reason(wanted) => (wanted == reason).then_some(Specificity::Exact),
            Self::All => Some(Specificity::General),
        }
    }
}

impl From<&str> for InterruptTarget {
    fn from(reason: &str) -> Self {
        Self::Reason(reason.to_owned())
    }
}

impl From<String> for InterruptTarget {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

/// The kind of a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// Text.
    Text,
    /// The reasoning of the model.
    Reasoning,
    /// A tool call.
    Call(CallKey),
    /// A file.
    File,
    /// Structured data, with the name of its type.
    Data(String),
    /// A part of an unknown kind.
    Unknown,
}

/// The parts that a renderer draws. A string converts to a target for data and activities of that
/// type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartTarget {
    /// Text.
    Text,
    /// The reasoning of the model.
    Reasoning,
    /// Files.
    File,
    /// Data and activities of one type.
    Data(String),
    /// Data and activities of a type without a renderer of its own.
    AnyData,
    /// Parts of an unknown kind.
    Unknown,
}

impl PartTarget {
    /// Returns the specificity with which the target matches the kind of a part. Returns `None` if
    /// the target does not apply.
    pub(crate) fn specificity(&self, kind: &PartKind) -> Option<Specificity> {
        match (self, kind) {
            (Self::Text, PartKind::Text)
            | (Self::Reasoning, PartKind::Reasoning)
            | (Self::File, PartKind::File)
            | (Self::Unknown, PartKind::Unknown) => Some(Specificity::Exact),
            (Self::Data(wanted), PartKind::Data(found)) if wanted == found => {
                Some(Specificity::Exact)
            }
            (Self::AnyData, PartKind::Data(_)) => Some(Specificity::General),
            _ => None,
        }
    }
}

impl From<&str> for PartTarget {
    fn from(data_type: &str) -> Self {
        Self::Data(data_type.to_owned())
    }
}

impl From<String> for PartTarget {
    fn from(data_type: String) -> Self {
        Self::Data(data_type)
    }
}
