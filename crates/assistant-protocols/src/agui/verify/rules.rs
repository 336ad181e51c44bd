//! Checks the rules that depend only on the entities of a run. [`super::Verifier`] checks all other
//! rules.

use super::super::encode::event_type;
use super::table::EntityTable;
use super::{PARENT, RunEntities};
use assistant_core::event::fault::ProtocolError;
use assistant_core::event::{EncryptedEntity, Event, EventKind};

/// The event types of one kind of streamed entity, and the names of the kind in error messages.
pub(super) struct StreamNames {
    kind: EntityKind,
    pub(super) start: &'static str,
    pub(super) end: &'static str,
    /// The name of the kind in error messages.
    pub(super) entity: &'static str,
    /// The name of the kind in error messages about ownership.
    owned: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntityKind {
    Text,
    Tool,
    Reasoning,
    Span,
}

pub(super) const TEXT: StreamNames = StreamNames {
    kind: EntityKind::Text,
    start: "TEXT_MESSAGE_START",
    end: "TEXT_MESSAGE_END",
    entity: "text message",
    owned: "message",
};
pub(super) const TOOL: StreamNames = StreamNames {
    kind: EntityKind::Tool,
    start: "TOOL_CALL_START",
    end: "TOOL_CALL_END",
    entity: "tool call",
    owned: "tool call",
};
pub(super) const REASONING: StreamNames = StreamNames {
    kind: EntityKind::Reasoning,
    start: "REASONING_MESSAGE_START",
    end: "REASONING_MESSAGE_END",
    entity: "reasoning message",
    owned: "reasoning message",
};
pub(super) const SPAN: StreamNames = StreamNames {
    kind: EntityKind::Span,
    start: "REASONING_START",
    end: "REASONING_END",
    entity: "reasoning span",
    owned: "reasoning message",
};

impl StreamNames {
    /// Returns the error for an event that continues or ends an entity that is not open.
    pub(super) fn not_open_error(&self, event_type: &str, id: &str) -> ProtocolError {
        let Self { entity, start, .. } = self;
        // Reasoning messages are excluded, because the reference client gives the same advice for
        // their END and CONTENT events.
        let advice = if event_type == self.end && self.kind != EntityKind::Reasoning {
            format!("A '{start}' event must be sent first.")
        } else {
            format!("Start a {entity} with '{start}' first.")
        };
        ProtocolError::sequence(format!(
            "Cannot send '{event_type}' event: No active {entity} found with ID '{id}'. {advice}"
        ))
    }
}

impl RunEntities {
    pub(super) const fn table(&self, stream: &StreamNames) -> &EntityTable {
        match stream.kind {
            EntityKind::Text => &self.messages,
            EntityKind::Tool => &self.calls,
            EntityKind::Reasoning => &self.reasoning,
            EntityKind::Span => &self.spans,
        }
    }

    pub(super) const fn table_mut(&mut self, stream: &StreamNames) -> &mut EntityTable {
        match stream.kind {
            EntityKind::Text => &mut self.messages,
            EntityKind::Tool => &mut self.calls,
            EntityKind::Reasoning => &mut self.reasoning,
            EntityKind::Span => &mut self.spans,
        }
    }

    /// Returns the table that contains the owners of a kind of entity. The owners of spans are in
    /// the table of reasoning messages.
    pub(super) const fn owners_mut(&mut self, stream: &StreamNames) -> &mut EntityTable {
        match stream.kind {
            EntityKind::Span => &mut self.reasoning,
            _ => self.table_mut(stream),
        }
    }

    /// Checks that the event's sender is the agent that opened the entity. An event that names no
    /// subagent or refers to an unknown entity is accepted.
    pub(super) fn check_sender(
        &self,
        stream: &StreamNames,
        event_type: &str,
        id: &str,
        subagent: Option<&str>,
    ) -> Result<(), ProtocolError> {
        let owners = if stream.kind == EntityKind::Span {
            &self.reasoning
        } else {
            self.table(stream)
        };
        check_owner(owners, event_type, stream.owned, id, subagent)
    }

    /// Checks the sender of a new tool call, and returns the call's owner. The owner is the
    /// subagent that the event names or, if it names none, the owner of the parent message. Returns
    /// `None` for the parent agent, and for a call that names no subagent and has no known parent
    /// message.
    pub(super) fn determine_call_owner(
        &self,
        id: &str,
        parent: Option<&str>,
        subagent: Option<&str>,
    ) -> Result<Option<String>, ProtocolError> {
        let parent = parent.and_then(|parent| Some((parent, self.messages.get(parent)?)));
        let rule = "A tool call belongs to the message that carries it.";
        if let (Some((parent, message)), Some(subagent)) = (parent, subagent)
            && message.owner.as_deref() != Some(subagent)
        {
            return Err(ProtocolError::sequence(format!(
                "Cannot send 'TOOL_CALL_START': subagentRunId '{subagent}' does not match its parent message '{parent}' owner '{}'. {rule}",
                message.owner.as_deref().unwrap_or(PARENT)
            )));
        }
        self.check_sender(&TOOL, TOOL.start, id, subagent)?;
        if let (Some((parent, message)), None, Some(call)) = (parent, subagent, self.calls.get(id))
            && message.owner != call.owner
        {
            return Err(ProtocolError::sequence(format!(
                "Cannot send 'TOOL_CALL_START': tool call '{id}' is owned by '{}' but its parent message '{parent}' is owned by '{}'. {rule}",
                call.owner.as_deref().unwrap_or(PARENT),
                message.owner.as_deref().unwrap_or(PARENT)
            )));
        }
        let parent_owner = parent.and_then(|(_, message)| message.owner.clone());
        Ok(subagent.map(str::to_owned).or(parent_owner))
    }

