//! Extensions of AG-UI for other protocols: answer parts that grow independently of each other,
//! parts of other kinds, and detailed call results.

use serde_json::Value;

use super::Object;

/// An event of another protocol that AG-UI 1.0 cannot express.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extension {
    /// Updates an answer, which is started if it does not exist yet.
    Message {
        /// The answer's id.
        message_id: String,
        /// Fields of its `extra`; `null` removes one.
        extra: Object,
        /// Fields of its metadata.
        metadata: Option<Object>,
    },
    /// Starts a text that can grow while later parts are added.
    BlockStart {
        /// The number of the block, unique while it is open.
        block: u64,
        /// The answer that it belongs to.
        message_id: String,
        /// True for reasoning.
        reasoning: bool,
        /// Fields of its `extra`.
        extra: Object,
    },
    /// Appends to a block.
    BlockDelta {
        /// The number of the block.
        block: u64,
        /// True for reasoning.
        reasoning: bool,
        /// The appended text.
        delta: String,
        /// Fields of its `extra`; `null` removes one.
        extra: Object,
    },
    /// Ends a block.
    BlockEnd {
        /// The number of the block.
        block: u64,
        /// Fields of its `extra`; `null` removes one.
        extra: Object,
    },
    /// Adds a part of another kind: a source, a file, data.
    Part {
        /// The answer that it belongs to.
        message_id: String,
        /// The part, in the form of the AI SDK.
        part: Value,
        /// True if the data replaces that of the part with the same type and id.
        replace: bool,
    },
    /// Discards the answer so far; it is sent again after a failed attempt.
    Reset {
        /// The answer's id.
        message_id: String,
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
    /// Ends the arguments of a call that are incomplete: cut off, or never sent.
    CallCut {
        /// The id of the call.
        tool_call_id: String,
    },
    /// Discards the outcome of a call; its arguments are sent again.
    CallRestart {
        /// The id of the call.
        tool_call_id: String,
        /// The tool's name.
        tool_call_name: String,
    },
    /// Updates a call.
    CallNote {
        /// The id of the call.
        tool_call_id: String,
        /// Fields of its `extra`; `null` removes one.
        extra: Object,
    },
    /// Reports the outcome of a call.
    CallSettled {
        /// The id of the call.
        tool_call_id: String,
        /// The id of the message that reports it.
        message_id: String,
        /// The outcome.
        settlement: Settlement,
    },
}

/// The outcome of a call as reported by the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// An intermediate result.
    Preliminary(Value),
    /// The result.
    Output(Value),
    /// The call failed, with this message.
    Error(String),
    /// The call was denied and not run.
    Denied,
}
