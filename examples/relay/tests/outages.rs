//! Redis servers that cannot be reached or do not answer, and connections that transmit nothing.

use std::{
    thread,
    time::{Duration, Instant},
};

use relay::{Changes, Limits};
use reqwest::Response;
use tokio::time;

use crate::support::{
    Place, RedisServer, SHORT_LEASE, TestAgent, TestRelay, in_runtime, key, types_of,
};

const STARTED: &str = r#"{"type":"RUN_STARTED"}"#;
const STEP: &str = r#"{"type":"STEP_STARTED"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED"}"#;

/// Reads a response up to its first event.
async fn first_event(response: &mut Response) -> String {
    let mut read = Vec::new();
    while !read.ends_with(b"}\n\n") {
        read.extend(response.chunk().await.unwrap().expect("an open response"));
    }
    String::from_utf8(read).unwrap()
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_run_continues_after_an_outage_that_is_longer_than_leases() {
    in_runtime(async {
        let place = Place::redis();
        let mut agent = TestAgent::start().await;
        let limits = Limits {
            lease: Duration::from_secs(1),
            ..Limits::default()
        };
        let [first, second] = TestRelay::start_pair(&place, &agent.url, limits).await;
        agent.send(STARTED);
        let mut responses = [first.post("r").await, second.get("r", None).await];
        for response in &mut responses {
            assert_eq!(types_of(&first_event(response).await), ["RUN_STARTED"]);
        }
        place.server().stop();
        agent.send(STEP);
        let during = tokio::spawn({
            let second = second.clone();
            async move { second.get("r", Some(0)).await.text().await.unwrap() }
        });
        time::sleep(3 * limits.lease).await;
        place.server().restart();
        // Long enough to end the run, if one relay counted the other as ended.
        time::sleep(3 * limits.lease).await;
        agent.send(FINISHED);
        agent.end();
        let rest = ["STEP_STARTED", "RUN_FINISHED"];
        for response in responses {
            assert_eq!(types_of(&response.text().await.unwrap()), rest);
        }
        assert_eq!(types_of(&during.await.unwrap()), rest);
        assert_eq!(second.get("r", Some(2)).await.status(), 204);
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_run_ends_in_an_outage_without_an_end() {
    in_runtime(async {
        let place = Place::redis();
        let agent = TestAgent::start().await;
        let limits = Limits {
            outage: Duration::from_millis(300),
            lease: SHORT_LEASE,
            ..Limits::default()
        };
        let relay = TestRelay::start_with(&place, &agent.url, limits).await;
        agent.send(STARTED);
        first_event(&mut relay.post("r").await).await;
        place.server().stop();
        agent.send(STEP);
        agent.is_left().await;
        assert_eq!(relay.get("r", None).await.status(), 503);
        assert_eq!(relay.post("next").await.status(), 503);
        place.server().restart();
        // The end is stored with a renewal of the lease.
        let text = relay.get("r", None).await.text().await.unwrap();
        assert_eq!(types_of(&text), ["RUN_STARTED", "RUN_ERROR"]);
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_lease_that_is_renewed_in_time_keeps_its_runs() {
    let place = Place::redis();
    let [first, second] = [place.open(), place.open()];
    first.create(&key("r"), "me").unwrap();
    let wait = || thread::sleep(SHORT_LEASE);
    place.server().expire_leases();
    assert_eq!(
        second.closable_runs().unwrap(),
        [],
        "it may renew its lease"
    );
    assert_eq!(first.closable_runs().unwrap(), [key("r")], "it does");
    assert_eq!(second.closable_runs().unwrap(), []);
    wait();
    wait();
    assert_eq!(
        second.closable_runs().unwrap(),
        [],
        "it may renew the next one"
    );
    wait();
    assert_eq!(second.closable_runs().unwrap(), [key("r")]);
    // The run belongs to one of them only.
    second.close(&key("r"), "{}").unwrap();
    assert_eq!(first.closable_runs().unwrap(), []);
    assert!(!first.append(&key("r"), 0, STEP, false).unwrap());
}

/// Limits with a short time for replies.
fn impatient() -> Limits {
    Limits {
        reply: Duration::from_millis(300),
        ..Limits::default()
    }
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn commands_do_not_wait_for_each_other_while_a_server_does_not_answer() {
    let place = Place::redis();
    let store = place.open_with(&impatient(), &Changes::default().into());
    place.server().freeze();
    let read = || {
        let called = Instant::now();
        assert!(store.run(&key("r")).unwrap_err().is_temporary());
        called.elapsed()
    };
    let alone = read();
    let waited = thread::scope(|scope| {
        let readers: Vec<_> = (0..12).map(|_| scope.spawn(read)).collect();
        let waited = readers.into_iter().map(|reader| reader.join().unwrap());
        waited.max().unwrap()
    });
    // One timeout for the command before it, and one of its own.
    assert!(waited < 4 * alone, "{waited:?}, alone {alone:?}");
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_connection_that_transmits_nothing_is_replaced() {
    in_runtime(async {
        let place = Place::Redis(RedisServer::with_wire());
        let agent = TestAgent::start().await;
        let [first, second] = TestRelay::start_pair(&place, &agent.url, impatient()).await;
        agent.send(STARTED);
        first_event(&mut first.post("r").await).await;
        place.server().interrupt();
        assert_eq!(second.delete("r").await, 204);
        // The relay of the run is not notified over its old connection.
        agent.is_left().await;
    });
}
