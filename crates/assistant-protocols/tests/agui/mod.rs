//! Tests of the AG-UI decoder and encoder with the official streams, recorded cases and captures of
//! real servers. The application of events is tested with the conversation.

mod events;
mod order;
mod props;
mod reader;
mod reconnect;
mod recorded;
mod shape;
mod strategies;
mod surrogates;

use std::fs;
use std::path::{Path, PathBuf};

use assistant_core::event::{Content, Diagnostic, Event, EventKind, MessageBody, Role, RunInput};
use assistant_core::{
    event::fault::{Notes, ProtocolError},
    json::{
        fields::EventObject,
        form::{message_from_value, message_to_value},
    },
};
use assistant_protocols::agui::{
    Checked, Compat, Decoder, DecoderOptions, End, Expander, Verifier, decode_event,
    event_to_value, event_type, run_input, run_input_text,
};
use serde_json::{Value, json};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/");

/// The result of decoding a stream.
struct Outcome {
    events: Vec<Event>,
    notes: Vec<Diagnostic>,
    error: Option<ProtocolError>,
    end: End,
}

impl Outcome {
    fn types(&self) -> Vec<&'static str> {
        self.events
            .iter()
            .map(|event| event_type(&event.kind))
            .collect()
    }

    fn outcome(&self) -> &'static str {
        match self.end {
            End::Complete => "completed",
            End::Truncated => "truncated",
            End::Failed => "failed",
        }
    }

    fn codes(&self) -> Vec<&'static str> {
        self.notes.iter().map(|note| note.code()).collect()
    }

    fn error(&self) -> &str {
        self.error.as_ref().map_or("", |error| error.message())
    }
}

fn decoder_options(strict: bool) -> DecoderOptions {
    if strict {
        DecoderOptions::strict()
    } else {
        DecoderOptions::default()
    }
}

fn decode_frames<'a>(strict: bool, frames: impl IntoIterator<Item = &'a str>) -> Outcome {
    let mut decoder = Decoder::new(decoder_options(strict));
    let mut events = Vec::new();
    let mut error = None;
    for frame in frames {
        if let Err(failure) = decoder.push_frame(frame, &mut events) {
            error = Some(failure);
            break;
        }
    }
    decoder.flush(&mut events);
    Outcome {
        events,
        notes: decoder.take_diagnostics(),
        error,
        end: decoder.finish(),
    }
}

fn decode(strict: bool, stream: &[Value]) -> Outcome {
    let frames: Vec<String> = stream.iter().map(Value::to_string).collect();
    decode_frames(strict, frames.iter().map(String::as_str))
}

/// Decodes a run around the given events.
fn decode_run(strict: bool, events: &[Value]) -> Outcome {
    let mut stream = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    stream.extend_from_slice(events);
    stream.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    decode(strict, &stream)
}

/// Splits well-formed SSE text into frames, as the reference does.
fn split_frames(sse: &str) -> Vec<String> {
    sse.split("\n\n")
        .map(|block| {
            let lines = block.lines().filter_map(|line| line.strip_prefix("data:"));
            let lines: Vec<&str> = lines
                .map(|line| line.strip_prefix(' ').unwrap_or(line))
                .collect();
            lines.join("\n")
        })
        .filter(|data| !data.is_empty())
        .collect()
}

fn list_files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(Path::new(FIXTURES).join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {ending} in {folder}");
    files
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Decodes a request as the input that a server echoes in `RUN_STARTED`.
fn read_input(request: &Value) -> RunInput {
    let stream = [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": request}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ];
    let mut got = decode(true, &stream);
    assert_eq!(got.error(), "");
    assert_eq!(got.notes, []);
    let EventKind::RunStarted { input, .. } = got.events.remove(0).kind else {
        panic!()
    };
    *input.unwrap()
}
