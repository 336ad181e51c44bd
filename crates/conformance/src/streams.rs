//! Random AG-UI streams with few ids, so that the same id occurs in every role.
//!
//! [`any_ordered_stream`] generates a valid order of events, to test whole conversations.
//! [`any_unordered_stream`] generates a random order, to test the rules of the order. Both are
//! `{"stream": […], "input": …}`, which the replay example accepts, too.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::order::{repair_order, run_finished, run_started};

type Choices = &'static [&'static str];

const TEXTS: Choices = &["m1", "m2", "m3"];
const CALLS: Choices = &["c1", "c2", "c3"];
const RESULTS: Choices = &["t1", "t2", "t3"];
const ACTIVITIES: Choices = &["a1", "a2"];
const REASONINGS: Choices = &["r1", "r2"];
const USERS: Choices = &["u1", "u2"];
const ANY: Choices = &["m1", "m2", "c1", "c2", "t1", "t2", "a1", "r1", "u1"];
const SUBAGENTS: Choices = &["s1", "s2"];

/// Generates streams in valid order, with one or more runs, some after a history.
pub fn any_ordered_stream() -> impl Strategy<Value = Value> {
    let input = (
        any_history(5),
        select(vec![json!({}), json!({"a": 1}), json!([1])]),
    )
        .prop_map(|(messages, state)| json!({"messages": messages, "state": state}));
    (vec(any_common_event(), 1..40), weighted(0.4, input))
        .prop_map(|(events, input)| json!({"stream": repair_order(events), "input": input}))
}

/// Generates streams in random order, most of which violate a rule.
pub fn any_unordered_stream() -> impl Strategy<Value = Value> {
    let mixed =
        || prop_oneof![3 => any_common_event(), 3 => any_bookkeeping_event(), 2 => any_chunk()];
    let chunks =
        || prop_oneof![1 => any_common_event(), 1 => any_bookkeeping_event(), 6 => any_chunk()];
    let events = prop_oneof![vec(mixed(), 1..14), vec(chunks(), 1..14)];
    (events, prop::bool::weighted(0.8)).prop_map(|(mut events, ends)| {
        events.insert(0, run_started());
        events.extend(ends.then(run_finished));
        json!({"stream": events, "input": null})
    })
}

/// Generates the events that occur in most streams.
fn any_common_event() -> impl Strategy<Value = Value> {
    let attributed = prop_oneof![
        8 => any_text_event(),
        9 => any_call_event(),
        3 => any_result(),
        4 => any_activity_event(),
        2 => any_reasoning_event(),
        1 => any_encrypted_value(),
    ];
    prop_oneof![
        24 => (attributed, weighted(0.07, select(SUBAGENTS)), weighted(0.12, any_metadata()))
            .prop_map(|(event, tag, metadata)| add_non_null_fields(event, json!({"subagentRunId": tag, "metadata": metadata}))),
        3 => any_state_event(),
        1 => any_history(6).prop_map(|messages| json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})),
        1 => any_run_end(),
    ]
    .boxed()
}

