//! The branch that a user deleted last, while it can come back.

use std::collections::HashMap;

use super::{CallKey, Part, tree::Removed, tree_message::TreeMessage};

/// A branch that was deleted, with the places that results had. It is never written to a store, and
/// is forgotten as soon as a run begins.
#[derive(Debug, Clone)]
pub(super) struct Deleted {
    pub(super) branch: Removed<TreeMessage>,
    /// Results behind other messages; `None` for those before all messages.
    pub(super) results: HashMap<Option<usize>, Vec<CallKey>>,
    /// The calls that an agent can still name, which it could not before.
    pub(super) detached: Vec<CallKey>,
}

impl Deleted {
    /// Returns the keys of its calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = CallKey> {
        let messages = self.branch.nodes().map(|node| &node.item.message);
        messages.flat_map(|message| message.parts.iter().filter_map(Part::call_key))
    }
}
