//! Defines the parties that can decide about a call: the user and the application.

use serde_json::Value;

/// The party that decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decider {
    /// The user, who decides by a click or a key.
    Person,
    /// The application, which decides in its own code.
    Application,
}

impl Decider {
    /// Returns the name of the decider in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Application => "application",
        }
    }

    /// Parses a name that is used in JSON. Returns `None` for other names.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let deciders = [Self::Person, Self::Application];
        deciders
            .into_iter()
            .find(|decider| decider.as_str() == word)
    }

    /// Reads the decider of a stored approval. If the name is missing, the decider is the user.
    /// Returns `None` for an unknown name.
    pub(crate) fn from_grant(word: Option<&Value>) -> Option<Self> {
        match word {
            None => Some(Self::Person),
            Some(word) => Self::parse(word.as_str()?),
        }
    }
}
