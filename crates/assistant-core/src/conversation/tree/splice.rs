//! Inserts items in the middle of the path of runs, removes items, and moves items to branches of
//! their own.

use super::{Change, MessageId, Tree, TreeNode};

impl<M> Tree<M> {
    /// Inserts an item between two successive nodes of the path of runs. `previous` is the node
    /// before the item, or `None` at the start of the path. `next` is the node after the item,
    /// which no other branch may share. Children of `previous` on other branches keep their parent.
    pub(in crate::conversation) fn insert_after(
        &mut self,
        previous: Option<usize>,
        next: Option<usize>,
        id: MessageId,
        item: M,
    ) -> (usize, MessageId) {
        let previous_node = previous.and_then(|previous| self.node(previous));
        let path_index = previous_node.map_or(0, |previous_node| previous_node.depth + 1);
        let path_index = path_index.min(self.path.len());
        let (ix, id) = self.add_node(id, item, previous);
        let siblings = self.siblings_mut(previous);
        let sibling_index = siblings.iter().position(|child| Some(*child) == next);
        match sibling_index.and_then(|sibling_index| siblings.get_mut(sibling_index)) {
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
        self.choose_child(previous, Some(ix));
        self.path.insert(path_index, ix);
        self.changes.push(Change::MessageAdded(id.clone()));
        self.number_path();
        (ix, id)
    }

    /// Returns the node that follows `previous` on the path of runs, or the first node of the path
    /// if `previous` is `None`.
    pub(in crate::conversation) fn node_after(&self, previous: Option<usize>) -> Option<usize> {
        let previous_node = previous.and_then(|previous| self.node(previous));
        let path_index = previous_node.map_or(0, |previous_node| previous_node.depth + 1);
        self.path.get(path_index.min(self.path.len())).copied()
    }

    /// Removes a node from the tree. The children of the node become children of its parent. The
    /// caller updates the paths once, after all nodes were removed.
    pub(in crate::conversation) fn unlink_node(&mut self, ix: usize) -> Option<TreeNode<M>> {
        let node = self.remove_node(ix)?;
        for child in &node.children {
            self.set_parent(*child, node.parent);
        }
        let siblings = self.siblings_mut(node.parent);
        if let Some(index) = siblings.iter().position(|other| *other == ix) {
            siblings.splice(index..=index, node.children.iter().copied());
        }
        Some(node)
    }

    /// Removes a node from the paths, after [`Self::unlink_node`] removed it from the tree.
    pub(in crate::conversation) fn close_path_at(&mut self, ix: usize, node: &TreeNode<M>) {
        match node.chosen {
            // If the run's path is shown, a gap replaces the node, because the chosen child is then
            // the next node of the path.
            Some(next) if self.shown.is_none() && self.path.get(node.depth) == Some(&ix) => {
                self.leave_gap(node.depth, node.parent, next);
            }
            _ => self.remove_from_paths(|_| false),
        }
    }

    /// Moves a node off the path to a separate branch: the node's child on the path becomes a
    /// sibling of the node. No other branch may contain the node. The caller updates the path
    /// afterwards.
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
