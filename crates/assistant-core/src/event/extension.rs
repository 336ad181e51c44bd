//! Defines extensions of AG-UI for other protocols: answer parts that grow independently of each
//! other, parts of other kinds, and detailed call results.

use serde_json::Value;

use super::Object;

/// An event of another protocol that AG-UI 1.0 cannot express.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extension {
    /// Updates an answer, or adds the answer if no message has its id.
    Message {
        /// The answer's id.
        message_id: String,
        /// Changed fields of `extra`; the value `null` removes a field.
        extra: Object,
        /// Changed fields of the metadata.
        metadata: Option<Object>,
    },
    /// Starts a text that can grow while later parts are added.
    BlockStart {
        /// The number of the block, unique while it is open.
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
        /// Changed fields of `extra`; the value `null` removes a field.
        extra: Object,
    },
    /// Ends a block.
    BlockEnd {
        /// The number of the block.
        block: u64,
        /// Changed fields of `extra`; the value `null` removes a field.
        extra: Object,
    },
    /// Adds a part of another kind: a source, a file, data.
    Part {
        /// The id of the answer that contains the part.
        message_id: String,
        /// The part, in the form of the AI SDK.
        part: Value,
        /// True if the data replaces that of the part with the same type and id.
        replace: bool,
    },
    /// Discards the content of an answer after a failed attempt. The agent sends the answer again.
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
    /// Ends the incomplete arguments of a call, which were cut off or never sent.
    CallCut {
        /// The id of the call.
        tool_call_id: String,
    },
    /// Discards the outcome of a call. The agent sends the arguments again.
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
        /// Changed fields of `extra`; the value `null` removes a field.
        extra: Object,
    },
    /// Reports the outcome of a call.
    CallSettled {
        /// The id of the call.
        tool_call_id: String,
        /// The id of the message that reports the outcome.
        message_id: String,
        /// The outcome that the agent reports.
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
    /// The failure of the call, with the error message.
    Error(String),
    /// The denial of the call, which was not run.
    Denied,
}
