//! Rule "remembered approvals": an approval may apply to later calls, within its bounds.

use assistant_core::{
    action::{
        ActionSpec, GrantBounds, Policy, RegistrationId, Remember, RememberScope,
        RememberedApproval, RememberedArgs, Remembering,
    },
    conversation::{Change, Phase},
    event::MessageBody,
    session::{Input, Refusal, SessionOptions, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn remember(scope: RememberScope, any_args: bool) -> Verdict {
    let what = Remember::new(scope, any_args);
    Verdict::Remember { args: None, what }
}

const SESSION: RememberScope = RememberScope::Session;

/// A call of `f` in an answer of its own.
pub(crate) fn call(driver: &mut Driver, id: &str, args: &str) {
    driver.send("go on");
    driver.plays(calls(id, "f", args));
}

/// Ends running calls, so that the next call can be made.
pub(crate) fn settle(driver: &mut Driver, id: &str) {
    match driver.phase(id) {
        Phase::Running => drop(driver.returns(id, json!(1))),
        Phase::ApprovalRequested => assert_eq!(driver.deny(id, None), None),
        _ => return,
    }
    driver.says("ok");
}

/// An action `f` whose first call, with these arguments, got this verdict.
fn allowed(spec: ActionSpec, args: &str, verdict: Verdict) -> Driver {
    let mut driver = Driver::new();
    driver.register(spec);
    call(&mut driver, "first", args);
    assert_eq!(driver.decide("first", verdict), None);
    settle(&mut driver, "first");
    driver
}

/// Returns true if another call runs without asking the user.
fn runs(driver: &mut Driver, id: &str, args: &str) -> bool {
    call(driver, id, args);
    let unasked = driver.starts(id) == 1;
    let asked = driver.phase(id) == Phase::ApprovalRequested;
    assert!(unasked != asked, "{:?}", driver.phase(id));
    settle(driver, id);
    unasked
}

#[test]
fn a_plain_approval_is_not_remembered() {
    let this_time = Verdict::Approve { args: None };
    let mut driver = allowed(asking("f"), "{}", this_time);
    assert!(!runs(&mut driver, "c", "{}"));
    assert_eq!(driver.session.remembered_approvals(), []);
}

#[test]
fn a_remembered_approval_starts_an_equal_call_and_marks_it() {
    let mut driver = allowed(asking("f"), r#"{"to":"Ann"}"#, remember(SESSION, false));
    let kept = driver.session.remembered_approvals()[0].clone();
    assert_eq!((kept.name(), kept.scope()), ("f", SESSION));
    assert_eq!(*kept.args(), RememberedArgs::Exactly(json!({"to": "Ann"})));
    assert_eq!(
        driver.call("first").allowed_earlier(),
        None,
        "that one was asked about"
    );
    // The same arguments in another notation.
    assert!(runs(&mut driver, "same", r#"{ "to" : "Ann" }"#));
    let mark = driver.call("same").allowed_earlier().cloned().unwrap();
    assert_eq!(mark.id(), kept.id());
    assert!(
        driver.call("same").approval().is_none(),
        "the user did not decide about it"
    );
    assert!(!runs(&mut driver, "other", r#"{"to":"Bob"}"#));
    assert!(!runs(&mut driver, "more", r#"{"to":"Ann","all":true}"#));
}

#[test]
fn an_approval_covers_other_arguments_only_if_the_user_chose_so() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    assert!(runs(&mut driver, "c", r#"{"to":"Bob"}"#));
    let spec = asking("f")
        .with_parameters(json!({"type": "object", "properties": {"to": {"type": "string"}}}));
    let mut driver = allowed(spec, r#"{"to":"Ann"}"#, remember(SESSION, true));
    call(&mut driver, "wrong", r#"{"to":7}"#);
    assert_eq!(
        driver.phase("wrong"),
        Phase::OutputError,
        "arguments are still checked"
    );
    assert_eq!(driver.starts("wrong"), 0);
}

#[test]
fn a_remembered_approval_satisfies_a_policy_that_asks() {
    let mut driver = Driver::new();
    driver.host.ask = Some(true);
    let spec = action("f").with_approval(Policy::Ask);
    driver.register(spec);
    call(&mut driver, "first", r#"{"euros":500}"#);
    assert_eq!(driver.decide("first", remember(SESSION, true)), None);
    settle(&mut driver, "first");
    assert!(runs(&mut driver, "c", r#"{"euros":500}"#));
}

#[test]
fn an_action_limits_the_extent_of_remembered_approvals() {
    let with = |remembering| asking("f").with_remembering(remembering);
    let mut driver = Driver::new();
    driver.register(with(Remembering::Never));
    call(&mut driver, "c", "{}");
    assert_eq!(
        driver.session.remembering(&driver.key("c")),
        Remembering::Never
    );
    let refused = driver.decide("c", remember(SESSION, false));
    assert_eq!(refused, Some(Refusal::NotRemembered));
    assert_eq!(
        (driver.phase("c"), driver.starts("c")),
        (Phase::ApprovalRequested, 0)
    );

    let args = r#"{"to":"Ann","sum":1}"#;
    let mut driver = allowed(
        with(Remembering::SameArguments),
        args,
        remember(SESSION, true),
    );
    assert!(runs(&mut driver, "same", args));
    assert!(!runs(&mut driver, "other", r#"{"to":"Ann","sum":2}"#));

    let fields = Remembering::SameFields(vec!["to".to_owned(), "cc".to_owned()]);
    let mut driver = allowed(with(fields), args, remember(SESSION, true));
    assert!(runs(&mut driver, "field", r#"{"sum":2,"to":"Ann"}"#));
    assert!(!runs(&mut driver, "other", r#"{"sum":1,"to":"Bob"}"#));
    // A field that was missing must be missing again.
    assert!(!runs(
        &mut driver,
        "cc",
        r#"{"to":"Ann","sum":1,"cc":"Bob"}"#
    ));
    assert!(!runs(&mut driver, "none", "{}"));
}

#[test]
fn a_remembered_approval_is_bound_to_the_rules_of_its_action() {
    type Edit = fn(ActionSpec) -> ActionSpec;
    let changes: [(&str, Edit); 6] = [
        ("schema", |spec| {
            spec.with_parameters(json!({"type": "object", "title": "x"}))
        }),
        ("description", |spec| {
            spec.with_description("Pays from another account")
        }),
        ("version", |spec| spec.with_version("2")),
        ("policy", |spec| spec.with_approval(Policy::Ask)),
        ("fields", |spec| {
            spec.with_remembering(Remembering::SameArguments)
        }),
        ("checks", |spec| spec.with_validate(false)),
    ];
    for (what, change) in changes {
        let mut driver = Driver::new();
        driver.host.ask = Some(true);
        let id = driver.register(asking("f"));
        call(&mut driver, "first", "{}");
        assert_eq!(driver.decide("first", remember(SESSION, true)), None);
        settle(&mut driver, "first");
        driver.unregister(id);
        let other = driver.register(change(asking("f")));
        assert!(!runs(&mut driver, "c", "{}"), "another {what}");
        driver.unregister(other);
        driver.register(asking("f"));
        assert!(
            runs(&mut driver, "back", "{}"),
            "{what}: the same component is back"
        );
    }
}

#[test]
fn a_rule_change_between_check_and_start_asks_again() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    driver.send("go on");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    assert_eq!(driver.phase("c"), Phase::InputAvailable);
    let spec = asking("f").with_description("Deletes everything".to_owned());
    driver.register(spec);
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn revoking_an_approval_before_the_start_asks_again() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    let id = driver.session.remembered_approvals()[0].id().to_owned();
    driver.send("go on");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    let output = driver.input(Input::ForgetApproval { id: id.clone() });
    assert!(output.changes.contains(&Change::Remembered));
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
    assert!(driver.call("c").allowed_earlier().is_none());
    let again = driver.input(Input::ForgetApproval { id });
    assert_eq!(again.refused, Some(Refusal::NothingToDo));

    // While its start is being written.
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    let id = driver.session.remembered_approvals()[0].id().to_owned();
    driver.manual_commits = true;
    call(&mut driver, "c", "{}");
    let commit = driver.commits.last().unwrap().0;
    driver.input(Input::ForgetApproval { id });
    let outcome = Ok(());
    driver.input(Input::Committed { commit, outcome });
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn a_conversation_approval_does_not_apply_in_another() {
    for (scope, elsewhere) in [(RememberScope::Conversation, false), (SESSION, true)] {
        let mut driver = allowed(asking("f"), "{}", remember(scope, true));
        assert!(runs(&mut driver, "here", "{}"));
        driver.input(Input::NewThread);
        assert_eq!(runs(&mut driver, "there", "{}"), elsewhere);
    }
}

#[test]
fn a_stored_conversation_contains_no_remembered_approvals() {
    let driver = allowed(asking("f"), "{}", remember(SESSION, true));
    let snapshot = driver.session.snapshot();
    assert!(!snapshot.to_string().contains("any"), "{snapshot}");
    let mut other = Driver::new();
    other.register(asking("f"));
    let thread_id = "thread".to_owned();
    other.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert!(!runs(&mut other, "c", "{}"));
}

#[test]
fn lasting_approvals_are_stored_by_the_host() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    assert_eq!(driver.kept, []);
    call(&mut driver, "c", "{}");
    settle(&mut driver, "c");
    let mut driver = allowed(
        asking("f"),
        r#"{"to":"Ann"}"#,
        remember(RememberScope::Always, false),
    );
    let kept: Vec<Value> = driver
        .kept
        .iter()
        .map(RememberedApproval::to_value)
        .collect();
    assert_eq!(kept.len(), 1);

    let mut other = Driver::new();
    other.register(asking("f"));
    let read = kept.iter().filter_map(RememberedApproval::from_value);
    let approvals = read.collect();
    other.input(Input::RestoreApprovals { approvals });
    assert!(runs(&mut other, "same", r#"{"to":"Ann"}"#));
    assert!(!runs(&mut other, "other", r#"{"to":"Bob"}"#));
    let id = other.session.remembered_approvals()[0].id().to_owned();
    other.input(Input::ForgetApproval { id });
    assert_eq!(other.kept, []);

    // A modified stored approval permits nothing.
    for (key, value) in [
        ("rules", json!("[]")),
        ("args", json!({"any": true})),
        ("args", json!({"fields": {}})),
        ("toolName", json!("g")),
        ("threadId", json!(7)),
        ("scope", json!("for ever")),
    ] {
        let mut forged = kept[0].clone();
        forged[key] = value.clone();
        let mut other = Driver::new();
        other.register(asking("f"));
        let approvals: Vec<_> = RememberedApproval::from_value(&forged)
            .into_iter()
            .collect();
        other.input(Input::RestoreApprovals { approvals });
        let any = key == "args" && value == json!({"any": true});
        // Only that one is a valid approval, which the user might have given.
        assert_eq!(
            runs(&mut other, "c", r#"{"to":"Bob"}"#),
            any,
            "{key}: {value}"
        );
    }
    driver.input(Input::NewThread);
    assert!(runs(&mut driver, "elsewhere", r#"{"to":"Ann"}"#));
}

#[test]
fn an_interrupt_is_neither_remembered_nor_approved_from_memory() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    driver.send("go on");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![approval_interrupt("i", "c")]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.starts("c"), 0, "the agent asks, too");
    let refused = driver.decide("c", remember(SESSION, true));
    assert_eq!(refused, Some(Refusal::NotRemembered));
    assert_eq!(
        driver.session.remembering(&driver.key("c")),
        Remembering::Never
    );
    assert_eq!(driver.runs.len(), 3);
}

#[test]
fn a_call_with_an_unknown_outcome_ignores_remembered_approvals() {
    let mut driver = allowed(asking("f"), "{}", remember(RememberScope::Always, true));
    driver.manual_commits = true;
    call(&mut driver, "c", "{}");
    let (snapshot, entry) = (
        driver.session.snapshot(),
        driver.commits.last().unwrap().1.clone(),
    );
    let mut other = Driver::new();
    other.register(asking("f"));
    let approvals = driver.kept.clone();
    other.input(Input::RestoreApprovals { approvals });
    other.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: vec![entry],
    });
    assert_eq!(
        (other.phase("c"), other.starts("c")),
        (Phase::ApprovalRequested, 0)
    );
    assert_eq!(
        other.session.remembering(&other.key("c")),
        Remembering::Never
    );
}

#[test]
fn an_edited_approval_remembers_the_edited_arguments() {
    let what = Remember::new(SESSION, false);
    let args = Some(json!({"to": "Bob"}));
    let verdict = Verdict::Remember { args, what };
    let mut driver = allowed(asking("f"), r#"{"to":"Ann"}"#, verdict);
    assert!(!runs(&mut driver, "asked", r#"{"to":"Ann"}"#));
    assert!(runs(&mut driver, "edited", r#"{"to":"Bob"}"#));
}

#[test]
fn a_session_can_refuse_to_remember_approvals() {
    let mut driver = Driver::with(SessionOptions::default().remember_approvals(false));
    driver.register(asking("f"));
    call(&mut driver, "c", "{}");
    let refused = driver.decide("c", remember(SESSION, false));
    assert_eq!(refused, Some(Refusal::NotRemembered));
}

#[test]
fn remembered_approvals_are_bounded_in_number_and_size() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, false));
    for number in 0..300 {
        driver.host.clock += 10_000;
        let (id, args) = (format!("c{number}"), format!("{{\"n\":{number}}}"));
        call(&mut driver, &id, &args);
        assert_eq!(driver.decide(&id, remember(SESSION, false)), None);
        settle(&mut driver, &id);
    }
    assert_eq!(driver.session.remembered_approvals().len(), 256);
    assert!(!runs(&mut driver, "oldest", "{}"));
    assert!(runs(&mut driver, "newest", r#"{"n":299}"#));
    assert_eq!(
        driver.session.remembered_approvals().len(),
        256,
        "an equal approval is not added"
    );
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(300_000));
    call(&mut driver, "long", &long);
    let refused = driver.decide("long", remember(SESSION, false));
    assert_eq!(refused, Some(Refusal::NotRemembered));
}

/// Applies changes of another tab to the stored approvals.
fn sync(driver: &mut Driver, approvals: Vec<RememberedApproval>) {
    let step = driver.input(Input::SyncApprovals { approvals });
    assert_eq!(step.refused, None);
    assert!(step.changes.contains(&Change::Remembered));
    assert!(
        step.effects.is_empty(),
        "it is there already: {:?}",
        step.effects
    );
}

#[test]
fn approvals_and_revocations_of_another_tab_apply() {
    let mut driver = allowed(asking("f"), "{}", remember(RememberScope::Always, true));
    let kept = driver.session.remembered_approvals().to_vec();
    sync(&mut driver, kept.clone());
    assert!(runs(&mut driver, "c1", "{}"));
    sync(&mut driver, Vec::new());
    assert!(!runs(&mut driver, "c2", "{}"));
    sync(&mut driver, kept.clone());
    assert!(runs(&mut driver, "c3", "{}"));
    assert_eq!(driver.session.remembered_approvals(), kept);
}

#[test]
fn another_tab_does_not_revoke_a_session_approval() {
    let mut driver = allowed(asking("f"), "{}", remember(SESSION, true));
    sync(&mut driver, Vec::new());
    assert!(runs(&mut driver, "c", "{}"));
}

#[test]
fn a_revocation_by_another_tab_before_the_start_asks_again() {
    let mut driver = allowed(asking("f"), "{}", remember(RememberScope::Always, true));
    driver.send("go on");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    assert_eq!(driver.call("c").approval(), None, "the user is not asked");
    sync(&mut driver, Vec::new());
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
}

/// An approval lets the agent run `b`, which is not sent yet, since the agent asked something else.
fn before_handoff(bounds: GrantBounds) -> Driver {
    let mut driver = Driver::new();
    driver.register(remote_action("f"));
    driver.send("hi");
    driver.plays(calls("a", "f", "{}"));
    let what = Remember::new(SESSION, true).bounded(bounds);
    let allow = Verdict::Remember { args: None, what };
    assert_eq!(driver.decide("a", allow), None);
    driver.event(started());
    driver.event(result("r", "a", "done"));
    driver.events(calls("b", "f", "{}"));
    driver.event(interrupted(vec![interrupt("q", None, Value::Null)]));
    driver.close();
    assert_eq!(driver.phase("b"), Phase::ApprovalResponded);
    driver
}

/// Returns the newest request's message about a call.
fn sent_about(driver: &Driver, id: &str) -> String {
    let mut messages = driver.request().messages.iter();
    let content = messages.find_map(|message| match &message.body {
        MessageBody::Tool {
            tool_call_id,
            content,
            ..
        } if tool_call_id == id => Some(content.display_text()),
        _ => None,
    });
    content.unwrap_or_default()
}

/// Asserts that the user is asked about `b` before anything else is sent to the agent, and denies
/// it.
fn assert_asked_first(mut driver: Driver) {
    assert_eq!(driver.phase("b"), Phase::ApprovalRequested);
    let runs = driver.runs.len();
    driver.answers("q", Some(json!("yes")));
    assert_eq!(driver.runs.len(), runs, "it waits for the decision");
    assert_eq!(driver.deny("b", None), None);
    assert_eq!(driver.runs.len(), runs + 1);
    assert_eq!(driver.answer("b"), "denied");
}

#[test]
fn a_revocation_before_the_handoff_asks_again() {
    let mut driver = before_handoff(GrantBounds::default());
    let id = driver.session.remembered_approvals()[0].id().to_owned();
    driver.input(Input::ForgetApproval { id });
    assert_asked_first(driver);
    let mut driver = before_handoff(GrantBounds::default());
    driver.answers("q", Some(json!("yes")));
    assert_eq!(sent_about(&driver, "b"), "approved", "it still holds");
}

#[test]
fn an_expiry_before_the_handoff_asks_again() {
    let mut driver = before_handoff(GrantBounds::default().lasts_ms(1_000));
    let runs = driver.runs.len();
    driver.host.clock += 1_000;
    driver.answers("q", Some(json!("yes")));
    assert_eq!(driver.runs.len(), runs, "it waits for a decision");
    assert_eq!(driver.phase("b"), Phase::ApprovalRequested);
    assert_eq!(driver.approve("b"), None);
    assert_eq!(sent_about(&driver, "b"), "approved");
}

/// If both the approval and its action are missing, there is no card to ask with: the call fails,
/// and the loop continues.
#[test]
fn a_handoff_whose_approval_and_action_are_removed_fails() {
    let mut driver = before_handoff(GrantBounds::default().lasts_ms(1_000));
    let runs = driver.runs.len();
    driver.unregister(RegistrationId::new(1));
    driver.host.clock += 1_000;
    driver.answers("q", Some(json!("yes")));
    assert_eq!(driver.phase("b"), Phase::OutputError);
    assert_eq!(
        driver.runs.len(),
        runs + 1,
        "nothing else would wake the loop"
    );
    assert!(
        sent_about(&driver, "b").contains("f"),
        "the agent receives the result"
    );
}

#[test]
fn a_revocation_does_not_recall_a_handed_off_call() {
    let mut driver = before_handoff(GrantBounds::default());
    driver.answers("q", Some(json!("yes")));
    driver.event(started());
    let id = driver.session.remembered_approvals()[0].id().to_owned();
    driver.input(Input::ForgetApproval { id });
    assert_eq!(driver.phase("b"), Phase::Running);
    driver.event(result("r2", "b", "done"));
    finish_run(&mut driver);
    assert_eq!(driver.answer("b"), "done");
}

/// Arguments that are not an object have no fields: an approval of such a call applies to no other.
#[test]
fn arguments_without_fields_are_remembered_exactly() {
    let spec = asking("f")
        .with_remembering(Remembering::SameFields(vec!["to".to_owned()]))
        .with_parameters(json!({}));
    for first in ["[1]", "7", "null"] {
        let mut driver = allowed(spec.clone(), first, remember(SESSION, true));
        assert!(runs(&mut driver, "same", first), "{first}");
        assert!(!runs(&mut driver, "other", "[2]"), "{first}");
        assert!(!runs(&mut driver, "none", "{}"), "{first}");
    }
    let mut driver = allowed(spec, "{}", remember(SESSION, true));
    assert!(runs(&mut driver, "same", r#"{"x":1}"#));
    assert!(!runs(&mut driver, "list", "[1]"), "it could not be read");
}
