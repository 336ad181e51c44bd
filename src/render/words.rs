//! The texts that an action provides for its calls.

use std::rc::Rc;

use leptos::prelude::Signal;
use serde_json::Value;

/// A function that describes a call for its approval, based on the arguments of the call. Returns
/// `None` if the arguments do not have the expected type.
pub(crate) type DescribeFn = Rc<dyn Fn(&Value) -> Option<Description>>;

/// The description of a call for its approval
/// ([`ToolAction::describe`](crate::ToolAction::describe)): a sentence, and rows of a name and a
/// value.
///
/// A string converts to a description without rows. The approval card shows the description instead
/// of the arguments, which are one click away, so the description should name everything that a
/// decision depends on. A description that is too long for a card is truncated, and then the
/// arguments are shown below the description at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    pub(crate) sentence: String,
    pub(crate) rows: Vec<(String, String)>,
}

impl Description {
    /// Creates a description from a sentence that asks for approval.
    #[must_use]
    pub fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with a name and a value.
    #[must_use]
    pub fn row(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.rows.push((name.into(), value.to_string()));
        self
    }
}

impl From<String> for Description {
    fn from(sentence: String) -> Self {
        Self::new(sentence)
    }
}

impl From<&str> for Description {
    fn from(sentence: &str) -> Self {
        Self::new(sentence)
    }
}

/// The risk of an action, which selects the colour and the wording of the approval card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Risk {
    /// The action can easily be undone.
    Plain,
    /// The action deserves the user's attention.
    #[default]
    Attention,
    /// The action cannot be undone, or costs money.
    Danger,
}

impl Risk {
    /// Returns the value of the attribute `data-risk` for this risk.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Attention => "attention",
            Self::Danger => "danger",
        }
    }
}

/// The texts that an action provides for its calls, as signals.
#[derive(Clone, Default)]
pub(crate) struct ActionTexts {
    pub(crate) title: Option<Signal<String>>,
    /// The title while the action runs.
    pub(crate) doing: Option<Signal<String>>,
    pub(crate) risk: Risk,
    /// The function that describes the call on its approval card.
    pub(crate) describe: Option<DescribeFn>,
}

/// The current values of the texts that an action provides for its calls.
#[derive(Clone, Default)]
pub(crate) struct CallTexts {
    /// A title that names the action for the user.
    pub(crate) title: Option<String>,
    /// The title while the action runs.
    pub(crate) doing: Option<String>,
    pub(crate) risk: Risk,
    /// The function that describes the call on its approval card.
    pub(crate) describe: Option<DescribeFn>,
}
