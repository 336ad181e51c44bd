//! Stores the last deleted branch while it can be restored.

use std::collections::HashMap;

use super::{CallKey, Part, tree::RemovedBranch, tree_message::TreeMessage};

/// A deleted branch, with the positions of its results in the received order. It is never stored,
/// and is discarded as soon as a run begins.
#[derive(Debug, Clone)]
pub(super) struct DeletedBranch {
    pub(super) branch: RemovedBranch<TreeMessage>,
    /// The results that followed each message at the deletion, by node; `None` for those before all
    /// messages.
    pub(super) results: HashMap<Option<usize>, Vec<CallKey>>,
    /// The calls that were detached by the deletion.
    pub(super) detached: Vec<CallKey>,
}

impl DeletedBranch {
    /// Returns the keys of the branch's calls.
    pub(super) fn call_keys(&self) -> impl Iterator<Item = CallKey> {
        let messages = self.branch.nodes().map(|node| &node.item.message);
        messages.flat_map(|message| message.parts.iter().filter_map(Part::call_key))
    }
}
