//! Reloads in the middle of a scene: stored conversations continue the same way with every agent.
//! At the end, random scenes with reloads between their steps.

use assistant_core::{conversation::Phase, session::Input};
use serde_json::json;

use proptest::{collection::vec, prelude::*};

use super::{
    Talk,
    scenes::{ARGS, same_end},
    wires::{ReplyPart, Wire},
};
use crate::support::{action, asking};

#[test]
fn a_conversation_continues_after_a_reload() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.send("hi");
        talk.answer(wire.response(1, &[ReplyPart::Text("Hello.")]));
        talk.reload(&[]);
        assert!(talk.driver.runs.is_empty(), "{wire:?}");
        talk.driver.send("and now?");
        talk.answer(wire.response(2, &[ReplyPart::Text("Now this.")]));
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=Hello.[]",
            "user=and now?",
            "assistant=Now this.[]"
        ]
    );
}

#[test]
fn a_pending_approval_survives_a_reload() {
    for approved in [true, false] {
        let end = same_end(&Wire::ALL, |talk, wire| {
            talk.driver.register(asking("pay"));
            talk.driver.send("hi");
            talk.answer(wire.response(1, &[ReplyPart::Call("c1", "pay", ARGS)]));
            talk.reload(&[asking("pay")]);
            assert_eq!(
                talk.driver.phase("c1"),
                Phase::ApprovalRequested,
                "{wire:?}"
            );
            match approved {
                true => {
                    assert_eq!(talk.driver.approve("c1"), None);
                    talk.driver.returns("c1", json!("paid"));
                }
                false => assert_eq!(talk.driver.deny("c1", None), None),
            }
            assert_eq!(talk.driver.starts("c1"), usize::from(approved));
            talk.answer(wire.response(2, &[ReplyPart::Text("Done.")]));
            assert_eq!(talk.driver.notices(), [], "{wire:?}");
        });
        let answer = if approved { "\"paid\"" } else { "\"denied\"" };
        assert_eq!(end[2], format!("tool:c1={answer}"));
    }
}

#[test]
fn a_running_handler_is_not_restarted_by_a_reload() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("pay"));
        talk.driver.send("hi");
        let calls = [
            ReplyPart::Call("c1", "pay", ARGS),
            ReplyPart::Call("c2", "pay", ARGS),
        ];
        talk.answer(wire.response(1, &calls));
        talk.driver.returns("c2", json!("paid"));
        talk.reload(&[action("pay")]);
        // A handler that has begun is not started again automatically: its outcome is unknown.
        assert_eq!(talk.driver.starts("c1"), 0, "{wire:?}");
        assert_eq!(
            talk.driver.phase("c1"),
            Phase::ApprovalRequested,
            "{wire:?}"
        );
        assert_eq!(talk.driver.deny("c1", None), None);
        talk.answer(wire.response(2, &[ReplyPart::Text("I see.")]));
    });
    assert_eq!(
        end,
        [
            "user=hi",
            "assistant=[c1,c2]",
            "tool:c1={\"status\":\"unknown\",\"reason\":null,\"message\":\"It was started before the page was reloaded. Its outcome is unknown. It was not run again.\"}",
            "tool:c2=\"paid\"",
            "assistant=I see.[]",
        ]
    );
}

#[test]
fn a_partial_answer_runs_no_call_after_a_reload() {
    let end = same_end(&Wire::ALL, |talk, wire| {
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        let reply = [
            ReplyPart::Text("Let me"),
            ReplyPart::Call("c1", "weather", ARGS),
        ];
        talk.begin_answer(wire.broken(1, &reply));
        talk.reload(&[action("weather")]);
        assert_eq!(talk.driver.starts("c1"), 0, "{wire:?}");
        assert!(!talk.driver.session.is_busy(), "{wire:?}");
        talk.driver.send("go on");
        talk.answer(wire.response(2, &[ReplyPart::Text("Here I am.")]));
    });
    assert_eq!(end.first().unwrap(), "user=hi");
    assert_eq!(end.last().unwrap(), "assistant=Here I am.[]");
}

