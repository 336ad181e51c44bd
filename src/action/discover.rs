//! Defines the action by which an agent discovers actions that are not offered.

use assistant_core::action::ToolInfo;
use serde_json::{Value, json};

use super::{ToolAction, ToolContext};
use crate::ui::to_lowercase;

/// The maximum number of actions that one call reveals.
const MAX_REVEALED_ACTIONS: usize = 20;

/// Creates the action `list_tools`, with which the agent searches for actions by words or by a tag.
/// The agent receives the matching actions, which are then offered from its next run until the
/// user's next message. The action `list_tools` is offered regardless of the filter, and is not
/// registered automatically. Without this action, the agent can call only the actions that pass the
/// filter.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{list_tools_action, use_assistant_action};
///
/// #[component]
/// fn Discovery() -> impl IntoView {
///     use_assistant_action(list_tools_action());
/// }
/// ```
#[must_use]
pub fn list_tools_action() -> ToolAction {
    ToolAction::new(
        "list_tools",
        "Lists tools of this page that match, and makes them available in your next step",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words of the name or description; all tools without it"},
            "tag": {"type": "string"}
        }
    }))
    .always_offered()
    .handler(|args: Value, context: ToolContext| context.offer_matching_tools(&args))
}

impl ToolContext {
    /// Offers at most [`MAX_REVEALED_ACTIONS`] matching actions to the agent, and returns a list of
    /// these actions.
    fn offer_matching_tools(&self, args: &Value) -> Value {
        let Some(assistant) = self.assistant.upgrade() else {
            return json!([]);
        };
        let mut tools = assistant.tools().list();
        tools.retain(|tool| tool.name() != self.invocation.name() && is_match(tool, args));
        tools.truncate(MAX_REVEALED_ACTIONS);
        assistant
            .tools()
            .offer_also(tools.iter().map(|tool| tool.name().to_owned()));
        tools.iter().map(ToolInfo::to_value).collect()
    }
}

fn is_match(tool: &ToolInfo, args: &Value) -> bool {
    let text = to_lowercase(&format!("{} {}", tool.name(), tool.description()));
    let words = to_lowercase(args["query"].as_str().unwrap_or_default());
    let tag = args["tag"].as_str();
    words.split_whitespace().all(|word| text.contains(word))
        && tag.is_none_or(|tag| tool.tags().iter().any(|other| other == tag))
}
