//! The agent asks the user about a call of its own: an interrupt of AG-UI or of a script, an
//! approval of the AI SDK.

use assistant_core::{conversation::Phase, session::Input};
use serde_json::json;

use super::{
    Talk,
    scenes::{ARGS, same_end},
    wires::{ReplyPart, Wire},
};

fn request_approval(talk: &mut Talk, wire: Wire) {
    talk.driver.send("hi");
    let reply = [
        ReplyPart::Call("c1", "refund", ARGS),
        ReplyPart::Approval("a1", "c1"),
    ];
    talk.answer(wire.response(1, &reply));
    assert_eq!(
        talk.driver.phase("c1"),
        Phase::ApprovalRequested,
        "{wire:?}"
    );
}

/// The time of a reload within a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reload {
    Never,
    BeforeTheDecision,
}

const RELOADS: [Reload; 2] = [Reload::Never, Reload::BeforeTheDecision];

#[test]
fn an_approved_call_of_the_agent_gets_its_result() {
    RELOADS.into_iter().for_each(approves);
}

fn approves(reload: Reload) {
    let end = same_end(&Wire::WITH_TOOLS, |talk, wire| {
        request_approval(talk, wire);
        if reload == Reload::BeforeTheDecision {
            talk.reload(&[]);
            assert_eq!(
                talk.driver.phase("c1"),
                Phase::ApprovalRequested,
                "{wire:?}"
            );
        }
        assert_eq!(talk.driver.approve("c1"), None);
        talk.answer(wire.response(
            2,
            &[
                ReplyPart::Result("c1", "refunded"),
                ReplyPart::Step,
                ReplyPart::Text("Done."),
            ],
        ));
        assert_eq!(talk.driver.phase("c1"), Phase::OutputAvailable, "{wire:?}");
        assert!(talk.driver.invocations.is_empty(), "{wire:?}");
        assert_eq!(talk.driver.notices(), [], "{wire:?}");
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=[c1]",
            "tool:c1=refunded",
            "assistant=Done.[]"
        ]
    );
}

#[test]
fn a_denied_call_of_the_agent_ends_as_denied() {
    RELOADS.into_iter().for_each(denies);
}

fn denies(reload: Reload) {
    let end = same_end(&Wire::WITH_TOOLS, |talk, wire| {
        request_approval(talk, wire);
        if reload == Reload::BeforeTheDecision {
            talk.reload(&[]);
        }
        assert_eq!(talk.driver.deny("c1", None), None);
        talk.answer(wire.response(
            2,
            &[
                ReplyPart::Denied("c1"),
                ReplyPart::Step,
                ReplyPart::Text("All right."),
            ],
        ));
        assert_eq!(talk.driver.phase("c1"), Phase::OutputDenied, "{wire:?}");
        assert!(talk.driver.invocations.is_empty(), "{wire:?}");
        assert_eq!(talk.driver.notices(), [], "{wire:?}");
    });
    assert_eq!(end[3], "assistant=All right.[]");
}

#[test]
fn a_reload_keeps_a_denial_and_asks_again_about_an_approval() {
    for first in ["c1", "c2"] {
        let end = same_end(&Wire::WITH_TOOLS, |talk, wire| {
            talk.driver.send("hi");
            let reply = [
                ReplyPart::Call("c1", "refund", ARGS),
                ReplyPart::Call("c2", "refund", ARGS),
                ReplyPart::Approval("a1", "c1"),
                ReplyPart::Approval("a2", "c2"),
            ];
            talk.answer(wire.response(1, &reply));
            // One is decided before the reload: a denial remains, an approval does not.
            match first {
                "c1" => assert_eq!(talk.driver.deny("c1", None), None),
                _ => assert_eq!(talk.driver.approve("c2"), None),
            }
            talk.reload(&[]);
            assert_eq!(
                talk.driver.phase("c2"),
                Phase::ApprovalRequested,
                "{wire:?}"
            );
            if first == "c2" {
                assert_eq!(talk.driver.deny("c1", None), None);
            }
            assert!(talk.driver.runs.is_empty(), "{wire:?}");
            assert_eq!(talk.driver.approve("c2"), None);
            assert_eq!(talk.driver.runs.len(), 1, "{wire:?}");
            let outcomes = [
                ReplyPart::Denied("c1"),
                ReplyPart::Result("c2", "refunded"),
                ReplyPart::Step,
            ];
            talk.answer(wire.response(
                2,
                &[&outcomes[..], &[ReplyPart::Text("Half of it.")]].concat(),
            ));
            assert_eq!(talk.driver.notices(), [], "{wire:?}");
        });
        assert_eq!(end.last().unwrap(), "assistant=Half of it.[]");
    }
}

#[test]
fn an_approval_after_a_reload_keeps_the_id_and_signature_of_the_server() {
    let mut talk = Talk::new(Wire::UiStream.protocol());
    talk.driver.send("hi");
    let request = super::ui_stream::stream(&[
        json!({"type": "start", "messageId": "a1"}),
        json!({"type": "start-step"}),
        json!({"type": "tool-input-available", "toolCallId": "c1", "toolName": "pay", "input": {"sum": 3}}),
        json!({"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1",
            "signature": "sig", "reason": "It costs money."}),
        json!({"type": "finish-step"}),
        json!({"type": "finish"}),
    ]);
    talk.answer(&request);
    talk.reload(&[]);
    let open = &talk.driver.session.interrupts()[0];
    assert_eq!(open.interrupt().message.as_deref(), Some("It costs money."));
    talk.driver.approve("c1");
    let part = &talk.body()["messages"][1]["parts"][1];
    assert_eq!(part["state"], "approval-responded");
    assert_eq!(
        part["approval"],
        json!({"id": "ap", "signature": "sig", "requestReason": "It costs money.", "approved": true})
    );
}

#[test]
fn a_stored_interrupt_that_does_not_match_cancels_its_call() {
    let mut talk = Talk::new(Wire::AgUi.protocol());
    request_approval(&mut talk, Wire::AgUi);
    let stored = talk.driver.session.export();
    let cases = [
        json!("none"),
        json!([1, {"interrupt": {"id": 5}}, {"legacy": true}]),
        json!([{"interrupt": {"id": "another", "reason": "approval", "toolCallId": "c1"}}]),
        json!([{"interrupt": {"id": "a1", "reason": "approval", "toolCallId": "who"}}]),
    ];
    for interrupts in cases {
        let mut snapshot = stored.clone();
        snapshot["interrupts"] = interrupts.clone();
        let mut later = Talk::new(Wire::AgUi.protocol());
        let thread_id = "t".to_owned();
        let refused = later
            .driver
            .input(Input::Load {
                thread_id,
                snapshot,
            })
            .refused;
        assert_eq!(refused, None, "{interrupts}");
        assert_eq!(later.driver.phase("c1"), Phase::Cancelled, "{interrupts}");
    }
}
