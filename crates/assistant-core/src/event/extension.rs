//! Defines extensions of AG-UI for other protocols: independently growing parts of an answer, parts
//! of other kinds, and detailed results of calls.

use serde_json::Value;

use super::Object;

/// An event from another protocol that AG-UI 1.0 cannot express.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extension {
    /// Updates an answer. If no message has the answer's id, the answer is added.
    Message {
        /// The answer's id.
        message_id: String,
        /// The changed fields of `extra`. A field with the value `null` is removed.
        extra: Object,
        /// The changes of the metadata. Objects are merged recursively; other values are replaced.
        metadata: Option<Object>,
    },
    /// Starts a block of text, which can grow while later parts are added.
    BlockStart {
        /// The number of the block, which is unique while the block is open.
        block: u64,
        /// The id of the answer that contains the block.
        message_id: String,
        /// True if the block contains reasoning.
        reasoning: bool,
        /// The initial fields of `extra`.
        extra: Object,
    },
    /// Appends text to a block.
    BlockDelta {
        /// The number of the block.
        block: u64,
        /// True if the block contains reasoning.
        reasoning: bool,
        /// The appended text.
        delta: String,
        /// The changed fields of `extra`. A field with the value `null` is removed.
        extra: Object,
    },
    /// Ends a block.
    BlockEnd {
        /// The number of the block.
        block: u64,
        /// The changed fields of `extra`. A field with the value `null` is removed.
        extra: Object,
    },
    /// Adds a part of another kind: a source, a file or data.
    Part {
        /// The id of the answer that contains the part.
        message_id: String,
        /// The part in the form of the AI SDK.
        part: Value,
        /// True if the part replaces the data of the part with the same type and id.
        replace: bool,
    },
    /// Discards the content of an answer after a failed attempt. The agent then sends the answer
    /// again.
    Reset {
        /// The answer's id.
        message_id: String,
        /// True if the metadata of the answer is discarded as well, because the agent sends the
        /// complete response again.
        whole: bool,
    },
    /// Replaces the arguments of a call.
    CallInput {
        /// The id of the call.
        tool_call_id: String,
        /// The arguments as JSON text.
        text: String,
        /// True if the arguments are complete.
        complete: bool,
    },
    /// Ends the arguments of a call whose arguments were cut off or never sent.
    CallCut {
        /// The id of the call.
        tool_call_id: String,
    },
    /// Discards the outcome of a call. The agent then sends the arguments again.
    CallRestart {
        /// The id of the call.
        tool_call_id: String,
        /// The tool's name.
        tool_call_name: String,
    },
    /// Updates the `extra` fields of a call.
    CallNote {
        /// The id of the call.
        tool_call_id: String,
        /// The changed fields of `extra`. A field with the value `null` is removed.
        extra: Object,
    },
    /// Reports the outcome of a call.
    CallSettled {
        /// The id of the call.
        tool_call_id: String,
        /// The id of the message that reports the outcome.
        message_id: String,
        /// The outcome of the call.
        settlement: Settlement,
    },
}

/// The outcome of a call as reported by the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// An intermediate result.
    Preliminary(Value),
    /// The final result.
    Output(Value),
    /// The error message of a failed call.
    Error(String),
    /// The call was denied and was not run.
    Denied,
}
