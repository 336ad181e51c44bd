//! Implements copy-on-write: before a run changes an item that is shared with another branch, the
//! item is copied for the run's branch.

use super::{Change, Tree};

/// A copied node: the original on another branch, and the copy on the path of runs.
#[derive(Debug, Clone, Copy)]
pub(in crate::conversation) struct CopiedNode {
    /// The original node, which stays on the other branch.
    pub(in crate::conversation) from: usize,
    /// The copy, which is on the path of runs.
    pub(in crate::conversation) to: usize,
}

impl<M: Clone> Tree<M> {
    /// Returns true if other branches may share nodes of the path of runs.
    pub(in crate::conversation) const fn may_share_path(&self) -> bool {
        self.shared_len > 0
    }

    /// Copies a node before a run changes it, together with the nodes between it and the last fork
    /// of the path. Returns the node that the run may change, and the copied nodes. Copies nothing
    /// if the node is not on the path, or if neither the node nor a node after it is shared.
    pub(in crate::conversation) fn unshare(&mut self, ix: usize) -> (usize, Vec<CopiedNode>) {
        let find_depth = |this: &Self| Some(this.node(ix)?.depth).filter(|_| this.is_on_path(ix));
        let is_shared = |depth| self.last_shared_depth(depth).is_some();
        if !find_depth(self).is_some_and(is_shared) {
            return (ix, Vec::new());
        }
        // The gaps are closed only for a shared node, because closing them renumbers the path.
        self.close_gaps();
        let Some(first_depth) = find_depth(self) else {
            return (ix, Vec::new());
        };
        let copies = self.unshare_from(first_depth);
        let unshared_ix = self.path.get(first_depth).copied().unwrap_or(ix);
        (unshared_ix, copies)
    }

    /// Copies the nodes of the path that another branch shares, beginning at this depth. The last
    /// node is copied first: its original stays a child of the preceding node, so that the
    /// preceding node is also shared.
    pub(in crate::conversation) fn unshare_from(&mut self, first: usize) -> Vec<CopiedNode> {
        self.close_gaps();
        let Some(last) = self.last_shared_depth(first) else {
            return Vec::new();
        };
        let mut copies = Vec::new();
        for depth in (first..=last).rev() {
            let ix = self.path.get(depth).copied();
            if let Some(from) = ix.filter(|ix| self.is_shared(*ix)) {
                copies.extend(self.copy_for_path(from).map(|to| CopiedNode { from, to }));
            }
        }
        self.number_path();
        copies
    }

    /// Replaces a node on the path of runs with a copy, and returns the number of the copy. The
    /// original stays on the other branch.
    fn copy_for_path(&mut self, ix: usize) -> Option<usize> {
        let node = self.node(ix)?;
        let (id, item) = (node.id.clone(), node.item.clone());
        let (parent, depth) = (node.parent, node.depth);
        let next = self.path.get(depth + 1).copied();
        let (copy, id) = self.add_node(id, item, parent);
        if let Some(node) = self.node_mut(copy) {
            node.depth = depth;
        }
        self.add_to_parent(copy, parent);
        if let Some(next) = next {
            self.remove_from_parent(next);
            self.set_parent(next, Some(copy));
            self.add_to_parent(next, Some(copy));
        }
        if let Some(entry) = self.path.get_mut(depth) {
            *entry = copy;
        }
        self.changes.push(Change::MessageAdded(id));
        Some(copy)
    }
}

impl<M> Tree<M> {
    /// Returns true if a node has a child that is not on the path of runs.
    fn is_shared(&self, ix: usize) -> bool {
        let Some(node) = self.node(ix) else {
            return false;
        };
        let next = self.next_on_path(node.depth);
        node.children.iter().any(|child| Some(*child) != next)
    }

    /// Returns the depth of the last node on the path of runs, at this depth or deeper, that has a
    /// child on another branch. Returns `None` if no such node exists. All nodes before the
    /// returned depth are also shared.
    pub(in crate::conversation) fn last_shared_depth(&self, from: usize) -> Option<usize> {
        let nodes = self.path.get(from..self.shared_len.min(self.path.len()))?;
        Some(from + nodes.iter().rposition(|ix| self.is_shared(*ix))?)
    }

    /// Recomputes the number of nodes at the start of the path of runs that other branches share.
    pub(super) fn update_shared_len(&mut self) {
        self.shared_len = self.path.len();
        self.shared_len = self.last_shared_depth(0).map_or(0, |last| last + 1);
    }

    /// Records that another branch begins below `parent`, if `parent` is on the path of runs.
    pub(super) fn record_fork_below(&mut self, parent: Option<usize>) {
        if let Some(parent) = parent.filter(|parent| self.is_on_path(*parent)) {
            let depth = self.node(parent).map_or(0, |parent| parent.depth);
            self.shared_len = self.shared_len.max(depth + 1);
        }
    }

    /// Returns true if `shared_len` covers all nodes that branches share. Used by tests.
    pub(super) fn is_shared_len_valid(&self) -> bool {
        let last_shared = self.path.iter().rposition(|ix| self.is_shared(*ix));
        last_shared.is_none_or(|last| last < self.shared_len)
    }
}
