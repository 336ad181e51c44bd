//! Users, and the runs that they may read.

use relay::{Limits, Users};

use crate::support::{Place, TestAgent, TestRelay, in_runtime};

const MINE: (&str, &str) = ("authorization", "Bearer mine");
const OTHER: (&str, &str) = ("authorization", "Bearer other");

/// Starts a run as one page, and checks that others get these statuses for it, also for ending it.
async fn check(users: Users, started: &[(&'static str, &'static str)], others: &[Other]) {
    let (place, mut agent) = (Place::sqlite(), TestAgent::start().await);
    let relay = TestRelay::start_for(users, &place, &agent.url).await;
    let page = relay.with_headers(started);
    agent.send(r#"{"type":"RUN_FINISHED"}"#);
    agent.end();
    assert_eq!(page.post("r").await.status(), 200);
    assert_eq!(page.get("r", None).await.status(), 200);
    for (headers, status) in others {
        let other = relay.with_headers(headers);
        assert_eq!(other.get("r", None).await.status(), *status, "{headers:?}");
        let ended = if *status == 200 { 204 } else { *status };
        assert_eq!(other.delete("r").await, ended, "{headers:?}");
        let started = if *status == 401 { 401 } else { 409 };
        assert_eq!(other.post("r").await.status(), started, "{headers:?}");
    }
}

type Other = (&'static [(&'static str, &'static str)], u16);

#[test]
fn a_run_belongs_to_the_credentials_that_started_it() {
    let cookie = ("cookie", "Bearer mine");
    in_runtime(check(
        Users::Credentials,
        &[MINE],
        &[
            (&[MINE], 200),
            (&[OTHER], 404),
            (&[("cookie", "Bearer mine")], 404),
            (&[MINE, ("cookie", "Bearer mine")], 404),
            (&[], 401),
            (&[("authorization", "")], 401),
        ],
    ));
    in_runtime(check(Users::Credentials, &[cookie], &[(&[MINE], 404)]));
}

#[test]
fn a_run_belongs_to_the_user_whom_the_server_in_front_names() {
    let renewed: &[(&str, &str)] = &[("x-user", "me"), OTHER];
    in_runtime(check(
        Users::Header("x-user".parse().unwrap()),
        &[("x-user", "me"), MINE],
        &[
            (renewed, 200),
            (&[("x-user", "you"), MINE], 404),
            (&[("x-user", "me"), ("x-user", "you")], 404),
            (&[MINE], 401),
        ],
    ));
}

#[test]
fn a_run_without_credentials_belongs_to_any_user_if_that_is_admitted() {
    in_runtime(check(
        Users::Anonymous,
        &[],
        &[(&[], 200), (&[("x-user", "me")], 200), (&[MINE], 404)],
    ));
}

#[test]
fn a_user_leaves_places_for_the_runs_of_others() {
    in_runtime(async {
        let (place, agent) = (Place::sqlite(), TestAgent::start().await);
        let limits = Limits {
            open_runs_of_user: 1,
            ..Limits::default()
        };
        let mine = TestRelay::start_with(&place, &agent.url, limits).await;
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        assert_eq!(mine.post("first").await.status(), 200);
        let refused = mine.post("second").await;
        assert_eq!(refused.status(), 429);
        assert_eq!(refused.headers()["retry-after"], "10");
        // The agent gets the request of another user, and refuses it.
        agent.refuse(1);
        assert_eq!(
            mine.with_headers(&[OTHER]).post("third").await.status(),
            503
        );
        assert_eq!(agent.requests(), 2);
        assert_eq!(mine.delete("first").await, 204);
        agent.refuse(1);
        assert_eq!(mine.post("second").await.status(), 503);
        assert_eq!(agent.requests(), 3);
    });
}
