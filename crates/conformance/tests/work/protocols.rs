//! Measures the decoders of completions and of the AI SDK's stream.

use assistant_core::event::{Diagnostic, Event};
use assistant_protocols::completions;
use assistant_protocols::stream::Sink;
use assistant_protocols::ui_stream;

use super::*;

/// A sink that drops everything.
struct NullSink;

impl Sink for NullSink {
    fn event(&mut self, _: Event) {}

    fn diagnostic(&mut self, _: Diagnostic) {}
}

#[test]
fn a_tool_name_in_pieces_takes_linear_work() {
    let piece = |n| json!({"index": 0, "function": {"name": format!("part{n:05}")}});
    let one_frame = |count: usize| {
        let pieces: Vec<Value> = (0..count).map(piece).collect();
        write_frame(&json!({"choices": [{"delta": {"tool_calls": pieces}}]}))
    };
    let many_frames = |count: usize| -> String {
        let frame = |n| write_frame(&json!({"choices": [{"delta": {"tool_calls": [piece(n)]}}]}));
        (0..count).map(frame).collect()
    };
    let read = |text: String| {
        let mut reader = completions::Reader::new(completions::ResponseParams::default());
        reader.push(text.as_bytes(), &mut NullSink);
        reader.push(b"data: [DONE]\n\n", &mut NullSink);
        reader.finish(&mut NullSink);
    };
    assert_linear_work("one frame", one_frame, read);
    assert_linear_work("many frames", many_frames, read);
}

#[test]
fn calls_that_share_an_id_take_linear_work() {
    let frame = |count: usize| {
        let piece = json!({"id": "f", "function": {"name": "f", "arguments": "{}"}});
        write_frame(&json!({"choices": [{"delta": {"tool_calls": vec![piece; count]}}]}))
    };
    assert_linear_work("calls", frame, |text: String| {
        let mut reader = completions::Reader::new(completions::ResponseParams::default());
        reader.push(text.as_bytes(), &mut NullSink);
    });
}

#[test]
fn arguments_that_continue_in_later_steps_take_linear_work() {
    let steps = |count: usize, text: String, title: String| {
        let mut stream = write_frame(
            &json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f", "title": title}),
        );
        let delta =
            |text| json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": text});
        stream += &write_frame(&delta(text));
        for _ in 0..count {
            stream += &write_frame(&json!({"type": "start-step"}));
            stream += &write_frame(&delta(String::new()));
        }
        stream
    };
    let read = |text: String| {
        let mut reader = ui_stream::Reader::new(ui_stream::ResponseParams::default());
        reader.push(text.as_bytes(), &mut NullSink);
        reader.finish(&mut NullSink);
    };
    let long = |count: usize| "x".repeat(count * 400);
    assert_linear_work("text", |n| steps(n, long(n), String::new()), read);
    assert_linear_work("title", |n| steps(n, String::new(), long(n)), read);
}