/// Generates steps, subagents, reasoning spans, and events without an entity.
fn any_bookkeeping_event() -> impl Strategy<Value = Value> {
    let subagent = || select(SUBAGENTS);
    let tag = || weighted(0.3, subagent());
    let outcome = select(vec![
        json!({"type": "success"}),
        json!({"type": "suspended"}),
        json!({"type": "suspended", "interruptIds": ["i1"]}),
        json!({"type": "odd"}),
    ]);
    prop_oneof![
        (
            select(&["STEP_STARTED", "STEP_FINISHED"][..]),
            select(&["one", "two"][..]),
            tag()
        )
            .prop_map(|(kind, name, tag)| add_non_null_fields(
                json!({"type": kind, "stepName": name}),
                json!({"subagentRunId": tag})
            )),
        (subagent(), weighted(0.2, subagent())).prop_map(|(id, parent)| add_non_null_fields(
            json!({"type": "SUBAGENT_STARTED", "subagentRunId": id, "name": "n"}),
            json!({"parentSubagentRunId": parent})
        )),
        (subagent(), weighted(0.3, outcome)).prop_map(|(id, outcome)| add_non_null_fields(
            json!({"type": "SUBAGENT_FINISHED", "subagentRunId": id}),
            json!({"outcome": outcome})
        )),
        subagent()
            .prop_map(|id| json!({"type": "SUBAGENT_ERROR", "subagentRunId": id, "message": "no"})),
        (
            select(&["REASONING_START", "REASONING_END"][..]),
            select(REASONINGS),
            tag()
        )
            .prop_map(|(kind, id, tag)| add_non_null_fields(
                json!({"type": kind, "messageId": id}),
                json!({"subagentRunId": tag})
            )),
        Just(json!({"type": "RAW", "event": {}})),
        Just(json!({"type": "CUSTOM", "name": "n", "value": null})),
        Just(json!({"type": "FUTURE_EVENT", "field": 1})),
        Just(run_started()),
    ]
    .boxed()
}

fn any_chunk() -> impl Strategy<Value = Value> {
    let delta = || weighted(0.7, select(&["x", ""][..]));
    let text = (
        weighted(0.5, any_id(TEXTS)),
        weighted(0.2, any_role()),
        delta(),
    )
        .prop_map(|(id, role, delta)| {
            add_non_null_fields(
                json!({"type": "TEXT_MESSAGE_CHUNK"}),
                json!({"messageId": id, "role": role, "delta": delta}),
            )
        });
    let call = (weighted(0.6, any_id(CALLS)), weighted(0.6, select(&["f", "f", "g"][..])), weighted(0.2, any_id(TEXTS)), delta())
        .prop_map(|(id, name, parent, delta)| add_non_null_fields(json!({"type": "TOOL_CALL_CHUNK"}), json!({"toolCallId": id, "toolCallName": name, "parentMessageId": parent, "delta": delta})));
    let reasoning = (weighted(0.5, any_id(REASONINGS)), delta()).prop_map(|(id, delta)| {
        add_non_null_fields(
            json!({"type": "REASONING_MESSAGE_CHUNK"}),
            json!({"messageId": id, "delta": delta}),
        )
    });
    let raw = weighted(0.05, Just(json!({"z": 1})));
    (
        prop_oneof![text, call, reasoning],
        weighted(0.3, select(SUBAGENTS)),
        weighted(0.05, any_metadata()),
        raw,
    )
        .prop_map(|(event, tag, metadata, raw)| {
            add_non_null_fields(
                event,
                json!({"subagentRunId": tag, "metadata": metadata, "rawEvent": raw}),
            )
        })
        .boxed()
}

fn any_text_event() -> impl Strategy<Value = Value> {
    let start = (
        any_id(TEXTS),
        weighted(0.4, any_role()),
        weighted(0.2, Just("N")),
    )
        .prop_map(|(id, role, name)| {
            add_non_null_fields(
                json!({"type": "TEXT_MESSAGE_START", "messageId": id}),
                json!({"role": role, "name": name}),
            )
        });
    prop_oneof![
        3 => start,
        3 => (any_id(TEXTS), select(&["x", "yy", ""][..])).prop_map(|(id, delta)| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta})),
        2 => any_id(TEXTS).prop_map(|id| json!({"type": "TEXT_MESSAGE_END", "messageId": id})),
    ]
}

fn any_call_event() -> impl Strategy<Value = Value> {
    let parent = prop_oneof![8 => select(TEXTS), 1 => Just("new"), 1 => select(ANY)];
    let start = (
        select(CALLS),
        select(&["f", "f", "g"][..]),
        weighted(0.6, parent),
    )
        .prop_map(|(id, name, parent)| {
            add_non_null_fields(
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
                json!({"parentMessageId": parent}),
            )
        });
    prop_oneof![
        3 => start,
        2 => (select(CALLS), select(&["{}", "{\"a\":", "1}", ""][..])).prop_map(|(id, delta)| json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta})),
        2 => select(CALLS).prop_map(|id| json!({"type": "TOOL_CALL_END", "toolCallId": id})),
    ]
}

