//! Deletes a branch, and restores a deleted branch with its items at their previous positions.
//!
//! The caller stores the deleted branch.

use super::{Change, Tree, TreeNode};

/// A deleted branch.
#[derive(Debug, Clone)]
pub(in crate::conversation) struct RemovedBranch<M> {
    /// The nodes of the branch with their numbers, beginning with the topmost node.
    nodes: Vec<(usize, TreeNode<M>)>,
    /// The index of the topmost node among its sibling versions.
    place: usize,
    /// True if the topmost node was the chosen child of its parent.
    chosen: bool,
    /// The tip of the path of runs, if that tip was in the branch.
    tip: Option<usize>,
    /// The tip of the shown path, if that tip was in the branch.
    shown: Option<usize>,
}

impl<M> RemovedBranch<M> {
    /// Returns the removed nodes, beginning with the topmost node.
    pub(in crate::conversation) fn nodes(&self) -> impl Iterator<Item = &TreeNode<M>> {
        self.nodes.iter().map(|(_, node)| node)
    }

    /// Returns the numbers of the removed nodes.
    pub(in crate::conversation) fn node_numbers(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|(ix, _)| *ix)
    }
}

impl<M> Tree<M> {
    /// Removes a node and its descendants, and returns them. If the node was on the shown path or
    /// on the path of runs, that path then leads to the previous version of the node, or else to
    /// the next version, or else to the parent.
    pub(in crate::conversation) fn delete(&mut self, ix: usize) -> RemovedBranch<M> {
        self.close_gaps();
        let numbers = self.subtree(ix);
        let parent = self.node(ix).and_then(|node| node.parent);
        let siblings = self.siblings(ix);
        let index = siblings.iter().position(|other| *other == ix).unwrap_or(0);
        let successor = index
            .checked_sub(1)
            .and_then(|index| siblings.get(index))
            .or_else(|| siblings.get(index + 1))
            .copied();
        let tip_of = |path: &[usize]| path.last().copied().filter(|_| path.contains(&ix));
        let mut removed_branch = RemovedBranch {
            nodes: Vec::new(),
            place: index,
            chosen: Some(ix) == self.chosen_child_of(parent),
            tip: tip_of(&self.path),
            shown: tip_of(self.shown_path()),
        };
        self.remove_from_parent(ix);
        for number in numbers {
            let node = self.remove_node(number);
            removed_branch.nodes.extend(node.map(|node| (number, node)));
        }
        let next = match (successor, parent) {
            (Some(successor), _) => self.branch_through(successor),
            (None, Some(parent)) => self.chain_to(parent),
            (None, None) => Vec::new(),
        };
        if removed_branch.tip.is_some() {
            let shown_path = self.shown.take().filter(|_| removed_branch.shown.is_none());
            self.path = next;
            self.shown = shown_path.filter(|shown_path| *shown_path != self.path);
        } else if removed_branch.shown.is_some() {
            self.shown = (next != self.path).then_some(next);
        }
        self.number_path();
        removed_branch
    }

    fn chosen_child_of(&self, parent: Option<usize>) -> Option<usize> {
        match parent {
            Some(parent) => self.node(parent).and_then(|parent| parent.chosen),
            None => self.chosen_root,
        }
    }

    /// Returns true if a deleted branch can be restored, because its parent exists and its ids and
    /// node numbers are unused.
    pub(in crate::conversation) fn can_restore(&self, removed: &RemovedBranch<M>) -> bool {
        let Some((_, first)) = removed.nodes.first() else {
            return false;
        };
        let has_parent = first
            .parent
            .is_none_or(|parent| self.node(parent).is_some());
        let is_unused = |(ix, node): &(usize, TreeNode<M>)| {
            self.node(*ix).is_none() && !self.contains(&node.id)
        };
        has_parent && removed.nodes.iter().all(is_unused)
    }

    /// Restores a deleted branch for which [`Self::can_restore`] returns true, and shows the branch
    /// if it was shown before. If `write` is true and the path of runs led through the branch
    /// before the deletion, that path leads through the branch again.
    pub(in crate::conversation) fn restore(&mut self, removed: RemovedBranch<M>, write: bool) {
        let Some((first, node)) = removed.nodes.first() else {
            return;
        };
        self.close_gaps();
        let (first, parent) = (*first, node.parent);
        for (ix, node) in removed.nodes {
            self.ids.insert(node.id.clone(), ix);
            self.changes.push(Change::MessageAdded(node.id.clone()));
            if let Some(slot) = self.nodes.get_mut(ix) {
                *slot = Some(node);
            }
            self.register_waiting(ix);
        }
        let siblings = self.siblings_mut(parent);
        siblings.insert(removed.place.min(siblings.len()), first);
        if removed.chosen {
            self.choose_child(parent, Some(first));
        }
        let shown_path = match removed.shown {
            Some(tip) => self.chain_to(tip),
            None => self.shown_path().to_vec(),
        };
        if let Some(tip) = removed.tip.filter(|_| write) {
            self.path = self.chain_to(tip);
        }
        self.shown = (shown_path != self.path).then_some(shown_path);
        self.number_path();
    }
}
