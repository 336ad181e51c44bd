//! Rule "start of a tool": a component with the same rules takes over a call, and what the functions
//! of the earlier component permitted does not count.

use assistant_core::{
    action::{Decider, Policy, RegistrationId},
    conversation::Phase,
    session::{Answer, Input, Verdict},
};
use serde_json::json;

use crate::support::*;

/// Opens a turn with the call `c` of `f`.
fn call(driver: &mut Driver) {
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
}

/// Reports that the claim of the call is written.
fn commit(driver: &mut Driver) {
    let commit = driver.commits[0].0;
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
}

fn refused() -> Option<Answer<Result<(), String>>> {
    Some(Answer::Now(Err("not here".to_owned())))
}

#[test]
fn a_permission_of_another_registration_does_not_count() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.host.permission = Some(Answer::Later);
    call(&mut driver);
    let ticket = driver.host.permissions[0].0;
    driver.host.permission = refused();
    driver.register(action("f"));
    driver.input(Input::PermissionAnswer {
        ticket,
        outcome: Ok(()),
    });
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputError)
    );
    assert_eq!(driver.host.permissions.len(), 2);
}

#[test]
fn a_registration_that_takes_over_a_claimed_call_is_asked_for_its_permission() {
    for permission in [None, refused(), Some(Answer::Later)] {
        let mut driver = Driver::new();
        driver.manual_commits = true;
        driver.register(asking("f"));
        call(&mut driver);
        driver.approve("c");
        driver.host.permission = permission.clone();
        let newest = driver.register(asking("f"));
        commit(&mut driver);
        assert_eq!(driver.host.permissions.len(), 2, "{permission:?}");
        let runs = driver.invocations.iter();
        let runs: Vec<RegistrationId> = runs.map(|run| run.registration()).collect();
        match permission {
            None => assert_eq!(runs, [newest]),
            Some(Answer::Later) => {
                assert_eq!(
                    (runs, driver.phase("c")),
                    (vec![], Phase::ApprovalRequested)
                );
            }
            Some(_) => assert_eq!((runs, driver.phase("c")), (vec![], Phase::OutputError)),
        }
    }
}

#[test]
fn the_approval_rule_of_the_newest_registration_decides() {
    let mut driver = Driver::new();
    let spec = || action("f").with_approval(Policy::Ask);
    driver.register(spec());
    driver.host.ask = Some(false);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.host.ask = Some(true);
    driver.register(spec());
    driver.event(finished());
    driver.close();
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    assert_eq!(driver.host.tickets.len(), 2);
}

#[test]
fn the_newest_registration_sanitizes_the_arguments() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.host.permission = Some(Answer::Later);
    call(&mut driver);
    driver.host.clean = Some(|_| Some(json!({"clean": true})));
    driver.host.permission = None;
    let newest = driver.register(action("f"));
    let [run] = driver.invocations.as_slice() else {
        panic!("{:?}", driver.invocations);
    };
    assert_eq!(
        (run.registration(), run.args()),
        (newest, &json!({"clean": true}))
    );
}

#[test]
fn arguments_of_the_user_that_the_newest_registration_would_change_are_shown_again() {
    let mut driver = Driver::new();
    driver.manual_commits = true;
    driver.register(asking("f"));
    call(&mut driver);
    let args = Some(json!({"amount": 500}));
    driver.decide("c", Verdict::Approve { args });
    assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
    driver.host.clean = Some(|args| (args["amount"] == 500).then(|| json!({"amount": 100})));
    driver.register(asking("f"));
    commit(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn an_approval_of_the_application_does_not_count_for_an_action_that_only_users_approve() {
    for stricter in [
        asking("f").with_only_user_approves(true),
        asking("f").with_preview(true),
    ] {
        let mut driver = Driver::new();
        driver.manual_commits = true;
        driver.register(asking("f"));
        call(&mut driver);
        let (call, shown) = (driver.key("c"), driver.shown(driver.key("c")));
        driver.input(Input::Decide {
            call,
            shown,
            verdict: Verdict::Approve { args: None },
            by: Decider::Application,
        });
        assert_eq!(driver.phase("c"), Phase::ApprovalResponded);
        driver.register(stricter);
        commit(&mut driver);
        assert_eq!(
            (driver.starts("c"), driver.phase("c")),
            (0, Phase::ApprovalRequested)
        );
    }
}
