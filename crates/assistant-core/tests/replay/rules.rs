//! Rules without a reference: framing, broken streams, interrupts across runs, and guarantees for
//! any stream.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn started(run: &str) -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t", "runId": run})
}

fn finished(run: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run})
}

fn interrupted(run: &str, ids: &[&str]) -> Value {
    let interrupts: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "reason": "tool_call"}))
        .collect();
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": run,
        "outcome": {"type": "interrupt", "interrupts": interrupts}})
}

fn open(report: &Value) -> Vec<&str> {
    let list = report["pendingInterrupts"].as_array().unwrap();
    list.iter().map(|one| one["id"].as_str().unwrap()).collect()
}

fn answer(id: &str) -> Value {
    json!({"interruptId": id, "status": "resolved", "payload": {"approved": true}})
}

#[test]
fn an_interrupt_is_closed_only_by_a_completed_run_that_answers_it() {
    let mut replay = Replay::new();
    let mut next = |case: Value| {
        let got = play_on(&mut replay, &case, true);
        open(&got).join(" ")
    };
    let twice = json!([
        started("1"),
        interrupted("1", &["i"]),
        started("2"),
        finished("2")
    ]);
    assert_eq!(next(json!({"stream": twice})), "i");
    let plain = json!([started("3"), finished("3")]);
    assert_eq!(next(json!({"stream": plain})), "i");
    let failed = json!([started("4"), {"type": "RUN_ERROR", "message": "no"}]);
    let resume = json!({"resume": [answer("i")]});
    assert_eq!(next(json!({"input": resume, "stream": failed})), "i");
    let again = json!([started("5"), interrupted("5", &["j", "i"])]);
    assert_eq!(next(json!({"input": resume, "stream": again})), "j i");
    let other = json!({"resume": [answer("j")]});
    assert_eq!(next(json!({"input": other, "stream": plain})), "i");
    assert_eq!(
        next(json!({"input": resume, "stream": [started("6")]})),
        "i"
    );
    assert_eq!(next(json!({"input": resume, "stream": plain})), "");
}

#[test]
fn an_answer_in_the_run_started_input_closes_the_interrupt() {
    let input = json!({"threadId": "t", "runId": "2", "messages": [], "resume": [answer("i")]});
    let got = play(
        &json!({"stream": [
            started("1"), interrupted("1", &["i", "j"]),
            {"type": "RUN_STARTED", "threadId": "t", "runId": "2", "input": input}, finished("2"),
        ]}),
        true,
    );
    assert_eq!(open(&got), ["j"]);
}

#[test]
fn an_answer_applies_to_one_run_only() {
    let input = json!({"pendingInterrupts": [{"id": "i", "reason": "x"}], "resume": [answer("i")]});
    let stream = [
        started("1"),
        interrupted("1", &["i"]),
        started("2"),
        finished("2"),
    ];
    let got = play(&json!({"input": input, "stream": stream}), true);
    assert_eq!(open(&got), ["i"]);
}

