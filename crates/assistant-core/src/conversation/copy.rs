//! Copy on write: a message that another branch shares is never changed by a run, but copied for the
//! run's own branch first. Neighbour: `branch`.

use super::{CallKey, Change, Conversation, Part, ToolCall, state::State, tree::CallRef};

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
        if let Some(at) = self.places.get(key).copied() {
            self.own(at.node);
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
        let mut left = Vec::new();
        for part in &mut node.message.parts {
            if let Part::Text(text) | Part::Reasoning(text) = part {
                text.open = false;
            }
            let Part::ToolCall(call) = part else { continue };
            self.last_key += 1;
            let key = CallKey::new(self.last_key);
            left.push((call.key, key));
            leave(call, key);
        }
        // A result stands in one place: those of calls in other messages go with the copy.
        let listed = std::mem::take(&mut node.results).into_iter();
        let copy_of = |listed: CallKey| left.iter().find(|(old, _)| *old == listed);
        node.results = listed.filter_map(copy_of).map(|(_, key)| *key).collect();
        let id = node.message.id.clone();
        self.settle_in(ix);
        for (_, key) in left {
            self.index_call(key);
        }
        self.list_results_of(ix);
        self.log.push(Change::Message(id));
    }
    /// The call comes back to the run's path from a branch that kept it, where another call with the same past
    /// stays.
    pub(super) fn leave_copy(&mut self, at: CallRef) -> Option<Box<ToolCall>> {
        let key = self.mint();
        let node = self.nodes.get_mut(at.node)?.as_mut()?;
        let Some(Part::ToolCall(call)) = node.message.parts.get_mut(at.part) else {
            return None;
        };
        let back = call.clone();
        leave(call, key);
        for listed in node
            .results
            .iter_mut()
            .filter(|listed| **listed == back.key)
        {
            *listed = key;
        }
        let id = node.message.id.clone();
        self.places.remove(&back.key);
        self.open.remove(&back.key);
        self.settle_in(at.node);
        self.index_call(key);
        self.list_results_of(at.node);
        self.log.push(Change::Message(id));
        Some(back)
    }
}

/// Makes a call one that was left on another branch. What happened to it is on record with the one that goes on.
fn leave(call: &mut ToolCall, key: CallKey) {
    call.key = key;
    call.transitions.clear();
    if !call.state.is_done() {
        call.state = State::abandoned();
        call.ended_at.get_or_insert(call.created_at);
    }
}
