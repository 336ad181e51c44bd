//! Whom the page talks to: the script, or the agent that the address names
//! (`?agent=URL&protocol=ag-ui`).

use std::time::Duration;

use leptos_assistant::{
    AgentProp,
    agent::{HttpAgent, ScriptedAgent},
};

use crate::{browser::parameter, script};

/// How long the script waits between two words.
const PACE: Duration = Duration::from_millis(14);

/// The agent, and what the person should know about the choice.
pub(crate) fn chosen() -> (AgentProp, Option<String>) {
    let Some(url) = parameter("agent") else {
        return (scripted().into(), None);
    };
    match parameter("protocol").as_deref() {
        None | Some("ag-ui") => (HttpAgent::new(url).into(), None),
        Some(other) => {
            let notice = format!(
                "The address asks for the protocol “{other}”, and this page speaks only “ag-ui”. \
                 The script in the page answers instead."
            );
            (scripted().into(), Some(notice))
        }
    }
}

fn scripted() -> ScriptedAgent {
    ScriptedAgent::new(script::answer).pace(PACE)
}
