//! Defines the origin of a call, and the handling of callouts, which are calls written in a text.

/// The origin of a call: the agent or the page, the agent's provider, or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// A tool call from the agent, or a call that the page made itself.
    #[default]
    Agent,
    /// A tool call that the agent's provider runs. The page never runs the call.
    Provider,
    /// A callout in a text. The callout is displayed but never run, and is sent to the agent only
    /// as part of the text.
    Text,
    /// A callout in a text that the host permits to run. The callout is treated like a tool call.
    Intercepted,
}

impl Origin {
    /// Returns the name that is used in stored conversations, or `None` for [`Self::Agent`], which
    /// is not stored.
    #[must_use]
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Agent => None,
            Self::Provider => Some("provider"),
            Self::Text => Some("text"),
            Self::Intercepted => Some("intercepted"),
        }
    }

    /// Parses the name of an origin in stored conversations. Returns `None` for other names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let origins = [Self::Provider, Self::Text, Self::Intercepted];
        origins
            .into_iter()
            .find(|origin| origin.as_str() == Some(word))
    }
}

/// The handling of tool callouts in the assistant's text. Without the feature `callouts`, callouts
/// are always plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkdownTools {
    /// Callouts remain plain text.
    #[default]
    Off,
    /// Callouts are shown as calls between the pieces of the text, and are never run.
    Display,
    /// Callouts are shown as with `Display`. In addition, a callout in a streaming text that has
    /// input and no outcome is treated like a tool call: it is checked, approved, run and answered.
    Intercept,
}
