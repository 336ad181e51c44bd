//! Holds the table in `docs/calls.md` to the one in the code.

use super::state::{Author, Done, End, Happening, State};
use crate::{
    conversation::{CallError, Consent, ErrorKind},
    session::{CommitId, InvocationId, Ticket},
};

fn error() -> CallError {
    CallError {
        message: String::new(),
        kind: ErrorKind::Handler,
        details: None,
    }
}

const fn done(end: End, by: Author) -> Done {
    let sent = false;
    Done { end, by, sent }
}

fn states() -> Vec<(&'static str, State)> {
    let reason = None;
    vec![
        ("Streaming", State::Streaming),
        ("Ended", State::Ended),
        ("Missing", State::Missing),
        ("Ruling", State::Ruling(Ticket(1))),
        ("Asked", State::Asked),
        ("Allowed", State::Allowed),
        ("Invalid", State::Invalid(error())),
        ("Refused", State::Refused { reason }),
        ("Committing", State::Committing(CommitId(1))),
        ("Running", State::Running(InvocationId(1), None)),
        ("AtAgent", State::AtAgent { left: false }),
        (
            "Told",
            State::Told {
                message: Consent::of_record(String::new()),
                out: false,
            },
        ),
        ("Gated", State::Gated { card: true }),
        ("GateOpen", State::GateOpen { out: false }),
        ("GateShut", State::GateShut { reason: None }),
        ("Done (page)", State::Done(done(End::Output, Author::Page))),
        (
            "Done (agent)",
            State::Done(done(End::Output, Author::Agent)),
        ),
    ]
}

fn happenings() -> Vec<(&'static str, Happening)> {
    let answered = |approved| Happening::GateAnswered {
        approved,
        reason: None,
    };
    vec![
        ("Reopened", Happening::Reopened),
        ("ArgsEnded", Happening::ArgsEnded),
        ("Rewritten", Happening::Rewritten),
        ("Voided", Happening::Voided),
        ("Revoked", Happening::Revoked),
        ("FoundMissing", Happening::FoundMissing),
        ("RuleAsked", Happening::RuleAsked(Ticket(2))),
        ("QuestionPut", Happening::QuestionPut),
        ("Cleared", Happening::Cleared),
        ("FoundInvalid", Happening::FoundInvalid(error())),
        ("Denied", Happening::Denied(None)),
        ("DeniedBefore", Happening::DeniedBefore(None)),
        ("CommitAsked", Happening::CommitAsked(CommitId(2))),
        ("Started", Happening::Started(InvocationId(2), None)),
        ("TakenByAgent", Happening::TakenByAgent),
        ("Left", Happening::Left),
        (
            "ToldToGoOn",
            Happening::ToldToGoOn(Consent::of_record("m".to_owned())),
        ),
        ("Gated", Happening::Gated { card: true }),
        ("GateAnswered (approved)", answered(true)),
        ("GateAnswered (denied)", answered(false)),
        ("GateLifted", Happening::GateLifted),
        ("GateReopened", Happening::GateReopened { card: true }),
        ("HandedOver", Happening::HandedOver),
        ("HandedBack", Happening::HandedBack),
        (
            "Settled (page)",
            Happening::Settled(done(End::Error, Author::Page)),
        ),
        (
            "Settled (agent)",
            Happening::Settled(done(End::Error, Author::Agent)),
        ),
        ("Delivered", Happening::Delivered),
    ]
}

/// The name of a state, as in the table.
fn name(state: &State) -> &'static str {
    let same = |known: &&(&str, State)| {
        let by = |state: &State| match state {
            State::Done(done) => Some(done.by),
            _ => None,
        };
        std::mem::discriminant(&known.1) == std::mem::discriminant(state)
            && by(&known.1) == by(state)
    };
    let states = states();
    states.iter().find(same).map_or("?", |(name, _)| name)
}

/// One line for each state: what happens, and the state that follows. What is not listed changes
/// nothing.
fn table() -> String {
    let mut out = String::from("| state | what happens → what it is then |\n| --- | --- |\n");
    for (from, state) in states() {
        let mut steps = Vec::new();
        for (what, happening) in happenings() {
            if let Some(next) = state.after(&happening) {
                steps.push(format!("{what} → {}", name(&next)));
            }
        }
        out.push_str(&format!("| {from} | {} |\n", steps.join("<br>")));
    }
    out
}

#[test]
fn the_documents_say_what_the_code_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/calls.md");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let table = table();
    assert!(text.contains(&table), "docs/calls.md is to hold:\n{table}");
}

#[test]
fn what_has_started_or_was_denied_never_starts_again() {
    // From these, whatever happens in whichever order, no state is reached that leads to a start.
    let settled = |state: &State| {
        matches!(
            state,
            State::Running(..) | State::Refused { .. } | State::Done(_)
        )
    };
    for (from, state) in states().into_iter().filter(|(_, state)| settled(state)) {
        for (what, happening) in happenings() {
            let next = state.after(&happening);
            let stays = next.as_ref().is_none_or(settled);
            assert!(stays, "{from}: {what} → {next:?}");
        }
    }
    // Nothing but a commit leads to a handler, and nothing but a clearance to a commit.
    for (from, state) in states() {
        for (what, happening) in happenings() {
            match state.after(&happening) {
                Some(State::Running(..)) => assert_eq!(from, "Committing", "{what}"),
                Some(State::Committing(_)) => assert_eq!(from, "Allowed", "{what}"),
                _ => {}
            }
        }
    }
}
