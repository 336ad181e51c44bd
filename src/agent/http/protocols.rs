//! Creates agents that are reached over HTTP with protocols other than AG-UI.

use super::HttpAgent;

/// An agent that is reached over HTTP and answers with the AI SDK's UI message stream
/// ([`HttpAgent::ui_stream`]).
#[cfg(feature = "ui-stream")]
pub type UiStreamAgent = HttpAgent<assistant_protocols::UiStream>;

/// An agent that requests chat completions from a model endpoint, in the format of `OpenAI`. The
/// session controls the loop of runs and tool results.
///
/// ```
/// use leptos_assistant::agent::{CompletionsAgent, HttpAgent};
///
/// // A key in a page is public: put a server of yours in between.
/// let agent: CompletionsAgent = HttpAgent::completions("http://localhost:11434/v1", "qwen3");
/// ```
#[cfg(feature = "completions")]
pub type CompletionsAgent = HttpAgent<assistant_protocols::Completions>;

#[cfg(feature = "ui-stream")]
impl UiStreamAgent {
    /// Creates an agent for the AI SDK's UI message stream at an address, which is absolute or
    /// relative to the page.
    pub fn ui_stream(url: impl Into<String>) -> Self {
        Self::with_protocol(url, assistant_protocols::UiStream::default())
    }
}

#[cfg(feature = "completions")]
impl CompletionsAgent {
    /// Creates an agent for a model at an endpoint. `base_url` is the address of the endpoint
    /// without `/chat/completions`. If `model` is empty, the endpoint chooses the model.
    pub fn completions(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let base: String = base_url.into();
        let model: String = model.into();
        let mut options = assistant_protocols::completions::RequestOptions::default();
        if !model.is_empty() {
            options = options.model(model);
        }
        let url = super::request::append_path(&base, "/chat/completions");
        Self::with_protocol(url, assistant_protocols::Completions::new(options))
    }
}
