//! Tests that a stream that is read over two connections yields each event once, regardless of the
//! frames that the server repeats.

use std::ops::Range;

use assistant_core::{
    event::{Diagnostic, Event, EventKind},
    limits::Limits,
};
use assistant_protocols::agui::{DecoderOptions, End, Reader, Sink};
use assistant_protocols::stream::Read;
use serde_json::{Value, json};

#[derive(Debug, Default)]
struct Events(Vec<Event>);

impl Sink for Events {
    fn event(&mut self, event: Event) {
        self.0.push(event);
    }

    fn diagnostic(&mut self, _: Diagnostic) {}
}

/// Returns the frames of a stream with open chunks and a split surrogate pair.
fn stream_frames() -> Vec<String> {
    let mut frames = vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}).to_string(),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}).to_string(),
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a \ud83d"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\ude00 b"}"#.to_owned(),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}).to_string(),
    ];
    let chunk =
        |delta: Value| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "n", "delta": delta});
    frames.extend(["one", "two", "three"].map(|word| chunk(word.into()).to_string()));
    frames.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}).to_string());
    frames
}

/// The server's treatment of the last id after a reconnection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    /// The server continues after the frame with this id.
    Continues,
    /// The server begins with the first frame.
    Repeats,
    /// The server continues with the frame with this id.
    RepeatsLast,
    /// Only every third frame has an id. The server continues after the frame with this id.
    SparseIds,
    /// Only every third frame has an id. The server continues with the frame with this id.
    SparseIdsRepeatsLast,
    /// The frames have no ids, and the server begins with the first frame.
    WithoutIds,
}

impl Server {
    fn frame_id(self, at: usize) -> Option<String> {
        match self {
            Self::Continues | Self::Repeats | Self::RepeatsLast => Some(format!("e{at}")),
            Self::SparseIds | Self::SparseIdsRepeatsLast => (at % 3 == 1).then(|| format!("e{at}")),
            Self::WithoutIds => None,
        }
    }

    fn response_from(self, from: usize) -> String {
        let mut text = String::new();
        for (at, frame) in stream_frames().into_iter().enumerate().skip(from) {
            if let Some(id) = self.frame_id(at) {
                text.push_str(&format!("id: {id}\n"));
            }
            text.push_str(&format!("data: {frame}\n\n"));
        }
        text
    }
}

#[test]
fn a_stream_over_two_connections_yields_each_event_once() {
    for server in [
        Server::Continues,
        Server::Repeats,
        Server::RepeatsLast,
        Server::SparseIds,
        Server::SparseIdsRepeatsLast,
        Server::WithoutIds,
    ] {
        let text = server.response_from(0);
        let mut whole = Events::default();
        Reader::new(DecoderOptions::default()).push(text.as_bytes(), &mut whole);
        assert_eq!(whole.0.len(), 11, "{server:?}");
        // Cut at every byte, so that frames are cut, too.
        for cut in 1..text.len() {
            let (mut reader, mut events) =
                (Reader::new(DecoderOptions::default()), Events::default());
            reader.push(&text.as_bytes()[..cut], &mut events);
            let last = Read::reconnect(&mut reader);
            let from = match (server, last) {
                (Server::Repeats | Server::WithoutIds, _) | (_, None) => 0,
                (_, Some(id)) => {
                    let last = id.trim_start_matches('e').parse::<usize>().unwrap();
                    let repeats_last =
                        matches!(server, Server::RepeatsLast | Server::SparseIdsRepeatsLast);
                    last + usize::from(!repeats_last)
                }
            };
            reader.push(server.response_from(from).as_bytes(), &mut events);
            assert_eq!(events.0, whole.0, "{server:?}, cut at {cut}");
            assert_eq!(reader.finish(&mut events).end, End::Complete);
        }
    }
}

/// Returns the frames with these indices, each with its id.
fn frames_with_ids(range: Range<usize>) -> String {
    let frames = stream_frames().into_iter().enumerate();
    let frames = frames.skip(range.start).take(range.len());
    let frames = frames.map(|(at, frame)| format!("id: e{at}\ndata: {frame}\n\n"));
    frames.collect()
}

/// A frame without an id, whose event affects no other event.
const WITHOUT_ID: &str = "data: {\"type\":\"RAW\",\"event\":{}}\n\n";

/// Returns the events of responses over successive connections, without those of [`WITHOUT_ID`].
fn read_responses<const N: usize>(responses: [String; N]) -> Vec<Event> {
    let (mut reader, mut events) = (Reader::new(DecoderOptions::default()), Events::default());
    for response in responses {
        let _ = Read::reconnect(&mut reader);
        reader.push(response.as_bytes(), &mut events);
    }
    events
        .0
        .retain(|event| !matches!(event.kind, EventKind::Raw { .. }));
    events.0
}

#[test]
fn frames_without_ids_that_are_not_repeated_hide_no_later_frame() {
    let count = stream_frames().len();
    let whole = read_responses([frames_with_ids(0..count)]);
    for cut in 1..count {
        let first = frames_with_ids(0..cut) + WITHOUT_ID + WITHOUT_ID;
        let events = read_responses([first, frames_with_ids(cut..count)]);
        assert_eq!(events, whole, "cut after {cut} frames");
    }
}

#[test]
fn a_repeated_frame_is_skipped_after_a_frame_without_an_id() {
    let count = stream_frames().len();
    let whole = read_responses([frames_with_ids(0..count)]);
    for cut in 1..count {
        let second = WITHOUT_ID.to_owned() + &frames_with_ids(cut - 1..count);
        let events = read_responses([frames_with_ids(0..cut), second]);
        assert_eq!(events, whole, "cut after {cut} frames");
    }
}

#[test]
fn the_size_limit_applies_to_each_response() {
    let response = frames_with_ids(0..stream_frames().len());
    let limits = Limits::default().with_run_bytes(response.len());
    let mut reader = Reader::new(DecoderOptions::default()).with_limits(&limits);
    let mut events = Events::default();
    for _ in 0..3 {
        let _ = Read::reconnect(&mut reader);
        reader.push(response.as_bytes(), &mut events);
        assert!(!reader.has_failed());
    }
    assert_eq!(events.0, read_responses([response]));
    reader.push(b":", &mut events);
    assert!(reader.has_failed());
}
