//! Properties of the AI SDK: approvals of the server, requests, resuming an answer.

use assistant_core::{
    conversation::{Conversation, Part, Phase},
    event::{Content, EventKind},
    session::{Input, StreamEnd, TreeChange},
};
use assistant_protocols::{
    Request, UiStream,
    ui_stream::{
        Reader, ResponseParams, is_complete_with_approvals, is_complete_with_tool_calls,
        ui_messages,
    },
};
use serde_json::{Value, json};

use super::{Log, Talk};
use crate::support::action;

fn talk() -> Talk {
    Talk::new(Box::new(UiStream::default()))
}

pub(super) fn stream(chunks: &[Value]) -> Vec<u8> {
    let mut text: String = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    text.push_str("data: [DONE]\n\n");
    text.into_bytes()
}

fn payment_request() -> Vec<u8> {
    stream(&[
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "pay",
            "input": {"sum": 3}, "dynamic": true, "providerMetadata": {"p": {"item": "i"}}}),
        json!({"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1",
            "signature": "sig", "reason": "It costs money.", "approvalDescriptor": {"kind": "k"},
            "inputSchemaInput": {"sum": "3"}}),
        json!({"type": "finish-step"}),
        json!({"type": "finish", "finishReason": "tool-calls"}),
    ])
}

#[test]
fn a_request_has_the_body_of_the_ai_sdk() {
    let mut talk = talk();
    talk.driver.register(action("weather"));
    talk.driver.input(Input::SetForwardedProps {
        props: json!({"model": "m", "id": "not this"}),
    });
    talk.driver.send("hi");
    let body = talk.body();
    assert_eq!(body["id"], "thread");
    assert_eq!(body["trigger"], "submit-message");
    assert_eq!(body["model"], "m");
    assert_eq!(body.get("messageId"), None);
    let id = &body["messages"][0]["id"];
    let expected = json!([{"id": id, "role": "user", "parts": [{"type": "text", "text": "hi"}]}]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["tools"]["weather"]["parameters"]["type"], "object");
    assert_eq!(body.get("tail"), None);
}

#[test]
fn files_are_sent_as_data_urls() {
    let mut talk = talk();
    let parts = json!([
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "data", "value": "AAAA", "mimeType": "image/png"},
            "metadata": {"filename": "a.png"}},
    ]);
    let content: Content = assistant_core::json::form::content_from_value(parts).unwrap();
    talk.driver.input(Input::Send { content });
    assert_eq!(
        talk.body()["messages"][0]["parts"],
        json!([
            {"type": "text", "text": "look"},
            {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA",
                "filename": "a.png"},
        ])
    );
}

#[test]
fn a_tool_result_is_sent_back_and_the_answer_continues_in_its_message() {
    let mut talk = talk();
    talk.driver.register(action("weather"));
    talk.driver.send("hi");
    talk.answer(&stream(&[
        json!({"type": "start", "messageId": "a1", "messageMetadata": {"m": 1}}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "Let me see."}),
        json!({"type": "text-end", "id": "1"}),
        json!({"type": "tool-input-start", "toolCallId": "c1", "toolName": "weather"}),
        json!({"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{\"a\": 1}"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "weather",
            "input": {"a": 1}}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]));
    // As the agent wrote it: cards and fingerprints show the exact text.
    assert_eq!(talk.driver.call("c1").args_text(), "{\"a\": 1}");
    talk.driver.returns("c1", json!({"sky": "clear"}));
    let body = talk.body();
    assert_eq!(body["trigger"], "submit-message");
    assert_eq!(body["messageId"], "a1");
    assert!(is_complete_with_tool_calls(
        body["messages"].as_array().unwrap()
    ));
    assert_eq!(
        body["messages"][1],
        json!({"id": "a1", "role": "assistant", "metadata": {"m": 1}, "parts": [
            {"type": "step-start"},
            {"type": "text", "text": "Let me see.", "state": "done"},
            {"type": "tool-weather", "toolCallId": "c1", "state": "output-available",
                "input": {"a": 1}, "output": {"sky": "clear"}},
        ]})
    );
    talk.answer(&stream(&[
        json!({"type": "start", "messageId": "a1", "messageMetadata": {"n": 2}}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "Clear."}),
        json!({"type": "text-end", "id": "1"}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]));
    let messages = ui_messages(talk.driver.session.conversation());
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["metadata"], json!({"m": 1, "n": 2}));
    assert_eq!(messages[1]["parts"].as_array().unwrap().len(), 5);
}

