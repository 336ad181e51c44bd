//! How messages, calls and answers are found by the ids that agents give them, in constant time.
//!
//! Neighbour: `tree` holds the nodes and the path. An index may name what is on another branch; who
//! looks something up checks the path.

use super::{Conversation, tree::CallRef};
use crate::order::in_order;

impl Conversation {
    /// The node on the path that agents know by this id.
    pub(super) fn find_message(&self, wire_id: &str) -> Option<usize> {
        self.wire_ids
            .get(wire_id)?
            .iter()
            .copied()
            .find(|ix| self.on_path(*ix))
    }

    pub(super) fn find_call(&self, wire_id: &str) -> Option<CallRef> {
        let is_it = |at: &CallRef| {
            let call = self.call_at(*at);
            call.is_some_and(|call| call.is_real() && call.id == wire_id)
        };
        // Mostly it is the last of the newest message, and to compare is less than to look up.
        let newest = self.path.last().and_then(|node| {
            let part = self.node(*node)?.message.parts.len().checked_sub(1)?;
            Some(CallRef { node: *node, part })
        });
        if newest.as_ref().is_some_and(is_it) {
            return newest;
        }
        self.calls
            .get(wire_id)?
            .iter()
            .copied()
            .find(|at| self.on_path(at.node) && is_it(at))
    }

    /// The call on the path that the tool message with this id answers.
    pub(super) fn find_answer(&self, message_id: &str) -> Option<CallRef> {
        let is_it = |at: &CallRef| {
            let call = self.call_at(*at).filter(|call| !call.unlisted);
            let result = call.and_then(|call| call.result.as_ref());
            result.is_some_and(|result| result.message_id == message_id)
        };
        self.answers
            .get(message_id)?
            .iter()
            .copied()
            .find(|at| self.on_path(at.node) && is_it(at))
    }

    /// Makes a call findable by the id of the tool message that answers it.
    pub(super) fn index_answer(&mut self, at: CallRef) {
        let result = self.call_at(at).and_then(|call| call.result.as_ref());
        if let Some(id) = result.map(|result| result.message_id.clone()) {
            self.answers.entry(id).or_default().push(at);
        }
    }

    /// Makes the calls of a new node findable, and gives them the results that came before them.
    pub(super) fn index_calls(&mut self, node: usize) {
        for at in self.node_call_refs(node) {
            self.index_call(at);
            self.adopt_orphan(at);
        }
        self.note_orphans(node);
    }

    pub(super) fn index_call(&mut self, at: CallRef) {
        let Some(id) = self.call_at(at).map(|call| call.id.clone()) else {
            return;
        };
        self.calls.entry(id).or_default().push(at);
        self.index_answer(at);
        if self.call_at(at).is_some_and(|call| call.phase.is_final()) {
            self.history.push(at);
        }
    }

    /// Builds every index anew, after an operation that moved parts or nodes.
    pub(super) fn reindex(&mut self) {
        self.calls.clear();
        self.answers.clear();
        self.wire_ids.clear();
        self.ids.clear();
        self.history.clear();
        self.orphans.clear();
        for ix in 0..self.nodes.len() {
            let Some(node) = self.node(ix) else { continue };
            let (id, wire_id) = (node.message.id.clone(), node.message.wire_id().to_owned());
            self.ids.insert(id, ix);
            self.wire_ids.entry(wire_id).or_default().push(ix);
            for at in self.node_call_refs(ix) {
                self.index_call(at);
            }
            self.note_orphans(ix);
        }
        let history = std::mem::take(&mut self.history);
        self.history = in_order(history, |at| {
            let ended = self.call_at(*at).and_then(|call| call.ended_at);
            ended.unwrap_or(i64::MIN)
        });
        self.number_path();
    }
}
