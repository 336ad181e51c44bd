//! Builders of actions and events, and short forms of messages.

use std::collections::BTreeSet;

use assistant_core::{
    action::{ActionSpec, Execution, Policy},
    conversation::MessageId,
    event::{Content, EventKind, Interrupt, Message, MessageBody, Outcome, Role},
    session::{Effect, Output},
};
use serde_json::{Value, json};

use super::Driver;

/// Creates an action with a handler.
pub(crate) fn action(name: &str) -> ActionSpec {
    ActionSpec::new(name, "").with_handler(true)
}

/// Creates an action that asks the user.
pub(crate) fn asking(name: &str) -> ActionSpec {
    action(name).with_approval(Policy::Always)
}

/// Creates an action that asks the user, and that the agent runs.
pub(crate) fn remote_action(name: &str) -> ActionSpec {
    ActionSpec::new(name, "")
        .with_approval(Policy::Always)
        .with_execution(Execution::Agent)
}

/// Creates a session with these actions and an open run.
pub(crate) fn with(specs: impl IntoIterator<Item = ActionSpec>) -> Driver {
    let mut driver = Driver::new();
    for spec in specs {
        driver.register(spec);
    }
    driver.send("hi");
    driver.event(started());
    driver
}

/// Finishes the agent's run and closes its stream.
pub(crate) fn finish_run(driver: &mut Driver) {
    driver.event(finished());
    driver.close();
}

pub(crate) fn started() -> EventKind {
    EventKind::RunStarted {
        thread_id: "thread".to_owned(),
        run_id: "run".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    }
}

pub(crate) fn ended_with(outcome: Option<Outcome>) -> EventKind {
    EventKind::RunFinished {
        thread_id: "thread".to_owned(),
        run_id: "run".to_owned(),
        result: None,
        outcome,
        usage: Vec::new(),
    }
}

pub(crate) fn finished() -> EventKind {
    ended_with(None)
}

pub(crate) fn interrupted(interrupts: Vec<Interrupt>) -> EventKind {
    ended_with(Some(Outcome::Interrupt { interrupts }))
}

pub(crate) fn interrupt(id: &str, call: Option<&str>, schema: Value) -> Interrupt {
    Interrupt {
        id: id.to_owned(),
        reason: "approval".to_owned(),
        message: None,
        tool_call_id: call.map(str::to_owned),
        response_schema: schema.as_object().cloned(),
        expires_at: None,
        subagent_run_id: None,
        metadata: None,
    }
}

/// Creates an interrupt that a boolean decision answers.
pub(crate) fn approval_interrupt(id: &str, call: &str) -> Interrupt {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}},
        "required": ["approved"],
    });
    interrupt(id, Some(call), schema)
}

pub(crate) fn run_error(message: &str) -> EventKind {
    EventKind::RunError {
        message: message.to_owned(),
        code: None,
        usage: Vec::new(),
    }
}

pub(crate) fn text_start(id: &str) -> EventKind {
    EventKind::TextMessageStart {
        message_id: id.to_owned(),
        role: None,
        name: None,
    }
}

pub(crate) fn text(id: &str, delta: &str) -> EventKind {
    EventKind::TextMessageContent {
        message_id: id.to_owned(),
        delta: delta.to_owned(),
    }
}

pub(crate) fn text_end(id: &str) -> EventKind {
    EventKind::TextMessageEnd {
        message_id: id.to_owned(),
    }
}

pub(crate) fn says(id: &str, words: &str) -> Vec<EventKind> {
    vec![text_start(id), text(id, words), text_end(id)]
}

pub(crate) fn start(id: &str, name: &str) -> EventKind {
    start_in(id, name, None)
}

pub(crate) fn start_in(id: &str, name: &str, parent: Option<&str>) -> EventKind {
    EventKind::ToolCallStart {
        tool_call_id: id.to_owned(),
        tool_call_name: name.to_owned(),
        parent_message_id: parent.map(str::to_owned),
    }
}

pub(crate) fn args(id: &str, delta: &str) -> EventKind {
    EventKind::ToolCallArgs {
        tool_call_id: id.to_owned(),
        delta: delta.to_owned(),
    }
}

pub(crate) fn end(id: &str) -> EventKind {
    EventKind::ToolCallEnd {
        tool_call_id: id.to_owned(),
    }
}

pub(crate) fn result(message: &str, id: &str, content: &str) -> EventKind {
    EventKind::ToolCallResult {
        message_id: message.to_owned(),
        tool_call_id: id.to_owned(),
        content: Content::Text(content.to_owned()),
    }
}

/// Creates a complete call in the message `m`.
pub(crate) fn calls(id: &str, name: &str, arguments: &str) -> Vec<EventKind> {
    vec![start_in(id, name, Some("m")), args(id, arguments), end(id)]
}

pub(crate) fn snapshot(messages: Vec<Message>) -> EventKind {
    EventKind::MessagesSnapshot { messages }
}

/// Returns a short form of messages: `user:u1`, `assistant:m[c1,c2]`, `tool:c1=text`.
pub(crate) fn sketch(messages: &[Message]) -> Vec<String> {
    messages.iter().map(sketch_one).collect()
}

fn sketch_one(message: &Message) -> String {
    match &message.body {
        MessageBody::User { content } => format!("user={}", content.display_text()),
        MessageBody::Assistant {
            content,
            tool_calls,
        } => {
            let ids: Vec<&str> = tool_calls.iter().map(|call| call.id.as_str()).collect();
            let words = content.as_deref().unwrap_or_default();
            format!("assistant={words}[{}]", ids.join(","))
        }
        MessageBody::Tool {
            tool_call_id,
            content,
            ..
        } => format!("tool:{tool_call_id}={}", content.display_text()),
        _ => format!("{}:{}", message.role().as_str(), message.id),
    }
}

/// Returns the short form of the newest request.
pub(crate) fn request(driver: &Driver) -> Vec<String> {
    sketch(&driver.request().messages)
}

/// Checks that every call in a request has exactly one result, directly after its message and in
/// call order, except calls in `open`.
pub(crate) fn assert_answered(messages: &[Message], open: &BTreeSet<String>) {
    let mut list = messages.iter().peekable();
    let mut ids = BTreeSet::new();
    while let Some(message) = list.next() {
        let MessageBody::Assistant { tool_calls, .. } = &message.body else {
            assert_ne!(message.role(), Role::Tool, "{:?}", sketch(messages));
            continue;
        };
        for call in tool_calls {
            assert!(ids.insert(call.id.clone()), "{:?}", sketch(messages));
            let answer = list.next_if(|next| {
                matches!(&next.body, MessageBody::Tool { tool_call_id, .. } if *tool_call_id == call.id)
            });
            let fine = answer.is_some() || open.contains(&call.id);
            assert!(fine, "{} in {:?}", call.id, sketch(messages));
        }
    }
}

/// Checks that nothing was begun: no handler, no start, no run.
pub(crate) fn assert_starts_nothing(output: &Output) {
    let starts = |effect: &&Effect| {
        matches!(
            effect,
            Effect::Commit { .. } | Effect::Invoke(_) | Effect::PrepareRun { .. }
        )
    };
    let started: Vec<_> = output.effects.iter().filter(starts).collect();
    assert!(started.is_empty(), "{started:?}");
}

pub(crate) fn message_id(text: &str) -> MessageId {
    text.into()
}
