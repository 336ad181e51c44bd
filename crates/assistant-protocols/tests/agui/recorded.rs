//! Compares the decoder with recordings of the official corpus, the reference client and real
//! servers.

use super::*;

/// The beginnings of warnings that the reference client's reducer emits, not its decoder.
const REDUCER_WARNINGS: &[&str] = &["Failed to apply"];

/// Returns the outcome and the diagnostic of a stream for which the specification applies instead
/// of the recording: one of the corpus's own "admitted gaps".
fn specified_outcome(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        // A stream without a terminal event is not successful.
        "truncated-run-reported-as-completed" => Some(("truncated", "")),
        // An unknown value of a closed set is removed, not fatal.
        "unknown-enum-value-role-fatal" => Some(("completed", "/role")),
        _ => None,
    }
}

#[test]
fn official_streams_decode_as_specified_in_strict_mode() {
    let paths = list_files("agui-streams", ".json");
    for path in &paths {
        let case = read_json(path);
        let name = case["name"].as_str().unwrap();
        let expect = &case["expect"];
        let got = decode(true, case["stream"].as_array().unwrap());
        if let Some((outcome, note)) = specified_outcome(name) {
            assert_eq!(got.outcome(), outcome, "{name}: {}", got.error());
            assert!(
                got.notes.iter().all(|have| have.message().contains(note)),
                "{name}"
            );
            assert_eq!(got.notes.is_empty(), note.is_empty(), "{name}");
            continue;
        }
        assert_eq!(
            got.outcome(),
            expect["outcome"].as_str().unwrap(),
            "{name}: {}",
            got.error()
        );
        let needle = expect["errorContains"].as_str().unwrap_or_default();
        assert!(got.error().contains(needle), "{name}: {}", got.error());
        if !expect["eventTypes"].is_null() {
            assert_eq!(got.types(), strings(&expect["eventTypes"]), "{name}");
        }
        for absent in strings(&expect["eventTypesAbsent"]) {
            assert!(!got.types().contains(&absent), "{name}");
        }
        if expect["noWarnings"] == true {
            assert_eq!(got.notes, [], "{name}");
        }
        for warning in strings(&expect["warnings"]) {
            let ours = got
                .notes
                .iter()
                .any(|note| note.message().contains(warning));
            let reducers = REDUCER_WARNINGS
                .iter()
                .any(|words| warning.starts_with(words));
            assert!(ours || reducers, "{name}: {warning} not in {:?}", got.notes);
        }
        check_paths(name, expect, &got);
    }
    assert!(paths.len() >= 68, "the corpus has 68 streams");
}

fn check_paths(name: &str, expect: &Value, got: &Outcome) {
    let at = |path: &str| {
        let (index, rest) = path.split_once('.').unwrap();
        let event = event_to_value(&got.events[index.parse::<usize>().unwrap()]);
        event
            .pointer(&format!("/{}", rest.replace('.', "/")))
            .cloned()
    };
    for (path, value) in expect["eventPaths"].as_object().into_iter().flatten() {
        assert_eq!(at(path).as_ref(), Some(value), "{name}: {path}");
    }
    for path in strings(&expect["eventAbsentPaths"]) {
        assert_eq!(at(path), None, "{name}: {path}");
    }
}

#[test]
fn tolerant_mode_decodes_valid_official_streams_like_strict_mode() {
    for path in list_files("agui-streams", ".json") {
        let case = read_json(&path);
        let stream = case["stream"].as_array().unwrap();
        let (strict, tolerant) = (decode(true, stream), decode(false, stream));
        if strict.error.is_none() {
            assert_eq!(strict.events, tolerant.events, "{}", case["name"]);
        }
        assert!(
            tolerant.events.starts_with(&strict.events),
            "{}",
            case["name"]
        );
    }
}

/// Returns true for a case about HTTP, which tests the transport and not the decoder.
fn is_http_case(case: &Value) -> bool {
    !case["http"].is_null()
}

#[test]
fn recorded_cases_decode_like_the_reference_in_strict_mode() {
    for path in list_files("agui-cases", ".json") {
        let case = read_json(&path);
        if is_http_case(&case) {
            continue;
        }
        let name = case["name"].as_str().unwrap();
        let got = match case["rawSse"].as_str() {
            Some(sse) => decode_frames(true, split_frames(sse).iter().map(String::as_str)),
            None => decode(true, case["stream"].as_array().unwrap()),
        };
        let expect = &case["expect"];
        let error = expect["error"].as_str().unwrap_or_default();
        if expect["outcome"] == "completed" && got.outcome() == "truncated" {
            // A stream without a terminal event is not successful, even if recorded as such.
            assert!(
                !strings(&expect["eventTypes"])
                    .last()
                    .is_some_and(is_terminal),
                "{name}"
            );
        } else {
            assert_eq!(
                got.outcome(),
                expect["outcome"].as_str().unwrap(),
                "{name}: {}",
                got.error()
            );
        }
        if error.starts_with('[') {
            assert_same_issue(name, error, &got);
        } else {
            assert_eq!(got.error(), error, "{name}");
        }
        if !expect["eventTypes"].is_null() {
            assert_eq!(got.types(), strings(&expect["eventTypes"]), "{name}");
        }
        assert_same_warnings(name, &expect["warnings"], &got);
    }
}

