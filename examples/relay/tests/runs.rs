//! Requests that the relay refuses, and runs that start again.

use std::{
    io::{Read, Write},
    thread,
    time::Duration,
};

use relay::Limits;
use tokio::net::TcpListener;

use crate::support::{Place, TestAgent, TestRelay, in_runtime, types_of};

#[test]
fn a_run_that_was_refused_can_be_started_again() {
    in_runtime(async {
        let (place, mut agent) = (Place::sqlite(), TestAgent::start().await);
        let relay = TestRelay::start(&place, &agent.url).await;
        agent.refuse(1);
        assert_eq!(relay.post("r").await.status(), 503);
        agent.send(r#"{"type":"RUN_FINISHED"}"#);
        agent.end();
        let types = types_of(&relay.post("r").await.text().await.unwrap());
        assert_eq!(types, ["RUN_FINISHED"]);
    });
}

#[test]
fn a_run_whose_agent_does_not_answer_is_refused() {
    in_runtime(async {
        let place = Place::sqlite();
        // Accepts connections, and sends nothing.
        let agent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", agent.local_addr().unwrap());
        let limits = Limits {
            answer_time: Duration::from_millis(300),
            open_runs: 1,
            ..Limits::default()
        };
        let relay = TestRelay::start_with(&place, &url, limits).await;
        for run in ["r", "next"] {
            assert_eq!(relay.post(run).await.status(), 504);
            assert_eq!(relay.get(run, None).await.status(), 404);
        }
    });
}

#[test]
fn many_small_events_are_limited_like_large_ones() {
    in_runtime(async {
        let (place, agent) = (Place::sqlite(), TestAgent::start().await);
        let limits = Limits {
            run: 1_000,
            ..Limits::default()
        };
        let relay = TestRelay::start_with(&place, &agent.url, limits).await;
        for _ in 0..20 {
            agent.send(r#"{"type":"X"}"#);
        }
        let types = types_of(&relay.post("r").await.text().await.unwrap());
        assert_eq!(types.len(), 11);
        assert_eq!(types.last().unwrap(), "RUN_ERROR");
    });
}

#[test]
fn a_request_without_two_valid_ids_is_refused() {
    in_runtime(async {
        let (place, agent) = (Place::sqlite(), TestAgent::start().await);
        let relay = TestRelay::start(&place, &agent.url).await;
        let long = "x".repeat(201);
        for body in [
            r#"{"threadId": "t"}"#,
            r#"{"threadId": "t", "runId": ""}"#,
            r#"{"threadId": "t", "runId": 1}"#,
            r#"["t", "r"]"#,
            // The relay and the agent could read different ones.
            r#"{"threadId": "t", "runId": "r", "runId": "other"}"#,
            &format!(r#"{{"threadId": "t", "runId": "{long}"}}"#),
        ] {
            assert_eq!(relay.send(body.to_owned()).await.status(), 400, "{body}");
        }
        assert_eq!(agent.requests(), 0);
    });
}

/// Answers one request of each connection, and closes the connection when the next one arrives.
fn answer_once(agent: &std::net::TcpListener) {
    const EVENT: &str = "data: {\"type\":\"RUN_FINISHED\"}\n\n";
    loop {
        let (mut connection, _) = agent.accept().unwrap();
        let mut request = [0; 4096];
        let _ = connection.read(&mut request).unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
            EVENT.len()
        );
        let response = head + EVENT;
        connection.write_all(response.as_bytes()).unwrap();
        let _ = connection.read(&mut request);
    }
}

#[test]
fn a_connection_that_the_agent_closes_loses_no_request() {
    in_runtime(async {
        let place = Place::sqlite();
        let agent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", agent.local_addr().unwrap());
        thread::spawn(move || answer_once(&agent));
        let relay = TestRelay::start(&place, &url).await;
        for run in ["r", "next"] {
            let response = relay.post(run).await;
            assert_eq!(response.status(), 200, "{run}");
            assert_eq!(types_of(&response.text().await.unwrap()), ["RUN_FINISHED"]);
        }
    });
}

#[test]
fn a_response_without_an_end_ends_with_an_error() {
    in_runtime(async {
        let (place, mut agent) = (Place::sqlite(), TestAgent::start().await);
        let relay = TestRelay::start(&place, &agent.url).await;
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        agent.send(r#"["RUN_FINISHED"]"#);
        agent.end();
        let text = relay.post("r").await.text().await.unwrap();
        assert!(text.contains("RUN_STARTED"));
        assert!(text.contains("ended its response early"));
    });
}

#[test]
fn events_after_an_end_are_part_of_the_response() {
    in_runtime(async {
        let (place, mut agent) = (Place::sqlite(), TestAgent::start().await);
        let relay = TestRelay::start(&place, &agent.url).await;
        agent.send(r#"{"type":"RUN_FINISHED"}"#);
        let mut response = relay.post("r").await;
        let mut read = Vec::new();
        while !read.ends_with(b"RUN_FINISHED\"}\n\n") {
            read.extend(response.chunk().await.unwrap().expect("an open response"));
        }
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        agent.send(r#"{"type":"RUN_FINISHED"}"#);
        agent.end();
        let rest = types_of(&response.text().await.unwrap());
        assert_eq!(rest, ["RUN_STARTED", "RUN_FINISHED"]);
    });
}

#[test]
fn an_event_above_the_limit_ends_the_run() {
    in_runtime(async {
        let (place, agent) = (Place::sqlite(), TestAgent::start().await);
        let relay = TestRelay::start(&place, &agent.url).await;
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        agent.send(&"x".repeat(5 * 1024 * 1024));
        let text = relay.post("r").await.text().await.unwrap();
        assert_eq!(types_of(&text), ["RUN_STARTED", "RUN_ERROR"]);
        assert!(text.contains("too large"));
        agent.is_left().await;
    });
}
