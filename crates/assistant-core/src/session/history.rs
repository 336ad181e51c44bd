//! The history of all calls in a conversation, for handlers and applications.

use serde_json::Value;

use super::{Session, audit::bound};
use crate::{
    action::ActionFingerprint,
    conversation::{CallKey, Conversation, Phase, ToolCall},
    event::Object,
};

/// The maximum number of calls with details.
const MAX_DETAILED_CALLS: usize = 200;

/// The calls of a conversation on all branches, including those of the page itself.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolHistory {
    /// The number of calls.
    pub total: usize,
    /// The number of calls of each tool: `{"add": 2, "remove": 1}`.
    pub counts: Object,
    /// The newest two hundred calls, in order of appearance.
    pub records: Vec<ToolRecord>,
}

/// A call with its outcome. Arguments and results are truncated like those of audit records.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolRecord {
    /// The key of the call.
    pub call: CallKey,
    /// The agent's id of the call; empty for calls of the page itself.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The fingerprint of the called action, if an action is registered for the tool.
    pub action: Option<ActionFingerprint>,
    /// The effective arguments; the raw text if they are not JSON.
    pub args: Value,
    /// The phase.
    pub phase: Phase,
    /// The result for the agent; `None` while the call is open.
    pub result: Option<Value>,
    /// The error message, if the call failed.
    pub error: Option<String>,
    /// The message; `None` for calls of the page itself.
    pub message: Option<String>,
    /// The call whose handler requested this one, if any.
    pub parent: Option<CallKey>,
    /// The time at which the call appeared, in milliseconds since 1970.
    pub created_at: i64,
    /// The time at which the call ended, in milliseconds since 1970.
    pub ended_at: Option<i64>,
}

impl ToolHistory {
    /// Returns the number of calls of a tool.
    #[must_use]
    pub fn count(&self, tool: &str) -> usize {
        let count = self.counts.get(tool).and_then(Value::as_u64);
        count
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(0)
    }

    fn add(&mut self, name: &str) {
        self.total += 1;
        let count = self.counts.get(name).and_then(Value::as_u64).unwrap_or(0);
        self.counts.insert(name.to_owned(), (count + 1).into());
    }
}

impl ToolRecord {
    fn of(call: &ToolCall, conversation: &Conversation) -> Self {
        let message = conversation.message_of_call(&call.key());
        let args = call.effective_args().cloned();
        let mut args = args.unwrap_or_else(|| call.args_text().into());
        let mut result = call.result().map(|result| result.value.clone());
        bound(&mut args);
        result.as_mut().map(bound);
        Self {
            call: call.key(),
            call_id: call.id.clone(),
            name: call.name.clone(),
            action: call.action.clone(),
            args,
            phase: call.phase(),
            result,
            error: call.error().map(|error| error.message.clone()),
            message: message.map(|message| message.id.as_str().to_owned()),
            parent: call.parent,
            created_at: call.created_at,
            ended_at: call.ended_at(),
        }
    }
}

impl Session {
    /// Returns all calls of the conversation, and those of the page itself since it was opened.
    #[must_use]
    pub fn tool_history(&self) -> ToolHistory {
        let mut history = ToolHistory::default();
        let placed = self.conversation.all_calls();
        let open = self.conversation.direct_calls();
        let mut known: Vec<Known<'_>> = placed.chain(open).map(Known::Call).collect();
        known.extend(self.past_direct.iter().map(Known::Past));
        let known = crate::order::in_order(known, Known::number);
        let left_out = known.len().saturating_sub(MAX_DETAILED_CALLS);
        for (at, one) in known.into_iter().enumerate() {
            history.add(one.name());
            if at >= left_out {
                history.records.push(match one {
                    Known::Call(call) => ToolRecord::of(call, &self.conversation),
                    Known::Past(record) => record.clone(),
                });
            }
        }
        history
    }

    /// Keeps the record of a finished call of the page.
    pub(super) fn keep_direct(&mut self, call: &ToolCall) {
        let record = ToolRecord::of(call, &self.conversation);
        self.past_direct.push(record);
        let over = self.past_direct.len().saturating_sub(MAX_DETAILED_CALLS);
        self.past_direct.drain(..over);
    }
}

/// A call of the conversation, or the record of a finished call.
enum Known<'a> {
    Call(&'a ToolCall),
    Past(&'a ToolRecord),
}

impl Known<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Call(call) => &call.name,
            Self::Past(record) => &record.name,
        }
    }

    /// Returns the number of the call's key; keys are assigned in order of appearance.
    fn number(&self) -> i64 {
        let key = match self {
            Self::Call(call) => call.key(),
            Self::Past(record) => record.call,
        };
        i64::try_from(key.number()).unwrap_or(i64::MAX)
    }
}