#[test]
fn a_request_without_an_answer_to_an_open_interrupt_is_refused() {
    let case = json!({
        "input": {"pendingInterrupts": [{"id": "i", "reason": "x"}]},
        "stream": [started("1"), {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"}, finished("1")],
    });
    let got = play(&case, false);
    assert_eq!(got["outcome"], "failed");
    assert_eq!(open(&got), ["i"]);
    assert_eq!(got["messages"], json!([]));
}

#[test]
fn an_expired_interrupt_accepts_only_a_cancellation() {
    let play = |expires: &str, status: &str| {
        let input = json!({
            "pendingInterrupts": [{"id": "i", "reason": "x", "expiresAt": expires}],
            "resume": [{"interruptId": "i", "status": status}],
        });
        play(
            &json!({"input": input, "stream": [started("1"), finished("1")]}),
            true,
        )
    };
    let past = "2001-01-01T00:00:00Z";
    let got = play(past, "resolved");
    assert_eq!(
        got["error"],
        "Interrupt i expired at 2001-01-01T00:00:00Z and can no longer be answered. Cancel it to continue the thread."
    );
    assert_eq!(open(&got), ["i"]);
    for (expires, status) in [
        (past, "cancelled"),
        ("2100-01-01T00:00:00Z", "resolved"),
        ("some day", "resolved"),
    ] {
        assert_eq!(play(expires, status)["outcome"], "completed", "{expires}");
    }
}

#[test]
fn several_responses_build_one_conversation() {
    let mut replay = Replay::new();
    let text = |id: &str| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": id, "delta": id});
    let user = json!({"id": "u", "role": "user", "content": "hi"});
    let first = json!({
        "input": {"messages": [user], "state": {"a": 1}},
        "stream": [started("1"), text("m"), finished("1")],
    });
    play_on(&mut replay, &first, true);
    let answer = json!({"id": "m", "role": "assistant", "content": "other"});
    let second = json!({
        "input": {"messages": [user, answer, {"id": "v", "role": "user", "content": "more"}]},
        "stream": [started("2"), {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": 2}]}, text("n")],
    });
    let got = play_on(&mut replay, &second, true);
    let ids: Vec<_> = got["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["id"])
        .collect();
    assert_eq!(ids, ["u", "m", "v", "n"]);
    assert_eq!(got["messages"][1]["content"], "m");
    assert_eq!(got["state"], json!({"a": 1, "b": 2}));
    assert_eq!(got["outcome"], "truncated");
}

fn sample() -> Vec<Value> {
    vec![
        started("r"),
        json!({"type": "REASONING_MESSAGE_CHUNK", "messageId": "h", "delta": "hm"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "né 👩‍💻\n世"}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "delta": "{}"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok"}),
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": "M"}]}),
        finished("r"),
    ]
}

/// Returns the sample with these line ends, with a comment and other fields between, and two data
/// lines.
fn sample_as_sse(end: &str) -> String {
    let frames = sample().into_iter().map(|event| {
        let data = event.to_string().replacen(',', &format!(",{end}data:"), 1);
        format!(": ping{end}event: x{end}id: 1{end}retry: 5{end}data: {data}{end}{end}")
    });
    frames.collect()
}

#[test]
fn line_endings_a_bom_and_a_missing_last_line_do_not_matter() {
    let plain = play(&json!({"stream": sample()}), true);
    assert_eq!(plain["outcome"], "completed");
    for end in ["\n", "\r\n", "\r"] {
        for strict in [true, false] {
            let sse = sample_as_sse(end);
            for text in [
                sse.clone(),
                format!("\u{feff}{sse}"),
                sse.trim_end().to_owned(),
            ] {
                assert_eq!(play(&json!({"rawSse": text}), strict), plain, "{end:?}");
            }
        }
    }
}

#[test]
fn a_stream_cut_anywhere_is_truncated_and_keeps_its_prefix() {
    let events = sample();
    for cut in 0..events.len() {
        let got = play(&json!({"stream": events[..cut]}), true);
        assert_eq!(got["outcome"], "truncated", "after {cut} events");
        assert_eq!(got["finished"], json!([]));
    }
    let sse = sample_as_sse("\n");
    let mut last = 0;
    for cut in 0..sse.len() {
        let Some(head) = sse.get(..cut) else { continue };
        let got = play(&json!({"rawSse": head}), false);
        let whole = cut + 2 >= sse.len();
        let outcome = if whole { "completed" } else { "truncated" };
        assert_eq!(got["outcome"], outcome, "at byte {cut}");
        let count = got["messages"].as_array().unwrap().len();
        assert!(count >= last || count >= 2, "at byte {cut}");
        last = count;
    }
}

#[test]
fn an_empty_response_is_truncated() {
    for text in ["", "\n\n", ": ping\n\n"] {
        assert_eq!(
            play(&json!({"rawSse": text}), false)["outcome"],
            "truncated"
        );
    }
}

#[test]
fn an_html_page_instead_of_a_stream_is_a_failure() {
    let got = play(&json!({"rawSse": "<html>login</html>"}), false);
    assert_eq!(got["outcome"], "failed");
    assert_eq!(got["messages"], json!([]));
}

/// Returns the report of frames with lone surrogates, which values cannot represent.
fn play_frames(frames: &[&str]) -> Value {
    let sse = |data: &&str| format!("data: {data}\n\n");
    let start = format!("data: {}\n\n", started("r"));
    let text: String = frames.iter().map(sse).collect();
    play(&json!({"rawSse": start + &text}), true)
}

const HALF_A_TEXT: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a\ud83d"}"#;
const OTHER_HALF: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"\ude00b"}"#;

#[test]
fn a_text_split_within_a_surrogate_pair_is_joined() {
    let content = |frames: &[&str]| play_frames(frames)["messages"][0]["content"].clone();
    let snapshot = |text: &str| {
        let message = json!({"id": "m", "role": "assistant", "content": text});
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [message]}).to_string()
    };
    assert_eq!(content(&[HALF_A_TEXT, OTHER_HALF]), "a😀b");
    assert_eq!(content(&[HALF_A_TEXT]), "a\u{fffd}");
    assert_eq!(content(&[HALF_A_TEXT, "[broken"]), "a\u{fffd}");
    assert_eq!(
        content(&[HALF_A_TEXT, OTHER_HALF, &snapshot("a😀b")]),
        "a😀b"
    );
    assert_eq!(content(&[HALF_A_TEXT, &snapshot("a😀")]), "a😀");
}

#[test]
fn arguments_split_within_a_surrogate_pair_are_joined() {
    let pieces = [
        [r#"{\"k\":\"\ud83d"#, r#"\ude00\"}"#],
        [r#"{\"k\":\"\\ud83d"#, r#"\\ude00\"}"#],
        [r#"{\"k\":\"\\ud8"#, r#"3d\\ude00\"}"#],
    ];
    let shown = |deltas: &[&str]| {
        let mut replay = Replay::new();
        let mut stream = replay.stream(ReplayInput::default(), options(true));
        let mut push = |data: &str| stream.push_bytes(format!("data: {data}\n\n").as_bytes());
        push(&started("r").to_string());
        push(r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}"#);
        for delta in deltas {
            let args = r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"%"}"#;
            push(&args.replace('%', delta));
        }
        let (_, call) = replay.conversation().call_by_wire_id("c").unwrap();
        call.partial_args().cloned()
    };
    for [head, tail] in pieces {
        assert_eq!(shown(&[head]), Some(json!({"k": ""})));
        assert_eq!(shown(&[head, tail]), Some(json!({"k": "😀"})));
    }
}

#[test]
fn javascript_prototype_keys_are_ordinary_keys() {
    let got = play_run(&[
        json!({"type": "STATE_SNAPSHOT", "snapshot": {"constructor": 1}}),
        json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/__proto__", "value": {"a": 1}}]}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "__proto__", "delta": "x", "metadata": {"toString": 1}}),
    ]);
    assert_eq!(
        got["state"],
        json!({"constructor": 1, "__proto__": {"a": 1}})
    );
    assert_eq!(got["messages"][0]["metadata"], json!({"toString": 1}));
}

#[test]
fn calls_and_results_are_not_replaced_by_activities_with_their_ids() {
    let call =
        json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "delta": "{}"});
    let result =
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok"});
    let activity = |id: &str| json!({"type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": "p", "content": {}});
    let text = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "t", "delta": "answer"});
    let got = play_run(&[call, result, activity("c"), activity("t"), text]);
    assert_eq!(
        got["messages"],
        json!([
            {"id": "c", "role": "assistant", "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"id": "t", "role": "tool", "toolCallId": "c", "content": "ok"},
            {"id": "t", "role": "assistant", "content": "answer"},
        ])
    );
    assert_eq!(got["diagnostics"].as_array().unwrap().len(), 3);
}

#[test]
fn an_activity_remains_an_object_after_any_patch() {
    let got = play_run(&[
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "x", "activityType": "p", "content": {"n": [1]}}),
        json!({"type": "ACTIVITY_DELTA", "messageId": "x", "activityType": "q", "patch": [{"op": "move", "from": "/n", "path": ""}]}),
        json!({"type": "ACTIVITY_DELTA", "messageId": "x", "activityType": "q", "patch": [{"op": "remove", "path": ""}]}),
    ]);
    assert_eq!(got["messages"][0]["content"], json!({"n": [1]}));
    assert_eq!(got["messages"][0]["activityType"], "p");
    assert_eq!(got["diagnostics"].as_array().unwrap().len(), 2);
}