#[test]
fn a_decision_is_sent_back_with_all_fields_of_its_request() {
    for approved in [true, false] {
        let mut talk = talk();
        // An action of this name on the page does not affect the server's call.
        talk.driver.register(action("other"));
        talk.driver.send("hi");
        talk.answer(&payment_request());
        assert_eq!(talk.driver.phase("c1"), Phase::ApprovalRequested);
        let open = &talk.driver.session.interrupts()[0];
        assert_eq!(open.interrupt().message.as_deref(), Some("It costs money."));
        match approved {
            true => talk.driver.approve("c1"),
            false => talk.driver.deny("c1", Some("no")),
        };
        let body = talk.body();
        assert_eq!(body["messageId"], "a1");
        assert!(is_complete_with_approvals(
            body["messages"].as_array().unwrap()
        ));
        let mut approval = json!({"id": "ap", "signature": "sig",
            "requestReason": "It costs money.", "descriptor": {"kind": "k"},
            "inputSchemaInput": {"sum": "3"}, "approved": approved});
        if !approved {
            approval["reason"] = "no".into();
        }
        assert_eq!(
            body["messages"][1]["parts"][1],
            json!({"type": "dynamic-tool", "toolName": "pay", "toolCallId": "c1",
                "state": "approval-responded", "input": {"sum": 3},
                "callProviderMetadata": {"p": {"item": "i"}}, "approval": approval})
        );
        let outcome = match approved {
            true => json!({"type": "tool-output-available", "toolCallId": "c1", "output": "paid"}),
            false => json!({"type": "tool-output-denied", "toolCallId": "c1"}),
        };
        talk.answer(&stream(&[
            json!({"type": "start"}),
            outcome,
            json!({"type": "start-step"}),
            json!({"type": "text-start", "id": "1"}),
            json!({"type": "text-delta", "id": "1", "delta": "Done."}),
            json!({"type": "text-end", "id": "1"}),
            json!({"type": "finish-step"}),
            json!({"type": "finish"}),
        ]));
        let phase = if approved {
            Phase::OutputAvailable
        } else {
            Phase::OutputDenied
        };
        assert_eq!(talk.driver.phase("c1"), phase);
        assert_eq!(talk.driver.starts("c1"), 0);
        assert!(!talk.driver.session.is_busy());
        assert!(talk.driver.session.interrupts().is_empty());
        assert_eq!(talk.driver.runs.len(), 2);
        let messages = ui_messages(talk.driver.session.conversation());
        assert_eq!(messages[1]["parts"][1]["approval"], approval);
    }
}

