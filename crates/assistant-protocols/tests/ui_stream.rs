//! Compares the decoder with recorded cases. Known differences are listed in
//! `fixtures/exceptions.json`.

use std::fs;

use assistant_protocols::{
    stream::End,
    ui_stream::{is_complete_with_approvals, is_complete_with_tool_calls},
};
use assistant_testkit::replay::{Replay, ui_stream};
use serde_json::Value;

fn read_fixture(name: &str) -> Value {
    let path = format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn read_vectors(name: &str) -> Vec<Value> {
    read_fixture(name)["vectors"].as_array().unwrap().clone()
}

#[test]
fn every_recorded_stream_ends_in_the_recorded_message() {
    let exceptions = read_fixture("exceptions.json")["ui_message_stream"].take();
    let mut count = 0;
    let mut failed = Vec::new();
    for name in ["ui_message_stream.json", "ui_message_stream_own.json"] {
        for vector in read_vectors(name) {
            let name = vector["name"].as_str().unwrap();
            let message = &ui_stream::replay_case(&vector)["message"];
            let same = *message == vector["expected"]["message"];
            let excepted = exceptions.get(name).is_some();
            if same == excepted {
                failed.push(format!(
                    "{name}\n  got  {message}\n  want {}",
                    vector["expected"]["message"]
                ));
            }
            count += 1;
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(count > 58);
}

#[test]
fn the_predicates_match_the_recorded_automatic_sends() {
    for vector in read_vectors("send_automatically.json") {
        let messages = vector["messages"].as_array().unwrap();
        let complete = match vector["fn"].as_str().unwrap() {
            "tool_calls" => is_complete_with_tool_calls(messages),
            "approval_responses" => is_complete_with_approvals(messages),
            other => panic!("{other}"),
        };
        assert_eq!(
            Value::from(complete),
            vector["result"],
            "{}",
            vector["name"]
        );
    }
}

#[test]
fn recorded_server_streams_become_the_recorded_messages() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/ui-stream-recorded"
    );
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(scene) = name.strip_suffix(".sse") else {
            continue;
        };
        let bytes = fs::read(&path).unwrap();
        let (report, message) = ui_stream::replay_response(&mut Replay::new(), &bytes);
        let expected = read_fixture(&format!("ui-stream-recorded/{scene}.expected.json"));
        assert_eq!(message, expected, "{scene}");
        assert_eq!(report.outcome, End::Complete, "{scene}");
        assert_eq!(report.diagnostics, [], "{scene}");
        assert_eq!(
            report.run_errors.len(),
            usize::from(scene == "error"),
            "{scene}"
        );
        assert_eq!(
            report.pending_interrupts.len(),
            usize::from(scene == "approval")
        );
        count += 1;
    }
    assert_eq!(count, 10);
}
