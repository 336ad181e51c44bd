//! Decisions of the user apply to the version that they saw, and to nothing else.

use super::*;

#[test]
fn an_approval_does_not_apply_to_the_call_after_an_omitted_one() {
    let mut driver = with([asking("pay")]);
    driver.events(calls("a", "pay", "{\"to\":\"Ann\"}"));
    driver.events(calls("b", "pay", "{\"to\":\"Bob\"}"));
    let (screen, first) = (driver.clone(), driver.key("a"));
    driver.event(snapshot(vec![
        hi(),
        listed("m", &[("b", "pay", "{\"to\":\"Bob\"}")]),
    ]));
    assert_eq!(
        click(&mut driver, first, &screen),
        Some(Refusal::AlreadyResolved)
    );
    finish_run(&mut driver);
    assert!(driver.invocations.is_empty());
    let second = driver.key("b");
    assert_eq!(driver.session.pending_approvals(), [second]);
    let screen = driver.clone();
    assert_eq!(click(&mut driver, second, &screen), None);
    assert_eq!(driver.starts("a"), 0);
    assert_eq!(*driver.invocation("b").args(), json!({"to": "Bob"}));
}

#[test]
fn a_denied_call_that_a_snapshot_moves_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), args("c", "{}"), end("c")]);
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.deny("c", Some("no")), None);
    driver.event(started());
    driver.event(snapshot(vec![
        hi(),
        listed("server-1", &[("c", "f", "{}")]),
    ]));
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[test]
fn a_call_that_changes_after_its_interrupt_is_asked_about_again() {
    for (name, args) in [("erase_faq", "{\"id\":1}"), ("lookup_faq", "{\"id\":2}")] {
        let mut driver = with([action("lookup_faq"), action("erase_faq")]);
        driver.events(calls("c", "lookup_faq", "{\"id\":1}"));
        driver.event(interrupted(vec![approval_interrupt("int", "c")]));
        driver.close();
        let (screen, key) = (driver.clone(), driver.key("c"));
        assert_eq!(click(&mut driver, key, &screen), None);
        driver.event(started());
        driver.event(snapshot(vec![hi(), listed("m", &[("c", name, args)])]));
        finish_run(&mut driver);
        assert!(driver.invocations.is_empty(), "{name} {args}");
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
        assert!(driver.call("c").has_changed(), "{name} {args}");
        assert_eq!(click(&mut driver, key, &screen), Some(Refusal::Changed));
        let screen = driver.clone();
        assert_eq!(click(&mut driver, key, &screen), None);
        let ran = driver.invocation("c");
        assert_eq!((ran.name(), ran.args().to_string().as_str()), (name, args));
    }
}

#[test]
fn a_pending_approval_survives_a_reload_despite_a_changed_policy() {
    let rule = action("f").with_approval(assistant_core::action::Policy::Ask);
    let mut driver = Driver::new();
    driver.host.ask = Some(true);
    driver.register(rule);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.host.ask = Some(false);
    reload(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    driver.approve("c");
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_denied_call_with_incomplete_arguments_is_in_no_request() {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    driver.event(start_in("c", "f", Some("m")));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    driver.deny("c", None);
    driver.says("as you like");
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    driver.send("more");
    assert_eq!(request(&driver)[1], "assistant=well[]");
}

#[test]
fn a_denial_survives_the_deletion_of_its_branch() {
    let mut driver = with([asking("f"), action("g")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.deny("c", None);
    driver.event(started());
    // The server omits it: it remains on a branch, because of the user's decision in it.
    driver.event(snapshot(vec![hi(), listed("n", &[])]));
    finish_run(&mut driver);
    let message = message_id("m");
    driver.input(Input::Tree {
        change: TreeChange::Delete { message },
    });
    assert_exports_itself(&driver);
    driver.send("more");
    driver.plays(calls("c", "g", "{}"));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[test]
fn a_stopped_interrupt_is_answered_on_its_branch_after_a_reload() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    driver.input(Input::Stop);
    let message = message_id("m");
    driver.input(Input::Tree {
        change: TreeChange::Regenerate {
            message: message.clone(),
        },
    });
    let exact = false;
    driver.input(Input::Tree {
        change: TreeChange::Select { message, exact },
    });
    assert!(driver.request().resume.is_empty(), "of another branch");
    reload(&mut driver);
    driver.send("more");
    let answers = driver.request().resume.iter();
    let answers: Vec<_> = answers.map(|answer| answer.interrupt_id.as_str()).collect();
    assert_eq!(answers, ["int"]);
    driver.event(started());
    finish_run(&mut driver);
    assert_eq!(
        request(&driver)[1..],
        ["assistant=[c]", "tool:c=\"denied\"", "user=more"]
    );
}

#[test]
fn an_approval_voided_by_changed_rules_is_asked_for_again() {
    let mut driver = with([asking("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{\"to\":\"Ann\"}"));
    finish_run(&mut driver);
    let args = Some(json!({"to": "Bob"}));
    assert_eq!(driver.decide("c", Verdict::Approve { args }), None);
    let mut reloaded = driver.clone();
    // No approval is needed from here on, but the user was asked about something else.
    driver.register(action("f"));
    let commit = driver.commits[0].0;
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    reloaded.register(action("f"));
    reload(&mut reloaded);
    assert_eq!(
        (reloaded.starts("c"), reloaded.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn one_card_answers_all_interrupts_of_its_call() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![
        approval_interrupt("one", "c"),
        approval_interrupt("two", "c"),
    ]));
    driver.close();
    let mut separate = driver.clone();
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.request().resume.len(), 2);
    driver.plays([]);
    assert_eq!(driver.starts("c"), 1);
    // Answered separately by their ids: one denial is enough.
    for (id, approved) in [("one", true), ("two", false)] {
        separate.answers(id, Some(json!({"approved": approved})));
    }
    separate.plays([]);
    assert_eq!(
        (separate.starts("c"), separate.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[test]
fn a_pending_call_that_returns_with_another_name_is_asked_about() {
    let mut driver = with([asking("pay"), action("look")]);
    driver.events(calls("c", "pay", "{}"));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.event(snapshot(vec![hi()]));
    driver.events(calls("c", "look", "{}"));
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    assert!(driver.call("c").has_changed());
    driver.approve("c");
    assert_eq!(driver.starts("c"), 1);
}