#[test]
fn an_unsent_result_survives_a_reload() {
    same_end(&Wire::ALL, |talk, wire| {
        talk.driver.manual_opening = true;
        talk.driver.register(action("weather"));
        talk.driver.send("hi");
        let run = talk.driver.effects.iter().find_map(|effect| match effect {
            assistant_core::session::Effect::PrepareRun { run } => Some(*run),
            _ => None,
        });
        talk.driver.input(Input::OpenRun { run: run.unwrap() });
        talk.answer(wire.response(1, &[ReplyPart::Call("c1", "weather", ARGS)]));
        talk.driver.returns("c1", json!("clear"));
        // The next run is prepared, and never opens.
        talk.reload(&[action("weather")]);
        assert_eq!(talk.driver.starts("c1"), 0, "{wire:?}");
        assert_eq!(talk.driver.answer("c1"), "\"clear\"", "{wire:?}");
    });
}

/// The outcome of a call of the page.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Returns,
    Fails,
    Approved,
    Denied,
}

/// A response with the outcomes of its calls; the page may be reloaded before and after.
#[derive(Debug, Clone)]
struct Turn {
    text: bool,
    fates: Vec<Fate>,
    reloads_before: bool,
    reloads_after: bool,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let fate = prop_oneof![
        Just(Fate::Returns),
        Just(Fate::Fails),
        Just(Fate::Approved),
        Just(Fate::Denied)
    ];
    let turn = (any::<bool>(), vec(fate, 0..4), any::<bool>(), any::<bool>());
    let turn = turn.prop_map(|(text, fates, reloads_before, reloads_after)| Turn {
        // An empty response is reported as such, which is another scene.
        text: text || fates.is_empty(),
        // A handler that a reload interrupts is another scene, too.
        reloads_before: reloads_before && fates.iter().all(|fate| fate.is_asked()),
        fates,
        reloads_after,
    });
    vec(turn, 1..5)
}

impl Fate {
    const fn is_asked(self) -> bool {
        matches!(self, Self::Approved | Self::Denied)
    }

    const fn tool(self) -> &'static str {
        if self.is_asked() { "pay" } else { "weather" }
    }
}

/// Ids for the maximum number of calls.
const IDS: [&str; 12] = [
    "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11",
];

/// Returns unique arguments: a denied call is not asked about again.
fn args_of(id: &str) -> &'static str {
    Box::leak(format!(r#"{{"city":"Oslo","id":"{id}"}}"#).into_boxed_str())
}

fn play(talk: &mut Talk, wire: Wire, turns: &[Turn]) {
    let actions = [action("weather"), asking("pay")];
    for spec in &actions {
        talk.driver.register(spec.clone());
    }
    let mut next = 0;
    talk.driver.send("hi");
    for (number, turn) in turns.iter().enumerate() {
        if !talk.driver.session.is_busy() {
            talk.driver.send("go on");
        }
        let ids = &IDS[next..next + turn.fates.len()];
        next += turn.fates.len();
        let mut reply: Vec<ReplyPart> = turn
            .text
            .then_some(ReplyPart::Text("Well."))
            .into_iter()
            .collect();
        let calls = ids.iter().zip(&turn.fates);
        reply.extend(calls.map(|(id, fate)| ReplyPart::Call(id, fate.tool(), args_of(id))));
        talk.answer(wire.response(number, &reply));
        if turn.reloads_before {
            talk.reload(&actions);
        }
        for (id, fate) in ids.iter().zip(&turn.fates) {
            match fate {
                Fate::Denied => assert_eq!(talk.driver.deny(id, None), None),
                Fate::Approved => assert_eq!(talk.driver.approve(id), None),
                Fate::Returns | Fate::Fails => {}
            }
            match fate {
                Fate::Returns | Fate::Approved => drop(talk.driver.returns(id, json!("so"))),
                Fate::Fails => {
                    let error = assistant_core::action::ToolError::new("no");
                    talk.driver.handler_ends(id, Err(error));
                }
                Fate::Denied => {}
            }
            assert_eq!(
                talk.driver.starts(id),
                usize::from(!matches!(fate, Fate::Denied))
            );
        }
        if turn.reloads_after && turn.fates.is_empty() {
            talk.reload(&actions);
        }
    }
}

proptest! {
    #[test]
    fn random_scenes_end_the_same_with_every_protocol(turns in turns()) {
        same_end(&Wire::ALL, |talk, wire| play(talk, wire, &turns));
    }
}
