//! Inserts items in any order. An item whose parent is missing is a root until the parent arrives.

use super::{MessageId, Tree, TreeUpdate};
use crate::conversation::TreeError;

impl<M> Tree<M> {
    /// Adds an item below another, or as a root, and returns its node and its id. If the given id
    /// is taken, the item gets another id. The shown path and the path of runs stay unchanged.
    #[cfg(any(test, feature = "records", feature = "replay"))]
    pub(in crate::conversation) fn add_below(
        &mut self,
        id: MessageId,
        item: M,
        parent: Option<&MessageId>,
    ) -> (usize, MessageId) {
        let below = parent.and_then(|id| self.find(id));
        let (ix, id) = self.add_node(id, item, below);
        self.set_awaits(ix, parent.filter(|_| below.is_none()).cloned());
        self.add_to_parent(ix, below);
        self.record_fork_below(below);
        self.changes.push(TreeUpdate::Added(id.clone()));
        self.gather_orphans(ix);
        (ix, id)
    }

    /// Returns an error if a new item would be below itself, through its own parent or through
    /// items that wait for it.
    #[cfg(any(test, feature = "records", feature = "replay"))]
    pub(in crate::conversation) fn check_cycle(
        &self,
        id: &MessageId,
        parent: Option<&MessageId>,
    ) -> Result<(), TreeError> {
        let Some(parent) = parent else { return Ok(()) };
        if parent == id {
            return Err(TreeError::Cycle);
        }
        if !self.awaited.contains_key(id) {
            return Ok(());
        }
        let above = self.find(parent).and_then(|ix| self.root_of(ix));
        let awaited = above.and_then(|root| self.node(root)?.awaits.as_ref());
        match awaited == Some(id) {
            true => Err(TreeError::Cycle),
            false => Ok(()),
        }
    }

