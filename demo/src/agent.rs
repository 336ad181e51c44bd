//! Creates the agent of the page. The agent is the script or, if the page's address contains an
//! agent (`?agent=URL&protocol=ag-ui|ui-stream|completions&model=NAME`), this remote agent.
//! `runs=URL` is the address at which an AG-UI agent stores its runs. `fork_thread=true` is for an
//! agent that stores the history itself.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    AgentProp, SessionOptions,
    agent::UiStream,
    agent::{HttpAgent, ScriptedAgent},
};

use crate::{browser::parameter, script};

/// The delay between two words of the script.
const WORD_DELAY: Duration = Duration::from_millis(14);

/// A protocol of remote agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentProtocol {
    AgUi,
    UiStream,
    Completions,
}

impl AgentProtocol {
    pub(crate) const ALL: [Self; 3] = [Self::AgUi, Self::UiStream, Self::Completions];

    /// Returns the protocol's name in the page's address.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::AgUi => "ag-ui",
            Self::UiStream => "ui-stream",
            Self::Completions => "completions",
        }
    }

    /// Returns the protocol's name for users.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::AgUi => "AG-UI",
            Self::UiStream => "AI SDK",
            Self::Completions => "OpenAI-compatible",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

/// An agent that the page reaches over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteAgent {
    pub(crate) protocol: AgentProtocol,
    pub(crate) url: String,
    /// The model that is requested from an OpenAI-compatible endpoint. If the name is empty, the
    /// endpoint chooses a model.
    pub(crate) model: String,
}

impl RemoteAgent {
    /// Returns the agent in the page's address, or `None` if the address contains no agent. Fails
    /// with the reason why the agent cannot be used.
    pub(crate) fn from_page_address() -> Result<Option<Self>, String> {
        let Some(url) = parameter("agent") else {
            return Ok(None);
        };
        let name = parameter("protocol").unwrap_or_else(|| AgentProtocol::AgUi.name().to_owned());
        let Some(protocol) = AgentProtocol::from_name(&name) else {
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

    /// Creates the agent. The agent reads the key before every request.
    fn create_agent(&self, key: RwSignal<String>) -> AgentProp {
        let headers = move || match key.get_untracked().as_str() {
            "" => Vec::new(),
            key => vec![("authorization".to_owned(), format!("Bearer {key}"))],
        };
        let url = self.url.as_str();
        match self.protocol {
            AgentProtocol::AgUi => {
                let agent = HttpAgent::new(url).headers(headers);
                match parameter("runs") {
                    Some(runs) => agent.reattach(runs).into(),
                    None => agent.into(),
                }
            }
            AgentProtocol::UiStream => {
                let protocol = UiStream::default().with_resumes(true);
                HttpAgent::with_protocol(url, protocol)
                    .headers(headers)
                    .into()
            }
            AgentProtocol::Completions => HttpAgent::completions(url, self.model.as_str())
                .headers(headers)
                .into(),
        }
    }
}

/// Creates the remote agent, or the scripted agent if `remote` is `None`. If `key` is not empty, it
/// is sent with every request to the remote agent.
pub(crate) fn create(remote: Option<&RemoteAgent>, key: RwSignal<String>) -> AgentProp {
    remote.map_or_else(
        || scripted_agent().into(),
        |remote| remote.create_agent(key),
    )
}

/// Returns the options of the session that the parameters of the page's address specify.
pub(crate) fn options() -> SessionOptions {
    SessionOptions::default()
        .fork_thread(parameter("fork_thread").is_some_and(|fork| fork == "true"))
}

fn scripted_agent() -> ScriptedAgent {
    ScriptedAgent::new(script::answer).pace(WORD_DELAY)
}
