//! The rules that depend only on the open entities of a run. [`super::Verifier`] checks the others.

use super::super::encode::event_type;
use super::table::Table;
use super::{PARENT, Run};
use assistant_core::event::fault::ProtocolError;
use assistant_core::event::{EncryptedEntity, Event, EventKind};

/// The event types of one kind of streamed entity, and its names in messages.
pub(super) struct Stream {
    kind: Kind,
    pub(super) start: &'static str,
    pub(super) end: &'static str,
    /// The kind's name in messages.
    pub(super) entity: &'static str,
    /// The kind's name in messages about ownership.
    owned: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Tool,
    Reasoning,
    Span,
}

pub(super) const TEXT: Stream = Stream {
    kind: Kind::Text,
    start: "TEXT_MESSAGE_START",
    end: "TEXT_MESSAGE_END",
    entity: "text message",
    owned: "message",
};
pub(super) const TOOL: Stream = Stream {
    kind: Kind::Tool,
    start: "TOOL_CALL_START",
    end: "TOOL_CALL_END",
    entity: "tool call",
    owned: "tool call",
};
pub(super) const REASONING: Stream = Stream {
    kind: Kind::Reasoning,
    start: "REASONING_MESSAGE_START",
    end: "REASONING_MESSAGE_END",
    entity: "reasoning message",
    owned: "reasoning message",
};
pub(super) const SPAN: Stream = Stream {
    kind: Kind::Span,
    start: "REASONING_START",
    end: "REASONING_END",
    entity: "reasoning span",
    owned: "reasoning message",
};

impl Stream {
    /// Returns the error for an event that continues or ends an entity that is not open.
    pub(super) fn not_open(&self, event_type: &str, id: &str) -> ProtocolError {
        let Self { entity, start, .. } = self;
        // The reference client words a reasoning message's END like its CONTENT.
        let advice = if event_type == self.end && self.kind != Kind::Reasoning {
            format!("A '{start}' event must be sent first.")
        } else {
            format!("Start a {entity} with '{start}' first.")
        };
        ProtocolError::sequence(format!(
            "Cannot send '{event_type}' event: No active {entity} found with ID '{id}'. {advice}"
        ))
    }
}

impl Run {
    pub(super) const fn table(&self, stream: &Stream) -> &Table {
        match stream.kind {
            Kind::Text => &self.messages,
            Kind::Tool => &self.calls,
            Kind::Reasoning => &self.reasoning,
            Kind::Span => &self.spans,
        }
    }

    pub(super) const fn table_mut(&mut self, stream: &Stream) -> &mut Table {
        match stream.kind {
            Kind::Text => &mut self.messages,
            Kind::Tool => &mut self.calls,
            Kind::Reasoning => &mut self.reasoning,
            Kind::Span => &mut self.spans,
        }
    }

    /// Returns the table with the owners of a kind of entity. Spans share the table of reasoning
    /// messages.
    pub(super) const fn owners_mut(&mut self, stream: &Stream) -> &mut Table {
        match stream.kind {
            Kind::Span => &mut self.reasoning,
            _ => self.table_mut(stream),
        }
    }

    /// Checks rule 12: only the agent that opened an entity may continue it. An event without a tag
    /// is accepted.
    pub(super) fn agrees(
        &self,
        stream: &Stream,
        event_type: &str,
        id: &str,
        tag: Option<&str>,
    ) -> Result<(), ProtocolError> {
        let owners = if stream.kind == Kind::Span {
            &self.reasoning
        } else {
            self.table(stream)
        };
        check_owner(owners, event_type, stream.owned, id, tag)
    }