#[test]
fn a_provider_executed_call_is_not_run_by_the_page() {
    let mut talk = talk();
    talk.driver.register(action("search"));
    talk.driver.send("hi");
    talk.answer(&stream(&[
        json!({"type": "start"}),
        json!({"type": "start-step"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "search",
            "input": {}, "providerExecuted": true}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]));
    assert_eq!(talk.driver.starts("c1"), 0);
}

#[test]
fn a_regenerate_request_names_the_old_answer() {
    let mut talk = talk();
    talk.driver.send("hi");
    let says = |id: &str, text: &str| {
        stream(&[
            json!({"type": "start", "messageId": id}),
            json!({"type": "start-step"}),
            json!({"type": "text-start", "id": "1"}),
            json!({"type": "text-delta", "id": "1", "delta": text}),
            json!({"type": "text-end", "id": "1"}),
            json!({"type": "finish"}),
        ])
    };
    talk.answer(&says("a1", "one"));
    let message = talk.driver.session.conversation().tip().unwrap().clone();
    talk.driver.input(Input::Tree {
        change: TreeChange::Regenerate { message },
    });
    let body = talk.body();
    assert_eq!(body["trigger"], "regenerate-message");
    assert_eq!(body["messageId"], "a1");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    talk.answer(&says("a2", "two"));
    assert_eq!(talk.driver.session.conversation().message_count(), 3);
}

#[test]
fn an_error_in_the_stream_keeps_the_text_before_it() {
    let mut talk = talk();
    talk.driver.send("hi");
    talk.answer(&stream(&[
        json!({"type": "start"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "half"}),
        json!({"type": "error", "errorText": "overloaded"}),
    ]));
    assert_eq!(talk.driver.session.notices()[0].message(), "overloaded");
    let tip = talk
        .driver
        .session
        .conversation()
        .path()
        .next_back()
        .unwrap();
    assert_eq!(tip.text(), "half");
}

fn resuming() -> UiStream {
    UiStream::default().with_resumes(true)
}

#[test]
fn a_reload_resumes_the_answer_without_duplicates() {
    let mut talk = Talk::new(Box::new(resuming()));
    talk.driver.send("hi");
    let whole = [
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "1"}),
        json!({"type": "text-delta", "id": "1", "delta": "Let me see."}),
        json!({"type": "text-end", "id": "1"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "search",
            "input": {"q": 1}}),
        json!({"type": "tool-output-available", "toolCallId": "c1", "output": "found"}),
        json!({"type": "start-step"}),
        json!({"type": "text-start", "id": "2"}),
        json!({"type": "text-delta", "id": "2", "delta": "Found."}),
        json!({"type": "text-end", "id": "2"}),
        json!({"type": "finish"}),
    ];
    let cut: String = whole[..6]
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    talk.begin_answer(cut.as_bytes());
    let stored = talk.driver.session.snapshot();

    let mut again = Talk::new(Box::new(resuming()));
    again.driver.input(Input::Restore {
        thread_id: "th/1".to_owned(),
        snapshot: stored,
        journal: Vec::new(),
    });
    assert_eq!(again.driver.phase("c1"), Phase::Running);
    let request = again.protocol.request(again.driver.request());
    let path = "/th%2F1/stream".to_owned();
    assert_eq!(request, Request::Get { path });
    again.answer(&stream(&whole));
    let messages = ui_messages(again.driver.session.conversation());
    assert_eq!(messages.len(), 2);
    assert_eq!(
        messages[1]["parts"].as_array().unwrap().len(),
        5,
        "{}",
        messages[1]
    );
    assert_eq!(messages[1]["parts"][2]["output"], "found");
    assert!(!again.driver.session.is_busy());
    assert_eq!(again.driver.notices(), []);
}

#[test]
fn a_resume_without_a_stream_leaves_the_answer_unchanged() {
    let mut talk = Talk::new(Box::new(resuming()));
    talk.driver.send("hi");
    talk.answer(&payment_request());
    talk.driver.deny("c1", None);
    talk.answer(&stream(&[
        json!({"type": "start"}),
        json!({"type": "finish"}),
    ]));
    let before = ui_messages(talk.driver.session.conversation());
    talk.driver.input(Input::Resume);
    let run = talk.driver.run();
    talk.driver.input(Input::RunClosed {
        run,
        end: StreamEnd::Nothing,
    });
    assert_eq!(ui_messages(talk.driver.session.conversation()), before);
    assert!(!talk.driver.session.is_busy());
}

#[test]
fn a_plain_text_response_is_one_answer() {
    let mut talk = Talk::new(Box::new(UiStream::default().with_text(true)));
    talk.driver.send("hi");
    talk.answer("Grüße 🌍!".as_bytes());
    let tip = talk
        .driver
        .session
        .conversation()
        .path()
        .next_back()
        .unwrap();
    assert_eq!(tip.text(), "Grüße 🌍!");
    assert!(talk.driver.notices().is_empty());
}

