//! What the journal says about calls, and as JSON for stores. Exactly-once stands on it (rule
//! "exactly once").

use serde_json::{Value, json};

use crate::{
    action::ActionFingerprint,
    conversation::{CallKey, CallResult, FormatError, Phase, ToolCall},
    event::Object,
};

/// What happened to a call, written down before it counts.
///
/// A journal is only ever added to. Of two entries with the same [`Self::claim`] it takes the first,
/// whoever writes: so two tabs that both hold a conversation start a handler once.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "entries are written down one at a time"
)]
pub enum JournalEntry {
    /// Its handler is about to start.
    Started {
        /// The conversation.
        thread_id: String,
        /// The call.
        call: CallKey,
        /// How many times it was started before: more than never only if a person, or an idempotent
        /// action, had it run again after a reload.
        attempt: u32,
        /// The tool.
        name: String,
        /// The exact arguments that the agent wrote.
        args_text: String,
        /// The edition of the action that starts.
        action: Option<ActionFingerprint>,
    },
    /// It has its answer.
    Finished {
        /// The conversation.
        thread_id: String,
        /// The call.
        call: CallKey,
        /// The tool.
        name: String,
        /// How it ended.
        phase: Phase,
        /// The answer.
        result: CallResult,
    },
}

impl JournalEntry {
    /// The conversation that it is about.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        match self {
            Self::Started { thread_id, .. } | Self::Finished { thread_id, .. } => thread_id,
        }
    }

    /// The call that it is about.
    #[must_use]
    pub const fn call(&self) -> CallKey {
        match self {
            Self::Started { call, .. } | Self::Finished { call, .. } => *call,
        }
    }

    /// Returns the key that a journal may hold only once.
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
        let number = self.call().number();
        match self {
            Self::Started {
                thread_id, attempt, ..
            } => format!("{thread_id}/{number}/started/{attempt}"),
            Self::Finished { thread_id, .. } => format!("{thread_id}/{number}/finished"),
        }
    }

    /// Whether it can be about this call, which has the same key.
    pub(super) fn is_about(&self, known: &ToolCall) -> bool {
        match self {
            Self::Started {
                name, args_text, ..
            } => known.name == *name && known.args_text() == args_text,
            Self::Finished { name, .. } => known.name == *name,
        }
    }

    /// The entry as JSON.
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

    /// Reads what [`Self::to_value`] wrote.
    ///
    /// # Errors
    ///
    /// When it is none, or one of a version that is not known here.
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
                action: value["action"].as_str().and_then(ActionFingerprint::read),
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
