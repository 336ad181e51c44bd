//! Interrupts about several actions: one decision for each, in order, of an allowed kind.

use assistant_core::{
    action::Policy,
    conversation::{Decider, Phase},
    event::{Content, EventKind, Interrupt, Message, MessageBody, ResumeStatus},
    session::{ActionDecision, FailureKind, Input, JournalEntry, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn actions(list: &[(&str, Value)]) -> Value {
    let list = list.iter();
    let list: Vec<Value> = list
        .map(|(name, args)| json!({"name": name, "args": args}))
        .collect();
    json!({"action_requests": list})
}

/// An interrupt with two actions: to pay 10, which can be approved, edited or denied, and to
/// delete, which can be denied or answered.
fn two_actions() -> Value {
    let mut asked = actions(&[
        ("pay", json!({"euros": 10})),
        ("delete", json!({"all": true})),
    ]);
    asked["review_configs"] = json!([
        {"action_name": "delete", "allowed_decisions": ["reject", "respond"]},
        {"action_name": "pay", "allowed_decisions": ["approve", "edit", "reject"]},
    ]);
    asked
}

fn question(call: Option<&str>, metadata: &Value) -> Interrupt {
    Interrupt {
        metadata: metadata.as_object().cloned(),
        ..interrupt("q", call, Value::Null)
    }
}

/// The agent calls `pay` as `c`, and asks.
fn asked(interrupt: Interrupt) -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "pay", "{\"euros\": 10}"));
    driver.event(interrupted(vec![interrupt]));
    driver.close();
    driver
}

fn sent(driver: &Driver) -> Value {
    driver.request().resume[0].payload.clone().unwrap()
}

fn decides(driver: &mut Driver, decisions: Vec<ActionDecision>) -> Option<Refusal> {
    let decides = Input::DecideActions {
        interrupt_id: "q".to_owned(),
        shown: driver.shown_question("q"),
        decisions,
        by: Decider::Person,
    };
    driver.input(decides).refused
}

fn reject(message: Option<&str>) -> ActionDecision {
    let message = message.map(str::to_owned);
    ActionDecision::Reject { message }
}

fn edit(args: Value) -> ActionDecision {
    ActionDecision::Edit { args }
}

fn has_card(driver: &Driver) -> bool {
    driver.session.interrupts()[0].call_key().is_some()
}

#[test]
fn a_card_represents_an_action_only_if_it_is_the_listed_one() {
    let pay = |euros: u32| ("pay", json!({"euros": euros}));
    for (list, card) in [
        (vec![pay(10)], true),
        (vec![pay(1000)], false),
        (vec![("delete", json!({"euros": 10}))], false),
        (vec![pay(10), ("delete", json!({}))], false),
        (vec![pay(10), pay(10)], false),
    ] {
        let driver = asked(question(Some("c"), &actions(&list)));
        assert_eq!(has_card(&driver), card, "{list:?}");
        let by_schema = Interrupt {
            response_schema: approval_interrupt("q", "c").response_schema,
            ..question(Some("c"), &actions(&list))
        };
        assert_eq!(has_card(&asked(by_schema)), card, "{list:?}");
        let phase = driver.phase("c");
        assert_eq!(
            phase == Phase::ApprovalRequested,
            card,
            "{list:?}: {phase:?}"
        );
    }
}

#[test]
fn an_answer_needs_an_allowed_decision_for_each_action() {
    let payload = |list: Value| json!({"decisions": list});
    let approve = json!({"type": "approve"});
    let respond = json!({"type": "respond", "message": "Not now."});
    for wrong in [
        Value::Null,
        json!(true),
        json!({"approved": true}),
        approve.clone(),
        payload(json!([])),
        payload(json!([approve])),
        payload(json!([approve, respond, approve])),
        payload(json!([approve, approve])),
        payload(json!([respond, respond])),
        payload(json!([approve, {"type": "ignore"}])),
        payload(json!([approve, {"type": "respond"}])),
        payload(json!([{"type": "edit"}, respond])),
        payload(
            json!([{"type": "edit", "edited_action": {"name": "delete", "args": {}}}, respond]),
        ),
    ] {
        let mut driver = asked(question(None, &two_actions()));
        let refused = driver.answers("q", Some(wrong.clone()));
        assert!(refused.is_some(), "{wrong}");
        assert_eq!(driver.runs.len(), 1, "nothing is sent: {wrong}");
        assert_eq!(driver.session.interrupts()[0].answer(), None);
    }
    let mut driver = asked(question(None, &two_actions()));
    let right = payload(json!([approve, respond]));
    assert_eq!(driver.answers("q", Some(right.clone())), None);
    assert_eq!(sent(&driver), right);
}

