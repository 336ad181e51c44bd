//! Loading of a conversation from elsewhere: nothing starts automatically, regardless of its runs,
//! calls and decisions.

use assistant_core::{
    action::{ActionSpec, Policy},
    conversation::Phase,
    session::{AgentTraits, Input, NoticeKind, Output, SessionOptions},
};
use serde_json::{Value, json};

use crate::support::*;

/// Loads a conversation into a new session with these actions.
fn import(snapshot: Value, specs: impl IntoIterator<Item = ActionSpec>) -> Driver {
    let mut driver = Driver::new();
    driver.host.ids = 10_000;
    for spec in specs {
        driver.register(spec);
    }
    assert_starts_nothing(&load(&mut driver, snapshot));
    driver
}

fn load(driver: &mut Driver, snapshot: Value) -> Output {
    let output = driver.input(Input::Load {
        thread_id: "thread".to_owned(),
        snapshot,
    });
    assert_eq!(output.refused, None);
    output
}

fn exclusive(name: &str) -> ActionSpec {
    action(name).with_exclusive(true)
}

/// A handwritten conversation with a call of a run that allegedly succeeded.
fn handwritten(call: Value) -> Value {
    let mut part = json!({
        "type": "tool-call", "toolCallId": "c", "toolName": "f", "key": 1, "run": 1,
        "state": "input-available", "input": {},
    });
    for (key, value) in call.as_object().unwrap() {
        part[key] = value.clone();
    }
    json!({
        "version": 2,
        "messages": [
            {"parent": null, "message": {"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]}},
            {"parent": "u", "message": {"id": "m", "role": "assistant", "parts": [part]}},
        ],
        "tip": "m",
        "lastKey": 1,
        "runs": [{"number": 1, "id": "r", "succeeded": true}],
    })
}

#[test]
fn results_that_were_sent_are_not_offered_again() {
    for (sent, notices) in [(true, vec![]), (false, vec![NoticeKind::ResultsReady])] {
        let copy = import(
            handwritten(json!({
                "state": "output-available", "output": {"entries": 12}, "result": {"sent": sent},
            })),
            [],
        );
        assert_eq!(copy.phase("c"), Phase::OutputAvailable);
        assert_eq!(copy.notices(), notices);
    }
}

#[test]
fn a_call_that_waits_its_turn_starts_only_in_the_original() {
    let mut original = with([exclusive("pay")]);
    original.events(calls("a", "pay", "{}"));
    original.events(calls("b", "pay", "{}"));
    finish_run(&mut original);
    assert_eq!((original.starts("a"), original.starts("b")), (1, 0));
    let copy = import(original.session.export(), [exclusive("pay")]);
    assert_eq!(copy.invocations.len() + copy.commits.len(), 0);
    assert_eq!(copy.phase("b"), Phase::Cancelled);
    assert!(copy.answer("b").contains("interrupted"));
    assert_eq!(copy.notices(), [NoticeKind::ResultsReady]);
    original.returns("a", json!(1));
    assert_eq!(original.starts("b"), 1);
}

#[test]
fn a_call_whose_start_is_being_stored_starts_only_in_the_original() {
    for spec in [action("pay"), asking("pay")] {
        let mut original = with([spec.clone()]);
        original.manual_commits = true;
        original.events(calls("c", "pay", "{}"));
        finish_run(&mut original);
        if spec.approval() == Policy::Always {
            original.approve("c");
        }
        let (commit, _) = original.commits[0].clone();
        let mut copy = import(original.session.export(), [spec]);
        assert_eq!(copy.invocations.len() + copy.commits.len(), 0);
        assert_eq!(copy.phase("c"), Phase::Cancelled);
        let outcome = Ok(());
        original.input(Input::Committed { commit, outcome });
        assert_eq!(original.starts("c"), 1);
        // The agent receives the error, and requests it again if it still needs it.
        copy.input(Input::Continue);
        assert_eq!(copy.invocations.len(), 0);
        assert!(request(&copy)[2].contains("interrupted"));
    }
}

#[test]
fn a_handwritten_conversation_starts_nothing() {
    let rule = |ask| action("f").with_approval(ask);
    let cases = [
        json!({}),
        json!({"state": "approval-responded", "approval": {"decision": "approved"}}),
        json!({"state": "approval-responded", "approval": {"decision": "denied"}}),
        json!({"state": "approval-responded", "approval": {"decision": "approved", "handedOffBy": "t"}}),
        json!({"state": "approval-responded", "approval": {"decision": "approved", "interruptId": "i"}}),
        json!({"state": "approval-responded", "lifecycle": "allowed", "approval": {"decision": "approved"}}),
        json!({"state": "approval-responded", "lifecycle": "allowed"}),
        json!({"state": "approval-responded", "lifecycle": "denied"}),
        json!({"state": "running", "lifecycle": "handed-off", "approval": {"handedOffBy": "t"}}),
        json!({"state": "running"}),
        json!({"unknownOutcome": true}),
        json!({"origin": "provider"}),
        json!({"input": {"x": 1}, "toolName": "strict"}),
        json!({"argsText": "{\"x\"", "input": null}),
        json!({"toolName": "unknown"}),
        json!({"run": null}),
        json!({"run": 7}),
    ];
    for case in cases {
        for policy in [Policy::Never, Policy::Ask] {
            let strict = action("strict")
                .with_approval(policy)
                .with_parameters(json!({"type": "object", "required": ["y"]}));
            let mut driver = Driver::new();
            driver.host.ask = Some(false);
            driver.register(rule(policy));
            driver.register(strict);
            assert_starts_nothing(&load(&mut driver, handwritten(case.clone())));
            // Events of the page start nothing either.
            driver.register(rule(policy));
            driver.register(action("unknown"));
            let begun = driver.commits.len() + driver.invocations.len() + driver.runs.len();
            assert_eq!(begun, 0, "{case}");
            assert_eq!(driver.host.tickets, [], "{case}: a rule was asked");
            assert_eq!(driver.host.permissions, [], "{case}");
        }
    }
}

#[test]
fn a_pending_approval_stays_pending_after_an_import() {
    let mut driver = import(
        handwritten(json!({"state": "approval-requested", "approval": {}})),
        [action("f")],
    );
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", json!("done"));
    assert_eq!(
        request(&driver),
        ["user=hi", "assistant=[c]", "tool:c=\"done\""]
    );
}

#[test]
fn the_denial_of_an_imported_call_is_sent_to_the_agent() {
    let asked = handwritten(json!({"state": "approval-requested", "approval": {}}));
    let mut driver = import(asked, [action("f")]);
    assert_eq!(driver.deny("c", None), None);
    assert_eq!(request(&driver)[2], "tool:c=\"denied\"");
}

#[test]
fn showing_another_branch_starts_none_of_its_calls() {
    let states = [
        json!({}),
        json!({"state": "approval-responded", "approval": {"decision": "approved"}}),
        json!({"state": "approval-responded", "approval": {"decision": "approved", "handedOffBy": "t"}}),
        json!({"state": "approval-responded", "approval": {"decision": "approved", "interruptId": "i"}}),
    ];
    for state in states {
        let mut snapshot = handwritten(state.clone());
        let other =
            json!({"parent": "u", "message": {"id": "n", "role": "assistant", "parts": []}});
        snapshot["messages"].as_array_mut().unwrap().push(other);
        snapshot["tip"] = json!("n");
        let mut driver = import(snapshot, [action("f")]);
        let change = assistant_core::session::TreeChange::Select {
            message: message_id("m"),
            exact: false,
        };
        driver.input(Input::Tree { change });
        assert_eq!(
            driver.invocations.len() + driver.commits.len(),
            0,
            "{state}"
        );
        // A call that was not approved here is not reported to an agent as approved.
        driver.send("and now?");
        let sent = request(&driver).join("\n");
        assert!(!sent.contains("approved"), "{state}: {sent}");
        assert!(sent.contains("interrupted"), "{state}: {sent}");
    }
}

#[test]
fn a_detached_call_returns_without_its_approval() {
    let mut snapshot = handwritten(json!({}));
    let call = snapshot["messages"][1]["message"]["parts"][0].clone();
    snapshot["messages"].as_array_mut().unwrap().truncate(1);
    snapshot["tip"] = json!("u");
    for approval in [
        json!({"decision": "approved", "handedOffBy": "t"}),
        json!({"decision": "approved"}),
    ] {
        let mut detached = call.clone();
        detached["state"] = json!("approval-responded");
        detached["approval"] = approval.clone();
        let mut snapshot = snapshot.clone();
        snapshot["detached"] = json!([detached]);
        let mut driver = import(snapshot, [remote_action("f")]);
        driver.send("go on");
        driver.plays(calls("c", "f", "{}"));
        assert_eq!(driver.runs.len(), 1, "{approval}");
        assert_ne!(driver.phase("c"), Phase::ApprovalResponded, "{approval}");
    }
}

#[test]
fn an_imported_unfinished_run_is_not_resumed_automatically() {
    let traits = AgentTraits::default().with_resumes(true);
    let options = SessionOptions::default().with_agent(traits);
    let mut driver = Driver::with(options);
    driver.register(action("f"));
    let mut snapshot = handwritten(json!({}));
    snapshot["runs"][0]["succeeded"] = Value::Null;
    assert_starts_nothing(&load(&mut driver, snapshot));
    assert!(!driver.session.is_busy());
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    // The application may resume it.
    assert_eq!(driver.input(Input::Resume).refused, None);
    assert!(driver.request().resumes);
}

#[test]
fn queued_messages_of_an_import_are_not_sent() {
    let mut snapshot = handwritten(json!({"state": "output-available", "output": 1}));
    snapshot["queued"] = json!(["pay everything"]);
    let driver = import(snapshot, [action("f")]);
    assert_eq!(driver.runs.len(), 0);
    assert_eq!(driver.session.queued(), []);
}

#[test]
fn imported_message_lists_start_nothing() {
    let lists = [
        json!([
            {"id": "u", "role": "user", "content": "hi"},
            {"id": "m", "role": "assistant", "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        ]),
        #[cfg(feature = "ui-stream")]
        json!([
            {"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]},
            {"id": "m", "role": "assistant", "parts": [
                {"type": "tool-f", "toolCallId": "c", "state": "input-available", "input": {}}]},
        ]),
        #[cfg(feature = "ui-stream")]
        json!([
            {"id": "m", "role": "assistant", "parts": [
                {"type": "tool-f", "toolCallId": "c", "state": "approval-responded", "input": {},
                    "approval": {"id": "a", "approved": true}}]},
        ]),
    ];
    for list in lists {
        let mut driver = import(list, [action("f")]);
        assert_eq!(driver.phase("c"), Phase::Cancelled);
        driver.register(action("f"));
        assert_eq!(driver.invocations.len() + driver.runs.len(), 0);
    }
}

#[test]
fn an_imported_call_needs_approval_after_a_reload_too() {
    let asked = handwritten(json!({"state": "approval-requested", "approval": {}}));
    let driver = import(asked, [action("f")]);
    // The question is removed from the stored data.
    let mut stored = driver.session.snapshot();
    let call = &mut stored["messages"][1]["message"]["parts"][0];
    call["state"] = json!("input-available");
    call["approval"] = json!(null);
    let mut again = Driver::new();
    again.register(action("f"));
    again.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: stored,
        journal: Vec::new(),
    });
    assert_eq!(again.phase("c"), Phase::ApprovalRequested);
    assert_eq!(again.invocations.len() + again.commits.len(), 0);
}

/// The counterpart: calls of one's own session that had not started continue after a reload.
#[test]
fn an_unstarted_call_of_the_own_session_starts_after_a_reload() {
    let mut before = with([exclusive("pay")]);
    before.manual_commits = true;
    before.events(calls("c", "pay", "{}"));
    finish_run(&mut before);
    let mut after = Driver::new();
    after.register(exclusive("pay"));
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: before.session.snapshot(),
        journal: Vec::new(),
    });
    assert_eq!(after.starts("c"), 1);
}

#[test]
fn a_stored_call_without_an_action_fingerprint_is_asked_about() {
    let driver = &mut Driver::new();
    driver.register(action("f"));
    driver.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: handwritten(json!({})),
        journal: Vec::new(),
    });
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.invocations.len() + driver.commits.len(), 0);
}
