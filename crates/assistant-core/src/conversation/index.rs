//! How messages, calls and answers are found by the ids that agents give them, in constant time.
//!
//! Neighbour: `tree` holds the nodes and the path. An index may name what is on another branch; who
//! looks something up checks the path.

use super::{CallKey, Conversation, ToolCall};
use crate::order::in_order;

impl Conversation {
    /// The node on the run's path that agents know by this id.
    pub(super) fn find_message(&self, wire_id: &str) -> Option<usize> {
        self.wire_ids
            .get(wire_id)?
            .iter()
            .copied()
            .find(|ix| self.on_path(*ix))
    }

    /// The call on the run's path that agents know by this id.
    pub(super) fn find_call(&self, wire_id: &str) -> Option<CallKey> {
        let is_it = |call: &ToolCall| call.is_real() && call.id == wire_id;
        // Mostly it is the last of the newest message, and to compare is less than to look up.
        let newest = self.path.last().and_then(|node| {
            let part = self.node(*node)?.message.parts.last()?;
            part.as_call()
        });
        if let Some(call) = newest.filter(|call| is_it(call)) {
            return Some(call.key);
        }
        self.calls
            .get(wire_id)?
            .iter()
            .copied()
            .find(|key| self.call(key).is_some_and(is_it) && self.place_of(key).is_some())
    }

    /// The call on the run's path that the tool message with this id answers.
    pub(super) fn find_answer(&self, message_id: &str) -> Option<CallKey> {
        let is_it = |key: &CallKey| {
            let call = self.call(key).filter(|call| !call.unlisted);
            let result = call.and_then(|call| call.result.as_ref());
            result.is_some_and(|result| result.message_id == message_id)
                && self.place_of(key).is_some()
        };
        let named = self.answers.get(message_id)?;
        named.iter().copied().find(is_it)
    }

    /// Makes a call findable by the id of the tool message that answers it.
    pub(super) fn index_answer(&mut self, key: CallKey) {
        let result = self.call(&key).and_then(|call| call.result.as_ref());
        if let Some(id) = result.map(|result| result.message_id.clone()) {
            add_once(self.answers.entry(id).or_default(), key);
        }
    }

    /// Makes the calls of a new node findable, and gives them the results that came before them.
    pub(super) fn index_calls(&mut self, node: usize) {
        self.settle_in(node);
        let keys: Vec<CallKey> = self.node_calls(node).collect();
        for key in keys {
            self.index_call(key);
            self.adopt_orphan(key);
        }
        self.note_orphans(node);
    }

    pub(super) fn index_call(&mut self, key: CallKey) {
        let Some(call) = self.call(&key).filter(|call| call.is_real()) else {
            return;
        };
        let (id, is_done) = (call.id.clone(), call.state.is_done());
        add_once(self.calls.entry(id).or_default(), key);
        self.index_answer(key);
        if is_done {
            add_once(&mut self.history, key);
        }
    }

    /// Rebuilds every index, after an operation that moved parts or nodes.
    pub(super) fn reindex(&mut self) {
        self.calls.clear();
        self.answers.clear();
        self.places.clear();
        self.open.clear();
        self.wire_ids.clear();
        self.ids.clear();
        self.orphans.clear();
        let known = std::mem::take(&mut self.history);
        let mut waiting = Vec::new();
        for ix in 0..self.nodes.len() {
            let Some(node) = self.node(ix) else { continue };
            let (id, wire_id) = (node.message.id.clone(), node.message.wire_id().to_owned());
            self.ids.insert(id, ix);
            self.wire_ids.entry(wire_id).or_default().push(ix);
            self.settle_in(ix);
            let keys: Vec<CallKey> = self.node_calls(ix).collect();
            for key in keys {
                self.index_call(key);
            }
            waiting.extend(self.orphans_in(ix).into_iter().map(|id| (id, ix)));
        }
        self.order_history(&known);
        self.number_path();
        for (id, ix) in &waiting {
            self.note_orphan(id, *ix);
        }
        for (id, _) in waiting {
            if let Some(key) = self.find_call(&id).filter(|key| self.waits(key)) {
                self.adopt_orphan(key);
            }
        }
    }

    /// What was in the history keeps its order; what is new in it follows by the time of its end.
    fn order_history(&mut self, known: &[CallKey]) {
        let there: std::collections::HashSet<CallKey> = self.history.drain(..).collect();
        let mut history: Vec<CallKey> = known
            .iter()
            .filter(|key| there.contains(key))
            .copied()
            .collect();
        let old: std::collections::HashSet<CallKey> = history.iter().copied().collect();
        let mut fresh: Vec<CallKey> = there.difference(&old).copied().collect();
        fresh = in_order(fresh, CallKey::rank);
        let fresh = in_order(fresh, |key| {
            let ended = self.call(key).and_then(|call| call.ended_at);
            ended.unwrap_or(i64::MIN)
        });
        history.extend(fresh);
        self.history = history;
    }
}

/// A key that stands there twice does no harm; the check is for the common case.
fn add_once(list: &mut Vec<CallKey>, key: CallKey) {
    if list.last() != Some(&key) {
        list.push(key);
    }
}
