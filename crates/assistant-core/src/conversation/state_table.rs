//! Compares the tables of call states in `docs/calls.md` with the code.

use super::{
    after_reload::LastStart,
    outcome::{Author, CallEnd, EndedCall},
    state::{State, StateEvent},
};
use crate::{
    conversation::{
        CallApproval, CallError, Clearance, Consent, Decision, ErrorKind, History, Phase, Review,
        UserQuestion,
    },
    id::{CommitId, InvocationId, Ticket},
};

fn handler_error() -> CallError {
    CallError::new(ErrorKind::Handler, String::new())
}

fn ended_call(end: CallEnd, by: Author) -> Box<EndedCall> {
    Box::new(EndedCall::new(end, by, false))
}

fn states() -> Vec<(&'static str, State)> {
    let reason = None;
    vec![
        ("Streaming", State::default()),
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
        ("Asked", State::Asked(UserQuestion::new(Box::default()))),
        ("Allowed", State::Allowed(Clearance::new(Box::default()))),
        ("Invalid", State::Invalid(handler_error(), Box::default())),
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
                delegated: false,
                review: Box::default(),
            },
        ),
        (
            "Remote (delegated)",
            State::Remote {
                delegated: true,
                review: Box::default(),
            },
        ),
        (
            "HandedOff",
            State::HandedOff {
                message: Consent::from_record(String::new()),
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
            State::Ended(ended_call(CallEnd::Output, Author::Page)),
        ),
        (
            "Ended (agent)",
            State::Ended(ended_call(CallEnd::Output, Author::Agent)),
        ),
    ]
}

fn events() -> Vec<(&'static str, StateEvent)> {
    let create_answer = |approved| StateEvent::InterruptAnswered {
        approved,
        reason: None,
        by: None,
    };
    vec![
        ("Reopened", StateEvent::Reopened),
        ("ArgsEnded", StateEvent::ArgsEnded),
        ("Rewritten", StateEvent::Rewritten),
        ("Voided", StateEvent::Voided),
        ("Revoked", StateEvent::Revoked),
        ("FoundMissing", StateEvent::FoundMissing),
        ("RuleAsked", StateEvent::RuleAsked(Ticket(2), None)),
        ("QuestionPut", StateEvent::QuestionPut),
        ("Cleared", StateEvent::Cleared),
        ("FoundInvalid", StateEvent::FoundInvalid(handler_error())),
        ("Denied", StateEvent::Denied(None)),
        ("DeniedBefore", StateEvent::DeniedBefore(None)),
        ("CommitAsked", StateEvent::CommitAsked(CommitId(2))),
        ("Started", StateEvent::Started(InvocationId(2), None)),
        ("FoundRemote", StateEvent::FoundRemote),
        ("Delegated", StateEvent::Delegated),
        (
            "HandedOff",
            StateEvent::HandedOff(Consent::from_record("m".to_owned())),
        ),
        ("Interrupted", StateEvent::Interrupted { card: true }),
        ("InterruptAnswered (approved)", create_answer(true)),
        ("InterruptAnswered (denied)", create_answer(false)),
        ("InterruptLifted", StateEvent::InterruptLifted),
        (
            "InterruptReopened",
            StateEvent::InterruptReopened { card: true },
        ),
        ("SendStarted", StateEvent::SendStarted),
        ("SendFailed", StateEvent::SendFailed),
        (
            "Settled (page)",
            StateEvent::Settled(ended_call(CallEnd::Error, Author::Page)),
        ),
        (
            "Settled (agent)",
            StateEvent::Settled(ended_call(CallEnd::Error, Author::Agent)),
        ),
        ("Delivered", StateEvent::Delivered),
    ]
}

