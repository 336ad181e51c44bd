//! The path through the tree on which runs write, and the one that is shown.
//!
//! To take a node out of the path and to number all that follow costs as much as the path is long.
//! Where many go one by one, a gap stands for each until there are too many, so that each costs
//! little. The path never ends with a gap, and nobody outside sees one. Neighbours: `tree` holds
//! it, `splice` puts nodes in and takes them out.

use super::{Change, Conversation, MessageId};

/// Stands in the path for a node that is gone; there is never a node with this number.
const GAP: usize = usize::MAX;

impl Conversation {
    /// Shows the conversation up to this message, or none of it; runs write there, too.
    pub(crate) fn select_tip(&mut self, id: Option<&MessageId>) -> bool {
        let chain = match id {
            None => Vec::new(),
            Some(id) => match self.ids.get(id).copied() {
                Some(ix) => self.chain_to(ix),
                None => return false,
            },
        };
        self.write_at(chain);
        true
    }

    /// The nodes from the root to this one.
    pub(super) fn chain_to(&self, ix: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut next = Some(ix);
        while let Some(ix) = next {
            chain.push(ix);
            next = self.node(ix).and_then(|node| node.parent);
        }
        chain.reverse();
        chain
    }

    /// Lets runs write at the end of this path, and shows it.
    pub(super) fn write_at(&mut self, path: Vec<usize>) {
        self.remember(&path);
        self.path = path;
        self.shown = None;
        self.number_path();
    }

    /// Writes down at each node through which child the conversation is shown.
    pub(super) fn remember(&mut self, path: &[usize]) {
        self.chosen_root = path.first().copied().or(self.chosen_root);
        for pair in path.windows(2) {
            if let [ix, next] = *pair
                && let Some(node) = self.node_mut(ix)
            {
                node.chosen = Some(next);
            }
        }
    }

    /// Writes down how deep each node of the path is, so that `on_path` is one comparison. To be
    /// called after every change of the path but a growth at its end.
    pub(super) fn number_path(&mut self) {
        self.drop_gaps();
        self.path_work += self.path.len() as u64;
        self.path_edition += 1;
        self.log.push(Change::Path);
        // What is shown may stand below another message by now, or on the run's own branch.
        let tip = self.shown.take().and_then(|shown| shown.last().copied());
        let shown = tip.map(|tip| self.chain_to(tip));
        self.shown = shown.filter(|shown| *shown != self.path);
        for depth in 0..self.path.len() {
            let ix = self.path.get(depth).copied();
            if let Some(node) = ix.and_then(|ix| self.node_mut(ix)) {
                node.depth = depth;
            }
        }
        self.measure_shared();
        // Taken out and put back: no copy for what is only read.
        let (path, shown) = (std::mem::take(&mut self.path), self.shown.take());
        self.remember(shown.as_deref().unwrap_or(&path));
        self.path = path;
        self.shown = shown;
    }

    pub(super) fn on_path(&self, ix: usize) -> bool {
        self.node(ix)
            .is_some_and(|node| self.path.get(node.depth) == Some(&ix))
    }

    /// Whether a message is on the branch that runs write on.
    pub(crate) fn is_on_run_path(&self, id: &MessageId) -> bool {
        self.ids.get(id).is_some_and(|ix| self.on_path(*ix))
    }

    /// Takes nodes that are gone off the paths.
    pub(super) fn clear_paths(&mut self) {
        let nodes = &self.nodes;
        let is_there = |ix: &usize| nodes.get(*ix).is_some_and(Option::is_some);
        self.path.retain(is_there);
        if let Some(shown) = &mut self.shown {
            shown.retain(is_there);
        }
        self.number_path();
    }

    /// Lets a gap stand for a node that is gone; `next` stood below it.
    pub(super) fn leave_gap(&mut self, depth: usize, parent: Option<usize>, next: usize) {
        if !self.on_path(next) || self.gaps >= self.path.len() / 2 {
            return self.clear_paths();
        }
        if let Some(place) = self.path.get_mut(depth) {
            *place = GAP;
            self.gaps += 1;
        }
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => parent.chosen = Some(next),
            None => self.chosen_root = Some(next),
        }
        self.path_edition += 1;
        self.log.push(Change::Path);
    }

    /// Lets the path be without gaps, if it has any.
    pub(super) fn close_gaps(&mut self) {
        if self.gaps > 0 {
            self.number_path();
        }
    }

    /// Forgets the gaps of the path; its nodes are to be numbered again then.
    pub(super) fn drop_gaps(&mut self) {
        if self.gaps > 0 {
            self.path.retain(|ix| *ix != GAP);
            self.gaps = 0;
        }
    }

    /// Counts the places of paths that were rewritten so far. For tests and measurements.
    #[doc(hidden)]
    #[must_use]
    pub const fn path_work(&self) -> u64 {
        self.path_work
    }

    /// The node of the path below the one at a depth.
    pub(super) fn next_on_path(&self, depth: usize) -> Option<usize> {
        let rest = self.path.get(depth + 1..)?;
        rest.iter().copied().find(|ix| *ix != GAP)
    }

    /// Where the message with this number stands in a path that may have gaps.
    pub(super) fn slot(&self, path: &[usize], number: usize) -> usize {
        if self.gaps == 0 {
            return number;
        }
        let mut slots = path.iter().enumerate().filter(|(_, ix)| **ix != GAP);
        slots.nth(number).map_or(path.len(), |(slot, _)| slot)
    }
}
