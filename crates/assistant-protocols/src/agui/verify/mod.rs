//! Verifies the order and ownership of events.
//!
//! Verification is the last stage and runs after the expansion of chunks. Errors use the messages
//! of the reference client, so that users can search for them. The verifier stores the ids, names
//! and owners of the entities of the current run, but not their content.

mod rules;
mod table;

use super::encode::event_type;
use assistant_core::event::fault::{ProtocolError, quote};
use assistant_core::event::{Diagnostic, Event, EventKind, Message, MessageBody};
use rules::{REASONING, SPAN, StreamNames, TEXT, TOOL};
use table::EntityTable;

const PARENT: &str = "(the parent agent)";

/// The result of checking an event that does not violate a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// The event is valid.
    Pass,
    /// The event is redundant, so it is dropped with this diagnostic.
    Drop(Diagnostic),
}

/// The stage of the current run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RunStage {
    #[default]
    Before,
    Running,
    Finished,
    Failed,
}

/// A verifier for the order and ownership of the events of one stream.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    strict: bool,
    stage: RunStage,
    run: RunEntities,
}

/// The entities of a run, with their owners.
#[derive(Debug, Clone, Default)]
struct RunEntities {
    messages: EntityTable,
    calls: EntityTable,
    activities: EntityTable,
    /// The reasoning messages. This table also contains the owners of reasoning spans.
    reasoning: EntityTable,
    spans: EntityTable,
    steps: EntityTable,
    subagents: EntityTable,
}

impl Verifier {
    /// Creates a verifier. If `strict` is true, the verifier rejects the known deviations of real
    /// servers. If false, it drops them with a diagnostic (rule "tolerant in, strict out").
    #[must_use]
    pub fn new(strict: bool) -> Self {
        Self {
            strict,
            ..Self::default()
        }
    }