    /// Checks an event that does not stream content. Records the owners that the event contains,
    /// and opens or closes the event's step or subagent.
    pub(super) fn check_standalone_event(
        &mut self,
        event: &Event,
        subagent: Option<&str>,
    ) -> Result<(), ProtocolError> {
        match &event.kind {
            EventKind::StepStarted { step_name } => self.start_step(step_name, subagent),
            EventKind::StepFinished { step_name } => self.finish_step(step_name, subagent),
            EventKind::ToolCallResult { message_id, .. } => {
                self.messages.record_owner(message_id, subagent, true);
                Ok(())
            }
            EventKind::MessagesSnapshot { messages } => {
                self.record_owners(messages, true);
                Ok(())
            }
            EventKind::ActivitySnapshot {
                message_id,
                replace,
                ..
            } => {
                self.activities.record_owner(message_id, subagent, *replace);
                Ok(())
            }
            EventKind::ActivityDelta { message_id, .. } => check_owner(
                &self.activities,
                "ACTIVITY_DELTA",
                "activity",
                message_id,
                subagent,
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
                check_owner(
                    table,
                    "REASONING_ENCRYPTED_VALUE",
                    owned,
                    entity_id,
                    subagent,
                )
            }
            EventKind::SubagentStarted {
                subagent_run_id,
                parent_subagent_run_id,
                ..
            } => self.start_subagent(subagent_run_id, parent_subagent_run_id.as_deref()),
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

    /// Opens a step, which is identified by its name and owner. Fails if the step is already open.
    fn start_step(&mut self, name: &str, subagent: Option<&str>) -> Result<(), ProtocolError> {
        let key = step_key(name, subagent);
        if self.steps.is_open(&key) {
            let location = subagent
                .map(|subagent| format!(" in subagent '{subagent}'"))
                .unwrap_or_default();
            return Err(ProtocolError::sequence(format!(
                "Step \"{name}\" is already active for 'STEP_STARTED'{location}"
            )));
        }
        self.steps.open(&key, subagent, Some(name));
        Ok(())
    }

    fn finish_step(&mut self, name: &str, subagent: Option<&str>) -> Result<(), ProtocolError> {
        if self.steps.close(&step_key(name, subagent)) {
            return Ok(());
        }
        let open_steps = self.steps.open_entries();
        let open_step = open_steps
            .iter()
            .find(|(_, entry)| entry.name.as_deref() == Some(name));
        Err(ProtocolError::sequence(match open_step {
            None => format!("Cannot send 'STEP_FINISHED' for step \"{name}\" that was not started"),
            Some((_, entry)) => format!(
                "Cannot send 'STEP_FINISHED' for step \"{name}\" attributed to {}: that step is open under {}. A step must be finished by whoever started it.",
                describe_owner(subagent),
                describe_owner(entry.owner.as_deref())
            ),
        }))
    }

    /// Opens a subagent. Fails if the subagent's id was already used in the run, or if its parent
    /// was not started.
    fn start_subagent(&mut self, id: &str, parent: Option<&str>) -> Result<(), ProtocolError> {
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

    /// Checks that no entity is open when a run finishes.
    pub(super) fn check_all_closed(&self) -> Result<(), ProtocolError> {
        let kinds = [
            ("steps", &self.steps),
            ("text messages", &self.messages),
            ("reasoning messages", &self.reasoning),
            ("reasoning spans", &self.spans),
            ("tool calls", &self.calls),
            ("subagents", &self.subagents),
        ];
        let Some((kind_name, table)) = kinds
            .into_iter()
            .find(|(_, table)| table.has_open_entries())
        else {
            return Ok(());
        };
        let open_names: Vec<String> = table
            .open_entries()
            .into_iter()
            .map(|(id, entry)| match (kind_name, &entry.name, &entry.owner) {
                ("steps", Some(name), Some(owner)) => format!("{name} (subagent '{owner}')"),
                ("steps", Some(name), None) => name.clone(),
                _ => id.to_owned(),
            })
            .collect();
        Err(ProtocolError::sequence(format!(
            "Cannot send 'RUN_FINISHED' while {kind_name} are still active: {}",
            open_names.join(", ")
        )))
    }
}

fn check_owner(
    owners: &EntityTable,
    event_type: &str,
    owned: &str,
    id: &str,
    subagent: Option<&str>,
) -> Result<(), ProtocolError> {
    let (Some(subagent), Some(entry)) = (subagent, owners.get(id)) else {
        return Ok(());
    };
    if entry.owner.as_deref() == Some(subagent) {
        return Ok(());
    }
    Err(ProtocolError::sequence(format!(
        "Cannot send '{event_type}': subagentRunId '{subagent}' does not match the {owned} '{id}' opener's subagent '{}'.",
        entry.owner.as_deref().unwrap_or(PARENT)
    )))
}

/// Returns a unique key for a step's name and owner. The length prefix marks the end of the owner.
fn step_key(name: &str, subagent: Option<&str>) -> String {
    match subagent {
        None => format!("-{name}"),
        Some(owner) => format!("{}:{owner}{name}", owner.len()),
    }
}

fn describe_owner(owner: Option<&str>) -> String {
    owner.map_or_else(
        || "the parent agent".to_owned(),
        |owner| format!("subagent '{owner}'"),
    )
}