#[test]
fn actions_are_read_from_the_metadata_of_langgraph() {
    let value = two_actions();
    for metadata in [
        value.clone(),
        json!({"value": value}),
        json!({"langgraph": {"raw": value, "ns": null}}),
        json!({"langgraph": {"raw": {"value": value}}}),
    ] {
        let mut driver = asked(question(None, &metadata));
        let one_for_all = Some(json!({"approved": true}));
        assert!(driver.answers("q", one_for_all).is_some(), "{metadata}");
        assert_eq!(driver.runs.len(), 1);
    }
}

#[test]
fn a_custom_interrupt_event_needs_a_decision_for_each_action() {
    for value in [two_actions(), json!(two_actions().to_string())] {
        let mut driver = with([]);
        let name = "on_interrupt".to_owned();
        driver.event(EventKind::Custom { name, value });
        finish_run(&mut driver);
        let id = driver.session.interrupts()[0].interrupt().id.clone();
        assert!(driver.answers(&id, Some(json!(true))).is_some());
        let right = json!({"decisions": [{"type": "reject"}, {"type": "reject"}]});
        assert_eq!(driver.answers(&id, Some(right.clone())), None);
        assert_eq!(driver.request().forwarded_props["command"]["resume"], right);
    }
}

#[test]
fn decisions_apply_only_to_the_actions_that_were_shown() {
    let right = json!({"decisions": [{"type": "approve"}, {"type": "reject"}]});
    let mut driver = asked(question(None, &two_actions()));
    let shown = driver.shown_question("q");
    assert_eq!(driver.answers("q", Some(right.clone())), None);
    let mut other = two_actions();
    other["action_requests"][0]["args"]["euros"] = json!(1000);
    driver.plays([started(), interrupted(vec![question(None, &other)])]);
    let late = Input::Answer {
        interrupt_id: "q".to_owned(),
        shown: shown.clone(),
        status: ResumeStatus::Resolved,
        payload: Some(right),
        by: Decider::Person,
    };
    assert_eq!(driver.input(late).refused, Some(Refusal::Changed));
    let late = Input::DecideActions {
        interrupt_id: "q".to_owned(),
        shown,
        decisions: vec![
            ActionDecision::Approve,
            ActionDecision::Reject { message: None },
        ],
        by: Decider::Person,
    };
    assert_eq!(driver.input(late).refused, Some(Refusal::Changed));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_schema_of_one_answer_does_not_approve_several_actions() {
    for schema in [
        json!({"type": "boolean"}),
        json!({"type": "object", "properties": {"approved": {"type": "boolean"}}}),
    ] {
        let by_schema = Interrupt {
            response_schema: schema.as_object().cloned(),
            ..question(Some("c"), &two_actions())
        };
        let driver = asked(by_schema);
        assert!(!has_card(&driver), "{schema}");
        assert!(!driver.session.interrupts()[0].takes_approval(), "{schema}");
    }
}

#[test]
fn a_schema_that_permits_a_boolean_takes_an_approval() {
    for schema in [
        json!({"type": ["string", "boolean"]}),
        json!({"type": ["boolean", "null"]}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]}),
        json!({"oneOf": [{"type": "string"}, {"type": "boolean"}]}),
    ] {
        let driver = asked(interrupt("q", None, schema.clone()));
        assert!(driver.session.interrupts()[0].takes_approval(), "{schema}");
        // The answer could express more than a card.
        assert!(!has_card(&asked(interrupt("q", Some("c"), schema))));
    }
    for schema in [
        json!({"type": ["string", "integer"]}),
        json!({"anyOf": [{"type": "boolean", "const": false}, {"type": "string"}]}),
        json!({}),
    ] {
        let driver = asked(interrupt("q", None, schema.clone()));
        assert!(!driver.session.interrupts()[0].takes_approval(), "{schema}");
    }
}

