//! Collects the history of all calls in a conversation, for handlers and applications.

use serde_json::Value;

use super::{Session, audit::truncate_value};
use crate::{
    action::ActionFingerprint,
    conversation::{CallKey, Conversation, Phase, ToolCall},
    event::Object,
};

/// The maximum number of calls for which the history contains details.
const MAX_DETAILED_CALLS: usize = 200;

/// The calls of a conversation on all branches, including the calls of the page itself.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolHistory {
    pub(crate) total: usize,
    pub(crate) counts: Object,
    pub(crate) records: Vec<ToolRecord>,
}

/// A call with its outcome. Arguments and results are truncated as in audit records.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolRecord {
    pub(crate) call: CallKey,
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) action: Option<ActionFingerprint>,
    pub(crate) args: Value,
    pub(crate) phase: Phase,
    pub(crate) result: Option<Value>,
    pub(crate) error: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) parent: Option<CallKey>,
    pub(crate) created_at: i64,
    pub(crate) ended_at: Option<i64>,
}

impl ToolHistory {
    /// Returns the number of calls.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Returns the number of calls of each tool, for example `{"add": 2, "remove": 1}`.
    #[must_use]
    pub const fn counts(&self) -> &Object {
        &self.counts
    }

    /// Returns the newest two hundred calls, in order of appearance.
    #[must_use]
    pub fn records(&self) -> &[ToolRecord] {
        &self.records
    }

    /// Returns the number of calls of a tool.
    #[must_use]
    pub fn count(&self, tool: &str) -> usize {
        let count = self.counts.get(tool).and_then(Value::as_u64);
        count
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(0)
    }

    fn count_call(&mut self, name: &str) {
        self.total += 1;
        let count = self.counts.get(name).and_then(Value::as_u64).unwrap_or(0);
        self.counts.insert(name.to_owned(), (count + 1).into());
    }
}

impl ToolRecord {
    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        self.call
    }

    /// Returns the time at which the call appeared, in milliseconds since 1970.
    #[must_use]
    pub const fn created_at(&self) -> i64 {
        self.created_at
    }

    /// Returns the agent's id of the call; empty for calls of the page itself.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the fingerprint of the called action; `None` if no action was registered for the
    /// tool.
    #[must_use]
    pub const fn action(&self) -> Option<&ActionFingerprint> {
        self.action.as_ref()
    }

    /// Returns the effective arguments; the raw text if the arguments are not JSON.
    #[must_use]
    pub const fn args(&self) -> &Value {
        &self.args
    }

    /// Returns the phase of the call.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the result for the agent; `None` while the call is open.
    #[must_use]
    pub const fn result(&self) -> Option<&Value> {
        self.result.as_ref()
    }

    /// Returns the error message, if the call failed.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the id of the message with the call; `None` for calls of the page itself.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the key of the call whose handler requested this call; `None` if no handler did.
    #[must_use]
    pub const fn parent(&self) -> Option<CallKey> {
        self.parent
    }

    /// Returns the time at which the call ended, in milliseconds since 1970; `None` while the call
    /// is open.
    #[must_use]
    pub const fn ended_at(&self) -> Option<i64> {
        self.ended_at
    }

    fn from_call(call: &ToolCall, conversation: &Conversation) -> Self {
        let message = conversation.message_of_call(&call.key());
        let args = call.effective_args().cloned();
        let mut args = args.unwrap_or_else(|| call.args_text().into());
        let mut result = call.result().map(|result| result.value.clone());
        truncate_value(&mut args);
        result.as_mut().map(truncate_value);
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
    /// Returns the history of the calls of the conversation, including the calls of the page itself
    /// since the conversation was opened. All calls are counted; [`ToolHistory::records`] contains
    /// the newest two hundred. Of the finished calls of the page, only the newest two hundred are
    /// stored and counted.
    #[must_use]
    pub fn tool_history(&self) -> ToolHistory {
        let mut history = ToolHistory::default();
        let calls = self.conversation.all_calls();
        let calls = calls.chain(self.conversation.direct_calls());
        let calls = calls.map(|call| (call.key(), &call.name, None));
        let records = self.past_direct.iter();
        let records = records.map(|record| (record.call, &record.name, Some(record)));
        // Keys are assigned in order of appearance.
        let items =
            crate::order::in_order(calls.chain(records).collect(), |(key, ..)| key.sort_key());
        let excess = items.len().saturating_sub(MAX_DETAILED_CALLS);
        for (index, (key, name, record)) in items.into_iter().enumerate() {
            history.count_call(name);
            if index >= excess {
                let from_call = || {
                    let call = self.conversation.call(&key)?;
                    Some(ToolRecord::from_call(call, &self.conversation))
                };
                history.records.extend(record.cloned().or_else(from_call));
            }
        }
        history
    }

    /// Stores the record of a finished call of the page, and drops the oldest records if there are
    /// more than [`MAX_DETAILED_CALLS`].
    pub(super) fn keep_direct_record(&mut self, call: &ToolCall) {
        let record = ToolRecord::from_call(call, &self.conversation);
        self.past_direct.push(record);
        let excess = self.past_direct.len().saturating_sub(MAX_DETAILED_CALLS);
        self.past_direct.drain(..excess);
    }
}
