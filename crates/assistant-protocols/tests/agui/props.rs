//! Round trips of random events, and random input without panics.

use proptest::collection::vec;
use proptest::prelude::*;

use super::events::{any_event, any_nearly_valid_event};
use super::strategies::{any_message, any_object, any_run_input};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn events_round_trip_through_their_wire_form(event in any_event()) {
        let text = event_to_value(&event).to_string();
        let mut notes = Notes::new();
        let read = decode_event(EventObject::parse(&text).unwrap(), true, &mut notes);
        prop_assert_eq!(read, Ok(Some(event)));
        prop_assert_eq!(notes.take(), []);
    }

    #[test]
    fn messages_round_trip_with_unknown_fields(message in any_message(), extra in any_object()) {
        let mut message = message;
        let written = message_to_value(&message);
        message.extra = extra.into_iter().filter(|(key, _)| written.get(key).is_none()).collect();
        message.extra.retain(|key, _| !matches!(
            key.as_str(), "name" | "content" | "toolCalls" | "error" | "metadata" | "encryptedValue" | "subagentRunId"
        ));
        prop_assert_eq!(message_from_value(message_to_value(&message)), Ok(message));
    }

    #[test]
    fn malformed_events_never_panic_and_strict_mode_delivers_a_prefix(
        stream in vec(any_nearly_valid_event(), 0..12), wellformed_start in any::<bool>()
    ) {
        let mut stream = stream;
        if wellformed_start {
            stream.insert(0, json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
        }
        let (strict, tolerant) = (decode(true, &stream), decode(false, &stream));
        prop_assert!(tolerant.events.starts_with(&strict.events));
        prop_assert_eq!(strict.error.is_some(), strict.end == End::Failed);
    }

    #[test]
    fn random_input_never_panics(frames in vec(prop_oneof![any::<String>(), "[\\[\\]{}\":,a-z0-9]{0,24}"], 0..6)) {
        for strict in [true, false] {
            decode_frames(strict, frames.iter().map(String::as_str));
        }
    }

    #[test]
    fn truncated_frames_fail_without_a_panic(event in any_event(), cut in any::<prop::sample::Index>()) {
        let text = event_to_value(&event).to_string();
        let cut = cut.index(text.len());
        if let Some(head) = text.get(..cut) {
            let got = decode_frames(false, [head]);
            prop_assert_eq!(got.error.map(|error| error.code()), Some("invalid-json"));
        }
    }

    #[test]
    fn a_request_round_trips_through_its_wire_form(input in any_run_input()) {
        let mut input = input;
        input.messages.retain(|message| message.role() != Role::Activity);
        let written = run_input(&input);
        prop_assert_eq!(&read_input(&written), &input);
        prop_assert_eq!(run_input(&read_input(&written)).to_string(), run_input_text(&input));
    }
}
