//! Items in the middle of the path of runs: put in, taken out, moved to a branch of their own.

use super::{MessageId, Node, Tree, TreeChange};

impl<M> Tree<M> {
    /// Puts an item between a node of the path (or the beginning) and what follows it there. `next`
    /// is what follows, which no other branch shares; what follows on other branches stays where it
    /// is.
    pub(in crate::conversation) fn insert_after(
        &mut self,
        before: Option<usize>,
        next: Option<usize>,
        id: MessageId,
        item: M,
    ) -> (usize, MessageId) {
        let above = before.and_then(|before| self.node(before));
        let place = above.map_or(0, |above| above.depth + 1);
        let place = place.min(self.path.len());
        let (ix, id) = self.add_node(id, item, before);
        let siblings = self.siblings_mut(before);
        let at = siblings.iter().position(|child| Some(*child) == next);
        match at.and_then(|at| siblings.get_mut(at)) {
            Some(sibling) => *sibling = ix,
            None => siblings.push(ix),
        }
        if let Some(next) = next {
            self.set_parent(next, Some(ix));
            if let Some(node) = self.node_mut(ix) {
                node.children.push(next);
                node.chosen = Some(next);
            }
        }
        self.choose(before, Some(ix));
        self.path.insert(place, ix);
        self.changes.push(TreeChange::Added(id.clone()));
        self.number_path();
        (ix, id)
    }

    /// Returns what follows a node of the path of runs, or the beginning.
    pub(in crate::conversation) fn following(&self, before: Option<usize>) -> Option<usize> {
        let above = before.and_then(|before| self.node(before));
        let place = above.map_or(0, |above| above.depth + 1);
        self.path.get(place.min(self.path.len())).copied()
    }

    /// Takes a node out; its children become children of its parent. Paths are to be cleared of it
    /// afterwards, once for all that go.
    pub(in crate::conversation) fn take_out(&mut self, ix: usize) -> Option<Node<M>> {
        let node = self.remove_node(ix)?;
        for child in &node.children {
            self.set_parent(*child, node.parent);
        }
        let siblings = self.siblings_mut(node.parent);
        if let Some(place) = siblings.iter().position(|other| *other == ix) {
            siblings.splice(place..=place, node.children.iter().copied());
        }
        Some(node)
    }

    /// Takes the node that [`Self::take_out`] took out off the paths.
    pub(in crate::conversation) fn close_path_at(&mut self, ix: usize, node: &Node<M>) {
        match node.chosen {
            // What stands below is the path's next then: it is remembered.
            Some(next) if self.shown.is_none() && self.path.get(node.depth) == Some(&ix) => {
                self.leave_gap(node.depth, node.parent, next);
            }
            _ => self.clear_paths(|_| false),
        }
    }

    /// Takes a node off the path but keeps it: its child on the path moves up beside it. No other
    /// branch goes through it. The path is to be cleared of it afterwards.
    pub(in crate::conversation) fn leave_as_branch(&mut self, ix: usize) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let next = node.children.pop();
        let parent = node.parent;
        node.chosen = None;
        if let Some(next) = next {
            self.set_parent(next, parent);
            self.hang(next, parent);
            self.choose(parent, Some(next));
        }
    }
}
