//! Decisions of the user apply only to the version that they saw, from the card to the agent.

use assistant_core::{
    conversation::{Decider, Phase},
    event::{Content, FunctionCall, Interrupt, Message, MessageBody, ResumeStatus},
    session::{FailureKind, Input, Refusal, Verdict},
};
use serde_json::json;

use crate::support::*;

fn hi() -> Message {
    let content = Content::Text("hi".to_owned());
    Message::new("id1", MessageBody::User { content })
}

fn question(words: &str) -> Interrupt {
    let mut asked = interrupt("q", None, json!({"type": "boolean"}));
    asked.message = Some(words.to_owned());
    asked
}

#[test]
fn an_answer_applies_only_to_the_question_that_was_shown() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.plays([started(), interrupted(vec![question("Save?")])]);
    let shown = driver.shown_question("q");
    assert_eq!(driver.answers("q", Some(json!(true))), None);
    driver.plays([started(), interrupted(vec![question("Delete all?")])]);
    let late = |status, payload| Input::Answer {
        interrupt_id: "q".to_owned(),
        shown: shown.clone(),
        status,
        payload,
        by: Decider::Person,
    };
    let yes = late(ResumeStatus::Resolved, Some(json!(true)));
    assert_eq!(driver.input(yes).refused, Some(Refusal::Changed));
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(driver.session.interrupts()[0].answer(), None);
    // Cancelling permits nothing, so it applies to any version.
    let no = late(ResumeStatus::Cancelled, None);
    assert_eq!(driver.input(no).refused, None);
    assert_eq!(driver.request().resume[0].payload, None);
}

/// The approved call `c` of the action `read`, which the agent runs; the run with the approval has
/// been sent.
fn approved_read() -> Driver {
    let mut driver = with([remote_action("read"), remote_action("delete_all")]);
    driver.events(calls("c", "read", "{\"path\":\"a\"}"));
    finish_run(&mut driver);
    assert_eq!(driver.approve("c"), None);
    assert_eq!(request(&driver)[1..], ["assistant=[c]", "tool:c=approved"]);
    driver.event(started());
    driver
}

/// Returns the calls of the newest request, by name and arguments, and the calls that it reports as
/// approved.
fn wire(driver: &Driver) -> (Vec<String>, Vec<String>) {
    let (mut listed, mut approved) = (Vec::new(), Vec::new());
    for message in &driver.request().messages {
        match &message.body {
            MessageBody::Assistant { tool_calls, .. } => {
                let calls = tool_calls.iter();
                listed.extend(calls.map(|call| format!("{}{}", call.name, call.arguments)));
            }
            MessageBody::Tool { content, .. } if content.display_text() == "approved" => {
                approved.push(message.id.clone());
            }
            _ => {}
        }
    }
    (listed, approved)
}

#[test]
fn an_approval_does_not_carry_over_to_another_tool_name() {
    let mut driver = approved_read();
    driver.event(snapshot(vec![hi()]));
    driver.events(calls("c", "delete_all", "{\"path\":\"/\"}"));
    driver.break_off(FailureKind::Network);
    driver.send("and?");
    let (listed, approved) = wire(&driver);
    assert_eq!(listed, ["read{\"path\":\"a\"}"]);
    assert_eq!(approved.len(), 1);
    // A list turns it into another call, which is not approved.
    let mut driver = approved_read();
    driver.event(snapshot(vec![hi()]));
    driver.event(snapshot(vec![hi(), listed_call("delete_all")]));
    finish_run(&mut driver);
    driver.send("and?");
    let (listed, approved) = wire(&driver);
    assert_eq!((listed.len(), approved.len()), (1, 0));
    assert_eq!(
        driver.answer("c"),
        "{\"error\":\"cancelled\",\"reason\":\"superseded\"}"
    );
}

fn listed_call(name: &str) -> Message {
    let call = FunctionCall::new("c", name, "{\"path\":\"/\"}");
    let body = MessageBody::Assistant {
        content: None,
        tool_calls: vec![call],
    };
    Message::new("other", body)
}

/// The agent asks about the call `c`, to pay 10; the user approves, and the answer has been sent.
fn approved_interrupt() -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "pay", "{\"euros\":10}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
    driver.close();
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.request().resume.len(), 1);
    driver.event(started());
    driver
}

#[test]
fn a_retry_does_not_resend_the_approval_of_a_changed_call() {
    for by_list in [false, true] {
        let mut driver = approved_interrupt();
        if by_list {
            driver.event(snapshot(vec![hi(), listed_call("pay")]));
        } else {
            driver.event(snapshot(vec![hi()]));
            driver.events(calls("c", "pay", "{\"euros\":1000}"));
        }
        driver.break_off(FailureKind::Network);
        driver.input(Input::Retry);
        assert_eq!(driver.runs.len(), 2, "nothing is sent");
        assert!(driver.session.waits_for_person());
        assert!(driver.session.interrupts()[0].answer().is_none());
        // Asked again, the user decides about the current version.
        assert_eq!(
            driver.answers("int", Some(json!({"approved": false}))),
            None
        );
        assert_eq!(driver.request().resume.len(), 1);
    }
}

#[test]
fn a_retry_resends_the_approval_of_an_unchanged_call() {
    let mut driver = approved_interrupt();
    driver.break_off(FailureKind::Network);
    driver.input(Input::Retry);
    assert_eq!(driver.runs.len(), 3);
    assert_eq!(driver.request().resume.len(), 1);
}

#[test]
fn a_rejected_approval_is_asked_again_as_the_agents_interrupt() {
    let mut driver = approved_interrupt();
    driver.event(run_error("no such interrupt"));
    driver.close();
    let asked = driver.call("c").approval().cloned().unwrap();
    assert_eq!(asked.interrupt_id(), Some("int"));
    assert_eq!(asked.decision(), None);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    // Edits that cannot be sent to the agent are refused, not omitted.
    let edited = Verdict::Approve {
        args: Some(json!({"euros": 5})),
    };
    assert_eq!(driver.decide("c", edited), Some(Refusal::NoEdits));
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(driver.approve("c"), None);
    let sent = driver.request().resume[0].payload.clone();
    assert_eq!(sent, Some(json!({"approved": true})));
}

#[test]
fn an_approved_card_does_not_answer_the_next_interrupt() {
    let question = |message: &str, place: &str| {
        let mut question = approval_interrupt("int", "c");
        question.message = Some(message.to_owned());
        question.metadata = json!({"place": place}).as_object().cloned();
        interrupted(vec![question])
    };
    let mut driver = with([]);
    driver.events(calls("c", "pay", "{\"euros\":10}"));
    driver.event(question("Pay from the travel budget?", "travel"));
    driver.close();
    let key = driver.key("c");
    let fingerprint = driver.session.fingerprint(&key).unwrap();
    assert_eq!(driver.approve("c"), None);
    driver.event(started());
    driver.event(question("Pay from your own account?", "own"));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    let output = driver.input(Input::Decide {
        call: key,
        shown: fingerprint,
        verdict: Verdict::Approve { args: None },
        by: Decider::Person,
    });
    assert_eq!(output.refused, Some(Refusal::Changed));
    assert_eq!(driver.runs.len(), 2, "nothing is sent");
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.runs.len(), 3);
}
