//! Defines the journal entries for calls and their JSON format. The entries ensure that calls run
//! exactly once (rule "exactly once").

use serde_json::{Value, json};

use crate::{
    action::ActionFingerprint,
    conversation::{CallKey, CallResult, FormatError, Phase, ToolCall},
    event::Object,
};

/// A journal entry for a call. The entry for a start is written before the handler runs.
///
/// A journal is append-only. Of two entries with the same [`Self::claim`] only the first is
/// accepted, even if another tab wrote it, so that two tabs with the same conversation start a
/// handler once.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "entries are written down one at a time"
)]
pub enum JournalEntry {
    /// The handler is about to start.
    Started {
        /// The id of the conversation.
        thread_id: String,
        /// The key of the call.
        call: CallKey,
        /// The number of earlier starts. The number is above zero only if the call was run again
        /// after a reload, because the user requested it or the action is idempotent.
        attempt: u32,
        /// The tool's name.
        name: String,
        /// The arguments exactly as the agent wrote them.
        args_text: String,
        /// The fingerprint of the action.
        action: Option<ActionFingerprint>,
    },
    /// The call has a result.
    Finished {
        /// The id of the conversation.
        thread_id: String,
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
        /// The phase in which the call ended.
        phase: Phase,
        /// The result of the call.
        result: CallResult,
    },
}

impl JournalEntry {
    /// Returns the id of the conversation.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        match self {
            Self::Started { thread_id, .. } | Self::Finished { thread_id, .. } => thread_id,
        }
    }

    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        match self {
            Self::Started { call, .. } | Self::Finished { call, .. } => *call,
        }
    }

    /// Returns the key that must be unique in a journal.
    ///
    /// ```
    /// use assistant_core::session::JournalEntry;
    /// use serde_json::json;
    ///
    /// let entry = json!({"kind": "started", "threadId": "t", "call": 3, "attempt": 0, "toolName": "pay", "argsText": "{}"});
    /// let entry = JournalEntry::from_value(&entry)?;
    /// assert_eq!(entry.claim(), "t/3/started/0");
    /// # Ok::<(), assistant_core::conversation::FormatError>(())
    /// ```
    #[must_use]
    pub fn claim(&self) -> String {
        let number = self.call_key().number();
        match self {
            Self::Started {
                thread_id, attempt, ..
            } => format!("{thread_id}/{number}/started/{attempt}"),
            Self::Finished { thread_id, .. } => format!("{thread_id}/{number}/finished"),
        }
    }

    /// Returns true if the entry has the name of a call and, for a [`Self::Started`] entry, also
    /// the arguments of the call. The caller compares the keys.
    pub(super) fn is_about(&self, tool_call: &ToolCall) -> bool {
        match self {
            Self::Started {
                name, args_text, ..
            } => tool_call.name == *name && tool_call.args_text() == args_text,
            Self::Finished { name, .. } => tool_call.name == *name,
        }
    }

    /// Returns the entry as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Started {
                thread_id,
                call,
                attempt,
                name,
                args_text,
                action,
            } => json!({
                "kind": "started",
                "threadId": thread_id,
                "call": call.number(),
                "attempt": attempt,
                "toolName": name,
                "argsText": args_text,
                "action": action.as_ref().map(ActionFingerprint::as_str),
            }),
            Self::Finished {
                thread_id,
                call,
                name,
                phase,
                result,
            } => json!({
                "kind": "finished",
                "threadId": thread_id,
                "call": call.number(),
                "toolName": name,
                "state": phase.as_str(),
                "output": result.value,
                "result": result.to_value(),
            }),
        }
    }

    /// Parses the output of [`Self::to_value`].
    ///
    /// # Errors
    ///
    /// Fails if the value is not a journal entry.
    pub fn from_value(value: &Value) -> Result<Self, FormatError> {
        let text = |key: &str| {
            let text = value[key].as_str().map(str::to_owned);
            text.ok_or_else(|| FormatError::new(format!("journal entry without '{key}'")))
        };
        let number = value["call"].as_u64().filter(|number| *number > 0);
        let number = number.ok_or_else(|| FormatError::new("journal entry without 'call'"))?;
        let (thread_id, call) = (text("threadId")?, CallKey::new(number));
        match value["kind"].as_str() {
            Some("started") => Ok(Self::Started {
                thread_id,
                call,
                attempt: value["attempt"]
                    .as_u64()
                    .and_then(|attempt| u32::try_from(attempt).ok())
                    .unwrap_or(0),
                name: text("toolName")?,
                args_text: text("argsText")?,
                action: value["action"].as_str().and_then(ActionFingerprint::parse),
            }),
            Some("finished") => {
                let phase = Phase::parse(&text("state")?).filter(|phase| phase.is_final());
                let result = value["result"].as_object().cloned();
                Ok(Self::Finished {
                    thread_id,
                    call,
                    name: text("toolName")?,
                    phase: phase
                        .ok_or_else(|| FormatError::new("journal entry of an unknown end"))?,
                    result: CallResult::from_parts(
                        value["output"].clone(),
                        result.unwrap_or_else(Object::new),
                    )?,
                })
            }
            _ => Err(FormatError::new("journal entry of an unknown kind")),
        }
    }
}
