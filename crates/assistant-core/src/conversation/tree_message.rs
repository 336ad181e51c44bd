//! A message in the tree.

use super::{CallKey, Message};

/// A message of the tree with its run, and the results that follow it in the received order.
#[derive(Debug, Clone)]
pub(super) struct TreeMessage {
    pub(super) message: Message,
    /// The number of the run that added the message, if known.
    pub(super) run: Option<u64>,
    /// The calls whose tool messages directly follow this message in the received order.
    pub(super) results: Vec<CallKey>,
}