#[test]
fn many_unknown_results_are_kept_with_bounded_diagnostics() {
    let mut stream =
        vec![json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f"})];
    stream.extend((0..2_000).map(|n| {
        json!({"type": "TOOL_CALL_RESULT", "messageId": format!("t{n}"), "toolCallId": format!("z{n}"), "content": ""})
    }));
    stream.push(
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "ok"}),
    );
    let got = play_run(&stream);
    assert_eq!(got["messages"].as_array().unwrap().len(), 2_002);
    let notes = got["diagnostics"].as_array().unwrap();
    assert!(notes.len() < 2_000, "diagnostics are bounded");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_report_does_not_depend_on_how_the_bytes_are_split(cuts in vec(any::<prop::sample::Index>(), 0..40), which in any::<prop::sample::Index>()) {
        let paths = files("agui-captures", ".sse");
        let mut recordings: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        recordings.push(sample_as_sse("\r\n").into_bytes());
        let bytes = &recordings[which.index(recordings.len())];
        let report = |cuts: &[usize]| {
            let mut replay = Replay::new();
            let mut stream = replay.stream(ReplayInput::default(), DecoderOptions::strict());
            let mut from = 0;
            for cut in cuts.iter().copied().chain([bytes.len()]) {
                stream.push_bytes(&bytes[from..cut]);
                from = cut;
            }
            stream.finish()
        };
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.sort_unstable();
        prop_assert_eq!(report(&cuts), report(&[]));
        let each: Vec<usize> = (1..bytes.len()).collect();
        prop_assert_eq!(report(&each), report(&[]));
    }

    #[test]
    fn random_input_never_panics(bytes in vec(any::<u8>(), 0..200), strict in any::<bool>()) {
        let mut replay = Replay::new();
        let mut stream = replay.stream(ReplayInput::default(), options(strict));
        stream.push_bytes(&bytes);
        let _ = stream.finish().to_json().to_string();
    }
}
