//! Import of conversations of other systems: lists with parents, nested trees, linear lists.

use assistant_core::conversation::{Conversation, FormatError, Message, Phase};
use serde_json::{Value, json};

fn import(value: Value) -> Conversation {
    let conversation = Conversation::import(value.clone());
    let conversation = conversation.unwrap_or_else(|error| panic!("{error}: {value}"));
    assert!(conversation.is_sound());
    conversation
}

fn ids<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<&'a str> {
    messages.map(|message| message.id().as_str()).collect()
}

fn path(conversation: &Conversation) -> Vec<&str> {
    ids(conversation.path())
}

fn tree() -> Value {
    json!([{"id": "u1", "role": "user", "content": "hi", "children": [
        {"id": "a1", "role": "assistant", "content": "one", "children": [
            {"id": "u2", "role": "user", "content": "more"},
        ]},
        {"id": "a2", "role": "assistant", "text": "two"},
    ]}])
}

#[test]
fn a_nested_tree_is_imported_from_every_known_envelope() {
    let root = tree()[0].clone();
    for value in [
        tree(),
        root.clone(),
        json!({"root": root}),
        json!({"tree": tree()}),
        json!({"roots": tree(), "active": null}),
        json!({"threadId": "t", "messages": tree()}),
    ] {
        let conversation = import(value);
        assert_eq!(path(&conversation), ["u1", "a2"]);
        assert_eq!(conversation.siblings(&"a1".into()).len(), 2);
        assert_eq!(conversation.message(&"a2".into()).unwrap().text(), "two");
        let again = import(conversation.export());
        assert_eq!(path(&again), path(&conversation));
    }
    let active = import(json!({"messages": tree(), "active": "u2"}));
    assert_eq!(path(&active), ["u1", "a1", "u2"]);
}

#[test]
fn a_list_with_parent_ids_is_imported_in_any_order() {
    let list = json!([
        {"id": "a2", "role": "assistant", "parentId": "u1", "content": "two"},
        {"id": "a1", "role": "assistant", "parentId": "u1", "content": "one"},
        {"id": "u1", "role": "user", "parentId": null, "content": "hi"},
        {"id": "o", "role": "user", "parentId": "gone", "content": "lost?"},
    ]);
    let conversation = import(list);
    assert_eq!(conversation.message_count(), 4);
    assert_eq!(
        conversation.missing_parent(&"o".into()),
        Some(&"gone".into())
    );
    assert_eq!(
        conversation.siblings(&"a1".into()),
        [&"a2".into(), &"a1".into()]
    );
    // A repository of assistant-ui.
    let repository = json!({"headId": "a1", "messages": [
        {"parentId": null, "message": {"id": "u1", "role": "user", "content": [{"type": "text", "text": "hi"}]}},
        {"parentId": "u1", "message": {"id": "a1", "role": "assistant", "content": "one"}},
        {"parentId": "u1", "message": {"id": "a2", "role": "assistant", "content": "two"}},
    ]});
    let conversation = import(repository);
    assert_eq!(path(&conversation), ["u1", "a1"]);
    assert_eq!(conversation.message(&"u1".into()).unwrap().text(), "hi");
    // Children that are named by id.
    let named = json!([
        {"id": "u1", "role": "user", "children": ["a1"]},
        {"id": "a1", "role": "assistant", "children": []},
    ]);
    assert_eq!(path(&import(named)), ["u1", "a1"]);
}