    /// Sets the id of the missing parent that a node waits for, and updates the index of waiting
    /// nodes.
    fn set_awaits(&mut self, ix: usize, awaits: Option<MessageId>) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let before = std::mem::replace(&mut node.awaits, awaits.clone());
        if let Some(before) = before {
            self.forget_waiting(ix, &before);
        }
        if let Some(awaits) = awaits {
            self.awaited.entry(awaits).or_default().push(ix);
        }
    }

    pub(super) fn forget_waiting(&mut self, ix: usize, awaited: &MessageId) {
        if let Some(waiting) = self.awaited.get_mut(awaited) {
            waiting.retain(|other| *other != ix);
            if waiting.is_empty() {
                self.awaited.remove(awaited);
            }
        }
    }

    /// Adds a restored node that waits for its parent to the index of waiting nodes.
    pub(super) fn register_waiting(&mut self, ix: usize) {
        let awaits = self.node(ix).and_then(|node| node.awaits.clone());
        if let Some(awaits) = awaits {
            self.awaited.entry(awaits).or_default().push(ix);
        }
    }

    /// Moves the nodes that waited for this node below it. A waiting node that is an ancestor of
    /// this node stays in place and no longer waits: a run may have written below it.
    pub(in crate::conversation) fn gather_orphans(&mut self, ix: usize) {
        let waiting = self.id_at(ix).and_then(|id| self.awaited.get(id)).cloned();
        let Some(waiting) = waiting else {
            return;
        };
        let own = self.root_of(ix);
        let begins = |path: &[usize], orphan| path.first() == Some(&orphan);
        let mut moves_paths = false;
        for orphan in waiting {
            moves_paths |= begins(&self.path, orphan) || begins(self.shown_path(), orphan);
            let above = Some(orphan) == own;
            self.set_awaits(orphan, None);
            if !above {
                self.remove_from_parent(orphan);
                self.add_to_parent(orphan, Some(ix));
                if let Some(node) = self.node_mut(orphan) {
                    node.parent = Some(ix);
                }
            }
            let moved = self.id_at(orphan).cloned().map(TreeUpdate::Moved);
            self.changes.extend(moved);
        }
        match moves_paths {
            true => self.rebuild_paths(),
            false => self.record_fork_below(Some(ix)),
        }
    }

    fn root_of(&self, ix: usize) -> Option<usize> {
        self.chain_to(ix).first().copied()
    }

    /// Moves a node and its descendants below another node, or makes it a root.
    pub(in crate::conversation) fn reparent(
        &mut self,
        id: &MessageId,
        parent: Option<&MessageId>,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        let below = match parent {
            Some(parent) => Some(self.find(parent).ok_or(TreeError::UnknownParent)?),
            None => None,
        };
        self.move_below(ix, below, None)
    }

    /// Moves a node and its descendants below the node with this id. If the id is unknown, the node
    /// becomes a root that waits for it.
    #[cfg(feature = "records")]
    pub(in crate::conversation) fn reparent_or_wait(
        &mut self,
        ix: usize,
        parent: &MessageId,
    ) -> Result<(), TreeError> {
        let below = self.find(parent);
        if self.id_at(ix) == Some(parent) {
            return Err(TreeError::Cycle);
        }
        self.move_below(ix, below, Some(parent.clone()).filter(|_| below.is_none()))
    }

    fn move_below(
        &mut self,
        ix: usize,
        below: Option<usize>,
        awaits: Option<MessageId>,
    ) -> Result<(), TreeError> {
        if below.is_some_and(|below| self.chain_to(below).contains(&ix)) {
            return Err(TreeError::Cycle);
        }
        self.remove_from_parent(ix);
        if let Some(node) = self.node_mut(ix) {
            node.parent = below;
        }
        self.set_awaits(ix, awaits);
        self.add_to_parent(ix, below);
        let moved = self.id_at(ix).cloned().map(TreeUpdate::Moved);
        self.changes.extend(moved);
        self.rebuild_paths();
        Ok(())
    }

    /// Adds a node of a stored tree, which [`Self::link_nodes`] links after all nodes were added.
    /// Returns `None` if the id is taken.
    pub(in crate::conversation) fn add_unlinked(
        &mut self,
        id: MessageId,
        item: M,
    ) -> Option<usize> {
        if self.contains(&id) {
            return None;
        }
        Some(self.add_node(id, item, None).0)
    }

    /// Builds a tree from the parent and the chosen child of each node, in the order in which they
    /// were added. A node whose parent is missing is a root that waits for it. Returns `false` if
    /// some nodes form a cycle.
    pub(in crate::conversation) fn link_nodes(
        &mut self,
        links: &[(Option<MessageId>, Option<MessageId>)],
    ) -> bool {
        for (ix, (parent, chosen)) in links.iter().enumerate() {
            let find = |id: &Option<MessageId>| self.find(id.as_ref()?);
            let (below, chosen) = (find(parent), find(chosen));
            if let Some(node) = self.node_mut(ix) {
                node.parent = below;
                node.chosen = chosen;
            }
            self.set_awaits(ix, parent.clone().filter(|_| below.is_none()));
            self.add_to_parent(ix, below);
        }
        // Nodes that no root leads to form a cycle.
        let mut reached = 0;
        let mut next: Vec<(usize, usize)> = self.roots.iter().map(|ix| (*ix, 0)).collect();
        while let Some((ix, depth)) = next.pop() {
            reached += 1;
            if let Some(node) = self.node_mut(ix) {
                node.depth = depth;
                node.chosen = node.chosen.filter(|chosen| node.children.contains(chosen));
                next.extend(node.children.iter().map(|child| (*child, depth + 1)));
            }
        }
        reached == links.len()
    }

    /// Sets the root through which a stored tree was last shown.
    pub(in crate::conversation) fn choose_root(&mut self, id: Option<MessageId>) {
        self.chosen_root = id.and_then(|id| self.find(&id));
    }
}
