//! Arguments of a tool call that arrive in pieces.

use crate::event::Object;

/// Arguments that arrive in pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Partial {
    pub(super) name: String,
    pub(super) dynamic: bool,
    /// All of it so far.
    pub(super) text: String,
    pub(super) half: Option<u16>,
    /// Notes of the start, for a call that continues in another step.
    pub(super) notes: Object,
}
