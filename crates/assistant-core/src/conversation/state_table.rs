//! Holds the table in `docs/calls.md` to the one in the code.

use super::{
    outcome::{Author, End, Outcome},
    state::{State, StateEvent},
};
use crate::{
    conversation::{CallError, Clearance, Consent, ErrorKind, Question, Review},
    id::{CommitId, InvocationId, Ticket},
};

fn error() -> CallError {
    CallError {
        message: String::new(),
        kind: ErrorKind::Handler,
        details: None,
    }
}

fn done(end: End, by: Author) -> Box<Outcome> {
    Box::new(Outcome::new(end, by, false))
}

fn states() -> Vec<(&'static str, State)> {
    let reason = None;
    vec![
        ("Streaming", State::Streaming),
        ("Open", State::Open(Box::default())),
        ("Missing", State::Missing(Box::default())),
        (
            "RuleAsked",
            State::RuleAsked {
                ticket: Ticket(1),
                about: None,
                review: Box::default(),
            },
        ),
        ("Asked", State::Asked(Question::new(Review::default()))),
        ("Allowed", State::Allowed(Clearance::new(Review::default()))),
        ("Invalid", State::Invalid(error(), Box::default())),
        (
            "Denied",
            State::Denied {
                reason,
                review: Box::default(),
            },
        ),
        ("Committing", State::Committing(CommitId(1), Box::default())),
        (
            "Running",
            State::Running(InvocationId(1), None, Box::default()),
        ),
        (
            "Remote",
            State::Remote {
                left: false,
                review: Box::default(),
            },
        ),
        (
            "HandedOff",
            State::HandedOff {
                message: Consent::of_record(String::new()),
                out: false,
                review: Box::default(),
            },
        ),
        (
            "Interrupted",
            State::Interrupted {
                card: true,
                review: Box::default(),
            },
        ),
        (
            "InterruptApproved",
            State::InterruptApproved {
                out: false,
                review: Box::default(),
            },
        ),
        (
            "InterruptDenied",
            State::InterruptDenied {
                reason: None,
                review: Box::default(),
            },
        ),
        (
            "Ended (page)",
            State::Ended(done(End::Output, Author::Page)),
        ),
        (
            "Ended (agent)",
            State::Ended(done(End::Output, Author::Agent)),
        ),
    ]
}

fn events() -> Vec<(&'static str, StateEvent)> {
    let answered = |approved| StateEvent::InterruptAnswered {
        approved,
        reason: None,
    };
    vec![
        ("Reopened", StateEvent::Reopened),
        ("ArgsEnded", StateEvent::ArgsEnded),
        ("StartFound", StateEvent::StartFound),
        ("Rewritten", StateEvent::Rewritten),
        ("Voided", StateEvent::Voided),
        ("Revoked", StateEvent::Revoked),
        ("FoundMissing", StateEvent::FoundMissing),
        ("RuleAsked", StateEvent::RuleAsked(Ticket(2), None)),
        ("QuestionPut", StateEvent::QuestionPut),
        ("Cleared", StateEvent::Cleared),
        ("FoundInvalid", StateEvent::FoundInvalid(error())),
        ("Denied", StateEvent::Denied(None)),
        ("DeniedBefore", StateEvent::DeniedBefore(None)),
        ("CommitAsked", StateEvent::CommitAsked(CommitId(2))),
        ("Started", StateEvent::Started(InvocationId(2), None)),
        ("FoundRemote", StateEvent::FoundRemote),
        ("LeftRemote", StateEvent::LeftRemote),
        (
            "HandedOff",
            StateEvent::HandedOff(Consent::of_record("m".to_owned())),
        ),
        ("Interrupted", StateEvent::Interrupted { card: true }),
        ("InterruptAnswered (approved)", answered(true)),
        ("InterruptAnswered (denied)", answered(false)),
        ("InterruptLifted", StateEvent::InterruptLifted),
        (
            "InterruptReopened",
            StateEvent::InterruptReopened { card: true },
        ),
        ("SendStarted", StateEvent::SendStarted),
        ("SendFailed", StateEvent::SendFailed),
        (
            "Settled (page)",
            StateEvent::Settled(done(End::Error, Author::Page)),
        ),
        (
            "Settled (agent)",
            StateEvent::Settled(done(End::Error, Author::Agent)),
        ),
        ("Delivered", StateEvent::Delivered),
    ]
}

/// The name of a state, as in the table.
fn name(state: &State) -> &'static str {
    let same = |known: &&(&str, State)| {
        let by = |state: &State| match state {
            State::Ended(done) => Some(done.by),
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
    let mut out = String::from("| state | event → next state |\n| --- | --- |\n");
    for (from, state) in states() {
        let mut steps = Vec::new();
        for (what, event) in events() {
            if let Ok(next) = state.clone().step(event.clone()) {
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
            State::Running(..) | State::Denied { .. } | State::Ended(_)
        )
    };
    for (from, state) in states().into_iter().filter(|(_, state)| settled(state)) {
        for (what, event) in events() {
            let next = state.clone().step(event.clone());
            let stays = next.as_ref().map_or(true, settled);
            assert!(stays, "{from}: {what} → {next:?}");
        }
    }
    // Nothing but a commit leads to a handler, and nothing but a clearance to a commit.
    for (from, state) in states() {
        for (what, event) in events() {
            match state.clone().step(event.clone()) {
                Ok(State::Running(..)) => assert_eq!(from, "Committing", "{what}"),
                Ok(State::Committing(..)) => assert_eq!(from, "Allowed", "{what}"),
                _ => {}
            }
        }
    }
}
