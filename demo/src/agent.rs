//! Whom the page talks to: the script, or the agent that the address names
//! (`?agent=URL&protocol=ag-ui|ui-stream|completions&model=NAME`).

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    AgentProp,
    agent::{HttpAgent, ScriptedAgent},
    engine::protocol::UiStream,
};

use crate::{browser::parameter, script};

/// How long the script waits between two words.
const PACE: Duration = Duration::from_millis(14);

/// A protocol that the page speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    AgUi,
    UiStream,
    Completions,
}

impl Protocol {
    pub(crate) const ALL: [Self; 3] = [Self::AgUi, Self::UiStream, Self::Completions];

    /// Its name in the address.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::AgUi => "ag-ui",
            Self::UiStream => "ui-stream",
            Self::Completions => "completions",
        }
    }

    /// Its name for people.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::AgUi => "AG-UI",
            Self::UiStream => "AI SDK",
            Self::Completions => "OpenAI-compatible",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// An agent elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    pub(crate) protocol: Protocol,
    pub(crate) url: String,
    /// The model that an OpenAI-compatible endpoint is asked for; it chooses where this is empty.
    pub(crate) model: String,
}

impl Remote {
    /// The agent that the page's address names, or why it cannot be used.
    pub(crate) fn of_address() -> Result<Option<Self>, String> {
        let Some(url) = parameter("agent") else {
            return Ok(None);
        };
        let name = parameter("protocol").unwrap_or_else(|| Protocol::AgUi.name().to_owned());
        let Some(protocol) = Protocol::named(&name) else {
            return Err(format!(
                "The address asks for the protocol “{name}”, and this page speaks “ag-ui”, \
                 “ui-stream” and “completions”. The script in the page answers instead."
            ));
        };
        Ok(Some(Self {
            protocol,
            url,
            model: parameter("model").unwrap_or_default(),
        }))
    }

    /// What talks to it. The key is asked for with every request.
    fn agent(&self, key: RwSignal<String>) -> AgentProp {
        let headers = move || match key.get_untracked().as_str() {
            "" => Vec::new(),
            key => vec![("authorization".to_owned(), format!("Bearer {key}"))],
        };
        let url = self.url.as_str();
        match self.protocol {
            Protocol::AgUi => HttpAgent::new(url).headers(headers).into(),
            Protocol::UiStream => {
                let protocol = UiStream {
                    resumes: true,
                    ..UiStream::default()
                };
                HttpAgent::with_protocol(url, protocol)
                    .headers(headers)
                    .into()
            }
            Protocol::Completions => HttpAgent::completions(url, self.model.as_str())
                .headers(headers)
                .into(),
        }
    }
}

/// The agent at an address, or the script. `key` goes out with every request while it is not empty.
pub(crate) fn of(remote: Option<&Remote>, key: RwSignal<String>) -> AgentProp {
    remote.map_or_else(|| scripted().into(), |remote| remote.agent(key))
}

fn scripted() -> ScriptedAgent {
    ScriptedAgent::new(script::answer).pace(PACE)
}
