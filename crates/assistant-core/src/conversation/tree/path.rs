//! The path on which runs write, and the shown path.
//!
//! Removing a node from the path and renumbering the following nodes takes time in proportion to
//! the length of the path. Therefore, each removed node leaves a gap, and the path is renumbered
//! only when it has too many gaps. The path never ends with a gap. A gap is a number without a
//! node, so code outside of the tree skips it.

use super::{Change, Tree};

/// A placeholder for a removed node in the path. No node has this number.
const GAP: usize = usize::MAX;

impl<M> Tree<M> {
    /// Returns the path of runs, from the root to the tip. The path may contain gaps, which are
    /// numbers without a node.
    pub(in crate::conversation) fn path(&self) -> &[usize] {
        &self.path
    }

    /// Returns the node at the end of the path of runs, or `None` if the path is empty.
    pub(in crate::conversation) fn tip(&self) -> Option<usize> {
        self.path.last().copied()
    }

    pub(in crate::conversation) fn shown_path(&self) -> &[usize] {
        self.shown.as_deref().unwrap_or(&self.path)
    }

    /// Returns true if the shown branch differs from the branch on which runs write.
    pub(in crate::conversation) const fn shows_other_branch(&self) -> bool {
        self.shown.is_some()
    }

    pub(in crate::conversation) const fn path_edition(&self) -> u64 {
        self.path_edition
    }

    /// Returns the number of path entries that have been rewritten.
    pub(in crate::conversation) const fn path_work(&self) -> u64 {
        self.path_work
    }

    /// Returns the nodes on the way from the root to this node, including both.
    pub(in crate::conversation) fn chain_to(&self, ix: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut next = Some(ix);
        while let Some(ix) = next {
            chain.push(ix);
            next = self.node(ix).and_then(|node| node.parent);
        }
        chain.reverse();
        chain
    }

    /// Sets the path of runs, and makes it the shown path.
    pub(in crate::conversation) fn set_run_path(&mut self, path: Vec<usize>) {
        self.path = path;
        self.shown = None;
        self.number_path();
    }

    /// Sets the path of runs, and shows it. The path ends at this node if `exact` is true, and at
    /// the end of the branch through the node otherwise.
    pub(in crate::conversation) fn set_run_path_through(&mut self, ix: usize, exact: bool) {
        self.close_gaps();
        let is_path_node = self.is_on_path(ix);
        if self.shown.is_some() || (is_path_node && !exact) {
            let path = match exact {
                true => self.chain_to(ix),
                false => self.branch_through(ix),
            };
            return self.set_run_path(path);
        }
        let mut new_nodes = Vec::new();
        let mut ancestor = Some(ix);
        while let Some(ix) = ancestor.filter(|ix| !self.is_on_path(*ix)) {
            new_nodes.push(ix);
            ancestor = self.node(ix).and_then(|node| node.parent);
        }
        new_nodes.reverse();
        if !exact {
            self.extend_branch(&mut new_nodes);
        }
        let shared_node = ancestor.and_then(|ix| self.node(ix));
        self.replace_path_end(
            shared_node.map_or(0, |shared_node| shared_node.depth + 1),
            &new_nodes,
        );
    }

    /// Replaces the nodes of the path of runs after the first `kept_len` nodes with `new_nodes`.
    fn replace_path_end(&mut self, kept_len: usize, new_nodes: &[usize]) {
        let removes_nodes = kept_len < self.path.len();
        if removes_nodes {
            self.path_edition += 1;
        }
        self.path.truncate(kept_len);
        for ix in new_nodes.iter().copied() {
            let parent = self.path.last().copied();
            self.choose_child(parent, Some(ix));
            let depth = self.path.len();
            if let Some(node) = self.node_mut(ix) {
                node.depth = depth;
            }
            self.path.push(ix);
        }
        self.path_work += new_nodes.len() as u64;
        self.changes.push(Change::Path);
        // Only the rest of the path is checked, because the first `kept_len` nodes are shared as
        // before.
        let old_shared_len = self.shared_len.min(kept_len);
        self.shared_len = self.path.len();
        let last = self.last_shared_depth(kept_len.saturating_sub(1));
        self.shared_len = last.map_or(old_shared_len, |last| last + 1);
    }

    /// Sets both paths of a restored tree.
    pub(in crate::conversation) fn set_paths(&mut self, path: Vec<usize>, shown_path: Vec<usize>) {
        self.shown = (shown_path != path).then_some(shown_path);
        self.path = path;
        self.number_path();
    }