#[test]
fn an_imported_message_keeps_calls_results_times_and_cost() {
    let conversation = import(json!([
        {"id": "u", "role": "User", "parentId": null, "contentBlocks": [{"content": "hi", "contentType": "Text"}]},
        {"id": "a", "role": "assistant", "parentId": "u", "timestamp": 5, "durationMs": 7,
            "contentBlocks": [{"content": "hm", "contentType": "thinking"}, {"content": "Hello"}],
            "tokenUsage": {"inputTokens": 3, "cacheReadInputTokens": 1}, "costInfo": {"totalCost": 0.25},
            "toolCalls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"n\":1}"}},
                {"id": "c2", "toolName": "g", "parameters": "{}", "status": "completed", "result": {"ok": true}},
                {"id": "c3", "name": "h", "arguments": "{\"cut"},
                {"id": "c4", "name": "h", "arguments": {}, "error": "no luck"},
            ]},
        {"id": "t", "role": "tool", "parentId": "a", "toolCallId": "c1", "content": "7"},
        {"id": "b", "role": "assistant", "parentId": "t", "content": "Done"},
    ]));
    assert_eq!(
        path(&conversation),
        ["u", "a", "b"],
        "a result is folded into its call"
    );
    let message = conversation.message(&"a".into()).unwrap();
    assert_eq!(
        (message.text().as_str(), message.created_at()),
        ("Hello", 5)
    );
    let cost = message.cost();
    assert_eq!(
        (cost.duration_ms(), cost.price_micros()),
        (Some(7), Some(250_000))
    );
    assert_eq!(cost.usage()[0].input_tokens, Some(3));
    assert_eq!(cost.usage()[0].cached_input_tokens, Some(1));
    let calls: Vec<_> = conversation.calls_in(message).collect();
    let phases: Vec<_> = calls.iter().map(|call| call.phase()).collect();
    assert_eq!(
        phases,
        [
            Phase::OutputAvailable,
            Phase::OutputAvailable,
            Phase::Cancelled,
            Phase::OutputError
        ]
    );
    assert_eq!(calls[0].args(), Some(&json!({"n": 1})));
    assert_eq!(*calls[0].result().unwrap().value(), json!(7));
    assert_eq!(*calls[1].result().unwrap().value(), json!({"ok": true}));
    assert_eq!(calls[3].error().unwrap().message(), "no luck");
    assert!(
        calls
            .iter()
            .all(|call| call.result().is_none() || call.is_delivered())
    );
    assert_eq!(
        import(conversation.export()).export(),
        conversation.export()
    );
}

fn assistant(id: &str, parent: &str) -> Value {
    let function = json!({"name": "f", "arguments": "{}"});
    let calls = json!([{"id": "call_0", "type": "function", "function": function}]);
    json!({"id": id, "role": "assistant", "parentId": parent, "toolCalls": calls})
}

fn tool(id: &str, parent: Option<&str>, content: &str) -> Value {
    json!({"id": id, "role": "tool", "parentId": parent, "toolCallId": "call_0", "content": content})
}

fn result(conversation: &Conversation, message: &str) -> Option<Value> {
    let message = conversation.message(&message.into()).unwrap();
    let call = conversation.calls_in(message).next().unwrap();
    call.result().map(|result| result.value().clone())
}

#[test]
fn a_result_belongs_to_the_call_of_its_own_branch() {
    let conversation = import(json!([
        {"id": "u", "role": "user", "parentId": null, "content": "hi"},
        assistant("a1", "u"),
        tool("t1", Some("a1"), "A"),
        assistant("b1", "t1"),
        tool("t2", Some("b1"), "B"),
        assistant("a2", "u"),
        tool("t3", Some("a2"), "C"),
        {"id": "b2", "role": "assistant", "parentId": "t3", "content": "Done"},
        assistant("a3", "u"),
    ]));
    let results = ["a1", "b1", "a2", "a3"].map(|id| result(&conversation, id));
    assert_eq!(
        results,
        [Some(json!("A")), Some(json!("B")), Some(json!("C")), None]
    );
    assert_eq!(path(&conversation), ["u", "a3"]);
    assert_eq!(conversation.parent(&"b1".into()), Some(&"a1".into()));
    assert_eq!(conversation.parent(&"b2".into()), Some(&"a2".into()));
}

