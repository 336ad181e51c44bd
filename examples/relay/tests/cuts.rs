//! A run of 300 events whose pages are disconnected after any event.

use reqwest::Response;
use serde_json::json;

use crate::support::{Place, TestAgent, TestRelay, in_runtime, types_of};

const EVENTS: usize = 300;

/// Returns a run with text and two calls.
fn events() -> Vec<String> {
    let mut events = vec![json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r"})];
    for call in ["lights", "pay"] {
        events.push(json!({"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": call}));
        events.push(json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "{}"}));
        events.push(json!({"type": "TOOL_CALL_END", "toolCallId": call}));
    }
    while events.len() < EVENTS - 1 {
        let delta = format!("é {}\n", events.len());
        events.push(json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": delta}));
    }
    events.push(json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r"}));
    events.iter().map(ToString::to_string).collect()
}

fn frame(at: usize, event: &str) -> String {
    format!("id: {at}\ndata: {event}\n\n")
}

/// Reads a response up to a number of frames, and disconnects.
async fn frames(mut response: Response, count: usize) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        let read: Vec<&str> = text
            .split_inclusive("\n\n")
            .filter(|frame| frame.starts_with("id"))
            .collect();
        if read.len() >= count && read[count - 1].ends_with("\n\n") {
            return read[..count].concat();
        }
        bytes.extend_from_slice(&response.chunk().await.unwrap().expect("further events"));
    }
}

/// Starts a run, and disconnects after each of its events, while the agent continues.
async fn disconnect_after_each(place: &Place) {
    let mut agent = TestAgent::start().await;
    let relay = TestRelay::start(place, &agent.url).await;
    let events = events();
    agent.send(&events[0]);
    let mut read = frames(relay.post("r").await, 1).await;
    for (at, event) in events.iter().enumerate().skip(1) {
        // Connected after or before the event, in turn.
        let is_late = at % 2 == 0;
        if is_late {
            agent.send(event);
        }
        let response = relay.get("r", Some(at - 1)).await;
        if !is_late {
            agent.send(event);
        }
        read.push_str(&frames(response, 1).await);
    }
    let framed = events.iter().enumerate();
    let whole: String = framed.map(|(at, event)| frame(at, event)).collect();
    assert_eq!(read, whole);
    // Whether the run is open or not, each rest of it is the same.
    let open = frames(relay.get("r", None).await, EVENTS).await;
    assert_eq!(open, whole);
    agent.end();
    for last in 0..EVENTS - 1 {
        let rest = relay.get("r", Some(last)).await.text().await.unwrap();
        assert!(whole.ends_with(&rest), "after {last}:\n{rest}");
        assert_eq!(types_of(&rest).len(), EVENTS - 1 - last);
    }
    assert_eq!(relay.get("r", Some(EVENTS - 1)).await.status(), 204);
    assert_eq!(agent.requests(), 1);
}

test_of_stores!(
    a_page_that_is_disconnected_after_each_event_reads_each_once,
    |place| {
        in_runtime(disconnect_after_each(place));
    }
);

test_of_stores!(a_page_that_does_not_read_holds_up_no_other, |place| {
    in_runtime(async {
        let mut agent = TestAgent::start().await;
        let relay = TestRelay::start(place, &agent.url).await;
        let delta = "é".repeat(50_000);
        let large = json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": delta});
        let large = large.to_string();
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        let slow = relay.post("r").await;
        // More than the connections and a page of the store hold.
        for _ in 0..EVENTS {
            agent.send(&large);
        }
        agent.send(r#"{"type":"RUN_FINISHED"}"#);
        agent.end();
        for response in [relay.get("r", None).await, slow] {
            let read = response.text().await.unwrap();
            assert_eq!(types_of(&read).len(), EVENTS + 2);
            assert_eq!(read.matches(&large).count(), EVENTS);
        }
    });
});
