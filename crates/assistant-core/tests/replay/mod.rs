//! AG-UI streams in the replay: the official corpus, recorded cases and captures of real servers.
//! Decoding is tested with the wire.

mod rules;
mod tolerant;

use std::fs;
use std::path::{Path, PathBuf};

use assistant_protocols::agui::DecoderOptions;
use assistant_testkit::replay::{Replay, ReplayInput};
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn options(strict: bool) -> DecoderOptions {
    if strict {
        DecoderOptions::strict()
    } else {
        DecoderOptions::default()
    }
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(ROOT).join("fixtures").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {ending}");
    files
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn name_of(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Returns the cases in the table of differences.
fn differences() -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join("docs/agui-differences.md")).unwrap();
    let table = text.split("## ").nth(1).unwrap();
    let names = table.lines().filter_map(|line| line.split('|').nth(1));
    names.skip(2).map(|name| name.trim().to_owned()).collect()
}

/// Plays a case as another response of the conversation.
fn play_on(replay: &mut Replay, case: &Value, strict: bool) -> Value {
    let input = ReplayInput::from_json(case["input"].clone()).unwrap();
    let mut stream = replay.stream(input, options(strict));
    match case["rawSse"].as_str() {
        Some(text) => stream.push_bytes(text.as_bytes()),
        None => {
            for event in case["stream"].as_array().unwrap() {
                stream.push_value(event.clone());
            }
        }
    }
    stream.finish().to_json()
}

/// The year 2020, so that there are earlier times.
const NOW: i64 = 1_577_836_800_000;

fn play(case: &Value, strict: bool) -> Value {
    play_on(&mut Replay::new().with_time(NOW), case, strict)
}

/// Returns the report of a run around the given events.
fn play_run(events: &[Value]) -> Value {
    let mut stream = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    stream.extend_from_slice(events);
    stream.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    play(&json!({"stream": stream}), true)
}

fn messages_of_failures(report: &Value) -> Vec<&str> {
    let failures = report["runErrors"].as_array().unwrap();
    failures
        .iter()
        .map(|failure| failure["message"].as_str().unwrap())
        .collect()
}

/// Returns true if `whole` contains everything in `part`; lists are compared by elements.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(w, p)| contains(w, p))
        }
        _ => whole == part,
    }
}

#[test]
fn the_official_corpus_replays_as_expected() {
    let differences = differences();
    let paths = files("agui-streams", ".json");
    assert!(paths.len() >= 68, "the corpus has 68 streams");
    for path in &paths {
        let (name, case) = (name_of(path), read_json(path));
        let (expect, got) = (&case["expect"], play(&case, true));
        if differences.iter().any(|other| other == name) && !case["admittedGap"].is_null() {
            continue;
        }
        assert_eq!(
            got["outcome"], expect["outcome"],
            "{name}: {}",
            got["error"]
        );
        let needle = expect["errorContains"].as_str().unwrap_or_default();
        assert!(
            got["error"].as_str().unwrap_or_default().contains(needle),
            "{name}"
        );
        let messages = got["messages"].as_array().unwrap();
        if let Some(count) = expect["messageCount"].as_u64() {
            assert_eq!(messages.len() as u64, count, "{name}");
        }
        for wanted in expect["messages"].as_array().into_iter().flatten() {
            assert!(
                messages.iter().any(|have| contains(have, wanted)),
                "{name}: {wanted}"
            );
        }
        if let Some(state) = expect.get("state") {
            assert!(contains(&got["state"], state), "{name}: {}", got["state"]);
        }
        if let Some(message) = expect["runError"].as_str() {
            assert_eq!(messages_of_failures(&got), [message], "{name}");
        }
        let notes = got["diagnostics"].as_array().unwrap();
        assert!(
            expect["noWarnings"] != true || notes.is_empty(),
            "{name}: {notes:?}"
        );
        for words in expect["warnings"].as_array().into_iter().flatten() {
            let words = words.as_str().unwrap();
            let says = |note: &Value| note["message"].as_str().unwrap().contains(words);
            assert!(notes.iter().any(says), "{name}: {words} not in {notes:?}");
        }
    }
}

