//! Inserts, removes and branches items in the middle of the path of runs.

use super::{MessageId, Tree, TreeNode, TreeUpdate};

impl<M> Tree<M> {
    /// Inserts an item between a node of the path of runs, or the beginning, and the next node of
    /// the path. `next` is that next node, which no other branch may share. Children on other
    /// branches keep their parent.
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
        self.choose_child(before, Some(ix));
        self.path.insert(place, ix);
        self.changes.push(TreeUpdate::Added(id.clone()));
        self.number_path();
        (ix, id)
    }

    /// Returns the node that follows a node on the path of runs; for `None`, the first node.
    pub(in crate::conversation) fn node_after(&self, before: Option<usize>) -> Option<usize> {
        let above = before.and_then(|before| self.node(before));
        let place = above.map_or(0, |above| above.depth + 1);
        self.path.get(place.min(self.path.len())).copied()
    }

    /// Removes a node; its children become children of its parent. The caller updates the paths
    /// afterwards, once for all removed nodes.
    pub(in crate::conversation) fn unlink_node(&mut self, ix: usize) -> Option<TreeNode<M>> {
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

    /// Removes a node from the paths, after [`Self::unlink_node`].
    pub(in crate::conversation) fn close_path_at(&mut self, ix: usize, node: &TreeNode<M>) {
        match node.chosen {
            // The node below it is then the successor on the path.
            Some(next) if self.shown.is_none() && self.path.get(node.depth) == Some(&ix) => {
                self.leave_gap(node.depth, node.parent, next);
            }
            _ => self.remove_from_paths(|_| false),
        }
    }

    /// Moves a node off the path to a branch of its own: the node's child on the path becomes its
    /// sibling. No other branch may contain the node. The caller updates the path afterwards.
    pub(in crate::conversation) fn move_to_own_branch(&mut self, ix: usize) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let next = node.children.pop();
        let parent = node.parent;
        node.chosen = None;
        if let Some(next) = next {
            self.set_parent(next, parent);
            self.add_to_parent(next, parent);
            self.choose_child(parent, Some(next));
        }
    }
}
