//! Random bytes and chunks: nothing panics or hangs, and the split of a response has no effect.

use assistant_core::{
    conversation::Conversation,
    event::{Diagnostic, Event},
    limits::Limits,
    session::Input,
};
use assistant_protocols::{
    Completions, Protocol, UiStream,
    stream::{FinishedResponse, Read},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{Log, Talk};
use crate::support::{action, asking};

/// A response of the protocol, with chunks in any order.
fn stream(chunks: &[Value]) -> Vec<u8> {
    let text: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    text.into_bytes()
}

fn some(list: &[Value]) -> BoxedStrategy<Value> {
    select(list.to_vec()).boxed()
}

fn ui_chunk() -> BoxedStrategy<Value> {
    let block = some(&["text", "reasoning"].map(Value::from));
    let what = some(&["start", "delta", "end"].map(Value::from));
    let text = (block, what, 0_u8..3).prop_map(|(block, what, id)| {
        let kind = format!("{}-{}", block.as_str().unwrap(), what.as_str().unwrap());
        json!({"type": kind, "id": id.to_string(), "delta": "ab🌍"})
    });
    let kinds = [
        "tool-input-start",
        "tool-input-delta",
        "tool-input-available",
        "tool-input-error",
        "tool-approval-request",
        "tool-approval-response",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-result",
    ];
    let tool = (
        select(kinds.to_vec()),
        0_u8..4,
        select(vec!["do", "ask", "other"]),
        any::<[bool; 4]>(),
    );
    let tool = tool.prop_map(
        |(kind, id, name, [dynamic, preliminary, approved, provider])| {
            json!({"type": kind, "toolCallId": format!("c{id}"), "toolName": name,
            "inputTextDelta": "{\"a\":1}", "input": {"a": 1}, "output": 1, "errorText": "no",
            "approvalId": format!("a{id}"), "approved": approved, "dynamic": dynamic,
            "preliminary": preliminary, "providerExecuted": provider})
        },
    );
    let others = some(&[
        json!({"type": "start"}),
        json!({"type": "start", "messageId": "m", "messageMetadata": {"a": {"b": 1}}}),
        json!({"type": "start-step"}),
        json!({"type": "finish-step"}),
        json!({"type": "reset-step"}),
        json!({"type": "finish"}),
        json!({"type": "error", "errorText": "e"}),
        json!({"type": "abort"}),
        json!({"type": "data-x", "id": "d", "data": 1}),
        json!({"type": "data-x", "data": 1, "transient": true}),
        json!({"type": "source-url", "sourceId": "s", "url": "u"}),
        json!({"type": "file", "mediaType": "image/png", "url": "data:,"}),
        json!({"type": "message-metadata", "messageMetadata": 5}),
        json!({"type": "what is this"}),
        json!({"no": "type"}),
        json!([]),
    ]);
    prop_oneof![3 => text, 5 => tool, 4 => others].boxed()
}

fn completions_chunk() -> BoxedStrategy<Value> {
    let piece = (
        proptest::option::of(0_u8..3),
        proptest::option::of(select(vec!["", "a", "b"])),
        proptest::option::of(select(vec!["do", "ask"])),
        select(vec!["", "{", "}", "{}", "{\"a\":1}"]),
    );
    let call = piece.prop_map(|(index, id, name, args)| {
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": index, "id": id, "function": {"name": name, "arguments": args}}]}}]})
    });
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let others = some(&[
        delta(json!({"content": "ab"})),
        delta(json!({"reasoning": "hm"})),
        delta(json!({"refusal": "no"})),
        delta(json!({"tool_calls": [5, {}]})),
        json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": -1}}),
        json!({"error": {"message": "e"}}),
        json!({"choices": [null, {"index": 1}]}),
        json!([]),
    ]);
    prop_oneof![call, others].boxed()
}

fn read(
    mut reader: Box<dyn Read>,
    bytes: &[u8],
    cuts: &[usize],
) -> (Vec<Event>, Vec<Diagnostic>, FinishedResponse) {
    let mut log = Log::default();
    let mut rest = bytes;
    for cut in cuts {
        let (piece, after) = rest.split_at((*cut).min(rest.len()));
        reader.push(piece, &mut log);
        rest = after;
    }
    reader.push(rest, &mut log);
    let ending = reader.finish(&mut log);
    (log.events, log.diagnostics, ending)
}

/// Returns all events as text, independent of the split.
fn words(events: &[Event]) -> String {
    events
        .iter()
        .map(|event| format!("{:?}", event.kind))
        .collect()
}

fn protocols() -> [Box<dyn Protocol>; 2] {
    [
        Box::new(UiStream::default()),
        Box::new(Completions::default()),
    ]
}

/// Plays responses, and lets user and handlers act until everything ends.
fn play_all(protocol: Box<dyn Protocol>, responses: Vec<Vec<u8>>) {
    let mut talk = Talk::new(protocol);
    talk.driver.register(action("do"));
    talk.driver.register(asking("ask"));
    talk.driver.send("hi");
    let mut runs = 0;
    for response in responses {
        if talk.driver.runs.len() == runs {
            talk.driver.input(Input::Stop);
            talk.driver.send("more");
        }
        runs = talk.driver.runs.len();
        talk.answer(&response);
        for key in talk.driver.session.pending_approvals() {
            let id = talk
                .driver
                .session
                .conversation()
                .call(&key)
                .unwrap()
                .id()
                .to_owned();
            let _ = talk.driver.approve(&id);
        }
        for invocation in talk.driver.invocations.clone() {
            talk.driver.input(Input::Finished {
                invocation: invocation.id(),
                outcome: Ok(assistant_core::action::ToolOutcome::Continue(json!(1))),
            });
        }
        let body = talk.body();
        assert!(body["messages"].is_array());
        assert!(talk.driver.session.conversation().is_sound());
    }
    // No handler was started twice.
    let mut started: Vec<_> = talk
        .driver
        .invocations
        .iter()
        .map(|i| i.call_key())
        .collect();
    started.sort();
    let all = started.len();
    started.dedup();
    assert_eq!(started.len(), all);
    talk.driver.input(Input::Stop);
    assert!(!talk.driver.session.is_streaming());
    let stored = talk.driver.session.export();
    assert!(Conversation::import(stored).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_decode_the_same_for_any_split(
        bytes in vec(select(b"data: {}[]\":,\n\r<tex-del01\\\xF0\x9F\xEF\xBB\xBF".to_vec()), 0..200),
        cuts in vec(1_usize..20, 0..20),
    ) {
        let talk = {
            let mut talk = Talk::new(Box::new(UiStream::default()));
            talk.driver.send("hi");
            talk
        };
        for protocol in protocols() {
            let input = talk.driver.request();
            let whole = read(protocol.decoder(input, &Limits::default()), &bytes, &[]);
            let cut = read(protocol.decoder(input, &Limits::default()), &bytes, &cuts);
            prop_assert_eq!(whole, cut);
        }
        let text = UiStream::default().with_text(true);
        let input = talk.driver.request();
        let text_of = |cuts: &[usize]| {
            let (events, _, ending) = read(text.decoder(input, &Limits::default()), &bytes, cuts);
            let deltas: String = events.iter().filter_map(|event| match &event.kind {
                assistant_core::event::EventKind::Extension(extension) => match &**extension {
                    assistant_core::event::Extension::BlockDelta { delta, .. } => Some(delta.as_str()),
                    _ => None,
                },
                _ => None,
            }).collect();
            (deltas, ending.end)
        };
        prop_assert_eq!(text_of(&[]), text_of(&cuts));
    }

    #[test]
    fn random_chunks_decode_the_same_for_any_split(
        ui in vec(ui_chunk(), 0..20),
        completions in vec(completions_chunk(), 0..20),
        cuts in vec(1_usize..40, 0..30),
    ) {
        let mut talk = Talk::new(Box::new(UiStream::default()));
        talk.driver.send("hi");
        for (protocol, chunks) in protocols().into_iter().zip([ui, completions]) {
            let bytes = stream(&chunks);
            let input = talk.driver.request();
            let whole = read(protocol.decoder(input, &Limits::default()), &bytes, &[]);
            let cut = read(protocol.decoder(input, &Limits::default()), &bytes, &cuts);
            prop_assert_eq!(words(&whole.0), words(&cut.0));
            prop_assert_eq!(whole, cut);
        }
    }

    #[test]
    fn a_session_stays_consistent_for_random_chunks(
        ui in vec(vec(ui_chunk(), 0..15), 1..6),
        completions in vec(vec(completions_chunk(), 0..10), 1..6),
    ) {
        let ended = |chunks: &Vec<Value>, end: Value| {
            let mut bytes = stream(chunks);
            bytes.extend(stream(&[end]));
            bytes.extend_from_slice(b"data: [DONE]\n\n");
            bytes
        };
        let ui = ui.iter().map(|chunks| ended(chunks, json!({"type": "finish"})));
        let [first, second] = protocols();
        play_all(first, ui.collect());
        let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        let completions = completions.iter().map(|chunks| ended(chunks, stop.clone()));
        play_all(second, completions.collect());
    }
}

#[test]
fn split_surrogate_pairs_are_joined() {
    let mut talk = Talk::new(Box::new(UiStream::default()));
    talk.driver.send("hi");
    let frames = [
        r#"{"type":"text-start","id":"1"}"#,
        r#"{"type":"text-delta","id":"1","delta":"a\ud83c"}"#,
        r#"{"type":"reasoning-start","id":"r"}"#,
        r#"{"type":"text-delta","id":"1","delta":"\udf0db\ud83c"}"#,
        r#"{"type":"text-delta","id":"1","delta":"c"}"#,
        r#"{"type":"text-end","id":"1"}"#,
        r#"{"type":"data-x","data":"\ud83c"}"#,
        r#"{"type":"finish"}"#,
    ];
    let text: String = frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect();
    talk.answer(text.as_bytes());
    let tip = talk
        .driver
        .session
        .conversation()
        .path()
        .next_back()
        .unwrap();
    assert_eq!(tip.text(), "a🌍b\u{FFFD}c");
    assert!(talk.diagnostics.is_empty(), "{:?}", talk.diagnostics);
}

/// The number of events is proportional to the number of chunks.
#[test]
fn the_number_of_events_is_linear_in_the_number_of_chunks() {
    let count = |chunks: &mut dyn Iterator<Item = Value>| {
        let mut talk = Talk::new(Box::new(UiStream::default()));
        talk.driver.send("hi");
        let chunks: Vec<Value> = chunks.collect();
        let (events, notes, _) = read(
            talk.protocol
                .decoder(talk.driver.request(), &Limits::default()),
            &stream(&chunks),
            &[],
        );
        (events.len() + notes.len()) as f64 / chunks.len() as f64
    };
    let floods: [&dyn Fn(usize) -> Value; 4] = [
        &|n| json!({"type": "start", "messageId": format!("m{n}")}),
        &|n| match n % 2 {
            0 => json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "t"}),
            _ => json!({"type": "start-step"}),
        },
        &|n| match n % 3 {
            0 => json!({"type": "start-step"}),
            1 => json!({"type": "data-x", "id": format!("d{n}"), "data": 1}),
            _ => json!({"type": "reset-step"}),
        },
        &|_| json!({"type": "text-start", "id": "1"}),
    ];
    for (number, flood) in floods.iter().enumerate() {
        let few = count(&mut (0..100).map(flood));
        let many = count(&mut (0..3_000).map(flood));
        assert!(
            many <= few * 1.5 + 1.0,
            "flood {number}: {few} then {many} events a chunk"
        );
    }
}