/// Returns the name of a state as used in the table.
fn state_name(state: &State) -> &'static str {
    let is_same = |known: &&(&str, State)| {
        let author_of = |state: &State| match state {
            State::Ended(outcome) => Some(outcome.by),
            _ => None,
        };
        std::mem::discriminant(&known.1) == std::mem::discriminant(state)
            && author_of(&known.1) == author_of(state)
    };
    let states = states();
    states.iter().find(is_same).map_or("?", |(name, _)| name)
}

/// Returns a table that lists, for each state, the events that change the state and the states that
/// follow.
fn transition_table() -> String {
    let mut table = String::from("| state | event → next state |\n| --- | --- |\n");
    for (label, state) in states() {
        let mut steps = Vec::new();
        for (event_label, event) in events() {
            if let Ok(next) = state.clone().step(event.clone()) {
                steps.push(format!("{event_label} → {}", state_name(&next)));
            }
        }
        table.push_str(&format!("| {label} | {} |\n", steps.join("<br>")));
    }
    table
}

/// Returns a table that lists, for each state, the state after a reload, and the state after a
/// reload if the journal contains a start without an end.
fn reload_table() -> String {
    let mut table =
        String::from("| state | after a reload | with a start on record |\n| --- | --- | --- |\n");
    for (label, state) in stored_states() {
        let next = state.clone().after_reload(LastStart::Unrecorded);
        let next_after_start = state.after_reload(LastStart::Recorded);
        table.push_str(&format!(
            "| {label} | {} | {} |\n",
            state_name(&next),
            state_name(&next_after_start)
        ));
    }
    table
}

/// Returns call states of each kind, including approved calls, approvals that a run is sending, and
/// interrupts without a card.
fn stored_states() -> Vec<(&'static str, State)> {
    let mut variants = states();
    let approved_review = |interrupt: Option<&str>| {
        Box::new(Review {
            approval: Some(CallApproval {
                decision: Some(Decision::Approved),
                interrupt_id: interrupt.map(str::to_owned),
                ..CallApproval::default()
            }),
            ..Review::default()
        })
    };
    let (page_review, agent_review) = (approved_review(None), approved_review(Some("i")));
    variants.extend([
        (
            "Allowed (approved here)",
            State::Allowed(Clearance::new(page_review.clone())),
        ),
        (
            "Allowed (approved to the agent)",
            State::Allowed(Clearance::new(agent_review.clone())),
        ),
        (
            "Committing (approved here)",
            State::Committing(CommitId(1), page_review.clone()),
        ),
        (
            "HandedOff (a run carries it)",
            State::HandedOff {
                message: Consent::from_record("m".to_owned()),
                out: true,
                review: page_review,
            },
        ),
        (
            "Interrupted (no card)",
            State::Interrupted {
                card: false,
                review: Box::default(),
            },
        ),
        (
            "InterruptApproved (a run carries it)",
            State::InterruptApproved {
                out: true,
                review: agent_review,
            },
        ),
    ]);
    variants
}

#[test]
fn the_tables_in_the_docs_match_the_state_machine() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/calls.md");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    for table in [transition_table(), reload_table()] {
        assert!(text.contains(&table), "docs/calls.md is to hold:\n{table}");
    }
}

/// A reloaded page has no running handler, claim or ticket, and it may be reloaded again.
#[test]
fn a_reload_leaves_no_handler_claim_or_ticket_pending() {
    for (label, state) in stored_states() {
        for start in [LastStart::Unrecorded, LastStart::Recorded] {
            let next = state.clone().after_reload(start);
            let is_pending = matches!(
                next,
                State::RuleAsked { .. }
                    | State::Missing(_)
                    | State::Invalid(..)
                    | State::Committing(..)
                    | State::Running(..)
                    | State::InterruptApproved { out: true, .. }
            );
            assert!(!is_pending, "{label} → {next:?}");
            assert_eq!(
                next.clone().after_reload(LastStart::Unrecorded),
                next,
                "{label}"
            );
            // Reading the journal after the reload must result in the same state.
            let reloaded_state = state.clone().after_reload(LastStart::Unrecorded);
            assert_eq!(reloaded_state.after_reload(start), next, "{label}");
            // A call with an unknown outcome must not be allowed to start.
            let is_allowed = matches!(next, State::Allowed(_));
            assert!(!is_allowed || start == LastStart::Unrecorded, "{label}");
        }
    }
}

