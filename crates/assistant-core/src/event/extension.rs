//! What protocols say beyond AG-UI: parts of an answer that grow independently of each other, parts
//! of kinds of their own, and what a call came to in more words than a result.

use serde_json::Value;

use super::Object;

/// An event of another protocol that AG-UI 1.0 has no word for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extension {
    /// Something is said about an answer. It begins with this if it is not there yet.
    Message {
        /// The answer's id.
        message_id: String,
        /// Fields of its `extra`; `null` takes one away.
        extra: Object,
        /// Fields of its metadata.
        metadata: Option<Object>,
    },
    /// A text begins that grows by itself, whatever comes after it.
    BlockStart {
        /// Names the text until it ends.
        block: u64,
        /// The answer that it belongs to.
        message_id: String,
        /// Whether it is something that the model thought.
        reasoning: bool,
        /// Fields of its `extra`.
        extra: Object,
    },
    /// More of such a text.
    BlockDelta {
        /// The number of the block.
        block: u64,
        /// Whether it is something that the model thought.
        reasoning: bool,
        /// What it grows by.
        delta: String,
        /// Fields of its `extra`; `null` takes one away.
        extra: Object,
    },
    /// Such a text is complete.
    BlockEnd {
        /// The number of the block.
        block: u64,
        /// Fields of its `extra`; `null` takes one away.
        extra: Object,
    },
    /// A part of another kind: a source, a file, data.
    Part {
        /// The answer that it belongs to.
        message_id: String,
        /// The part, in the form of the AI SDK.
        part: Value,
        /// Whether its data takes the place of those of the part with its type and id.
        replace: bool,
    },
    /// The answer so far was a failed try, and comes again.
    Reset {
        /// The answer's id.
        message_id: String,
    },
    /// The arguments of a call, in place of those that came so far.
    CallInput {
        /// The id of the call.
        tool_call_id: String,
        /// The arguments as JSON text.
        text: String,
        /// Whether they are complete.
        complete: bool,
    },
    /// The arguments of a call end here, and are not complete: they were cut off, or never came.
    CallCut {
        /// The id of the call.
        tool_call_id: String,
    },
    /// The agent takes back what it said a call came to: its arguments come again.
    CallRestart {
        /// The id of the call.
        tool_call_id: String,
        /// The tool's name.
        tool_call_name: String,
    },
    /// Something is said about a call.
    CallNote {
        /// The id of the call.
        tool_call_id: String,
        /// Fields of its `extra`; `null` takes one away.
        extra: Object,
    },
    /// The agent says what a call came to.
    CallSettled {
        /// The id of the call.
        tool_call_id: String,
        /// The id of the message that says so.
        message_id: String,
        /// What it came to.
        settlement: Settlement,
    },
}

/// The end of a call, as the agent reports it.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// A result that is not the last.
    Preliminary(Value),
    /// The result.
    Output(Value),
    /// It failed, with what was said about it.
    Error(String),
    /// It was denied, and not run.
    Denied,
}
