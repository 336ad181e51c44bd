//! Foreign fields with the names of ours are preserved by import and export.

use assistant_core::conversation::Conversation;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// The names that exports use, and some unused ones.
const NAMES: [&str; 46] = [
    "id",
    "wireId",
    "role",
    "parts",
    "createdAt",
    "name",
    "encryptedValue",
    "subagentRunId",
    "metadata",
    "listed",
    "cut",
    "usage",
    "durationMs",
    "waitedMs",
    "steps",
    "markdown",
    "author",
    "disputed",
    "extra",
    "type",
    "text",
    "startedAt",
    "endedAt",
    "toolCallId",
    "toolName",
    "output",
    "content",
    "dataType",
    "data",
    "state",
    "input",
    "argsText",
    "editedInput",
    "approval",
    "result",
    "unlisted",
    "error",
    "origin",
    "key",
    "run",
    "by",
    "messageId",
    "sent",
    "changed",
    "started",
    "somethingElse",
];

fn value() -> impl Strategy<Value = Value> {
    select(vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(1),
        json!(-1.5),
        json!("page"),
        json!("text"),
        json!([1, {"sent": true}]),
        json!({}),
        json!({"extra": {"extra": 1}, "key": 3, "sent": false}),
    ])
}

fn fields() -> impl Strategy<Value = Map<String, Value>> {
    let field = (select(NAMES.to_vec()), value());
    let field = field.prop_map(|(name, value)| (name.to_owned(), value));
    vec(field, 0..5).prop_map(Map::from_iter)
}

/// Adds missing fields.
fn with(mut to: Value, more: Map<String, Value>) -> Value {
    if let Value::Object(to) = &mut to {
        for (name, value) in more {
            to.entry(name).or_insert(value);
        }
    }
    to
}

/// A list in which every object has foreign fields.
fn list() -> impl Strategy<Value = Value> {
    let turn = (fields(), fields(), fields(), fields(), any::<bool>());
    vec(turn, 1..4).prop_map(|turns| {
        let mut list = Vec::new();
        for (at, (person, agent, call, tool, answered)) in turns.into_iter().enumerate() {
            let function = json!({"name": "f", "arguments": "{\"x\": 1}"});
            let id = format!("c{at}");
            let call = with(json!({"id": id, "type": "function", "function": function}), call);
            let content = json!("hi");
            list.push(with(json!({"id": format!("u{at}"), "role": "user", "content": content}), person));
            list.push(with(
                json!({"id": format!("m{at}"), "role": "assistant", "toolCalls": [call], "content": "so"}),
                agent,
            ));
            if answered {
                list.push(with(
                    json!({"id": format!("t{at}"), "role": "tool", "toolCallId": id, "content": "1"}),
                    tool,
                ));
            }
        }
        Value::Array(list)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_foreign_list_survives_import_and_export(list in list()) {
        // Invalid messages are refused.
        let Ok(first) = Conversation::import(list) else { return Ok(()) };
        let stored = first.export();
        let second = Conversation::import(stored.clone()).unwrap();
        prop_assert_eq!(second.received_messages(), first.received_messages());
        prop_assert_eq!(second.export(), stored);
    }
}