    /// Checks rule 11, and returns the owner of a call that starts: the tag or, without it, the
    /// owner of the parent message.
    pub(super) fn call_owner(
        &self,
        id: &str,
        parent: Option<&str>,
        tag: Option<&str>,
    ) -> Result<Option<String>, ProtocolError> {
        let parent = parent.and_then(|parent| Some((parent, self.messages.get(parent)?)));
        let belongs = "A tool call belongs to the message that carries it.";
        if let (Some((parent, carrier)), Some(tag)) = (parent, tag)
            && carrier.owner.as_deref() != Some(tag)
        {
            return Err(ProtocolError::sequence(format!(
                "Cannot send 'TOOL_CALL_START': subagentRunId '{tag}' does not match its parent message '{parent}' owner '{}'. {belongs}",
                carrier.owner.as_deref().unwrap_or(PARENT)
            )));
        }
        self.agrees(&TOOL, TOOL.start, id, tag)?;
        if let (Some((parent, carrier)), None, Some(call)) = (parent, tag, self.calls.get(id))
            && carrier.owner != call.owner
        {
            return Err(ProtocolError::sequence(format!(
                "Cannot send 'TOOL_CALL_START': tool call '{id}' is owned by '{}' but its parent message '{parent}' is owned by '{}'. {belongs}",
                call.owner.as_deref().unwrap_or(PARENT),
                carrier.owner.as_deref().unwrap_or(PARENT)
            )));
        }
        let inherited = parent.and_then(|(_, carrier)| carrier.owner.clone());
        Ok(tag.map(str::to_owned).or(inherited))
    }

    /// Checks events that are not part of a stream.
    pub(super) fn standalone(
        &mut self,
        event: &Event,
        tag: Option<&str>,
    ) -> Result<(), ProtocolError> {
        match &event.kind {
            EventKind::StepStarted { step_name } => self.step_started(step_name, tag),
            EventKind::StepFinished { step_name } => self.step_finished(step_name, tag),
            EventKind::ToolCallResult { message_id, .. } => {
                self.messages.own(message_id, tag, true);
                Ok(())
            }
            EventKind::MessagesSnapshot { messages } => {
                self.own_history(messages, true);
                Ok(())
            }
            EventKind::ActivitySnapshot {
                message_id,
                replace,
                ..
            } => {
                self.activities.own(message_id, tag, *replace);
                Ok(())
            }
            EventKind::ActivityDelta { message_id, .. } => check_owner(
                &self.activities,
                "ACTIVITY_DELTA",
                "activity",
                message_id,
                tag,
            ),
            EventKind::ReasoningEncryptedValue {
                entity, entity_id, ..
            } => {
                let (table, owned) = match entity {
                    EncryptedEntity::ToolCall => (&self.calls, "tool call"),
                    EncryptedEntity::Message if self.messages.get(entity_id).is_some() => {
                        (&self.messages, "message")
                    }
                    EncryptedEntity::Message => (&self.reasoning, "message"),
                };
                check_owner(table, "REASONING_ENCRYPTED_VALUE", owned, entity_id, tag)
            }
            EventKind::SubagentStarted {
                subagent_run_id,
                parent_subagent_run_id,
                ..
            } => self.subagent_started(subagent_run_id, parent_subagent_run_id.as_deref()),
            EventKind::SubagentFinished {
                subagent_run_id, ..
            }
            | EventKind::SubagentError {
                subagent_run_id, ..
            } => {
                if self.subagents.close(subagent_run_id) {
                    return Ok(());
                }
                Err(ProtocolError::sequence(format!(
                    "Cannot send '{}': no active subagent found with ID '{subagent_run_id}'. A 'SUBAGENT_STARTED' event must be sent first.",
                    event_type(&event.kind)
                )))
            }
            _ => Ok(()),
        }
    }

    /// Checks rule 13 for the start of a step, which is identified by its name and owner.
    fn step_started(&mut self, name: &str, tag: Option<&str>) -> Result<(), ProtocolError> {
        let key = step_key(name, tag);
        if self.steps.is_open(&key) {
            let place = tag
                .map(|tag| format!(" in subagent '{tag}'"))
                .unwrap_or_default();
            return Err(ProtocolError::sequence(format!(
                "Step \"{name}\" is already active for 'STEP_STARTED'{place}"
            )));
        }
        self.steps.open(&key, tag, Some(name));
        Ok(())
    }

