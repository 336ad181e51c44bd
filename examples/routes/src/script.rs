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
    let text = last_user_text(input).to_lowercase();
    let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
    match word {
        "add" => script.call("add_to_cart", &json!({"product": rest})),
        "cart" => script.call("open_cart", &json!({})),
        "empty" => script.call("empty_cart", &json!({})),
        "buy" => script.call("check_out", &json!({})),
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
