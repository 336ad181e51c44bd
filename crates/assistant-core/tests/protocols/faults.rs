//! Captured responses under the faults of a connection: they arrive in two chunks that are split at
//! any byte, or are closed at any byte.

use assistant_core::{
    conversation::{Part, Phase},
    event::Role,
    limits::Limits,
    session::{Input, NoticeAction},
};
use assistant_protocols::stream::End;
use serde_json::Value;

use super::{Log, Talk, wires::Wire};

macro_rules! capture {
    ($wire:expr, $path:literal) => {
        (
            $wire,
            $path,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/",
                $path
            )) as &[u8],
        )
    };
}

type Capture = (Wire, &'static str, &'static [u8]);

/// Responses with reasoning, calls of the server and of the page, and several steps.
const CAPTURES: [Capture; 6] = [
    capture!(Wire::AgUi, "agui-captures/pydantic-ai-think.run1.sse"),
    capture!(Wire::AgUi, "agui-captures/pydantic-ai-mixed.run1.sse"),
    capture!(Wire::UiStream, "ui-stream-recorded/steps.sse"),
    capture!(Wire::UiStream, "ui-stream-recorded/client.sse"),
    capture!(Wire::Completions, "completions/aimock-think.sse"),
    capture!(Wire::Completions, "completions/aimock-both.sse"),
];

/// Plays a response in these chunks, and closes it. Returns true if it is complete.
fn plays(talk: &mut Talk, chunks: &[&[u8]]) -> bool {
    let request = talk.driver.request();
    let mut reader = talk.protocol.decoder(request, &Limits::default());
    let mut log = Log::default();
    for chunk in chunks {
        reader.push(chunk, &mut log);
    }
    let ending = reader.finish(&mut log);
    assert_eq!(ending.error, None);
    talk.take(log);
    talk.driver.close();
    ending.end == End::Complete
}

fn asked(wire: Wire) -> Talk {
    let mut talk = Talk::new(wire.protocol());
    talk.driver.send("hi");
    talk
}

/// Returns the stored conversation.
fn stored(talk: &Talk) -> Value {
    serde_json::to_value(talk.driver.session.snapshot()).unwrap()
}

/// Returns the texts of the agent on the shown branch, and the ids of its calls.
fn shown(talk: &Talk) -> (String, Vec<String>) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    let conversation = talk.driver.session.conversation();
    for message in conversation.path() {
        if message.role() == Role::User {
            continue;
        }
        for part in message.parts() {
            match part {
                Part::Text(part) | Part::Reasoning(part) => text += part.text(),
                Part::Call(key) => {
                    let call = conversation.call(key).unwrap();
                    assert_ne!(call.phase(), Phase::InputStreaming);
                    calls.push(call.id().to_owned());
                }
                _ => {}
            }
        }
    }
    (text, calls)
}

fn user_messages(talk: &Talk) -> usize {
    let all = talk.driver.session.conversation().path();
    all.filter(|message| message.role() == Role::User).count()
}

#[test]
fn a_response_that_is_split_at_any_byte_is_the_same_conversation() {
    for (wire, name, bytes) in CAPTURES {
        let mut whole = asked(wire);
        plays(&mut whole, &[bytes]);
        assert_ne!(shown(&whole), Default::default(), "{name}");
        let expected = stored(&whole);
        for at in 0..=bytes.len() {
            let mut talk = asked(wire);
            let (before, after) = bytes.split_at(at);
            plays(&mut talk, &[before, after]);
            assert_eq!(stored(&talk), expected, "{name} at {at}");
            assert_eq!(talk.diagnostics, whole.diagnostics, "{name} at {at}");
        }
    }
}

#[test]
fn a_response_that_is_closed_at_any_byte_keeps_its_text_and_can_be_retried() {
    for (wire, name, bytes) in CAPTURES {
        let mut whole = asked(wire);
        plays(&mut whole, &[bytes]);
        let (all, calls) = shown(&whole);
        let mut before = String::new();
        for at in 0..=bytes.len() {
            let about = format!("{name} at {at}");
            let mut talk = asked(wire);
            let is_complete = plays(&mut talk, &[&bytes[..at]]);
            let (text, _) = shown(&talk);
            assert!(text.starts_with(&before), "{about}: {text:?}");
            assert!(all.starts_with(&text), "{about}: {text:?}");
            before = text;
            let notices = talk.driver.session.notices();
            // Only the frames after the end are missing, such as the use of tokens.
            if is_complete {
                assert_eq!(notices, whole.driver.session.notices(), "{about}");
                continue;
            }
            assert_eq!(notices.len(), 1, "{about}: {notices:?}");
            assert_eq!(notices[0].action(), Some(NoticeAction::Retry), "{about}");
            assert_eq!(talk.driver.input(Input::Retry).refused, None, "{about}");
            plays(&mut talk, &[bytes]);
            assert_eq!(shown(&talk), (all.clone(), calls.clone()), "{about}");
            assert_eq!(user_messages(&talk), 1, "{about}");
        }
        assert_eq!(before, all, "{name}");
    }
}
