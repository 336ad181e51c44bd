//! A message in the tree.

use super::{CallKey, Message};

/// A message of the tree, with facts that are not part of its content.
#[derive(Debug, Clone)]
pub(super) struct TreeMessage {
    pub(super) message: Message,
    /// The run that added the message.
    pub(super) run: Option<u64>,
    /// Tool messages directly after this message in the received order.
    pub(super) results: Vec<CallKey>,
}