fn any_result() -> impl Strategy<Value = Value> {
    let call = prop_oneof![9 => select(CALLS), 1 => Just("unknown")];
    // An unknown kind of part, which is removed.
    let hologram = json!([{"type": "text", "text": "p"}, {"type": "hologram"}]);
    let content = prop_oneof![9 => any_content(), 1 => Just(hologram)];
    (any_id(RESULTS), call, content).prop_map(|(id, call, content)| {
        json!({"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": content})
    })
}

fn any_activity_event() -> impl Strategy<Value = Value> {
    let kind = || select(&["p", "q"][..]);
    let snapshot = (any_id(ACTIVITIES), kind(), 0..4, weighted(0.3, any::<bool>()))
        .prop_map(|(id, kind, n, replace)| add_non_null_fields(json!({"type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": kind, "content": {"n": n}}), json!({"replace": replace})));
    let patch = select(vec![
        json!({"op": "add", "path": "/b", "value": 1}),
        json!({"op": "replace", "path": "/n", "value": 9}),
        json!({"op": "remove", "path": "/b"}),
        json!({"op": "test", "path": "/n", "value": 1}),
    ]);
    let delta = (any_id(ACTIVITIES), kind(), patch).prop_map(|(id, kind, patch)| {
        json!({"type": "ACTIVITY_DELTA", "messageId": id, "activityType": kind, "patch": [patch]})
    });
    prop_oneof![snapshot, delta]
}

fn any_reasoning_event() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_id(REASONINGS).prop_map(
            |id| json!({"type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"})
        ),
        any_id(REASONINGS).prop_map(
            |id| json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": "h"})
        ),
        any_id(REASONINGS).prop_map(|id| json!({"type": "REASONING_MESSAGE_END", "messageId": id})),
    ]
}

fn any_encrypted_value() -> impl Strategy<Value = Value> {
    let entity = prop_oneof![
        (Just("tool-call"), select(CALLS)),
        (Just("message"), select(ANY)),
    ];
    (entity, 0..3).prop_map(|((subtype, id), n)| {
        json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": format!("E{n}")})
    })
}

fn any_state_event() -> impl Strategy<Value = Value> {
    let snapshots = vec![json!({}), json!({"a": 1}), json!([1, 2])];
    let operations = vec![
        json!({"op": "add", "path": "/b", "value": null}),
        json!({"op": "add", "path": "/-", "value": 3}),
        json!({"op": "add", "path": "/0", "value": 1}),
        json!({"op": "replace", "path": "/a", "value": {"c": 1}}),
        json!({"op": "replace", "path": "", "value": {"z": 1}}),
        json!({"op": "remove", "path": "/a"}),
        json!({"op": "copy", "from": "/a", "path": "/d"}),
        json!({"op": "move", "from": "/b", "path": "/e"}),
        json!({"op": "test", "path": "/a", "value": 1}),
        json!({"op": "unknown", "path": "/a"}),
    ];
    prop_oneof![
        1 => select(snapshots).prop_map(|snapshot| json!({"type": "STATE_SNAPSHOT", "snapshot": snapshot})),
        2 => vec(select(operations), 1..3).prop_map(|delta| json!({"type": "STATE_DELTA", "delta": delta})),
    ]
}