    fn step_finished(&mut self, name: &str, tag: Option<&str>) -> Result<(), ProtocolError> {
        if self.steps.close(&step_key(name, tag)) {
            return Ok(());
        }
        let open = self.steps.open_entries();
        let other = open
            .iter()
            .find(|(_, entry)| entry.name.as_deref() == Some(name));
        Err(ProtocolError::sequence(match other {
            None => format!("Cannot send 'STEP_FINISHED' for step \"{name}\" that was not started"),
            Some((_, entry)) => format!(
                "Cannot send 'STEP_FINISHED' for step \"{name}\" attributed to {}: that step is open under {}. A step must be finished by whoever started it.",
                owner_text(tag),
                owner_text(entry.owner.as_deref())
            ),
        }))
    }

    /// Checks rule 15: the id of a subagent is not reused in a run, and its parent has been
    /// started.
    fn subagent_started(&mut self, id: &str, parent: Option<&str>) -> Result<(), ProtocolError> {
        let problem = if self.subagents.is_open(id) {
            format!("subagent '{id}' is already active. Finish it with 'SUBAGENT_FINISHED' first.")
        } else if self.subagents.get(id).is_some() {
            format!(
                "subagent '{id}' has already finished in this run. Subagent IDs are per-invocation and cannot be reused."
            )
        } else if let Some(parent) = parent.filter(|parent| self.subagents.get(parent).is_none()) {
            format!("parentSubagentRunId '{parent}' has not been started in this run.")
        } else {
            self.subagents.open(id, None, None);
            return Ok(());
        };
        Err(ProtocolError::sequence(format!(
            "Cannot send 'SUBAGENT_STARTED': {problem}"
        )))
    }

    /// Checks rule 16: nothing is open when a run finishes.
    pub(super) fn nothing_open(&self) -> Result<(), ProtocolError> {
        let kinds = [
            ("steps", &self.steps),
            ("text messages", &self.messages),
            ("reasoning messages", &self.reasoning),
            ("reasoning spans", &self.spans),
            ("tool calls", &self.calls),
            ("subagents", &self.subagents),
        ];
        let Some((word, table)) = kinds.into_iter().find(|(_, table)| table.any_open()) else {
            return Ok(());
        };
        let open: Vec<String> = table
            .open_entries()
            .into_iter()
            .map(|(id, entry)| match (word, &entry.name, &entry.owner) {
                ("steps", Some(name), Some(owner)) => format!("{name} (subagent '{owner}')"),
                ("steps", Some(name), None) => name.clone(),
                _ => id.to_owned(),
            })
            .collect();
        Err(ProtocolError::sequence(format!(
            "Cannot send 'RUN_FINISHED' while {word} are still active: {}",
            open.join(", ")
        )))
    }
}

fn check_owner(
    owners: &Table,
    event_type: &str,
    owned: &str,
    id: &str,
    tag: Option<&str>,
) -> Result<(), ProtocolError> {
    let (Some(tag), Some(entry)) = (tag, owners.get(id)) else {
        return Ok(());
    };
    if entry.owner.as_deref() == Some(tag) {
        return Ok(());
    }
    Err(ProtocolError::sequence(format!(
        "Cannot send '{event_type}': subagentRunId '{tag}' does not match the {owned} '{id}' opener's subagent '{}'.",
        entry.owner.as_deref().unwrap_or(PARENT)
    )))
}

/// Returns a key for a step's name and owner. The length prefix makes the key unambiguous.
fn step_key(name: &str, tag: Option<&str>) -> String {
    match tag {
        None => format!("-{name}"),
        Some(owner) => format!("{}:{owner}{name}", owner.len()),
    }
}

fn owner_text(owner: Option<&str>) -> String {
    owner.map_or_else(
        || "the parent agent".to_owned(),
        |owner| format!("subagent '{owner}'"),
    )
}
