//! Renders the tools and arguments in an agent's question exactly, as data.

use assistant_core::session::OpenInterrupt;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::{ExactText, visibility::Visibility};
use crate::{
    assistant::Assistant,
    ui::{LabelName, Words},
};

/// The maximum number of tools shown individually; if there are more, the complete metadata is
/// shown.
const MAX_TOOLS: usize = 20;
/// The depth to which a question's metadata is searched; if the metadata is deeper, it is shown
/// completely.
const MAX_DEPTH: usize = 6;

/// Renders the tools in the metadata of a question, or else the call that the question refers to,
/// with the exact arguments. The complete metadata replaces the tools if the question lists several
/// actions, if not all tools were found, or if neither tools nor a call are found and `is_silent`
/// is true (the question has no text). Each block must be read to its end.
pub(super) fn requested_tools(
    assistant: &Assistant,
    open: &OpenInterrupt,
    is_silent: bool,
    visibility: Visibility,
) -> AnyView {
    let interrupt = open.interrupt();
    let mut tools = Vec::new();
    let metadata = interrupt.metadata.as_ref().map(|metadata| json!(metadata));
    let mut shows_metadata = open.actions().len() > 1;
    if let Some(metadata) = &metadata {
        shows_metadata |= !find_tools(metadata, 0, &mut tools);
    }
    if shows_metadata {
        tools.clear();
    }
    let call_id = interrupt.tool_call_id.as_deref();
    if let (true, Some(id)) = (tools.is_empty(), call_id) {
        let call = assistant.with_conversation(|conversation| {
            let (_, call) = conversation.call_by_wire_id(id)?;
            let args = call
                .effective_args()
                .map_or_else(|| call.args_text().to_owned(), |args| format!("{args:#}"));
            Some((call.name().to_owned(), args))
        });
        tools.extend(call.flatten());
    }
    shows_metadata |= tools.is_empty() && is_silent;
    let tools = tools.into_iter().map(|(name, args)| {
        view! {
            <div class="la-question-tool">
                <p class="la-approval-text">
                    <code class="la-code-inline" dir="ltr">
                        <ExactText text=name />
                    </code>
                </p>
                {exact_block(args, visibility)}
            </div>
        }
    });
    let tools = tools.collect_view();
    let metadata = metadata.filter(|_| shows_metadata);
    let metadata = metadata.map(|metadata| exact_block(format!("{metadata:#}"), visibility));
    view! { {tools} {metadata} }.into_any()
}

fn exact_block(text: String, visibility: Visibility) -> impl IntoView {
    let label = Words::current().attr(LabelName::Arguments);
    view! {
        <pre class="la-code" dir="ltr" data-kind="arguments" tabindex="0" role="group" aria-label=label>
            <ExactText text />
            {visibility.end_mark()}
        </pre>
    }
}

/// The keys under which frameworks name a tool.
const NAME_KEYS: [&str; 7] = [
    "name",
    "tool",
    "toolName",
    "tool_name",
    "action",
    "function",
    "functionName",
];
/// The keys under which frameworks put the arguments of a tool.
const ARGS_KEYS: [&str; 8] = [
    "args",
    "arguments",
    "input",
    "parameters",
    "toolArgs",
    "tool_args",
    "toolInput",
    "tool_input",
];

fn tool_name(value: &Value) -> Option<&str> {
    NAME_KEYS.iter().find_map(|key| value.get(key)?.as_str())
}

fn tool_args(value: &Value) -> Option<&Value> {
    let args = ARGS_KEYS.iter().find_map(|key| value.get(key));
    args.filter(|args| args.is_object() || args.is_string())
}

fn is_tool(value: &Value) -> bool {
    tool_name(value).is_some() && tool_args(value).is_some()
}

/// Collects the tools with arguments in the metadata of a question, in the structures and under the
/// keys that frameworks use. Returns false if tools may be missing.
fn find_tools(value: &Value, depth: usize, found: &mut Vec<(String, String)>) -> bool {
    let children: Vec<&Value> = match value {
        Value::Object(object) => object.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => return true,
    };
    if depth > MAX_DEPTH || found.len() >= MAX_TOOLS {
        return children.is_empty();
    }
    if let (Some(name), Some(args)) = (tool_name(value), tool_args(value)) {
        let args = match args {
            Value::String(text) => text.clone(),
            args => format!("{args:#}"),
        };
        found.push((name.to_owned(), args));
        return true;
    }
    // An unrecognized item in a list of tools makes the result incomplete, because the item may be
    // a tool without arguments.
    let lists_tools = value.is_array() && children.iter().any(|item| is_tool(item));
    if lists_tools && !children.iter().all(|item| is_tool(item)) {
        return false;
    }
    children
        .into_iter()
        .all(|value| find_tools(value, depth + 1, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tools in the metadata of the interrupts that end a recorded response.
    fn recorded_tools(run: &str) -> Vec<(String, Value)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/agui-servers");
        let stream = std::fs::read_to_string(format!("{folder}/{run}.sse")).unwrap();
        let mut frames = stream
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let last_event: Value = serde_json::from_str(frames.next_back().unwrap()).unwrap();
        let mut tools = Vec::new();
        for interrupt in last_event["outcome"]["interrupts"].as_array().unwrap() {
            assert!(find_tools(&interrupt["metadata"], 0, &mut tools));
        }
        let parse_args =
            |(name, args): (String, String)| (name, serde_json::from_str(&args).unwrap());
        tools.into_iter().map(parse_args).collect()
    }

    #[test]
    fn a_suspended_tool_is_named_once_with_its_arguments() {
        let refund = |order| {
            let args = json!({"order_id": order, "amount": 40});
            vec![("refund_order".to_owned(), args)]
        };
        assert_eq!(recorded_tools("mastra-approve.run1"), refund("A-17"));
        assert_eq!(recorded_tools("mastra-two.run1"), refund("A-17"));
        assert_eq!(recorded_tools("mastra-two.run2"), refund("B-2"));
    }
}
