//! The origin of a call, and the treatment of callouts: calls that are written in a text.

/// The origin of a call: the agent's protocol or the page, the agent's provider, or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// A tool call in the agent's protocol, or a call that the page made itself.
    #[default]
    Agent,
    /// A tool call that the agent's provider runs, and never the page.
    Provider,
    /// A callout in a text: displayed, never run, and sent to the agent only as part of the text.
    Text,
    /// A callout in a text that the host permits to run. It is then treated like any other call.
    Intercepted,
}

impl Origin {
    /// Returns the name that is used in stored conversations; `None` for [`Self::Agent`].
    #[must_use]
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Agent => None,
            Self::Provider => Some("provider"),
            Self::Text => Some("text"),
            Self::Intercepted => Some("intercepted"),
        }
    }

    /// Parses the name that is used in stored conversations; `None` for other names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let origins = [Self::Provider, Self::Text, Self::Intercepted];
        origins
            .into_iter()
            .find(|origin| origin.as_str() == Some(word))
    }
}

/// The treatment of tool callouts in the text of an assistant. Without the feature `callouts` they
/// are always text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkdownTools {
    /// Callouts are text.
    #[default]
    Off,
    /// Callouts are shown as calls between the pieces of the text, and never run.
    Display,
    /// Callouts are shown as with `Display`. In addition, a callout with input and without an
    /// outcome, in a streaming text, is treated like any other call: it is checked, approved, run
    /// and answered.
    Intercept,
}
