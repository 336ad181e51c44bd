//! The streamed arguments of a tool call.

use assistant_core::event::Object;

/// The streamed arguments of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialInput {
    pub(super) name: String,
    pub(super) dynamic: bool,
    /// The text so far.
    pub(super) text: String,
    pub(super) half: Option<u16>,
    /// The fields of the start chunk, for a call that continues in another step.
    pub(super) notes: Object,
}