#[test]
fn admitted_gaps_follow_the_specification() {
    let play = |name: &str| {
        let path = Path::new(ROOT).join(format!("fixtures/agui-streams/{name}.json"));
        play(&read_json(&path), true)
    };
    let got = play("truncated-run-reported-as-completed");
    assert_eq!(got["outcome"], "truncated");
    assert_eq!(got["finished"], json!([]));
    assert_eq!(got["messages"][0]["role"], "assistant");
    let got = play("unknown-enum-value-role-fatal");
    assert_eq!(got["outcome"], "completed");
    assert_eq!(got["messages"][0]["role"], "assistant");
    assert_eq!(got["diagnostics"].as_array().unwrap().len(), 1);
}

/// Compares everything except a validator's wording, which the wire's tests compare.
fn same_report(name: &str, case: &Value) {
    let (expect, got) = (&case["expect"], play(case, true));
    let error = expect["error"].as_str().unwrap_or_default();
    if !error.starts_with('[') {
        assert_eq!(got["error"].as_str().unwrap_or_default(), error, "{name}");
    }
    assert_eq!(
        got["outcome"], expect["outcome"],
        "{name}: {}",
        got["error"]
    );
    if expect["outcome"] == "failed" {
        return;
    }
    for key in ["messages", "state", "finished", "pendingInterrupts"] {
        assert_eq!(got[key], expect[key], "{name}: {key}");
    }
    assert_eq!(
        json!(messages_of_failures(&got)),
        expect["runErrors"],
        "{name}"
    );
}

#[test]
fn recorded_cases_replay_like_the_reference() {
    let differences = differences();
    for path in files("agui-cases", ".json") {
        let name = name_of(&path);
        if !differences.iter().any(|other| other == name) {
            same_report(name, &read_json(&path));
        }
    }
}

#[test]
fn additional_recorded_streams_replay_like_the_reference() {
    let cases = read_json(&Path::new(ROOT).join("fixtures/agui-recorded/cases.json"));
    for case in cases.as_array().unwrap() {
        same_report(case["name"].as_str().unwrap(), case);
    }
}

#[test]
fn every_listed_difference_names_an_existing_case() {
    let differences = differences();
    assert!(!differences.is_empty());
    for name in differences {
        let exists = |folder: &str| {
            Path::new(ROOT)
                .join(format!("fixtures/{folder}/{name}.json"))
                .exists()
        };
        assert!(exists("agui-streams") || exists("agui-cases"), "{name}");
    }
}

/// Returns the client's state before run `n`: the conversation in the recorded request.
fn request(scene: &Path, run: usize) -> Value {
    let name = name_of(scene).trim_end_matches(".expected");
    let request = read_json(&scene.with_file_name(format!("{name}.run{run}.request.json")));
    let sse = fs::read_to_string(scene.with_file_name(format!("{name}.run{run}.sse"))).unwrap();
    json!({
        "input": {"messages": request["messages"], "state": request["state"], "resume": request["resume"]},
        "rawSse": sse,
    })
}

#[test]
fn captures_of_real_servers_replay_to_the_recorded_conversation() {
    for path in files("agui-captures", ".expected.json") {
        for strict in [true, false] {
            let mut replay = Replay::new();
            let expected = read_json(&path);
            for (run, expect) in expected["runs"].as_array().unwrap().iter().enumerate() {
                let got = play_on(&mut replay, &request(&path, run + 1), strict);
                let name = format!("{} run {}", name_of(&path), run + 1);
                for key in ["outcome", "messages", "state", "pendingInterrupts"] {
                    assert_eq!(got[key], expect[key], "{name}: {key}");
                }
                let finished = match expect["finished"]["outcome"].as_str() {
                    Some("RUN_ERROR") => json!({
                        "outcome": "RUN_ERROR",
                        "message": messages_of_failures(&got)[0],
                    }),
                    _ => got["finished"][0].clone(),
                };
                assert_eq!(finished, expect["finished"], "{name}");
                assert_eq!(got["diagnostics"], json!([]), "{name}");
            }
        }
    }
}
