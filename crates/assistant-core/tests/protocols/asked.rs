//! The agent asks a person about a call of its own: an interrupt of AG-UI or of a script, an approval of
//! the AI SDK.

use assistant_core::conversation::Phase;

use super::{
    Talk,
    scenes::{ARGS, same},
    wires::{Says, Wire},
};

fn asks(talk: &mut Talk, wire: Wire) {
    talk.driver.send("hi");
    let says = [Says::Call("c1", "refund", ARGS), Says::Asks("a1", "c1")];
    talk.answer(wire.response(1, &says));
    assert_eq!(
        talk.driver.phase("c1"),
        Phase::ApprovalRequested,
        "{wire:?}"
    );
}

#[test]
fn a_person_says_yes() {
    let end = same(&Wire::WITH_TOOLS, |talk, wire| {
        asks(talk, wire);
        assert_eq!(talk.driver.approve("c1"), None);
        talk.answer(wire.response(
            2,
            &[Says::Ran("c1", "refunded"), Says::Step, Says::Text("Done.")],
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
fn a_person_says_no() {
    let end = same(&Wire::WITH_TOOLS, |talk, wire| {
        asks(talk, wire);
        assert_eq!(talk.driver.deny("c1", None), None);
        talk.answer(wire.response(
            2,
            &[Says::Denied("c1"), Says::Step, Says::Text("All right.")],
        ));
        assert_eq!(talk.driver.phase("c1"), Phase::OutputDenied, "{wire:?}");
        assert!(talk.driver.invocations.is_empty(), "{wire:?}");
        assert_eq!(talk.driver.notices(), [], "{wire:?}");
    });
    assert_eq!(end[3], "assistant=All right.[]");
}
