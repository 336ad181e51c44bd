//! The origins of calls: the agent's protocol, or a text.

/// The place where an agent wrote a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// The agent made it, with its protocol's tool calls.
    #[default]
    Agent,
    /// The agent made it, and the agent's provider runs it: the page never does.
    Provider,
    /// A callout in a text: shown, never run, and only sent as the text.
    Text,
    /// A callout in a text that the host permits to run, like any other call from then on.
    Intercepted,
}

impl Origin {
    /// Returns the name that is used in stored conversations; the agent has none.
    #[must_use]
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Agent => None,
            Self::Provider => Some("provider"),
            Self::Text => Some("text"),
            Self::Intercepted => Some("intercepted"),
        }
    }

    /// Reads the word of the wire formats.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::Provider, Self::Text, Self::Intercepted];
        all.into_iter().find(|origin| origin.as_str() == Some(word))
    }
}

/// The treatment of tool callouts in the text of an assistant. Without the feature `callouts` they
/// are always text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkdownTools {
    /// They are text.
    #[default]
    Off,
    /// They are shown as calls between the pieces of the text. None of them ever runs.
    Display,
    /// Like `Display`; but a callout with its input and no outcome, in a streaming text, is a call
    /// like any other: checked, approved, run and answered.
    Intercept,
}
