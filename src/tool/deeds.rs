//! What an agent wants to do when it asks, as data: tools and their arguments, exactly as they are.

use assistant_core::event::Interrupt;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::{ExactText, visibility::Visibility};
use crate::{assistant::Assistant, ui::Words};

/// How many tools are shown that the agent wants to run.
const MAX_DEEDS: usize = 20;
/// How deep they are looked for in what comes along with a question.
const MAX_DEPTH: usize = 6;

/// What the agent wants to do, as far as it says so: tools and their arguments, exactly as they
/// are; if that is not known and the agent says nothing else, all that came along. Each is to be
/// read to its end.
pub(super) fn about(
    assistant: &Assistant,
    interrupt: &Interrupt,
    silent: bool,
    seen: Visibility,
) -> AnyView {
    let mut deeds = Vec::new();
    if let Some(metadata) = &interrupt.metadata {
        find_deeds(&json!(metadata), 0, &mut deeds);
    }
    let called = interrupt.tool_call_id.as_deref();
    if let (true, Some(id)) = (deeds.is_empty(), called) {
        let call = assistant.with_conversation(|conversation| {
            let (_, call) = conversation.call_by_wire_id(id)?;
            let args = call
                .effective_args()
                .map_or_else(|| call.args_text().to_owned(), |args| format!("{args:#}"));
            Some((call.name.clone(), args))
        });
        deeds.extend(call.flatten());
    }
    if let (true, true, Some(metadata)) = (deeds.is_empty(), silent, &interrupt.metadata) {
        return exact_block(format!("{:#}", json!(metadata)), seen).into_any();
    }
    let deeds = deeds.into_iter().map(|(name, args)| {
        view! {
            <div class="la-question-deed">
                <p class="la-approval-text">
                    <code class="la-code-inline">
                        <ExactText text=name />
                    </code>
                </p>
                {exact_block(args, seen)}
            </div>
        }
    });
    deeds.collect_view().into_any()
}

fn exact_block(text: String, seen: Visibility) -> impl IntoView {
    let label = Words::current().attr(|l| &l.arguments);
    view! {
        <pre class="la-code" data-kind="arguments" tabindex="0" role="group" aria-label=label>
            <ExactText text />
            {seen.end()}
        </pre>
    }
}

/// Finds tools with arguments in what comes along with a question: every framework puts them
/// somewhere else, under words of its own.
fn find_deeds(value: &Value, depth: usize, found: &mut Vec<(String, String)>) {
    const NAMES: [&str; 7] = [
        "name",
        "tool",
        "toolName",
        "tool_name",
        "action",
        "function",
        "functionName",
    ];
    const ARGS: [&str; 8] = [
        "args",
        "arguments",
        "input",
        "parameters",
        "toolArgs",
        "tool_args",
        "toolInput",
        "tool_input",
    ];
    if depth > MAX_DEPTH || found.len() >= MAX_DEEDS {
        return;
    }
    match value {
        Value::Object(object) => {
            let name = NAMES.iter().find_map(|key| object.get(*key)?.as_str());
            let args = ARGS.iter().find_map(|key| object.get(*key));
            let args = args.filter(|args| args.is_object() || args.is_string());
            if let (Some(name), Some(args)) = (name, args) {
                let args = match args {
                    Value::String(text) => text.clone(),
                    args => format!("{args:#}"),
                };
                return found.push((name.to_owned(), args));
            }
            for value in object.values() {
                find_deeds(value, depth + 1, found);
            }
        }
        Value::Array(list) => {
            for value in list {
                find_deeds(value, depth + 1, found);
            }
        }
        _ => {}
    }
}