/// Generates the end of a run.
fn any_run_end() -> impl Strategy<Value = Value> {
    let outcome = select(vec![
        json!({"type": "success"}),
        json!({"type": "success", "pendingToolCallIds": ["c1"]}),
        json!({"type": "success", "pendingToolCallIds": []}),
        json!({"type": "cancelled"}),
        json!({"type": "odd"}),
        json!({"type": "interrupt", "interrupts": [{"id": "i1", "reason": "ask", "toolCallId": "c1"}]}),
    ]);
    prop_oneof![
        4 => weighted(0.7, outcome).prop_map(|outcome| add_non_null_fields(run_finished(), json!({"outcome": outcome}))),
        1 => Just(json!({"type": "RUN_ERROR", "message": "boom", "code": "c"})),
    ]
}

/// Generates messages without duplicate ids of messages or calls.
fn any_history(most: usize) -> impl Strategy<Value = Vec<Value>> {
    vec(any_message(), 0..most).prop_map(|mut messages| {
        let mut ids = BTreeSet::new();
        let mut first = |value: &Value| ids.insert(value["id"].to_string());
        messages.retain_mut(|message| {
            if !first(message) {
                return false;
            }
            if let Some(calls) = message.get_mut("toolCalls").and_then(Value::as_array_mut) {
                calls.retain(&mut first);
            }
            true
        });
        messages
    })
}

fn any_message() -> impl Strategy<Value = Value> {
    let call = (select(CALLS), select(&["f", "g"][..]), select(&["{}", "{\"z\":1}", ""][..]))
        .prop_map(|(id, name, arguments)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}));
    let assistant = (
        any_id(TEXTS),
        weighted(0.6, select(&["", "S", "xyx"][..])),
        weighted(0.5, vec(call, 1..3)),
    )
        .prop_map(|(id, content, calls)| {
            add_non_null_fields(
                json!({"id": id, "role": "assistant"}),
                json!({"content": content, "toolCalls": calls}),
            )
        });
    let tool = (
        any_id(RESULTS),
        select(CALLS),
        any_content(),
        weighted(0.2, Just("bad")),
    )
        .prop_map(|(id, call, content, error)| {
            add_non_null_fields(
                json!({"id": id, "role": "tool", "toolCallId": call, "content": content}),
                json!({"error": error}),
            )
        });
    let kinds = prop_oneof![
        4 => (any_id(USERS), any_content()).prop_map(|(id, content)| json!({"id": id, "role": "user", "content": content})),
        5 => assistant,
        3 => tool,
        1 => (select(ACTIVITIES), 0..3).prop_map(|(id, n)| json!({"id": id, "role": "activity", "activityType": "p", "content": {"n": n}})),
        1 => select(REASONINGS).prop_map(|id| json!({"id": id, "role": "reasoning", "content": "th"})),
        1 => Just(json!({"id": "sys", "role": "system", "content": "be"})),
    ];
    (kinds, weighted(0.1, any_metadata()))
        .prop_map(|(message, metadata)| add_non_null_fields(message, json!({"metadata": metadata})))
}

fn any_content() -> impl Strategy<Value = Value> {
    select(vec![
        json!(""),
        json!("x"),
        json!([{"type": "text", "text": "p"}]),
        json!([{"type": "text", "text": "p", "id": "i"}, {"type": "image", "source": {"type": "url", "value": "http://x/y"}}]),
    ])
}

/// Generates an id that is mostly of the given kind, and rarely of any kind.
fn any_id(own: Choices) -> impl Strategy<Value = &'static str> {
    prop_oneof![24 => select(own), 1 => select(ANY)]
}

fn any_role() -> impl Strategy<Value = &'static str> {
    select(&["assistant", "user", "system", "developer"][..])
}

fn any_metadata() -> impl Strategy<Value = Value> {
    (select(&["k", "l"][..]), 0..9).prop_map(|(key, n)| json!({key: n}))
}

/// Adds the fields that are not null.
fn add_non_null_fields(mut object: Value, optional: Value) -> Value {
    if let (Value::Object(object), Value::Object(optional)) = (&mut object, optional) {
        object.extend(optional.into_iter().filter(|(_, value)| !value.is_null()));
    }
    object
}
