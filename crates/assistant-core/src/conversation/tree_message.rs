//! A message as the tree has it.

use super::{CallKey, Message};

/// A message of the tree, and what is known of it beside its content.
#[derive(Debug, Clone)]
pub(super) struct TreeMessage {
    pub(super) message: Message,
    /// The run in which it came.
    pub(super) run: Option<u64>,
    /// Tool messages right after this message in the received order.
    pub(super) results: Vec<CallKey>,
}
