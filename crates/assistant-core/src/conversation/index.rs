//! Looks up messages, calls and results by the ids that agents assign (wire ids).
//!
//! An index may contain entries of other branches, so each lookup checks that the entry is on the
//! run's path. `tree` contains the nodes and the path, and `calls` contains the calls.

use super::{CallKey, Conversation, ToolCall};

impl Conversation {
    /// Returns the node of the message with this wire id on the run's path, or `None` if no message
    /// matches.
    pub(super) fn find_message(&self, wire_id: &str) -> Option<usize> {
        self.wire_ids
            .get(wire_id)?
            .iter()
            .copied()
            .find(|ix| self.tree.is_on_path(*ix))
    }

    /// Returns the key of the call with this wire id on the run's path. Callouts that are only
    /// displayed are ignored.
    pub(super) fn find_call(&self, wire_id: &str) -> Option<CallKey> {
        let is_match = |call: &&ToolCall| call.is_real() && call.id == wire_id;
        // The last call of the newest message is compared first, because it usually has the id, and
        // a comparison is cheaper than a lookup.
        let last_call = self.tree.tip().and_then(|node| {
            let part = self.node(node)?.message.parts.last()?;
            self.calls.get(&part.call_key()?)
        });
        if let Some(call) = last_call.filter(is_match) {
            return Some(call.key());
        }
        let mut candidates = self.calls.calls_with_wire_id(wire_id).filter(is_match);
        let call = candidates.find(|call| self.is_run_call(&call.key()))?;
        Some(call.key())
    }

    /// Returns the key of the call on the run's path whose result is in the tool message with this
    /// id. Results without a position in the received order are ignored.
    pub(super) fn find_call_by_result(&self, message_id: &str) -> Option<CallKey> {
        let mut candidates = self.calls.calls_with_result_in(message_id);
        let call = candidates.find(|call| !call.is_unlisted() && self.is_run_call(&call.key()))?;
        Some(call.key())
    }

    /// Attaches the calls of a new node to the node, and assigns results that arrived earlier to
    /// these calls. Results in the new node are assigned to their calls, or indexed until the calls
    /// appear.
    pub(super) fn index_calls(&mut self, node: usize) {
        self.attach_calls(node);
        let keys: Vec<CallKey> = self.node_call_keys(node).collect();
        for key in keys {
            self.adopt_orphan(key);
        }
        self.index_orphans(node);
    }

    /// Rebuilds the indices of wire ids and of results without a call, after an operation that
    /// moved nodes. Renumbers the run's path, and assigns the results whose calls are known.
    pub(super) fn reindex(&mut self) {
        self.wire_ids.clear();
        self.orphans.clear();
        let mut orphan_ids = Vec::new();
        for (ix, node) in self.tree.nodes() {
            let wire_id = node.item.message.wire_id().to_owned();
            self.wire_ids.entry(wire_id).or_default().push(ix);
            orphan_ids.extend(self.orphan_call_ids(ix).into_iter().map(|id| (id, ix)));
        }
        self.tree.number_path();
        for (id, ix) in &orphan_ids {
            self.index_orphan(id, *ix);
        }
        for (id, _) in orphan_ids {
            if let Some(key) = self.find_call(&id).filter(|key| self.can_take_result(key)) {
                self.adopt_orphan(key);
            }
        }
    }
}
