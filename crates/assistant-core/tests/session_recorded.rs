//! Recorded servers whose approvals have forms of their own (fixtures/agui-servers).

use assistant_core::{
    conversation::Phase,
    event::{Event, ResumeStatus},
    session::{ActionDecision, DecisionKind, Input},
};
use assistant_protocols::agui::{Decoder, DecoderOptions};
use serde_json::{Value, json};

use crate::support::*;

/// The events of a recorded response.
fn recorded(run: &str) -> Vec<Event> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/agui-servers");
    let stream = std::fs::read_to_string(format!("{folder}/{run}.sse")).unwrap();
    let mut decoder = Decoder::new(DecoderOptions::default());
    let mut events = Vec::new();
    for frame in stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
    {
        decoder.push_frame(frame, &mut events).unwrap();
    }
    events
}

/// Answers the open run with a recorded response.
fn plays(driver: &mut Driver, run: &str) {
    for event in recorded(run) {
        driver.event(event);
    }
    driver.close();
}

/// The tool and the arguments of the only open question, with its id.
fn asked(driver: &Driver) -> (String, Value) {
    let [open] = driver.session.interrupts() else {
        panic!("one question is open");
    };
    assert!(
        !open.is_legacy(),
        "the custom event of the same question asks nothing more"
    );
    assert!(open.takes_approval());
    let metadata = &open.interrupt().metadata.as_ref().unwrap()["mastra"];
    let about = json!([metadata["toolName"], metadata["args"]]);
    (open.interrupt().id.clone(), about)
}

/// Mastra announces no call for a suspended tool, and sends its result after the approval.
#[test]
fn a_suspended_tool_of_mastra_is_one_question_and_its_answer_is_sent_once() {
    let mut driver = Driver::new();
    driver.send("Refund order A-17");
    plays(&mut driver, "mastra-approve.run1");
    let (id, about) = asked(&driver);
    assert_eq!(
        about,
        json!(["refund_order", {"order_id": "A-17", "amount": 40}])
    );
    assert_eq!(driver.answers(&id, Some(json!({"approved": true}))), None);
    let [entry] = driver.request().resume.as_slice() else {
        panic!("one answer is sent");
    };
    assert_eq!(
        (&entry.interrupt_id, entry.status),
        (&id, ResumeStatus::Resolved)
    );
    assert_eq!(entry.payload, Some(json!({"approved": true})));
    assert_eq!(
        driver.request().forwarded_props,
        json!({}),
        "not in the older dialect as well"
    );
    plays(&mut driver, "mastra-approve.run2");
    assert!(driver.session.interrupts().is_empty());
    assert!(!driver.session.is_busy());
    driver.send("Are you there?");
    let sent = request(&driver).join("\n");
    assert!(
        !sent.contains("tool"),
        "no result without its call:\n{sent}"
    );
    assert!(driver.request().resume.is_empty());
}

/// Mastra asks about the second tool once the first one is answered.
#[test]
fn two_suspended_tools_of_mastra_are_asked_one_after_the_other() {
    let mut driver = Driver::new();
    driver.send("Refund orders A-17 and B-2");
    plays(&mut driver, "mastra-two.run1");
    for (order, approved, next) in [
        ("A-17", true, "mastra-two.run2"),
        ("B-2", false, "mastra-two.run3"),
    ] {
        let (id, about) = asked(&driver);
        assert_eq!(
            about,
            json!(["refund_order", {"order_id": order, "amount": 40}])
        );
        assert_eq!(
            driver.answers(&id, Some(json!({"approved": approved}))),
            None
        );
        assert_eq!(driver.request().resume.len(), 1);
        plays(&mut driver, next);
    }
    assert!(driver.session.interrupts().is_empty());
    assert!(!driver.session.is_busy());
}

/// Mastra's adapter sends no result for a tool that failed.
#[test]
fn a_call_that_mastra_leaves_without_a_result_starts_no_run() {
    let mut driver = Driver::new();
    driver.send("Where is order X-0?");
    let run = driver.run();
    let id = "call_vx9YSCQbfJb6hCu9";
    plays(&mut driver, "mastra-backend-error.run1");
    assert_eq!(driver.run(), run, "no run was started by the page");
    assert!(!driver.session.is_busy());
    assert!(driver.phase(id).is_final(), "{:?}", driver.phase(id));
    assert_ne!(driver.phase(id), Phase::OutputAvailable);
}

/// `LangChain`'s middleware for JavaScript spells the keys of its list in camel case, and expects
/// an edit in the same spelling.
#[test]
fn the_middleware_for_javascript_is_answered_in_its_spelling() {
    let edited = json!({"order_id": "A-17", "amount": 15});
    for (decision, written) in [
        (ActionDecision::Approve, json!({"type": "approve"})),
        (
            ActionDecision::Edit {
                args: edited.clone(),
            },
            json!({"type": "edit", "editedAction": {"name": "refund_order", "args": edited}}),
        ),
    ] {
        let mut driver = Driver::new();
        driver.send("Refund order A-17");
        plays(&mut driver, "copilotkit-approve.run1");
        let [open] = driver.session.interrupts() else {
            panic!("one question is open");
        };
        let [action] = open.actions() else {
            panic!("it has one action");
        };
        assert_eq!(action.name(), "refund_order");
        assert_eq!(
            action.args(),
            Some(&json!({"order_id": "A-17", "amount": 40}))
        );
        assert!(action.allows(DecisionKind::Edit) && !action.allows(DecisionKind::Respond));
        let interrupt_id = open.interrupt().id.clone();
        let decides = Input::DecideActions {
            shown: driver.shown_question(&interrupt_id),
            interrupt_id,
            decisions: vec![decision],
            by: assistant_core::conversation::Decider::Person,
        };
        assert_eq!(driver.input(decides).refused, None);
        assert_eq!(
            driver.request().forwarded_props,
            json!({"command": {"resume": {"decisions": [written]}}})
        );
    }
}

/// The middleware refuses an answer without decisions, so a stopped question is sent as a rejection.
#[test]
fn a_stopped_question_of_the_middleware_is_sent_as_a_rejection() {
    for run in ["copilotkit-approve.run1", "langgraph-middleware.run1"] {
        let mut driver = Driver::new();
        driver.send("Refund order A-17");
        plays(&mut driver, run);
        driver.input(Input::Stop);
        assert_eq!(driver.send("Are you there?").refused, None);
        assert_eq!(
            driver.request().forwarded_props,
            json!({"command": {"resume": {"decisions": [{"type": "reject"}]}}}),
            "{run}"
        );
    }
}
