//! What an action says of its calls, in the page's words.

use std::rc::Rc;

use serde_json::Value;

/// Puts the question whether a call may run into the page's words; none where the arguments are not
/// of the type that it knows.
pub(crate) type Describe = Rc<dyn Fn(&Value) -> Option<Description>>;

/// The description of a call by its page: a sentence, and rows of a name and a value.
///
/// A sentence alone may be a text. It stands in the approval card in place of the arguments, which
/// are one click away below it; so it should say everything that a decision depends on. What is too
/// long for a card is cut, and then the arguments stand below it at once.
///
/// ```
/// use leptos_assistant::Description;
///
/// let description = Description::new("Pay back 40 € for order A-17?")
///     .row("Order", "A-17")
///     .row("Reason", "arrived broken");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    pub(crate) sentence: String,
    pub(crate) rows: Vec<(String, String)>,
}

impl Description {
    /// A sentence: what is asked.
    ///
    /// ```
    /// use leptos_assistant::Description;
    ///
    /// let asks = Description::new("Pay back 20 €?");
    /// ```
    #[must_use]
    pub fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: what a value is called, and the value.
    ///
    /// ```
    /// use leptos_assistant::Description;
    ///
    /// let asks = Description::new("Pay back 20 €?").row("Order", 17).row("Customer", "Ann");
    /// ```
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

/// The risk of an action. It chooses the colour and the words of the page's question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Risk {
    /// Nothing that could not be taken back easily.
    Plain,
    /// Something that a person should look at.
    #[default]
    Attention,
    /// Something that cannot be undone, or that costs.
    Danger,
}

impl Risk {
    /// The value of `data-risk`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Attention => "attention",
            Self::Danger => "danger",
        }
    }
}

/// What an action says of its calls, in the page's words.
#[derive(Clone, Default)]
pub(crate) struct CallWords {
    /// What it does, as a person would say it.
    pub(crate) title: Option<String>,
    /// The same while it runs.
    pub(crate) doing: Option<String>,
    /// What depends on it.
    pub(crate) risk: Risk,
    /// What is asked before it runs.
    pub(crate) describe: Option<Describe>,
}
