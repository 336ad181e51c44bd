//! Replays the tool calls of a vector: the agent requests a call in a run, an approval starts it,
//! and a handler ends it.

use serde_json::{Value, json};

use super::{
    ErrorCode, find_text, require_text,
    script::{BranchScript, TOOL},
};
use assistant_core::{
    action::{ToolError, ToolOutcome},
    conversation::{CallKey, CallResult, Decider, Phase, Status, TreeError},
    event::{EventKind, Role},
    replay::{self, RecordedEnd},
    session::{Input, Verdict},
};

impl BranchScript {
    /// Begins a run that adds calls to the agent's message, and ends the run.
    pub(super) fn add_calls(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let id = self.message_id(require_text(op, "assistant")?);
        let role = self.conversation().message(&id).map(|known| known.role());
        match role {
            None => return Err(TreeError::UnknownMessage.code()),
            Some(Role::Assistant) => {}
            Some(_) => return Err(TreeError::NotAssistant.code()),
        }
        let calls = op.get("calls").and_then(Value::as_array);
        let ids = calls.ok_or("malformed")?.iter().map(|call| {
            let id = call.as_str().or_else(|| find_text(call, "id"));
            id.ok_or("malformed")
        });
        let ids: Vec<&str> = ids.collect::<Result<_, _>>()?;
        let on_path = self
            .conversation()
            .run_path()
            .any(|known| *known.id() == id);
        let shown = self.conversation().tip().cloned().filter(|_| !on_path);
        if !on_path {
            self.finish_run();
            self.show_message(&id, true);
        }
        self.begin_run();
        for call in ids {
            let tool_call_id = call.to_owned();
            self.handle_event(EventKind::ToolCallStart {
                tool_call_id: tool_call_id.clone(),
                tool_call_name: TOOL.to_owned(),
                parent_message_id: Some(id.as_str().to_owned()),
            });
            let delta = json!({}).to_string();
            self.handle_event(EventKind::ToolCallArgs {
                tool_call_id: tool_call_id.clone(),
                delta,
            });
            self.handle_event(EventKind::ToolCallEnd { tool_call_id });
        }
        self.finish_run();
        if let Some(shown) = shown {
            self.show_message(&shown, false);
        }
        Ok(())
    }

    /// Returns the key and the phase of the call with this agent's id, on the run's path or on
    /// another branch; `None` if no call has the id.
    pub(super) fn find_call(&self, id: &str) -> Option<(CallKey, Phase)> {
        let conversation = self.conversation();
        let on_path = conversation.call_by_wire_id(id).map(|(_, call)| call);
        let mut all = conversation
            .all_messages()
            .flat_map(|message| conversation.calls_in(message));
        let call = on_path.or_else(|| all.find(|call| call.id() == id))?;
        Some((call.key(), call.phase()))
    }

    /// Approves a call, which starts its handler. Does nothing if the call waits for no approval.
    pub(super) fn start_call(&mut self, id: &str) -> Result<(), ErrorCode> {
        let (call, phase) = self.find_call(id).ok_or("unknown_call")?;
        if phase != Phase::ApprovalRequested {
            return Ok(());
        }
        self.finish_run();
        // The replay shows nothing, so the approval is for the current version.
        let shown = self.session.fingerprint(&call).ok_or("unknown_call")?;
        self.handle_input(Input::Decide {
            call,
            shown,
            verdict: Verdict::Approve { args: None },
            by: Decider::Person,
        })
    }

    /// Ends a call with the result or the status in the operation; a call that waits for an
    /// approval is approved first, if its handler is to end it. The session ignores a result that
    /// is late.
    pub(super) fn end_call(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let id = require_text(op, "call")?;
        let (key, _) = self.find_call(id).ok_or("unknown_call")?;
        let status = find_text(op, "status").unwrap_or("complete");
        let result = op.get("result").cloned().unwrap_or_else(|| json!("done"));
        let ended = match (status, Status::parse(status)) {
            ("denied" | "rejected" | "output-denied", _) => Err(RecordedEnd::Denied),
            ("skipped", _) => Err(RecordedEnd::Skipped),
            ("cancelled" | "canceled", _) => Err(RecordedEnd::Cancelled),
            (_, Some(Status::Complete)) => Ok(Ok(ToolOutcome::Continue(result.clone()))),
            (_, Some(Status::Failed)) => Ok(Err(ToolError::new(
                find_text(op, "error").unwrap_or("failed"),
            ))),
            _ => return Err("malformed"),
        };
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(end) => {
                let result = CallResult::new(format!("{id}-result"), result.to_string(), result);
                replay::end_call(&mut self.session, key, end, result);
                return self.handle_input(Input::SetForwardedProps { props: json!({}) });
            }
        };
        self.start_call(id)?;
        let Some(invocation) = self.handlers.get(id).copied() else {
            return Ok(());
        };
        self.handle_input(Input::Finished {
            invocation,
            outcome,
        })
    }
}