fn is_terminal(event_type: &&str) -> bool {
    matches!(*event_type, "RUN_FINISHED" | "RUN_ERROR")
}

/// Compares a malformed field: the reference reports its validator's list of issues, this decoder
/// names the same field in a message.
fn assert_same_issue(name: &str, recorded: &str, got: &Outcome) {
    let issues: Value = serde_json::from_str(recorded).unwrap();
    let mut pointer = String::new();
    for step in issues[0]["path"].as_array().unwrap() {
        pointer.push('/');
        pointer.push_str(
            &step
                .as_str()
                .map_or_else(|| step.to_string(), str::to_owned),
        );
    }
    let problem = issues[0]["message"].as_str().unwrap();
    assert_eq!(got.error.as_ref().unwrap().code(), "malformed", "{name}");
    assert!(
        got.error().contains(&format!("\"{pointer}\"")),
        "{name}: {}",
        got.error()
    );
    assert!(got.error().contains(problem), "{name}: {}", got.error());
}

/// Compares the decoder's diagnostics with the recorded warnings that begin with `[ag-ui]`, by
/// number and subject.
fn assert_same_warnings(name: &str, recorded: &Value, got: &Outcome) {
    let recorded: Vec<&str> = strings(recorded)
        .into_iter()
        .filter(|text| text.starts_with("[ag-ui]"))
        .collect();
    assert_eq!(got.notes.len(), recorded.len(), "{name}: {:?}", got.notes);
    for (note, warning) in got.notes.iter().zip(recorded) {
        let subject = warning
            .split("deprecated ")
            .nth(1)
            .and_then(|rest| rest.split(" to ").next())
            .or_else(|| warning.split('\'').nth(1))
            .unwrap();
        assert!(
            note.message().contains(subject),
            "{name}: {} / {warning}",
            note.message()
        );
    }
}

#[test]
fn captures_of_real_servers_decode_without_diagnostics() {
    for path in list_files("agui-captures", ".sse") {
        let text = fs::read_to_string(&path).unwrap();
        let stem = path.file_name().unwrap().to_str().unwrap();
        let (scene, run) = stem.trim_end_matches(".sse").split_once(".run").unwrap();
        for strict in [true, false] {
            let got = decode_frames(strict, split_frames(&text).iter().map(String::as_str));
            assert_eq!(got.outcome(), "completed", "{stem}: {}", got.error());
            assert_eq!(got.notes, [], "{stem}");
            let expected = path.with_file_name(format!("{scene}.expected.json"));
            if expected.exists() {
                let run = run.parse::<usize>().unwrap() - 1;
                let expected = read_json(&expected);
                assert_eq!(
                    got.types(),
                    strings(&expected["runs"][run]["eventTypes"]),
                    "{stem}"
                );
            }
        }
    }
}

#[test]
fn captured_requests_are_serialized_like_the_reference() {
    for path in list_files("agui-captures", ".request.json") {
        let mut request = read_json(&path);
        let written = run_input_text(&read_input(&request));
        if request["protocolVersion"].is_null() {
            // Recorded from a client before 1.0; this one always declares its version.
            let mut with_version = serde_json::Map::new();
            for (key, value) in request.as_object().unwrap() {
                with_version.insert(key.clone(), value.clone());
                if key == "runId" {
                    with_version.insert("protocolVersion".to_owned(), json!("1.0"));
                }
            }
            request = Value::Object(with_version);
        }
        assert_eq!(written, request.to_string(), "{}", path.display());
    }
}

/// Checks that the input messages of the cases are sent as by the reference: without activities,
/// and with retired parts upgraded. The messages are read as from a store, where they come from.
#[test]
fn messages_of_recorded_cases_are_sent_like_the_reference() {
    let mut count = 0;
    for folder in ["agui-streams", "agui-cases"] {
        for path in list_files(folder, ".json") {
            let case = read_json(&path);
            let messages = &case["expect"]["request"]["messages"];
            let Some(given) = case["input"]["messages"]
                .as_array()
                .filter(|_| !messages.is_null())
            else {
                continue;
            };
            let mut input = read_input(&json!({"threadId": "t", "runId": "r", "messages": []}));
            let read = |message: &Value| message_from_value(message.clone()).unwrap();
            input.messages = given.iter().map(read).collect();
            assert_eq!(run_input(&input)["messages"], *messages, "{}", case["name"]);
            count += 1;
        }
    }
    assert!(count >= 2, "some cases record their request");
}