    /// For each node of a path, stores the next node of the path as the chosen child.
    pub(super) fn remember_choices(&mut self, path: &[usize]) {
        self.chosen_root = path.first().copied().or(self.chosen_root);
        for pair in path.windows(2) {
            if let [ix, next] = *pair
                && let Some(node) = self.node_mut(ix)
            {
                node.chosen = Some(next);
            }
        }
    }

    /// Stores the depth of each node on the path, so that `is_on_path` needs only one comparison,
    /// rebuilds the shown path, and stores its nodes as the chosen children. Must be called after
    /// every change of the path except growth at its end.
    pub(in crate::conversation) fn number_path(&mut self) {
        self.drop_gaps();
        self.path_work += self.path.len() as u64;
        self.path_edition += 1;
        self.changes.push(Change::Path);
        // The shown path is rebuilt from its tip, because the tip may have a new parent or may now
        // be on the path of runs.
        let tip = self
            .shown
            .take()
            .and_then(|shown_path| shown_path.last().copied());
        let shown_path = tip.map(|tip| self.chain_to(tip));
        self.shown = shown_path.filter(|shown_path| *shown_path != self.path);
        for depth in 0..self.path.len() {
            let ix = self.path.get(depth).copied();
            if let Some(node) = ix.and_then(|ix| self.node_mut(ix)) {
                node.depth = depth;
            }
        }
        self.update_shared_len();
        // The paths are moved out of the tree and back, because copying them would be slower.
        let (path, shown_path) = (std::mem::take(&mut self.path), self.shown.take());
        self.remember_choices(shown_path.as_deref().unwrap_or(&path));
        self.path = path;
        self.shown = shown_path;
    }

    pub(in crate::conversation) fn is_on_path(&self, ix: usize) -> bool {
        self.node(ix)
            .is_some_and(|node| self.path.get(node.depth) == Some(&ix))
    }

    /// Removes the nodes that satisfy a condition from the path of runs. Nodes that no longer exist
    /// in the tree are removed from both paths.
    pub(in crate::conversation) fn remove_from_paths(
        &mut self,
        is_removed: impl Fn(usize) -> bool,
    ) {
        let nodes = &self.nodes;
        let exists = |ix: &usize| nodes.get(*ix).is_some_and(Option::is_some);
        self.path.retain(|ix| exists(ix) && !is_removed(*ix));
        if let Some(shown_path) = &mut self.shown {
            shown_path.retain(exists);
        }
        self.number_path();
    }

    /// Replaces a removed node in the path with a gap. Renumbers the path instead if `next` is not
    /// on the path or if at least half of the path consists of gaps. `next` is the child of the
    /// removed node on the path.
    pub(super) fn leave_gap(&mut self, depth: usize, parent: Option<usize>, next: usize) {
        if !self.is_on_path(next) || self.gaps >= self.path.len() / 2 {
            return self.remove_from_paths(|_| false);
        }
        if let Some(entry) = self.path.get_mut(depth) {
            *entry = GAP;
            self.gaps += 1;
        }
        self.choose_child(parent, Some(next));
        self.path_edition += 1;
        self.changes.push(Change::Path);
    }

    /// Removes the gaps from the path, if there are any.
    pub(in crate::conversation) fn close_gaps(&mut self) {
        if self.gaps > 0 {
            self.number_path();
        }
    }

    /// Removes the gaps from the path without renumbering the nodes, which the caller does.
    fn drop_gaps(&mut self) {
        if self.gaps > 0 {
            self.path.retain(|ix| *ix != GAP);
            self.gaps = 0;
        }
    }

    /// Returns the node that follows the given depth on the path of runs, or `None` at the tip.
    pub(super) fn next_on_path(&self, depth: usize) -> Option<usize> {
        let rest = self.path.get(depth + 1..)?;
        rest.iter().copied().find(|ix| *ix != GAP)
    }

    /// Converts the number of a shown item to its index in the shown path. The index also counts
    /// gaps.
    pub(in crate::conversation) fn shown_path_index(&self, number: usize) -> usize {
        if self.gaps == 0 {
            return number;
        }
        let path = self.shown_path();
        let mut slots = path.iter().enumerate().filter(|(_, ix)| **ix != GAP);
        slots.nth(number).map_or(path.len(), |(slot, _)| slot)
    }

    /// Rebuilds both paths from the ancestors of their tips, after a node on a path was moved.
    pub(super) fn rebuild_paths(&mut self) {
        if let Some(tip) = self.path.last().copied() {
            self.path = self.chain_to(tip);
        }
        self.number_path();
    }
}
