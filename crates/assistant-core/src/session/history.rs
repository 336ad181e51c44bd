//! All calls of a conversation in order, with what they came to: for handlers that look back, and for
//! applications that count.

use serde_json::Value;

use super::{Session, audit::bound};
use crate::{
    action::ActionFingerprint,
    conversation::{CallKey, Conversation, Phase, ToolCall},
    event::Object,
};

/// The most calls of which a history holds more than the count.
const MOST: usize = 200;

/// The calls of a conversation, on all branches, and those that the page made itself.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolHistory {
    /// The number of calls.
    pub total: usize,
    /// The number of calls of each tool: `{"add": 2, "remove": 1}`.
    pub counts: Object,
    /// The newest two hundred, in order of appearance.
    pub records: Vec<ToolRecord>,
}

/// A call and what it came to. Of arguments and results that are longer than some thousand
/// characters it holds the beginning, as records of the audit do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolRecord {
    /// The key of the call.
    pub call: CallKey,
    /// The id that the agent gave it; empty for what the page asked for itself.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The edition of its action, where one answers for it.
    pub action: Option<ActionFingerprint>,
    /// The arguments that ran or would run; as they were written where they are no JSON.
    pub args: Value,
    /// The phase.
    pub phase: Phase,
    /// The result that the agent was told, once there is one.
    pub result: Option<Value>,
    /// Why it failed.
    pub error: Option<String>,
    /// The message that made it; `None` for what the page asked for itself.
    pub message: Option<String>,
    /// The call whose handler asked for it.
    pub parent: Option<CallKey>,
    /// When it appeared, in milliseconds since 1970.
    pub created_at: i64,
    /// When it reached its last phase, in milliseconds since 1970.
    pub ended_at: Option<i64>,
}

impl ToolHistory {
    /// The number of calls of a tool.
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
    /// All calls of the conversation, and those that the page made itself since it was opened.
    #[must_use]
    pub fn tool_history(&self) -> ToolHistory {
        let mut history = ToolHistory::default();
        let placed = self.conversation.all_calls();
        let open = self.conversation.direct_calls();
        let mut known: Vec<Known<'_>> = placed.chain(open).map(Known::Call).collect();
        known.extend(self.past_direct.iter().map(Known::Past));
        let known = crate::order::in_order(known, Known::number);
        let left_out = known.len().saturating_sub(MOST);
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

    /// A call of the page has ended: the session lets go of it, and its record stays.
    pub(super) fn keep_direct(&mut self, call: &ToolCall) {
        let record = ToolRecord::of(call, &self.conversation);
        self.past_direct.push(record);
        let over = self.past_direct.len().saturating_sub(MOST);
        self.past_direct.drain(..over);
    }
}

/// What is known of a call.
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

    /// Keys are given out in order of appearance.
    fn number(&self) -> i64 {
        let key = match self {
            Self::Call(call) => call.key(),
            Self::Past(record) => record.call,
        };
        i64::try_from(key.number()).unwrap_or(i64::MAX)
    }
}
