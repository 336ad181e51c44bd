//! Selects a version of an item, and shows the branch through that version.

use std::collections::HashSet;

use super::{Change, MessageId, Tree, TreeNode};
use crate::conversation::{Sibling, TreeError};

impl<M> Tree<M> {
    pub(in crate::conversation) fn index_of(&self, id: &MessageId) -> Result<usize, TreeError> {
        self.find(id).ok_or(TreeError::UnknownMessage)
    }

    /// Returns the versions of a node, oldest first. The list includes the node itself.
    pub(in crate::conversation) fn siblings(&self, ix: usize) -> &[usize] {
        match self.node(ix).and_then(|node| node.parent) {
            Some(parent) => self.node(parent).map_or(&[], |parent| &parent.children),
            None => &self.roots,
        }
    }

    /// Returns the id of the previous or the next version of an item. Fails if there is no such
    /// version.
    pub(in crate::conversation) fn sibling(
        &self,
        id: &MessageId,
        which: Sibling,
    ) -> Result<&MessageId, TreeError> {
        let ix = self.index_of(id)?;
        let list = self.siblings(ix);
        let index = list.iter().position(|other| *other == ix);
        let sibling_index = match which {
            Sibling::Previous => index.and_then(|index| index.checked_sub(1)),
            Sibling::Next => index.map(|index| index + 1),
        };
        let sibling_ix = sibling_index.and_then(|index| list.get(index));
        sibling_ix
            .and_then(|ix| self.id_at(*ix))
            .ok_or(TreeError::NoSibling)
    }

    /// Returns the path from the root through a node to a leaf. Below the node, each step leads to
    /// the child that was shown last, or else to the newest child.
    pub(super) fn branch_through(&self, ix: usize) -> Vec<usize> {
        let mut path = self.chain_to(ix);
        self.extend_branch(&mut path);
        path
    }

    /// Extends a path to a leaf. Each step leads to the child that was shown last, or else to the
    /// newest child.
    pub(super) fn extend_branch(&self, path: &mut Vec<usize>) {
        let mut tip = path.last().and_then(|ix| self.node(*ix));
        while let Some(node) = tip {
            let chosen_child = node.chosen.filter(|chosen| node.children.contains(chosen));
            let Some(next) = chosen_child.or(node.children.last().copied()) else {
                break;
            };
            path.push(next);
            tip = self.node(next);
        }
    }

    /// Shows the branch through an item. If `exact` is true, the branch ends at the item. If
    /// `write` is true, runs also write on this branch from now on.
    pub(in crate::conversation) fn select(
        &mut self,
        id: &MessageId,
        exact: bool,
        write: bool,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        match (write, exact) {
            (true, exact) => self.set_run_path_through(ix, exact),
            (false, true) => self.show_path(self.chain_to(ix)),
            (false, false) => self.show_path(self.branch_through(ix)),
        }
        Ok(())
    }

    fn show_path(&mut self, path: Vec<usize>) {
        // Closing the gaps stores the choices of the path that was shown before.
        self.close_gaps();
        self.remember_choices(&path);
        self.shown = (path != self.path).then_some(path);
        self.path_edition += 1;
        self.changes.push(Change::Path);
    }

    /// Sets the path of runs to the shown path.
    pub(in crate::conversation) fn set_run_branch_to_shown(&mut self) {
        if let Some(shown_path) = self.shown.take() {
            self.set_run_path(shown_path);
        }
    }

    /// Shows the path on which runs write.
    pub(in crate::conversation) fn show_run_branch(&mut self) {
        self.close_gaps();
        if self.shown.is_some() {
            self.show_path(self.path.clone());
        }
    }

    /// Returns the most recently added node without children.
    pub(in crate::conversation) fn last_leaf(&self) -> Option<usize> {
        let is_leaf = |ix: &usize| self.node(*ix).is_some_and(|node| node.children.is_empty());
        (0..self.nodes.len()).rev().find(is_leaf)
    }

    /// Returns true if the tree is consistent: every node can be reached from the roots exactly
    /// once, the links between parents and children match, and both paths begin at a root.
    pub(in crate::conversation) fn is_sound(&self) -> bool {
        let mut visited_nodes = HashSet::new();
        let mut stack: Vec<(usize, Option<usize>)> =
            self.roots.iter().map(|root| (*root, None)).collect();
        while let Some((ix, parent)) = stack.pop() {
            let Some(node) = self.node(ix).filter(|node| node.parent == parent) else {
                return false;
            };
            if !visited_nodes.insert(ix) || self.find(&node.id) != Some(ix) {
                return false;
            }
            stack.extend(node.children.iter().map(|child| (*child, Some(ix))));
        }
        let is_valid_path = |path: &[usize]| {
            let tip = path.last();
            let nodes = path.iter().copied().filter(|ix| self.node(*ix).is_some());
            tip.is_none_or(|tip| {
                visited_nodes.contains(tip) && self.chain_to(*tip).into_iter().eq(nodes)
            })
        };
        let waiting_nodes = self.nodes().filter(|(_, node)| node.awaits.is_some());
        let is_listed = |(ix, node): (usize, &TreeNode<M>)| {
            let list = node.awaits.as_ref().and_then(|id| self.awaited.get(id));
            list.is_some_and(|list| list.contains(&ix))
        };
        let listed_count = self.awaited.values().map(Vec::len).sum::<usize>();
        visited_nodes.len() == self.ids.len()
            && waiting_nodes.clone().count() == listed_count
            && waiting_nodes.clone().all(is_listed)
            && is_valid_path(&self.path)
            && is_valid_path(self.shown_path())
            && self.is_shared_len_valid()
    }
}