#[test]
fn each_action_is_decided_separately_and_in_order() {
    let respond = || ActionDecision::Respond {
        message: "Ask the owner.".to_owned(),
    };
    let edited = json!({"type": "edit", "edited_action": {"name": "pay", "args": {"euros": 5}}});
    for (first, second, written) in [
        (
            ActionDecision::Approve,
            reject(Some("keep it")),
            json!([{"type": "approve"}, {"type": "reject", "message": "keep it"}]),
        ),
        (
            reject(None),
            respond(),
            json!([{"type": "reject"}, {"type": "respond", "message": "Ask the owner."}]),
        ),
        (
            edit(json!({"euros": 5})),
            reject(None),
            json!([edited, {"type": "reject"}]),
        ),
    ] {
        for call in [None, Some("c")] {
            let mut driver = asked(question(
                call,
                &json!({"langgraph": {"raw": two_actions()}}),
            ));
            let both = vec![first.clone(), second.clone()];
            assert_eq!(decides(&mut driver, both), None);
            assert_eq!(sent(&driver), json!({"decisions": written}));
        }
    }
}

#[test]
fn decisions_that_do_not_match_the_actions_are_refused() {
    let mut driver = asked(question(None, &two_actions()));
    let mut refuses = |decisions| decides(&mut driver, decisions).unwrap();
    let approve = || ActionDecision::Approve;
    let count = |decisions| Refusal::EachAction {
        actions: 2,
        decisions,
    };
    assert_eq!(refuses(vec![]), count(0));
    assert_eq!(refuses(vec![approve()]), count(1));
    assert_eq!(
        refuses(vec![reject(None), reject(None), approve()]),
        count(3)
    );
    let forbidden = |action| Refusal::DecisionNotAllowed { action };
    assert_eq!(refuses(vec![approve(), approve()]), forbidden(2));
    assert_eq!(
        refuses(vec![
            ActionDecision::Respond {
                message: String::new()
            },
            reject(None)
        ]),
        forbidden(1)
    );
    let wrong = refuses(vec![edit(json!("5 euros")), reject(None)]);
    assert!(matches!(wrong, Refusal::InvalidEdit(_)), "{wrong:?}");
    assert_eq!(driver.runs.len(), 1);
    // One verdict does not decide about two actions.
    let open = &driver.session.interrupts()[0];
    for verdict in [
        Verdict::Approve { args: None },
        Verdict::Deny { reason: None },
    ] {
        assert_eq!(open.answer_to(&verdict), Err(count(1)));
    }
}

#[test]
fn edited_arguments_must_match_the_schema_of_the_agent() {
    let mut metadata = actions(&[("pay", json!({"euros": 10}))]);
    let schema = json!({"properties": {"euros": {"type": "integer", "maximum": 10}}});
    metadata["review_configs"] = json!([
        {"action_name": "pay", "allowed_decisions": ["edit"], "args_schema": schema},
    ]);
    let mut driver = asked(question(Some("c"), &metadata));
    assert!(!has_card(&driver), "a card would offer to approve it");
    let over = decides(&mut driver, vec![edit(json!({"euros": 11}))]);
    assert!(matches!(over, Some(Refusal::InvalidEdit(_))), "{over:?}");
    assert_eq!(decides(&mut driver, vec![edit(json!({"euros": 9}))]), None);
}

#[test]
fn several_reviews_of_an_action_allow_only_what_all_of_them_allow() {
    let mut metadata = actions(&[("pay", json!({"euros": 10}))]);
    metadata["review_configs"] = json!([
        {"action_name": "pay", "allowed_decisions": ["approve", "reject"]},
        {"action_name": "pay", "allowed_decisions": ["edit", "reject"]},
    ]);
    let mut driver = asked(question(None, &metadata));
    for decision in [ActionDecision::Approve, edit(json!({"euros": 9}))] {
        let refused = decides(&mut driver, vec![decision]);
        assert_eq!(refused, Some(Refusal::DecisionNotAllowed { action: 1 }));
    }
    assert_eq!(decides(&mut driver, vec![reject(None)]), None);
}

