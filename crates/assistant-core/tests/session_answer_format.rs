//! Contents of answers to an agent, and refusals of answers that cannot be sent.

use assistant_core::{
    conversation::Phase,
    event::{Interrupt, ResumeStatus},
    session::{NoticeKind, Refusal, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

/// The call `c`, to pay 1000, with this interrupt.
fn with_interrupt(interrupt: Interrupt) -> Driver {
    let mut driver = with([]);
    driver.events(calls("c", "pay", "{\"euros\":1000}"));
    driver.event(interrupted(vec![interrupt]));
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver
}

fn approve_edited(driver: &mut Driver) -> Option<Refusal> {
    let args = Some(json!({"euros": 10}));
    driver.decide("c", Verdict::Approve { args })
}

fn answer_schema(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": ["approved"]})
}

/// An interrupt with actions of `LangChain`'s middleware.
fn actions(count: usize, allowed: Value) -> Interrupt {
    let mut asked = interrupt("int", Some("c"), json!(null));
    let action = json!({"name": "pay", "args": {"euros": 1000}});
    let metadata = json!({
        "action_requests": vec![action; count],
        "review_configs": [{"action_name": "pay", "allowed_decisions": allowed}],
    });
    asked.metadata = metadata.as_object().cloned();
    asked
}

#[test]
fn an_edit_that_the_answer_format_cannot_carry_is_refused() {
    let fixed = json!({"approved": {"type": "boolean"}, "editedArgs": {"const": {"euros": 1000}}});
    for interrupt in [
        interrupt("int", Some("c"), json!({"type": "boolean"})),
        interrupt("int", Some("c"), answer_schema(fixed)),
        approval_interrupt("int", "c"),
        actions(1, json!(["approve", "reject"])),
    ] {
        let mut driver = with_interrupt(interrupt);
        assert!(!driver.session.interrupts()[0].takes_edits());
        assert_eq!(approve_edited(&mut driver), Some(Refusal::NoEdits));
        assert_eq!(driver.runs.len(), 1, "nothing is sent");
        assert_eq!(driver.approve("c"), None);
        assert_eq!(driver.runs.len(), 2);
    }
}

#[test]
fn an_edit_is_sent_in_the_format_of_the_interrupt() {
    let both = json!({"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}});
    let mut driver = with_interrupt(interrupt("int", Some("c"), answer_schema(both)));
    assert_eq!(approve_edited(&mut driver), None);
    let sent = driver.request().resume[0].payload.clone();
    let edited = json!({"approved": true, "editedArgs": {"euros": 10}});
    assert_eq!(sent, Some(edited));
    let mut driver = with_interrupt(actions(1, json!(["approve", "edit"])));
    assert_eq!(approve_edited(&mut driver), None);
    let sent = driver.request().resume[0].payload.clone();
    let action = json!({"name": "pay", "args": {"euros": 10}});
    let edited = json!({"decisions": [{"type": "edit", "edited_action": action}]});
    assert_eq!(sent, Some(edited));
    assert_eq!(driver.call("c").edited_args(), Some(&json!({"euros": 10})));
}

#[test]
fn a_denial_cancels_an_interrupt_that_accepts_none() {
    let approval_only = answer_schema(json!({"approved": {"const": true}}));
    let mut driver = with_interrupt(interrupt("int", Some("c"), approval_only));
    assert_eq!(driver.deny("c", Some("too much")), None);
    let sent = &driver.request().resume[0];
    assert_eq!(
        (sent.status, sent.payload.clone()),
        (ResumeStatus::Cancelled, None)
    );
    assert_eq!(driver.notices(), [NoticeKind::CancelledRequest]);
    driver.plays([]);
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
}