    /// Returns true if the last run has ended, or if the stream began with `RUN_ERROR`.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self.stage, RunStage::Finished | RunStage::Failed)
    }

    /// Checks the next event.
    ///
    /// # Errors
    ///
    /// Fails if the event violates a rule. The stream is then over.
    pub fn check(&mut self, event: &Event) -> Result<Checked, ProtocolError> {
        if self.stage != RunStage::Running
            && let Some(checked) = self.check_between_runs(&event.kind)?
        {
            return Ok(checked);
        }
        let subagent = event.base.subagent_run_id.as_deref();
        match &event.kind {
            EventKind::RunStarted { input, .. } => {
                let history = input.as_deref().map(|input| input.messages.as_slice());
                self.begin_run(history.unwrap_or_default())?;
            }
            EventKind::RunFinished { .. } => {
                self.run.check_all_closed()?;
                self.stage = RunStage::Finished;
            }
            EventKind::RunError { .. } => self.stage = RunStage::Failed,
            EventKind::TextMessageStart {
                message_id, name, ..
            } => {
                return self.start_entity(&TEXT, message_id, subagent, name.as_deref());
            }
            EventKind::TextMessageContent { message_id, .. } => {
                return self.verify_continuation(&TEXT, event, message_id);
            }
            EventKind::TextMessageEnd { message_id } => {
                return self.end_entity(&TEXT, message_id, subagent);
            }
            EventKind::ToolCallStart {
                tool_call_id,
                tool_call_name,
                parent_message_id,
            } => {
                let name = tool_call_name.as_str();
                return self.start_call(tool_call_id, name, parent_message_id.as_deref(), subagent);
            }
            EventKind::ToolCallArgs { tool_call_id, .. } => {
                return self.verify_continuation(&TOOL, event, tool_call_id);
            }
            EventKind::ToolCallEnd { tool_call_id } => {
                return self.end_entity(&TOOL, tool_call_id, subagent);
            }
            EventKind::ReasoningStart { message_id } => {
                return self.start_entity(&SPAN, message_id, subagent, None);
            }
            EventKind::ReasoningEnd { message_id } => {
                return self.end_entity(&SPAN, message_id, subagent);
            }
            EventKind::ReasoningMessageStart { message_id } => {
                return self.start_entity(&REASONING, message_id, subagent, None);
            }
            EventKind::ReasoningMessageContent { message_id, .. } => {
                return self.verify_continuation(&REASONING, event, message_id);
            }
            EventKind::ReasoningMessageEnd { message_id } => {
                return self.end_entity(&REASONING, message_id, subagent);
            }
            _ => self.run.check_standalone_event(event, subagent)?,
        }
        Ok(Checked::Pass)
    }

    /// Checks an event that arrives before the first run or after the end of a run. Returns `None`
    /// if the event is valid, and [`Checked::Drop`] if the event is dropped because it follows
    /// `RUN_ERROR`.
    fn check_between_runs(&self, kind: &EventKind) -> Result<Option<Checked>, ProtocolError> {
        if matches!(kind, EventKind::RunStarted { .. }) {
            return Ok(None);
        }
        let name = event_type(kind);
        let message = match self.stage {
            RunStage::Failed if self.strict => format!(
                "Cannot send event type '{name}': The run has already errored with 'RUN_ERROR'. No further events can be sent."
            ),
            RunStage::Failed => {
                let message = format!("Ignored {name}: the run had already ended with RUN_ERROR.");
                return Ok(Some(drop_with_diagnostic("after-run-error", message)));
            }
            _ if matches!(kind, EventKind::RunError { .. }) => return Ok(None),
            RunStage::Finished => format!(
                "Cannot send event type '{name}': The run has already finished with 'RUN_FINISHED'. Start a new run with 'RUN_STARTED'."
            ),
            RunStage::Before | RunStage::Running => "First event must be 'RUN_STARTED'".to_owned(),
        };
        Err(ProtocolError::sequence(message))
    }

    fn begin_run(&mut self, history: &[Message]) -> Result<(), ProtocolError> {
        if self.stage == RunStage::Running {
            return Err(ProtocolError::sequence(
                "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be finished with 'RUN_FINISHED' before starting a new run.".to_owned(),
            ));
        }
        self.stage = RunStage::Running;
        self.run = RunEntities::default();
        self.run.record_owners(history, false);
        Ok(())
    }

    fn start_entity(
        &mut self,
        stream: &StreamNames,
        id: &str,
        subagent: Option<&str>,
        name: Option<&str>,
    ) -> Result<Checked, ProtocolError> {
        let table = self.run.table(stream);
        if table.is_open(id) {
            let has_same_name = table
                .get(id)
                .is_some_and(|entry| entry.name.as_deref() == name);
            let is_valid_sender = self
                .run
                .check_sender(stream, stream.start, id, subagent)
                .is_ok();
            if !self.strict && has_same_name && is_valid_sender {
                let message = format!("Ignored a repeated {} of '{}'.", stream.start, quote(id));
                return Ok(drop_with_diagnostic("repeated-start", message));
            }
            return Err(ProtocolError::sequence(format!(
                "Cannot send '{}' event: A {} with ID '{id}' is already in progress. Complete it with '{}' first.",
                stream.start, stream.entity, stream.end
            )));
        }
        self.run.check_sender(stream, stream.start, id, subagent)?;
        self.run
            .owners_mut(stream)
            .record_owner(id, subagent, false);
        self.run.table_mut(stream).open(id, subagent, name);
        Ok(Checked::Pass)
    }

    fn verify_continuation(
        &self,
        stream: &StreamNames,
        event: &Event,
        id: &str,
    ) -> Result<Checked, ProtocolError> {
        if !self.run.table(stream).is_open(id) {
            let name = event_type(&event.kind);
            if !self.strict && matches!(event.kind, EventKind::ToolCallArgs { .. }) {
                return Ok(drop_unknown_id(name, id));
            }
            return Err(stream.not_open_error(name, id));
        }
        if event.base.subagent_run_id.is_some() {
            let subagent = event.base.subagent_run_id.as_deref();
            self.run
                .check_sender(stream, event_type(&event.kind), id, subagent)?;
        }
        Ok(Checked::Pass)
    }

    fn end_entity(
        &mut self,
        stream: &StreamNames,
        id: &str,
        subagent: Option<&str>,
    ) -> Result<Checked, ProtocolError> {
        if !self.run.table(stream).is_open(id) {
            if !self.strict {
                return Ok(drop_unknown_id(stream.end, id));
            }
            return Err(stream.not_open_error(stream.end, id));
        }
        self.run.check_sender(stream, stream.end, id, subagent)?;
        self.run.table_mut(stream).close(id);
        Ok(Checked::Pass)
    }

    /// Checks the start of a tool call and opens the call. If the event names no subagent, the
    /// call's owner is the owner of the parent message.
    fn start_call(
        &mut self,
        id: &str,
        name: &str,
        parent: Option<&str>,
        subagent: Option<&str>,
    ) -> Result<Checked, ProtocolError> {
        if self.run.calls.is_open(id) {
            return self.start_entity(&TOOL, id, subagent, Some(name));
        }
        let owner = self.run.determine_call_owner(id, parent, subagent)?;
        self.start_entity(&TOOL, id, owner.as_deref(), Some(name))
    }
}

impl RunEntities {
    /// Records the owners of messages and of the messages' calls, from a snapshot or an echoed
    /// input. Known owners are replaced only if `replace` is true.
    fn record_owners(&mut self, messages: &[Message], replace: bool) {
        for message in messages {
            let owner = message.subagent_run_id.as_deref();
            let table = match &message.body {
                MessageBody::Reasoning { .. } => &mut self.reasoning,
                MessageBody::Activity { .. } => &mut self.activities,
                _ => &mut self.messages,
            };
            table.record_owner(&message.id, owner, replace);
            if let MessageBody::Assistant { tool_calls, .. } = &message.body {
                for call in tool_calls {
                    self.calls.record_owner(&call.id, owner, replace);
                }
            }
        }
    }
}

fn drop_unknown_id(name: &str, id: &str) -> Checked {
    let message = format!("Ignored {name}: nothing with ID '{}' is open.", quote(id));
    drop_with_diagnostic("unknown-id", message)
}

fn drop_with_diagnostic(code: &'static str, message: String) -> Checked {
    Checked::Drop(Diagnostic::new(code, message))
}