#[test]
fn a_second_result_of_a_call_stays_in_a_message() {
    let conversation = import(json!([
        {"id": "u", "role": "user", "parentId": null, "content": "hi"},
        assistant("a", "u"),
        tool("t1", Some("a"), "A"),
        tool("t2", Some("a"), "B"),
        {"id": "b", "role": "assistant", "parentId": "t2", "content": "Done"},
    ]));
    assert_eq!(result(&conversation, "a"), Some(json!("A")));
    assert_eq!(path(&conversation), ["u", "a", "t2", "b"]);
    assert!(conversation.export().to_string().contains(r#""B""#));
}

/// Some systems store tool messages without a parent.
#[test]
fn a_result_without_a_parent_belongs_to_the_newest_earlier_call_with_its_id() {
    let user = json!({"id": "u", "role": "user", "parentId": null, "content": "hi"});
    let conversation = import(json!([user, assistant("a", "u"), tool("t", None, "A")]));
    assert_eq!(result(&conversation, "a"), Some(json!("A")));
    assert_eq!(conversation.message_count(), 2);
    let two_calls = json!([
        user,
        assistant("a", "u"),
        assistant("b", "u"),
        tool("t", None, "A")
    ]);
    let conversation = import(two_calls);
    assert_eq!(result(&conversation, "a"), None);
    assert_eq!(result(&conversation, "b"), Some(json!("A")));
    // Results in a list of turns that use the same call id, and a second result of one call.
    let turns = json!([
        user,
        assistant("a", "u"),
        tool("t1", None, "A"),
        assistant("b", "a"),
        tool("t2", None, "B"),
        tool("t3", None, "C"),
    ]);
    let conversation = import(turns);
    assert_eq!(result(&conversation, "a"), Some(json!("A")));
    assert_eq!(result(&conversation, "b"), Some(json!("B")));
    assert_eq!(path(&conversation), ["u", "a", "b", "t3"]);
}

/// A walk up the chain for each message would take minutes.
#[test]
fn many_messages_below_a_long_chain_of_tool_messages_are_imported() {
    let mut list = vec![
        json!({"id": "u", "role": "user", "parentId": null, "content": "hi"}),
        assistant("a", "u"),
    ];
    let id = |name: &str, at: usize| format!("{name}{at}");
    let mut calls = Vec::new();
    let mut parent = "a".to_owned();
    for at in 0..10_000 {
        calls.push(json!({"id": id("c", at), "name": "f", "arguments": {}}));
        list.push(json!({
            "id": id("t", at), "role": "tool", "parentId": parent, "toolCallId": id("c", at), "content": "1",
        }));
        parent = id("t", at);
    }
    list[1]["toolCalls"] = calls.into();
    for at in 0..10_000 {
        list.push(json!({"id": id("b", at), "role": "user", "parentId": parent, "content": "x"}));
    }
    let conversation = Conversation::import(list.into()).unwrap();
    assert_eq!(conversation.siblings(&"b0".into()).len(), 10_000);
}

#[test]
fn a_missing_active_message_selects_the_newest_path() {
    let nested = import(json!({"messages": tree(), "active": "gone"}));
    assert_eq!(path(&nested), ["u1", "a2"]);
    let mut export = import(tree()).export();
    export["tip"] = json!("gone");
    assert_eq!(path(&import(export.clone())), ["u1", "a2"]);
    export["runTip"] = json!("gone too");
    let conversation = import(export);
    assert_eq!(path(&conversation), ["u1", "a2"]);
    assert!(!conversation.shows_other_branch());
    let linear = json!([{"id": "u", "role": "user", "content": "a"}, {"id": "a", "role": "assistant", "content": "b"}]);
    let conversation = import(json!({"messages": linear, "active": "gone"}));
    assert_eq!(path(&conversation), ["u", "a"]);
    assert_eq!(
        path(&import(json!({"messages": linear, "active": "u"}))),
        ["u"]
    );
}

#[test]
fn a_malformed_tree_is_refused() {
    let error = |value: Value| -> FormatError { Conversation::import(value).unwrap_err() };
    let twice =
        error(json!([{"id": "x", "role": "user", "children": [{"id": "x", "role": "user"}]}]));
    assert_eq!(twice.tree_error().unwrap().code(), "duplicate_id");
    let circle = error(json!([
        {"id": "x", "role": "user", "parentId": "y"}, {"id": "y", "role": "user", "parentId": "x"},
    ]));
    assert_eq!(circle.tree_error().unwrap().code(), "cycle");
    for value in [
        json!({"messages": 7}),
        json!({"messages": [{"role": "user", "children": []}]}),
        json!({"messages": [{"id": "x", "role": "king", "parentId": null}]}),
        json!([{"id": "x", "role": "user", "children": [7.5]}, []]),
        json!({"version": 9, "messages": tree()}),
        json!({}),
    ] {
        error(value);
    }
}
