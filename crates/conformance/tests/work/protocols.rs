//! Measures the decoders of the AI SDK's stream.

use assistant_core::event::{Diagnostic, Event};
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
