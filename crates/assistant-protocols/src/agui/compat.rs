//! Rewrites the events of older AG-UI producers to version 1.0 before decoding.
//!
//! Events are also rewritten in strict mode, since only old producers send retired events. Only a
//! few named fields are examined, never the whole payload. The decoder handles `null` in other
//! optional fields ([`super::DecoderOptions::strict`]).

use serde_json::Value;

use assistant_core::event::fault::Notes;
use assistant_core::event::{Diagnostic, Object};
use assistant_core::json::fields::EventObject;
use assistant_core::json::form::{drop_null, objects, upgrade_parts};

/// A converter for the events of older producers. The converter keeps state between events.
#[derive(Debug, Clone, Default)]
pub struct Compat {
    run_id: String,
    last_id: u64,
    span: Option<String>,
    message: Option<String>,
}

impl Compat {
    /// Creates a converter for the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Rewrites one event in place, and reports each rewrite to `notes`.
    pub fn upgrade(&mut self, event: &mut EventObject, notes: &mut Notes) {
        if event.is_null("rawEvent")
            && let Some(event_type) = event.text("type")
        {
            notes.null(event_type, "rawEvent");
            event.take("rawEvent");
        }
        let Some(event_type) = event.text("type") else {
            return;
        };
        let (event_type, nullable_fields): (&str, &[&'static str]) = match event_type {
            // The most frequent events are matched first and not rewritten, because they are
            // identical in all versions.
            "TEXT_MESSAGE_CONTENT" | "TOOL_CALL_ARGS" => ("", &[]),
            "RUN_STARTED" => {
                if let Some(run_id) = event.text("runId") {
                    run_id.clone_into(&mut self.run_id);
                }
                if let Some(Value::Object(input)) = event.get_mut("input") {
                    upgrade_input(input, notes);
                }
                ("RUN_STARTED", &[])
            }
            "RUN_FINISHED" => ("RUN_FINISHED", &["outcome", "result"]),
            "SUBAGENT_FINISHED" => ("SUBAGENT_FINISHED", &["result"]),
            "TOOL_CALL_START" => ("TOOL_CALL_START", &["parentMessageId"]),
            "TOOL_CALL_CHUNK" => ("TOOL_CALL_CHUNK", &["parentMessageId"]),
            "MESSAGES_SNAPSHOT" => {
                upgrade_messages(event.get_mut("messages"), notes);
                ("MESSAGES_SNAPSHOT", &[])
            }
            retired_type if retired_type.starts_with("THINKING_") => {
                let retired_type = retired_type.to_owned();
                self.upgrade_thinking(event, &retired_type, notes);
                ("", &[])
            }
            _ => ("", &[]),
        };
        for field in nullable_fields {
            if event.is_null(field) {
                event.take(field);
                notes.null(event_type, field);
            }
        }
    }

    /// Rewrites a thinking event as a reasoning event. Each span and each message gets a new id,
    /// since thinking events have no ids.
    fn upgrade_thinking(&mut self, event: &mut EventObject, retired_type: &str, notes: &mut Notes) {
        let (new_type, id) = match retired_type {
            "THINKING_START" => {
                let id = self.new_id();
                self.span = Some(id.clone());
                if event.take("title").is_some() {
                    let message = "THINKING_START.title was dropped: REASONING_START has none.";
                    notes.add(Diagnostic::new("legacy", message));
                }
                ("REASONING_START", id)
            }
            "THINKING_END" => {
                let id = self.span.take().unwrap_or_else(|| self.new_id());
                ("REASONING_END", id)
            }
            "THINKING_TEXT_MESSAGE_START" => {
                let id = self.new_id();
                self.message = Some(id.clone());
                event.set("role", Value::from("reasoning"));
                ("REASONING_MESSAGE_START", id)
            }
            "THINKING_TEXT_MESSAGE_END" => {
                let id = self.message.take().unwrap_or_else(|| self.new_id());
                ("REASONING_MESSAGE_END", id)
            }
            "THINKING_TEXT_MESSAGE_CONTENT" => {
                let id = self.message.clone().unwrap_or_else(|| self.new_id());
                ("REASONING_MESSAGE_CONTENT", id)
            }
            _ => return,
        };
        event.set("type", Value::from(new_type));
        event.set("messageId", Value::from(id));
        notes.add(Diagnostic::new(
            "legacy",
            format!("The retired {retired_type} is read as {new_type}."),
        ));
    }

    /// Returns a new id. The id is unique in the conversation, because it consists of the run's id
    /// and a counter.
    fn new_id(&mut self) -> String {
        self.last_id += 1;
        format!("{}-thinking-{}", self.run_id, self.last_id)
    }
}

fn upgrade_input(input: &mut Object, notes: &mut Notes) {
    drop_null(input, "RunAgentInput", "forwardedProps", notes);
    for tool in objects(input.get_mut("tools")) {
        drop_null(tool, "Tool", "parameters", notes);
    }
    for entry in objects(input.get_mut("resume")) {
        drop_null(entry, "ResumeEntry", "payload", notes);
    }
    upgrade_messages(input.get_mut("messages"), notes);
}

fn upgrade_messages(messages: Option<&mut Value>, notes: &mut Notes) {
    for message in objects(messages) {
        upgrade_parts(message.get_mut("content"), notes);
    }
}
