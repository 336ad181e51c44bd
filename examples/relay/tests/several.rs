//! Several relays with one Redis server.

use std::time::Duration;

use relay::Limits;

use crate::support::{Place, RedisServer, SHORT_LEASE, TestAgent, TestRelay, in_runtime, types_of};

const STARTED: &str = r#"{"type":"RUN_STARTED"}"#;
const STEP: &str = r#"{"type":"STEP_STARTED"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED"}"#;

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_run_of_one_relay_is_read_at_another_one() {
    in_runtime(async {
        let place = Place::redis();
        let mut agent = TestAgent::start().await;
        let limits = Limits::default();
        let [first, second] = TestRelay::start_pair(&place, &agent.url, limits).await;
        agent.send(STARTED);
        let started = first.post("r").await;
        let mut reading = second.get("r", None).await;
        assert!(reading.chunk().await.unwrap().is_some());
        assert_eq!(second.post("r").await.status(), 409);
        agent.send(STEP);
        agent.send(FINISHED);
        agent.end();
        let rest = reading.text().await.unwrap();
        assert_eq!(types_of(&rest).last().unwrap(), "RUN_FINISHED");
        assert_eq!(types_of(&started.text().await.unwrap()).len(), 3);
        assert_eq!(second.get("r", Some(2)).await.status(), 204);
        assert_eq!(agent.requests(), 1);
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn events_after_an_end_are_read_at_another_relay() {
    in_runtime(async {
        let place = Place::redis();
        let mut agent = TestAgent::start().await;
        let limits = Limits::default();
        let [first, second] = TestRelay::start_pair(&place, &agent.url, limits).await;
        agent.send(FINISHED);
        let started = first.post("r").await;
        let mut reading = second.get("r", None).await;
        let mut read = Vec::new();
        while !read.ends_with(b"RUN_FINISHED\"}\n\n") {
            read.extend(reading.chunk().await.unwrap().expect("an open response"));
        }
        agent.send(STARTED);
        agent.send(FINISHED);
        agent.end();
        let rest = types_of(&reading.text().await.unwrap());
        assert_eq!(rest, ["RUN_STARTED", "RUN_FINISHED"]);
        assert_eq!(types_of(&started.text().await.unwrap()).len(), 3);
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn the_keys_of_a_script_are_in_one_slot_of_a_cluster() {
    in_runtime(async {
        let place = Place::Redis(RedisServer::cluster());
        let mut agent = TestAgent::start().await;
        let relay = TestRelay::start(&place, &agent.url).await;
        agent.refuse(1);
        assert_eq!(relay.post("r").await.status(), 503);
        agent.send(FINISHED);
        agent.end();
        for response in [relay.post("r").await, relay.get("r", None).await] {
            assert_eq!(types_of(&response.text().await.unwrap()), ["RUN_FINISHED"]);
        }
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_run_is_stopped_at_another_relay() {
    in_runtime(async {
        let place = Place::redis();
        let agent = TestAgent::start().await;
        let limits = Limits::default();
        let [first, second] = TestRelay::start_pair(&place, &agent.url, limits).await;
        agent.send(STARTED);
        let started = first.post("r").await;
        let mut reading = vec![started];
        // Some of them are notified before the relay has closed its connection to the agent.
        for _ in 0..20 {
            reading.push(first.get("r", None).await);
            reading.push(second.get("r", None).await);
        }
        assert_eq!(second.delete("r").await, 204);
        // The connection to the agent is closed by the relay that made it.
        agent.is_left().await;
        for response in reading {
            let types = types_of(&response.text().await.unwrap());
            assert_eq!(types, ["RUN_STARTED", "RUN_ERROR"]);
        }
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_stop_that_a_relay_is_not_notified_of_ends_the_run() {
    in_runtime(async {
        let place = Place::redis();
        let agent = TestAgent::start().await;
        let limits = Limits::default();
        let [first, second] = TestRelay::start_pair(&place, &agent.url, limits).await;
        agent.send(STARTED);
        first.post("r").await;
        place.server().disconnect_subscribers();
        assert_eq!(second.delete("r").await, 204);
        agent.is_left().await;
    });
}

#[test]
#[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
fn a_run_of_a_relay_that_has_ended_fails_for_its_readers() {
    let place = Place::redis();
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (ending, lasting) = (runtime(), runtime());
    let agent = lasting.block_on(TestAgent::start());
    let limits = Limits {
        lease: SHORT_LEASE,
        ..Limits::default()
    };
    let second = lasting.block_on(TestRelay::start_with(&place, &agent.url, limits));
    let first = ending.block_on(TestRelay::start(&place, &agent.url));
    agent.send(STARTED);
    ending.block_on(first.post("r"));
    let reading = lasting.block_on(second.get("r", None));
    // Its connections are lost, and its lease is not renewed.
    ending.shutdown_timeout(Duration::from_secs(5));
    place.expire_leases();
    let types = types_of(&lasting.block_on(reading.text()).unwrap());
    assert_eq!(types, ["RUN_STARTED", "RUN_ERROR"]);
}
