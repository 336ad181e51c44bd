//! The agent: it acts on the first word of a message, and its answers repeat its input.

use leptos_assistant::{
    agent::{Script, ScriptedAgent, last_user_text, results_since_user},
    event::RunInput,
};
use serde_json::json;

pub fn agent() -> ScriptedAgent {
    ScriptedAgent::new(answer)
}

fn answer(input: &RunInput) -> Script {
    let script = Script::new();
    if let Some((tool, result)) = results_since_user(input).pop() {
        return script.text(format!("`{tool}` said `{result}`. {}", sent(input)));
    }
    let text = last_user_text(input);
    let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
    let id = first.parse::<u32>().unwrap_or_default();
    match word.to_lowercase().as_str() {
        "list" => script.call("list_cards", &json!({})),
        "add" => script.call("add_card", &json!({"title": rest})),
        "move" => script.call("move_card", &json!({"id": id, "column": second})),
        "sweep" => script.call("delete_done", &json!({})),
        "estimate" => script.call("estimate_card", &json!({"id": id})),
        _ => script.text(sent(input)),
    }
}

/// Returns the context and the tools that the page sent.
fn sent(input: &RunInput) -> String {
    let context = input
        .context
        .iter()
        .map(|item| format!("{}: {}.", item.description, item.value));
    let tools: Vec<&str> = input.tools.iter().map(|tool| tool.name.as_str()).collect();
    format!(
        "{} I may use: {}.",
        context.collect::<Vec<_>>().join(" "),
        tools.join(", ")
    )
}
