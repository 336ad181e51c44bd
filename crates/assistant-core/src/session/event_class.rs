//! Classifies events before they are applied.

use crate::event::{EventKind, Extension};

/// Returns the id of the call that an event starts or adds arguments to. If the call has ended, the
/// event reopens the call.
pub(super) fn extended_call_id(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::ToolCallStart { tool_call_id, .. }
        | EventKind::ToolCallArgs { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}

/// Returns true if an event has no visible effect on the answer, such as empty text, reasoning, or
/// the start of a message.
pub(super) fn is_quiet_event(kind: &EventKind) -> bool {
    match kind {
        EventKind::TextMessageContent { delta, .. } => delta.is_empty(),
        EventKind::Extension(extension) => is_quiet_extension(extension),
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

/// Returns true if an event adds visible text to the answer.
pub(super) fn has_visible_text(extension: &Extension) -> bool {
    matches!(extension, Extension::BlockDelta { delta, reasoning: false, .. } if !delta.is_empty())
}

/// Returns true if an event has no visible effect: empty text, reasoning, block boundaries, message
/// fields and resets.
fn is_quiet_extension(extension: &Extension) -> bool {
    match extension {
        Extension::BlockDelta { .. } => !has_visible_text(extension),
        _ => matches!(
            extension,
            Extension::Message { .. }
                | Extension::BlockStart { .. }
                | Extension::BlockEnd { .. }
                | Extension::Reset { .. }
        ),
    }
}

/// The calls to check after an event was applied.
#[derive(Debug)]
pub(super) enum CallsToCheck {
    Nothing,
    /// The id of a call that may have changed.
    Call(String),
    /// All calls, since each call may have changed.
    AllCalls,
}

impl CallsToCheck {
    pub(super) fn for_event(kind: &EventKind, has_eager_call: bool) -> Self {
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
                // After a reset, calls are checked only if there are eager calls, since other calls
                // have not started yet.
                Extension::Reset { .. } if has_eager_call => Self::AllCalls,
                _ => Self::Nothing,
            },
            _ => Self::Nothing,
        }
    }
}
