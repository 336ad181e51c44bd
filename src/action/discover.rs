//! An action by which an agent finds the actions that a filter keeps back.

use assistant_core::action::ToolInfo;
use serde_json::{Value, json};

use super::{ToolAction, ToolContext};
use crate::ui::lower;

/// The most actions that one question brings along.
const MOST: usize = 20;

/// The action `list_tools`: the agent says which words or tag it looks for, is told which actions there
/// are, and is offered those from its next run on, until the person speaks. It is offered whatever
/// filter is in force. Nothing registers it by itself; without it a filter is all there is.
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
    .handler(|args: Value, context: ToolContext| context.discover(&args))
}

impl ToolContext {
    /// Offers what matches, and lists it.
    fn discover(&self, args: &Value) -> Value {
        let Some(assistant) = self.assistant.upgrade() else {
            return json!([]);
        };
        let mut found = assistant.list_tools();
        found.retain(|tool| tool.name != self.invocation.name && matches(tool, args));
        found.truncate(MOST);
        assistant.offer_too(found.iter().map(|tool| tool.name.clone()));
        found.iter().map(ToolInfo::to_value).collect()
    }
}

fn matches(tool: &ToolInfo, args: &Value) -> bool {
    let text = lower(&format!("{} {}", tool.name, tool.description));
    let words = lower(args["query"].as_str().unwrap_or_default());
    let tag = args["tag"].as_str();
    words.split_whitespace().all(|word| text.contains(word))
        && tag.is_none_or(|tag| tool.tags.iter().any(|other| other == tag))
}
