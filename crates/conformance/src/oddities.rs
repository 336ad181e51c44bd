//! Unusual but deterministic streams: events in the wrong place, events of old peers, unusual
//! framing. [`crate::malformed`] contains wrong values.

mod framing;
mod legacy;

use serde_json::{Value, json};

use crate::malformed::Case;
use crate::order::{run_finished, run_started};

/// Returns all cases.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = order_cases();
    cases.extend(patch_cases());
    cases.extend(metadata_cases());
    cases.extend(interrupt_cases());
    cases.extend(legacy::cases());
    cases.extend(framing::cases());
    cases
}

fn create_case(name: impl Into<String>, stream: Vec<Value>) -> Case {
    create_case_with_input(name, Value::Null, stream)
}

fn create_case_with_input(name: impl Into<String>, input: Value, stream: Vec<Value>) -> Case {
    Case {
        name: name.into(),
        case: json!({"stream": stream, "input": input}),
    }
}

/// Wraps the events in a run.
fn wrap_in_run(events: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let events = events.into_iter();
    [run_started()]
        .into_iter()
        .chain(events)
        .chain([run_finished()])
        .collect()
}

/// Returns events of each type, without the events that usually precede them, and values that are
/// not events.
fn one_event_of_each_type() -> Vec<Value> {
    vec![
        run_started(),
        run_finished(),
        json!({"type": "RUN_ERROR", "message": "no"}),
        json!({"type": "STEP_STARTED", "stepName": "n"}),
        json!({"type": "STEP_FINISHED", "stepName": "n"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "delta": "x"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok"}),
        json!({"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}}),
        json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": 1}]}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "u", "role": "user", "content": "hi"}]}),
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": {}}),
        json!({"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": []}),
        json!({"type": "REASONING_START", "messageId": "r"}),
        json!({"type": "REASONING_END", "messageId": "r"}),
        json!({"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"}),
        json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "h"}),
        json!({"type": "REASONING_MESSAGE_END", "messageId": "r"}),
        json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "r", "delta": "h"}),
        json!({"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m", "encryptedValue": "E"}),
        json!({"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "n"}),
        json!({"type": "SUBAGENT_FINISHED", "subagentRunId": "s"}),
        json!({"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "no"}),
        json!({"type": "RAW", "event": null}),
        json!({"type": "CUSTOM", "name": "n", "value": null}),
        json!({"type": "FUTURE_EVENT"}),
        json!({"type": "toString"}),
        json!({"type": ""}),
        json!({"type": null}),
        json!({}),
        json!(null),
        json!([]),
        json!("RUN_STARTED"),
    ]
}

/// Returns cases with each event type outside of a run, in a run, before and after a failure, and
/// before each other event type.
fn order_cases() -> Vec<Case> {
    let mut cases = vec![
        create_case("nothing", Vec::new()),
        create_case("a run", wrap_in_run([])),
    ];
    let error = json!({"type": "RUN_ERROR", "message": "boom"});
    for event in one_event_of_each_type() {
        let mut add = |place: &str, stream: Vec<Value>| {
            cases.push(create_case(format!("{event} {place}"), stream));
        };
        let (start, end) = (run_started(), run_finished());
        add(
            "before any run",
            [vec![event.clone()], wrap_in_run([])].concat(),
        );
        add("alone", vec![event.clone()]);
        add("in a run", wrap_in_run([event.clone()]));
        add(
            "after a run",
            [wrap_in_run([]), vec![event.clone()]].concat(),
        );
        add(
            "after a failure",
            vec![start.clone(), error.clone(), event.clone()],
        );
        add(
            "before a failure",
            vec![start.clone(), event.clone(), error.clone()],
        );
        add(
            "before a failure, and a run",
            [
                vec![start.clone(), event.clone(), error.clone()],
                wrap_in_run([]),
            ]
            .concat(),
        );
        add("at a broken end", vec![start.clone(), event.clone()]);
        add(
            "in two runs",
            [wrap_in_run([event.clone()]), wrap_in_run([event.clone()])].concat(),
        );
        for other in one_event_of_each_type() {
            let pair = vec![start.clone(), event.clone(), other.clone(), end.clone()];
            add(&format!("before {other}"), pair);
        }
    }
    cases
}

/// Returns cases with each patch operation at each location of a document with odd keys, and of
/// values that are not objects.
fn patch_cases() -> Vec<Case> {
    let document = json!({
        "a": {"b": 1}, "list": [1, [2]], "text": "s", "number": 1, "null": null, "": {"": 1},
        "a/b": 2, "~": 3, "é": 4, "0": 5, "toString": 6,
    });
    let paths = [
        "",
        "/",
        "//",
        "/a",
        "/a/",
        "/a/b",
        "/a/b/c",
        "/x",
        "/x/y",
        "/list",
        "/list/-",
        "/list/0",
        "/list/00",
        "/list/01",
        "/list/1",
        "/list/1/0",
        "/list/2",
        "/list/3",
        "/list/-1",
        "/list/+1",
        "/list/1e0",
        "/list/ 1",
        "/list/1.0",
        "/list/length",
        "/list/x",
        "/text/0",
        "/text/length",
        "/number/x",
        "/null/x",
        "/a~1b",
        "/~0",
        "/~01",
        "/é",
        "/0",
        "/0/0",
        "/toString",
        "/valueOf",
        "/valueOf/x",
        "/a/toString",
    ];
    let mut cases = Vec::new();
    for path in paths {
        let operations = [
            json!({"op": "add", "path": path, "value": {"v": null}}),
            json!({"op": "replace", "path": path, "value": 9}),
            json!({"op": "remove", "path": path}),
            json!({"op": "test", "path": path, "value": 1}),
            json!({"op": "copy", "from": path, "path": "/z"}),
            json!({"op": "copy", "from": "/a", "path": path}),
            json!({"op": "move", "from": path, "path": "/z"}),
            json!({"op": "move", "from": path, "path": path}),
            json!({"op": "move", "from": "/a", "path": path}),
        ];
        for operation in operations {
            let again = json!({"op": "add", "path": "/again", "value": 1});
            let snapshot = json!({"type": "STATE_SNAPSHOT", "snapshot": document});
            let delta = json!({"type": "STATE_DELTA", "delta": [operation, again]});
            cases.push(create_case(
                format!("state {operation}"),
                wrap_in_run([snapshot, delta]),
            ));
            let activity = json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": document});
            let delta = json!({"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": [operation, again]});
            cases.push(create_case(
                format!("activity {operation}"),
                wrap_in_run([activity, delta]),
            ));
        }
    }
    let documents = [
        json!(null),
        json!(0),
        json!("s"),
        json!(false),
        json!([]),
        json!([[]]),
    ];
    let operations = [
        json!({"op": "add", "path": "", "value": [1]}),
        json!({"op": "replace", "path": "", "value": 1}),
        json!({"op": "remove", "path": ""}),
        json!({"op": "test", "path": "", "value": null}),
        json!({"op": "add", "path": "/0", "value": 1}),
        json!({"op": "add", "path": "/-", "value": 1}),
        json!({"op": "remove", "path": "/0"}),
        json!({"op": "copy", "from": "", "path": "/0"}),
    ];
    for document in documents {
        for operation in &operations {
            let snapshot = json!({"type": "STATE_SNAPSHOT", "snapshot": document});
            let delta = json!({"type": "STATE_DELTA", "delta": [operation]});
            let name = format!("{document} {operation}");
            cases.push(create_case(
                name.clone(),
                wrap_in_run([snapshot, delta.clone()]),
            ));
            let input = json!({"messages": [], "state": document});
            cases.push(create_case_with_input(
                format!("from input: {name}"),
                input,
                wrap_in_run([delta]),
            ));
        }
    }
    let tests = [
        json!(1),
        json!(1.0),
        json!("1"),
        json!(true),
        json!({"b": 1.0}),
        json!({"b": 1, "c": 2}),
        json!([1, [2]]),
        json!([[2], 1]),
        json!([]),
        json!(null),
    ];
    for value in tests {
        for path in ["/a", "/a/b", "/list", "/null", "/text"] {
            let snapshot = json!({"type": "STATE_SNAPSHOT", "snapshot": document});
            let delta = json!({"type": "STATE_DELTA", "delta": [
                {"op": "test", "path": path, "value": value}, {"op": "add", "path": "/z", "value": 1}]});
            cases.push(create_case(
                format!("{path} is {value}?"),
                wrap_in_run([snapshot, delta]),
            ));
        }
    }
    cases
}

/// Returns cases with metadata on each selection of an entity's events, with the same and with
/// other keys.
fn metadata_cases() -> Vec<Case> {
    let built = [
        json!([
            {"type": "TEXT_MESSAGE_START", "messageId": "m"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"},
            {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        ]),
        json!([
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"},
            {"type": "TEXT_MESSAGE_CHUNK"},
            {"type": "TEXT_MESSAGE_CHUNK", "delta": "y"},
        ]),
        json!([
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
            {"type": "TOOL_CALL_END", "toolCallId": "c"},
            {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok"},
        ]),
        json!([
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"},
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "c"},
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"},
        ]),
        json!([
            {"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"},
            {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "h"},
            {"type": "REASONING_MESSAGE_END", "messageId": "r"},
        ]),
        json!([
            {"type": "REASONING_START", "messageId": "r"},
            {"type": "REASONING_MESSAGE_CHUNK", "messageId": "r", "delta": "h"},
            {"type": "REASONING_END", "messageId": "r"},
        ]),
        json!([
            {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": {}},
            {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": []},
            {"type": "ACTIVITY_DELTA", "messageId": "a", "activityType": "p", "patch": [{"op": "remove", "path": "/x"}]},
            {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "p", "content": {"b": 1}},
            {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "q", "content": {"c": 1}, "replace": false},
        ]),
        json!([
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": "x", "metadata": {"old": 1, "k": 0}}]},
            {"type": "TEXT_MESSAGE_START", "messageId": "m"},
            {"type": "TEXT_MESSAGE_END", "messageId": "m"},
            {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m", "encryptedValue": "E"},
        ]),
    ];
    let marks = [
        json!({"k": 1, "l": {"x": 1}}),
        json!({"k": null, "l": {"y": 2}}),
        json!({}),
        json!({"ag-ui": {"x": 1}, "toString": 1, "": 2}),
    ];
    let mut cases = Vec::new();
    for events in &built {
        let events = events.as_array().cloned().unwrap_or_default();
        // Each event is marked or not, and each mark comes first once.
        for chosen in 1..1_usize << events.len() {
            for first in 0..marks.len() {
                let mut number = first;
                let marked = events.iter().enumerate().map(|(index, event)| {
                    let mut event = event.clone();
                    if let (true, Value::Object(event)) = (chosen >> index & 1 == 1, &mut event) {
                        let mark = marks.get(number % marks.len()).cloned();
                        event.insert("metadata".to_owned(), mark.unwrap_or_default());
                        number += 1;
                    }
                    event
                });
                let stream = wrap_in_run(marked);
                cases.push(create_case(
                    format!("metadata {chosen} {first} of {}", events.len()),
                    stream,
                ));
            }
        }
    }
    cases
}

/// Returns cases that combine open interrupts and answers in the input with each end of a run,
/// including further interrupts.
fn interrupt_cases() -> Vec<Case> {
    let answer =
        |id: &str| json!({"interruptId": id, "status": "resolved", "payload": {"approved": true}});
    let ask = |ids: &[&str]| {
        let list: Vec<Value> = ids
            .iter()
            .map(|id| json!({"id": id, "reason": "x"}))
            .collect();
        json!({"type": "interrupt", "interrupts": list})
    };
    let finished = |outcome: Value| {
        let mut event = run_finished();
        if let (Value::Object(event), false) = (&mut event, outcome.is_null()) {
            event.insert("outcome".to_owned(), outcome);
        }
        event
    };
    let inputs = [
        json!({}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": []}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": [answer("i")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": [answer("j")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": [answer("i"), answer("j")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": [{"interruptId": "i", "status": "cancelled"}]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}, {"id": "j", "reason": "y"}], "resume": [answer("i")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x"}, {"id": "j", "reason": "y"}], "resume": [answer("j"), answer("i")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x", "expiresAt": "2001-01-01T00:00:00Z"}], "resume": [answer("i")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x", "expiresAt": "2001-01-01T00:00:00Z"}], "resume": [{"interruptId": "i", "status": "cancelled"}]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x", "expiresAt": "2100-01-01T00:00:00Z"}], "resume": [answer("i")]}),
        json!({"pendingInterrupts": [{"id": "i", "reason": "x", "expiresAt": "some day"}], "resume": [answer("i")]}),
        json!({"resume": [answer("i")]}),
    ];
    let ends = [
        finished(Value::Null),
        finished(json!({"type": "success", "pendingToolCallIds": ["z"]})),
        finished(json!({"type": "cancelled"})),
        finished(ask(&["i"])),
        finished(ask(&["k", "l"])),
        finished(ask(&["k", "k"])),
        json!({"type": "RUN_ERROR", "message": "no"}),
    ];
    let call = json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f"});
    let mut cases = Vec::new();
    for input in &inputs {
        for end in &ends {
            let stream = vec![run_started(), call.clone(), end.clone()];
            cases.push(create_case_with_input(
                format!("{input} {end}"),
                input.clone(),
                stream,
            ));
        }
    }
    cases
}