#[test]
fn a_malformed_action_list_can_only_be_rejected_or_cancelled() {
    let broken = json!({
        "action_requests": [null, 1, "pay", {"name": 3}, {"name": "pay", "args": null}],
        "review_configs": [null, {"action_name": "pay", "allowed_decisions": [1, "all"]}, {"allowed_decisions": "x"}],
    });
    let mut driver = asked(question(Some("c"), &broken));
    assert!(!has_card(&driver));
    let mut each = vec![reject(None); 5];
    let refused = decides(&mut driver, each.clone());
    assert_eq!(refused, Some(Refusal::DecisionNotAllowed { action: 5 }));
    each[3] = edit(json!({}));
    let refused = decides(&mut driver, each);
    assert_eq!(
        refused,
        Some(Refusal::DecisionNotAllowed { action: 4 }),
        "it has no name"
    );
    assert_eq!(driver.answers("q", None), None, "it can be given up");
    for none in [json!([]), json!({}), Value::Null] {
        let driver = asked(question(Some("c"), &json!({"action_requests": none})));
        assert!(!driver.session.interrupts()[0].takes_decisions());
    }
}

#[test]
fn deny_all_rejects_each_action_or_cancels_the_interrupt() {
    let mut driver = asked(question(None, &two_actions()));
    driver.input(Input::DenyAll {
        by: Decider::Person,
    });
    driver.send("and now?");
    let each = json!({"decisions": [{"type": "reject"}, {"type": "reject"}]});
    assert_eq!(sent(&driver), each);
    let mut metadata = two_actions();
    metadata["review_configs"][1]["allowed_decisions"] = json!(["approve"]);
    let mut driver = asked(question(None, &metadata));
    driver.input(Input::DenyAll {
        by: Decider::Person,
    });
    driver.send("and now?");
    assert_eq!(driver.request().resume[0].status, ResumeStatus::Cancelled);
}

/// The middleware reads a decision for each action from any answer, and fails without them.
#[test]
fn stop_rejects_each_action_of_a_list_or_cancels_the_interrupt() {
    let each = json!({"decisions": [{"type": "reject"}, {"type": "reject"}]});
    let stopped = |metadata: &Value, expires_at: Option<&str>| {
        let mut asked_about = question(Some("c"), metadata);
        asked_about.expires_at = expires_at.map(str::to_owned);
        let mut driver = asked(asked_about);
        driver.input(Input::Stop);
        assert_eq!(driver.runs.len(), 1, "nothing is sent before a message");
        driver.send("and now?");
        let [entry] = driver.request().resume.as_slice() else {
            panic!("one answer is sent");
        };
        (entry.status, entry.payload.clone())
    };
    let rejected = (ResumeStatus::Resolved, Some(each));
    let cancelled = (ResumeStatus::Cancelled, None);
    assert_eq!(stopped(&two_actions(), None), rejected);
    let expires = Some("1970-01-01T00:00:00Z");
    assert_eq!(stopped(&two_actions(), expires), cancelled);
    let mut without_denial = two_actions();
    without_denial["review_configs"][1]["allowed_decisions"] = json!(["approve"]);
    assert_eq!(stopped(&without_denial, None), cancelled);
}

