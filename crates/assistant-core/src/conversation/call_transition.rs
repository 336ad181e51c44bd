//! The events of calls in one input.

use super::{CallKey, ToolCall, Transition};

/// Something that happened to a call in the input that was handled.
#[derive(Debug, Clone)]
pub struct CallTransition {
    /// The call.
    pub call: CallKey,
    /// The event.
    pub what: Transition,
    /// The call as it was, where the session has let go of it.
    pub(crate) gone: Option<Box<ToolCall>>,
    /// The conversation that it was in, where that went.
    pub(crate) thread_id: Option<String>,
}
