//! Turns random events into a valid AG-UI stream.

use std::collections::BTreeSet;

use serde_json::{Value, json};

pub(crate) fn run_started() -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
}

pub(crate) fn run_finished() -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})
}

/// Adds the missing starts and ends of runs and ends of entities. Removes starts of open entities,
/// and other events of entities that are not open.
pub(crate) fn repair_order(events: Vec<Value>) -> Vec<Value> {
    let mut order = OrderedStream::default();
    for event in events {
        order.push_event(event);
    }
    if order.running {
        order.push_event(run_finished());
    }
    order.events
}

#[derive(Default)]
struct OrderedStream {
    running: bool,
    /// The type stems and ids of the open entities.
    open: BTreeSet<(String, String)>,
    events: Vec<Value>,
}

impl OrderedStream {
    fn push_event(&mut self, event: Value) {
        if !self.running {
            self.events.push(run_started());
            self.running = true;
        }
        let kind = event.get("type").and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        if matches!(kind, "RUN_FINISHED" | "RUN_ERROR") {
            self.end_run(kind == "RUN_FINISHED");
        } else if let Some((stem, step)) = split_event_type(kind) {
            let id = event.get("messageId").or(event.get("toolCallId"));
            let id = id.and_then(Value::as_str).unwrap_or_default();
            let key = (stem.to_owned(), id.to_owned());
            let allowed = match step {
                "START" => self.open.insert(key),
                "END" => self.open.remove(&key),
                _ => self.open.contains(&key),
            };
            if !allowed {
                return;
            }
        }
        self.events.push(event);
    }

    fn end_run(&mut self, with_ends: bool) {
        self.running = false;
        for (stem, id) in std::mem::take(&mut self.open) {
            if with_ends {
                let name = if stem == "TOOL_CALL" {
                    "toolCallId"
                } else {
                    "messageId"
                };
                self.events
                    .push(json!({"type": format!("{stem}_END"), name: id}));
            }
        }
    }
}

/// Splits the type of a streamed event into entity and step.
fn split_event_type(kind: &str) -> Option<(&str, &str)> {
    kind.rsplit_once('_').filter(|(stem, step)| {
        matches!(*stem, "TEXT_MESSAGE" | "TOOL_CALL" | "REASONING_MESSAGE")
            && matches!(*step, "START" | "CONTENT" | "ARGS" | "END")
    })
}
