//! Copies messages and calls that branches share, so that a run changes only its own copy.
//!
//! A call of a copied message keeps its key and belongs to the copy of the message. The other
//! branch gets a copy of the call, which has the same history and can no longer start. The module
//! `tree` determines which nodes are shared.

use super::{
    Author, CallDataChange, CallEnd, CallKey, Change, Conversation, EndedCall, Part, StateEvent,
    ToolCall, tree::CopiedNode,
};

impl Conversation {
    /// Returns the node that the active run may change. This is the given node, or a copy of the
    /// node for the run's path if another branch shares the node.
    pub(super) fn unshare(&mut self, ix: usize) -> usize {
        if !self.tree.may_share_path() {
            return ix;
        }
        let (unshared_ix, copies) = self.tree.unshare(ix);
        self.link_copied_nodes(&copies);
        unshared_ix
    }

    /// Copies the shared nodes of the run's path, beginning at this depth.
    pub(super) fn unshare_from(&mut self, depth: usize) {
        let copies = self.tree.unshare_from(depth);
        self.link_copied_nodes(&copies);
    }

    /// Ensures that the message of a call on the run's path is not shared with another branch. The
    /// call keeps its key.
    pub(super) fn unshare_call(&mut self, key: &CallKey) {
        if let Some(node) = self.calls.node_of(key) {
            self.unshare(node);
        }
    }

    /// Changes a call on behalf of an agent. If another branch shares the call's message, the
    /// message is copied first, so that only the run's path changes. Returns `None` if no call has
    /// this key.
    pub(super) fn edit_unshared_call<R>(
        &mut self,
        key: &CallKey,
        edit: impl FnOnce(&mut ToolCall) -> R,
    ) -> Option<R> {
        self.unshare_call(key);
        self.edit_call(key, edit)
    }

    fn link_copied_nodes(&mut self, copies: &[CopiedNode]) {
        for CopiedNode { from, to } in copies.iter().copied() {
            self.assign_id(to);
            self.replace_calls_with_copies(from);
            self.attach_calls(to);
            for node in self.orphans.values_mut().filter(|node| **node == from) {
                *node = to;
            }
            #[cfg(feature = "ui-stream")]
            for part_ref in self
                .blocks
                .values_mut()
                .filter(|part_ref| part_ref.node == from)
            {
                part_ref.node = to;
            }
            #[cfg(feature = "callouts")]
            self.move_callout_reader(from, to);
        }
    }

    /// Replaces the calls in a node of the other branch with copies that have the same history and
    /// can no longer start. The texts of the node are closed, and only the results of calls in the
    /// node are kept.
    fn replace_calls_with_copies(&mut self, ix: usize) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        for part in &mut node.message.parts {
            if let Part::Text(text) | Part::Reasoning(text) = part {
                text.open = false;
            }
        }
        let keys: Vec<CallKey> = node
            .message
            .parts
            .iter()
            .filter_map(Part::call_key)
            .collect();
        // Results of calls in other messages are removed, because each result has only one position
        // in the received order and these results move with the copied node.
        node.results.retain(|result| keys.contains(result));
        let id = node.message.id.clone();
        for key in &keys {
            self.replace_with_copy(key, ix);
        }
        self.add_missing_results(ix);
        self.log.push(Change::Message(id));
    }

    /// Detaches a call from a message on another branch, and puts a copy of the call in the
    /// message. The copy has the same history and can no longer start.
    pub(super) fn detach_and_leave_copy(&mut self, key: &CallKey, node: usize) {
        self.replace_with_copy(key, node);
        self.calls.detach(key);
        self.add_missing_results(node);
        let id = self.tree.id_at(node).cloned();
        self.log.extend(id.map(Change::Message));
    }

    /// Copies the newest call with this wire id that was started or denied on any branch, and
    /// returns the key of the copy. Returns `None` if no such call exists. The copy is for a
    /// message list of this branch that contains the id: the id refers to the same call, which must
    /// not run again.
    pub(super) fn copy_settled_call(&mut self, wire_id: &str) -> Option<CallKey> {
        let calls = self
            .calls
            .calls_with_wire_id(wire_id)
            .filter(|call| call.is_real());
        let placed_calls = calls.filter(|call| self.calls.node_of(&call.key()).is_some());
        let newest = placed_calls
            .filter(|call| call.was_started() || call.is_denied())
            .last();
        let key = newest?.key();
        self.add_call_copy(&key)
    }

    /// Adds a copy of a call that has the same history and can no longer start. Returns the key of
    /// the copy, or `None` if the call does not exist.
    fn add_call_copy(&mut self, key: &CallKey) -> Option<CallKey> {
        let mut copy = self.calls.get(key)?.clone();
        abandon_copy(&mut copy);
        Some(self.calls.add(copy, None))
    }

    /// Replaces a call in a message with a copy that has the same history and can no longer start.
    fn replace_with_copy(&mut self, key: &CallKey, ix: usize) {
        let Some(copy) = self.add_call_copy(key) else {
            return;
        };
        self.calls.attach(&copy, ix);
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        for part in &mut node.message.parts {
            if part.call_key() == Some(*key) {
                *part = Part::Call(copy);
            }
        }
        for result in &mut node.results {
            if result == key {
                *result = copy;
            }
        }
    }
}

/// Discards the events and the check of a copied call, and cancels the copy if it has not ended.
/// The events belong to the original call, which continues.
fn abandon_copy(call: &mut ToolCall) {
    call.apply_data_change(CallDataChange::Checked(None));
    if !call.state.is_done() {
        let mut outcome = EndedCall::new(CallEnd::Cancelled, Author::Page, true);
        outcome.at = Some(call.created_at);
        call.apply_event(StateEvent::Settled(Box::new(outcome)));
    }
    call.events.clear();
}