/// A list without the id of a call is about the calls with the names and arguments of its actions.
#[test]
fn the_record_of_a_stopped_list_is_the_rejection_that_is_sent() {
    let mut driver = with([]);
    driver.events(calls("c", "pay", "{\"euros\": 10}"));
    driver.events(calls("other", "pay", "{\"euros\": 20}"));
    driver.event(interrupted(vec![question(None, &two_actions())]));
    driver.close();
    driver.audit = Some(Vec::new());
    driver.input(Input::Stop);
    driver.send("and now?");
    let each = json!({"decisions": [{"type": "reject"}, {"type": "reject"}]});
    assert_eq!(sent(&driver), each);
    assert_eq!(
        request(&driver)[2..],
        ["tool:c=\"denied\"", "tool:other={\"error\":\"cancelled\"}"]
    );
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.phase("other"), Phase::Cancelled);
    let ends = driver.records.iter().map(|entry| match entry {
        JournalEntry::Finished { call, phase, .. } => (*call, *phase),
        other @ JournalEntry::Started { .. } => panic!("{other:?}"),
    });
    let ends: Vec<_> = ends.collect();
    assert_eq!(
        ends,
        [
            (driver.key("c"), Phase::OutputDenied),
            (driver.key("other"), Phase::Cancelled)
        ]
    );
    let audit = driver.audit.iter().flatten().map(|entry| {
        let value = entry.to_value();
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        [text("toolCallId"), text("event"), text("outcome")].join(" ")
    });
    let audit: Vec<String> = audit.collect();
    assert_eq!(
        audit,
        ["c denied ", "c ended denied", "other ended cancelled"]
    );
}

#[test]
fn a_denied_call_does_not_answer_for_other_actions() {
    let mut driver = asked(approval_interrupt("int", "c"));
    assert_eq!(driver.deny("c", None), None);
    driver.event(started());
    driver.events(calls("c2", "pay", "{\"euros\": 10}"));
    driver.event(interrupted(vec![question(Some("c2"), &two_actions())]));
    driver.close();
    assert_eq!(driver.session.interrupts()[0].answer(), None);
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn an_action_list_is_asked_again_after_a_reload_and_a_rejection() {
    let mut driver = asked(question(Some("c"), &two_actions()));
    let mut after = Driver::new();
    after.host.ids = 1_000;
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    assert!(!has_card(&after));
    let both = vec![ActionDecision::Approve, reject(None)];
    assert_eq!(decides(&mut after, both.clone()), None);
    assert_eq!(decides(&mut driver, both.clone()), None);
    driver.event(started());
    driver.event(run_error("not so"));
    driver.close();
    assert!(driver.session.interrupts()[0].is_rejected());
    assert!(!has_card(&driver));
    assert_eq!(decides(&mut driver, both), None);
}

#[test]
fn a_changed_call_no_longer_represents_its_action() {
    let hi = Message::new(
        "id1",
        MessageBody::User {
            content: Content::Text("hi".to_owned()),
        },
    );
    let mut driver = asked(question(
        Some("c"),
        &actions(&[("pay", json!({"euros": 10}))]),
    ));
    assert!(has_card(&driver));
    assert_eq!(driver.approve("c"), None);
    driver.event(started());
    driver.event(snapshot(vec![hi]));
    driver.events(calls("c", "pay", "{\"euros\": 1000}"));
    driver.break_off(FailureKind::Network);
    driver.input(Input::Retry);
    assert_eq!(driver.runs.len(), 2, "nothing is sent");
    assert!(!has_card(&driver));
    assert_eq!(decides(&mut driver, vec![reject(None)]), None);
    assert_eq!(sent(&driver), json!({"decisions": [{"type": "reject"}]}));
}

#[test]
fn an_approval_replaced_by_an_action_list_is_asked_for_again() {
    let maybe = action("maybe").with_approval(Policy::Ask);
    let mut driver = Driver::new();
    driver.host.ask = Some(true);
    driver.register(maybe);
    driver.register(action("look"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "maybe", "{\"to\": \"Ann\"}"));
    // `look` is not asked about, but a call that it becomes is.
    driver.events([start("c", "look"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    let bob = json!({"to": "Bob"});
    let edited = Verdict::Approve {
        args: Some(bob.clone()),
    };
    assert_eq!(driver.decide("c", edited.clone()), None);
    let other = actions(&[("look", json!({}))]);
    driver.event(interrupted(vec![question(Some("c"), &other)]));
    driver.close();
    assert!(!has_card(&driver), "it lists another action");
    assert_eq!(decides(&mut driver, vec![ActionDecision::Approve]), None);
    driver.plays([started(), finished()]);
    assert_eq!(
        driver.starts("c"),
        0,
        "the call without the edit was not approved"
    );
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.decide("c", edited), None);
    assert_eq!(*driver.invocation("c").args(), bob);
}
