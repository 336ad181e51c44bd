//! Copy on write: a message that another branch shares is never changed by a run, but copied for the
//! run's own branch first. Neighbour: `branch`.

use super::{CallKey, Change, Conversation, Part, ToolCall, state::State};

impl Conversation {
    /// Whether a node of the run's path also belongs to another branch.
    pub(super) fn is_shared(&self, ix: usize) -> bool {
        let Some(node) = self.node(ix) else {
            return false;
        };
        let next = self.next_on_path(node.depth);
        node.children.iter().any(|child| Some(*child) != next)
    }

    /// The depth of the last node of the run's path, from a depth on, at which another branch leaves it: that
    /// branch goes through all nodes before, too.
    pub(super) fn last_shared(&self, from: usize) -> Option<usize> {
        let piece = self.path.get(from..self.shared_len.min(self.path.len()))?;
        Some(from + piece.iter().rposition(|ix| self.is_shared(*ix))?)
    }

    /// Measures again up to where other branches go along the run's path.
    pub(super) fn measure_shared(&mut self) {
        self.shared_len = self.path.len();
        self.shared_len = self.last_shared(0).map_or(0, |last| last + 1);
    }

    /// The node to change for the run that writes now: the same one, or a copy of it for this path
    /// if another branch goes through it.
    pub(super) fn own(&mut self, ix: usize) -> usize {
        let depth = |this: &Self| Some(this.node(ix)?.depth).filter(|_| this.on_path(ix));
        if depth(self)
            .and_then(|depth| self.last_shared(depth))
            .is_none()
        {
            return ix;
        }
        self.close_gaps();
        let piece = depth(self).and_then(|depth| Some((depth, self.last_shared(depth)?)));
        let Some((depth, last)) = piece else {
            return ix;
        };
        self.own_piece(depth, last);
        self.path.get(depth).copied().unwrap_or(ix)
    }

    /// Makes sure that the message of a call on the run's path belongs to this path alone. The call keeps
    /// its key.
    pub(super) fn own_call(&mut self, key: &CallKey) {
        if let Some(node) = self.calls.node_of(key) {
            self.own(node);
        }
    }

    /// Changes a call by the word of an agent, which is about the run's path alone.
    pub(super) fn edit_own_call<R>(
        &mut self,
        key: &CallKey,
        edit: impl FnOnce(&mut ToolCall) -> R,
    ) -> Option<R> {
        self.own_call(key);
        self.edit_call(key, edit)
    }

    /// Copies a piece of the path, of which the last is shared. From below: where a copy was
    /// made, the original stays below the one before, which is shared by that.
    pub(super) fn own_piece(&mut self, first: usize, last: usize) {
        self.close_gaps();
        for depth in (first..=last).rev() {
            let ix = self.path.get(depth).copied();
            if let Some(ix) = ix.filter(|ix| self.is_shared(*ix)) {
                self.copy_for_path(ix);
            }
        }
        self.settle_copies();
    }

    /// Puts a copy of a node in its place on the path; the other branch keeps the node.
    fn copy_for_path(&mut self, ix: usize) -> usize {
        let Some(node) = self.node(ix) else { return ix };
        let (parent, depth, results) = (node.parent, node.depth, node.results.clone());
        let run = node.run;
        let next = self.path.get(depth + 1).copied();
        let message = node.message.clone();
        let (copy, id) = self.add_node(message, parent);
        self.leave_copies(ix);
        if let Some(node) = self.node_mut(copy) {
            node.results = results;
            node.run = run;
            node.depth = depth;
        }
        self.hang(copy, parent);
        if let Some(next) = next {
            self.unhang(next);
            self.set_parent(next, Some(copy));
            self.hang(next, Some(copy));
        }
        if let Some(place) = self.path.get_mut(depth) {
            *place = copy;
        }
        self.settle_in(copy);
        self.follow_copy(ix, copy);
        self.log.push(Change::MessageAdded(id));
        copy
    }

    /// Lets what is noted by node go with the path.
    fn follow_copy(&mut self, ix: usize, copy: usize) {
        for waiting in self.orphans.values_mut().filter(|at| **at == ix) {
            *waiting = copy;
        }
        #[cfg(feature = "ui-stream")]
        for block in self.blocks.values_mut().filter(|at| at.node == ix) {
            block.node = copy;
        }
        #[cfg(feature = "callouts")]
        self.move_reader(ix, copy);
    }

    fn settle_copies(&mut self) {
        // What is remembered is what was shown.
        if self.shown.is_none() {
            let path = self.path.clone();
            self.remember(&path);
        }
        self.number_path();
    }

    /// The calls went to the copy of a node, for the path that goes on. What stays behind on the
    /// other branch is other calls with the same past, which nothing starts any more.
    fn leave_copies(&mut self, ix: usize) {
        let Some(Some(node)) = self.nodes.get_mut(ix) else {
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
        // A result stands in one place: those of calls in other messages go with the copy.
        node.results.retain(|listed| keys.contains(listed));
        let id = node.message.id.clone();
        for key in &keys {
            self.replace_with_copy(key, ix);
        }
        self.list_results_of(ix);
        self.log.push(Change::Message(id));
    }

    /// Takes a call out of the message of another branch, in which another call with the same past
    /// stays.
    pub(super) fn leave_copy(&mut self, key: &CallKey, node: usize) {
        self.replace_with_copy(key, node);
        self.calls.detach(key);
        self.list_results_of(node);
        self.log
            .extend(self.id_at(node).cloned().map(Change::Message));
    }

    /// Puts a call with the same past, which nothing starts any more, in the place of a call.
    fn replace_with_copy(&mut self, key: &CallKey, ix: usize) {
        let Some(mut copy) = self.calls.get(key).cloned() else {
            return;
        };
        leave(&mut copy);
        let copy = self.calls.add(copy, None);
        self.calls.attach(&copy, ix);
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        for part in &mut node.message.parts {
            if part.call_key() == Some(*key) {
                *part = Part::Call(copy);
            }
        }
        for listed in &mut node.results {
            if listed == key {
                *listed = copy;
            }
        }
    }
}

/// Makes a call one that was left on another branch. What happened to it is on record with the one that goes on.
fn leave(call: &mut ToolCall) {
    call.transitions.clear();
    if !call.state.is_done() {
        call.state = State::abandoned();
        call.ended_at.get_or_insert(call.created_at);
    }
}
