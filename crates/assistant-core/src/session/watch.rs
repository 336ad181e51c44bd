//! What an event means for the run and its calls, before it is applied.

use crate::event::{EventKind, Extension};

/// The call that an event lets go on, even if it had ended.
pub(super) fn reopened(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::ToolCallStart { tool_call_id, .. }
        | EventKind::ToolCallArgs { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}

/// Whether an event by itself leaves nothing that a person could read: text that is empty, thought.
pub(super) fn is_thought(kind: &EventKind) -> bool {
    match kind {
        EventKind::TextMessageContent { delta, .. } => delta.is_empty(),
        EventKind::Extension(extension) => is_quiet(extension),
        _ => matches!(
            kind,
            EventKind::TextMessageStart { .. }
                | EventKind::TextMessageEnd { .. }
                | EventKind::ReasoningStart { .. }
                | EventKind::ReasoningEnd { .. }
                | EventKind::ReasoningMessageStart { .. }
                | EventKind::ReasoningMessageContent { .. }
                | EventKind::ReasoningMessageEnd { .. }
        ),
    }
}

/// Whether more of a text comes that a person reads as the answer.
pub(super) fn speaks(extension: &Extension) -> bool {
    matches!(extension, Extension::BlockDelta { delta, reasoning: false, .. } if !delta.is_empty())
}

/// Whether nothing of it is seen: a text without words, thought, what is said about an answer.
pub(super) fn is_quiet(extension: &Extension) -> bool {
    match extension {
        Extension::BlockDelta { .. } => !speaks(extension),
        _ => matches!(
            extension,
            Extension::Message { .. }
                | Extension::BlockStart { .. }
                | Extension::BlockEnd { .. }
                | Extension::Reset { .. }
        ),
    }
}

/// What must be looked at after an event was applied.
#[derive(Debug)]
pub(super) enum Watched {
    Nothing,
    /// A call may have changed its meaning.
    Call(String),
    /// Any call may have.
    AllCalls,
}

impl Watched {
    pub(super) fn of(kind: &EventKind, any_eager: bool) -> Self {
        match kind {
            EventKind::ToolCallStart { tool_call_id, .. }
            | EventKind::ToolCallEnd { tool_call_id }
            | EventKind::ToolCallResult { tool_call_id, .. } => Self::Call(tool_call_id.clone()),
            EventKind::MessagesSnapshot { .. } | EventKind::RunStarted { input: Some(_), .. } => {
                Self::AllCalls
            }
            EventKind::Extension(extension) => match &**extension {
                Extension::CallInput { tool_call_id, .. }
                | Extension::CallRestart { tool_call_id, .. }
                | Extension::CallCut { tool_call_id }
                | Extension::CallNote { tool_call_id, .. }
                | Extension::CallSettled { tool_call_id, .. } => Self::Call(tool_call_id.clone()),
                // Nothing of it can be under way but what was started early.
                Extension::Reset { .. } if any_eager => Self::AllCalls,
                _ => Self::Nothing,
            },
            _ => Self::Nothing,
        }
    }
}
