//! A well-behaved AG-UI agent, which sends text, calls tools of the page, and ends its runs.

use fastrand::Rng;
use serde_json::{Value, json};

use super::page::TOOLS;

/// The agent, with the open items of its stream.
#[derive(Debug, Clone, Default)]
pub(super) struct Agent {
    ids: u64,
    text: Option<String>,
    call: Option<String>,
    speaks: bool,
    /// The thread id and the run id, which the end event repeats.
    run: (Value, Value),
    calls_in_run: u8,
}

impl Agent {
    /// Begins a run for a request, and returns its first event.
    pub(super) fn begin_run(&mut self, request: &Value) -> Value {
        self.text = None;
        self.call = None;
        self.calls_in_run = 0;
        self.speaks = true;
        self.run = (request["threadId"].clone(), request["runId"].clone());
        json!({"type": "RUN_STARTED", "threadId": self.run.0, "runId": self.run.1})
    }

    /// Marks the connection as lost, so that the agent sends nothing until the next run.
    pub(super) fn disconnect(&mut self) {
        self.speaks = false;
    }

    pub(super) const fn is_silent(&self) -> bool {
        !self.speaks
    }

    fn next_id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    /// Returns the next random events of the stream; these may end the run.
    pub(super) fn next_events(&mut self, rng: &mut Rng) -> Vec<Value> {
        if let Some(id) = self.call.clone() {
            self.call = None;
            let args = match rng.u8(0..6) {
                0 => return vec![json!({"type": "TOOL_CALL_END", "toolCallId": id})],
                _ => format!("{{\"n\":{}}}", rng.u8(..)),
            };
            return vec![
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ];
        }
        if let Some(id) = self.text.clone() {
            if rng.bool() {
                return vec![
                    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "word "}),
                ];
            }
            self.text = None;
            return vec![json!({"type": "TEXT_MESSAGE_END", "messageId": id})];
        }
        match rng.u8(0..30) {
            0..6 => {
                let id = self.next_id("m");
                self.text = Some(id.clone());
                vec![json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"})]
            }
            6..20 if self.calls_in_run < 4 => {
                self.calls_in_run += 1;
                let id = self.next_id("c");
                self.call = Some(id.clone());
                let name = rng.choice(TOOLS);
                vec![json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name})]
            }
            20 => {
                self.speaks = false;
                vec![json!({"type": "RUN_ERROR", "message": "overloaded"})]
            }
            _ => self.end_run(),
        }
    }

    /// Ends all open items and the run, and returns the events.
    pub(super) fn end_run(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        if let Some(id) = self.call.take() {
            events.push(json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"}));
            events.push(json!({"type": "TOOL_CALL_END", "toolCallId": id}));
        }
        if let Some(id) = self.text.take() {
            events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": id}));
        }
        let (thread, run) = &self.run;
        events.push(json!({"type": "RUN_FINISHED", "threadId": thread, "runId": run}));
        self.speaks = false;
        events
    }
}