#[test]
fn ui_messages_round_trip() {
    let vectors = super::fixture("ui_message_stream.json");
    for vector in vectors["vectors"].as_array().unwrap() {
        let message = &vector["expected"]["message"];
        let open = message.to_string().contains("input-streaming");
        let pending = ["input-available", "approval-re"];
        if open
            || pending
                .iter()
                .any(|state| message.to_string().contains(state))
        {
            // A call without a result counts as cancelled.
            continue;
        }
        let read = Conversation::from_ui_messages(vec![message.clone()]).unwrap();
        let written = std::slice::from_ref(message);
        assert_eq!(ui_messages(&read), written, "{}", vector["name"]);
        let stored = Conversation::import(read.export()).unwrap();
        assert_eq!(ui_messages(&stored), written, "{}", vector["name"]);
    }
}

#[test]
fn sources_data_and_files_become_parts() {
    let mut talk = talk();
    talk.driver.send("hi");
    talk.answer(&stream(&[
        json!({"type": "start"}),
        json!({"type": "source-url", "sourceId": "s", "url": "https://x.test", "title": "X"}),
        json!({"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA=="}),
        json!({"type": "data-note", "id": "n", "data": 1}),
        json!({"type": "data-note", "id": "n", "data": 2}),
        json!({"type": "data-toast", "data": "seen once", "transient": true}),
        json!({"type": "finish"}),
    ]));
    let tip = talk
        .driver
        .session
        .conversation()
        .path()
        .next_back()
        .unwrap();
    let kinds: Vec<&str> = tip
        .parts()
        .iter()
        .map(|part| match part {
            Part::Source(source) => {
                assert_eq!(source.url(), Some("https://x.test"));
                source.title().unwrap()
            }
            Part::File(_) => "file",
            Part::Data(data) => {
                assert_eq!(*data.data(), 2);
                "data"
            }
            _ => "?",
        })
        .collect();
    assert_eq!(kinds, ["X", "file", "data"]);
    assert_eq!(talk.driver.session.side_events().len(), 1);
}

#[test]
fn a_started_handler_is_not_restarted_by_a_repeated_call() {
    let mut talk = talk();
    let early = action("pay").with_eager(true);
    talk.driver.register(early);
    talk.driver.send("hi");
    let call = json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "pay",
        "input": {"sum": 3}});
    talk.answer(&stream(&[
        json!({"type": "start"}),
        json!({"type": "start-step"}),
        call.clone(),
        json!({"type": "tool-output-available", "toolCallId": "c1", "output": "no need"}),
        call,
        json!({"type": "finish"}),
    ]));
    assert_eq!(talk.driver.starts("c1"), 1);
    let warned = talk.driver.session.conversation().call_by_wire_id("c1");
    assert_eq!(warned.unwrap().1.phase(), Phase::OutputAvailable);
}

#[test]
fn arguments_are_repeated_in_later_steps_up_to_a_limit() {
    let delta =
        |text: &str| json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": text});
    let step = || json!({"type": "start-step"});
    let response = stream(&[
        json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"}),
        delta(&"x".repeat(3 << 20)),
        step(),
        delta("y"),
        step(),
        delta("z"),
        json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}}),
        json!({"type": "finish"}),
    ]);
    let mut log = Log::default();
    let mut reader = Reader::new(ResponseParams::default());
    reader.push(&response, &mut log);
    let sent: usize = log
        .events
        .iter()
        .map(|event| match &event.kind {
            EventKind::ToolCallArgs { delta, .. } => delta.len(),
            _ => 0,
        })
        .sum();
    assert_eq!(sent, 2 * (3 << 20) + 1);
    let is_start = |kind: &EventKind| matches!(kind, EventKind::ToolCallStart { .. });
    let starts = log.events.iter().filter(|event| is_start(&event.kind));
    assert_eq!(starts.count(), 3);
    let messages: Vec<_> = log.diagnostics.iter().map(|note| note.message()).collect();
    assert_eq!(
        messages,
        ["Dropped 'tool-input-delta': 'c' continues in too many steps."]
    );
}