/// A conversation is stored with the states that follow a reload.
#[test]
fn stored_states_round_trip_to_the_state_after_a_reload() {
    for (label, state) in stored_states()
        .into_iter()
        .filter(|(_, state)| !state.is_done())
    {
        let phase = state.phase();
        let hand_off_id = match &state {
            State::HandedOff { message, .. } => Some(message.on_record().clone()),
            _ => None,
        };
        let review = Box::new(state.review().cloned().unwrap_or_default());
        let name = state.stored_state_name(phase);
        let restored_state = State::from_stored(name, phase, review, hand_off_id);
        assert_eq!(
            restored_state,
            Some(state.after_reload(LastStart::Unrecorded)),
            "{label}"
        );
    }
    for phase in ["committing", "running", "missing", "ended", "", "Open"] {
        let restored_state = State::from_stored(Some(phase), Phase::Running, Box::default(), None);
        assert_eq!(restored_state, None, "{phase}");
    }
}

/// No event or reload removes the count of starts or a reason to ask the user.
#[test]
fn every_transition_keeps_the_history() {
    let history = History {
        starts: 3,
        void_starts: 1,
        unknown_outcome: true,
        changed: true,
        must_be_asked: true,
        is_stored: true,
    };
    let with_history = |mut state: State| {
        if let Some(state_history) = state.history_mut() {
            *state_history = history;
        }
        state
    };
    for (label, state) in stored_states() {
        let state = with_history(state);
        assert_eq!(state.history(), history, "{label}");
        for start in [LastStart::Unrecorded, LastStart::Recorded] {
            assert_eq!(
                state.clone().after_reload(start).history(),
                history,
                "{label}"
            );
        }
        let next_history = state.clone().into_unknown_outcome(5).history();
        assert_eq!(
            next_history,
            History {
                starts: 5,
                ..history
            },
            "{label}"
        );
        for (event_label, event) in events() {
            let Ok(next) = state.clone().step(event) else {
                continue;
            };
            let is_running = matches!(next, State::Running(..));
            let is_void = matches!(state, State::Committing(..)) && !is_running && !next.is_done();
            let is_known = match &next {
                State::Ended(outcome) => outcome.end != CallEnd::Denied,
                _ => is_running,
            };
            let expected = History {
                starts: 3 + u32::from(is_running),
                void_starts: 1 + u32::from(is_void),
                unknown_outcome: !is_known,
                ..history
            };
            assert_eq!(next.history(), expected, "{label}: {event_label}");
        }
    }
}

#[test]
fn a_started_or_denied_call_never_starts_again() {
    // No sequence of events from one of these states may lead to a start.
    let is_settled = |state: &State| {
        matches!(
            state,
            State::Running(..) | State::Denied { .. } | State::Ended(_)
        )
    };
    for (label, state) in states().into_iter().filter(|(_, state)| is_settled(state)) {
        for (event_label, event) in events() {
            let next = state.clone().step(event.clone());
            let is_still_settled = next.as_ref().map_or(true, is_settled);
            assert!(is_still_settled, "{label}: {event_label} → {next:?}");
        }
    }
    // A call starts only from `Committing`, and `Committing` is reached only from `Allowed`.
    for (label, state) in states() {
        for (event_label, event) in events() {
            match state.clone().step(event.clone()) {
                Ok(State::Running(..)) => assert_eq!(label, "Committing", "{event_label}"),
                Ok(State::Committing(..)) => assert_eq!(label, "Allowed", "{event_label}"),
                _ => {}
            }
        }
    }
}
