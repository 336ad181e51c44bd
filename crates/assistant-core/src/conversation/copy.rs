//! Copy on write: a message that another branch shares is never changed by a run, but copied for the
//! run's own branch first. Neighbour: `branch`.

use super::{CallKey, Change, Conversation, Part, state::State};

impl Conversation {
    /// Whether a node of the run's path also belongs to another branch.
    pub(super) fn is_shared(&self, ix: usize) -> bool {
        let Some(node) = self.node(ix) else {
            return false;
        };
        let next = self.next_on_path(node.depth);
        node.children.iter().any(|child| Some(*child) != next)
    }

    /// The node to change for the run that writes now: the same one, or a copy of it for this path
    /// if another branch shares it.
    pub(super) fn own(&mut self, ix: usize) -> usize {
        if !self.on_path(ix) || !self.is_shared(ix) {
            return ix;
        }
        self.close_gaps();
        let copy = self.copy_for_path(ix);
        self.settle_copies();
        copy
    }

    /// The same for a piece of the path, of which the last is shared. From below: where a copy was
    /// made, the original stands below the one before, which is shared by that.
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
        self.log.push(Change::MessageAdded(id));
        copy
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
            left.push((std::mem::replace(&mut call.key, key), key));
            if !matches!(call.state, State::Done(_)) {
                call.state = State::abandoned();
                call.ended_at.get_or_insert(call.created_at);
            }
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
}
