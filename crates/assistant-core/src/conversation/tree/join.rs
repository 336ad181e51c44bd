//! Inserts items in any order. An item with a missing parent is a root until the parent arrives.

use super::{Change, MessageId, Tree};
use crate::conversation::TreeError;

impl<M> Tree<M> {
    /// Adds an item below another item, or as a root, and returns its node and its id. If the given
    /// id is used by another item, the new item gets a different id. The shown path and the path of
    /// runs stay unchanged.
    #[cfg(any(test, feature = "records", feature = "replay"))]
    pub(in crate::conversation) fn add_below(
        &mut self,
        id: MessageId,
        item: M,
        parent: Option<&MessageId>,
    ) -> (usize, MessageId) {
        let parent_ix = parent.and_then(|id| self.find(id));
        let (ix, id) = self.add_node(id, item, parent_ix);
        self.set_awaits(ix, parent.filter(|_| parent_ix.is_none()).cloned());
        self.add_to_parent(ix, parent_ix);
        self.record_fork_below(parent_ix);
        self.changes.push(Change::MessageAdded(id.clone()));
        self.gather_orphans(ix);
        (ix, id)
    }

    /// Returns an error if a new item would become its own ancestor, through its parent or through
    /// items that wait for the new item.
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
        let root_ix = self.find(parent).and_then(|ix| self.root_of(ix));
        let awaited_id = root_ix.and_then(|root_ix| self.node(root_ix)?.awaits.as_ref());
        match awaited_id == Some(id) {
            true => Err(TreeError::Cycle),
            false => Ok(()),
        }
    }

    /// Sets the id of the missing parent for which a node waits, and updates the index of waiting
    /// nodes.
    fn set_awaits(&mut self, ix: usize, awaits: Option<MessageId>) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let old_parent = std::mem::replace(&mut node.awaits, awaits.clone());
        if let Some(old_parent) = old_parent {
            self.forget_waiting(ix, &old_parent);
        }
        if let Some(awaits) = awaits {
            self.awaited.entry(awaits).or_default().push(ix);
        }
    }

    pub(super) fn forget_waiting(&mut self, ix: usize, awaited: &MessageId) {
        if let Some(nodes) = self.awaited.get_mut(awaited) {
            nodes.retain(|other| *other != ix);
            if nodes.is_empty() {
                self.awaited.remove(awaited);
            }
        }
    }

    /// Adds a restored node that waits for its parent to the index of waiting nodes.
    pub(super) fn register_waiting(&mut self, ix: usize) {
        let missing_parent = self.node(ix).and_then(|node| node.awaits.clone());
        if let Some(missing_parent) = missing_parent {
            self.awaited.entry(missing_parent).or_default().push(ix);
        }
    }

    /// Moves the nodes that waited for this node below it. If a waiting node is the root above this
    /// node, it stays a root and no longer waits, because moving it would create a cycle.
    pub(in crate::conversation) fn gather_orphans(&mut self, ix: usize) {
        let orphans = self.id_at(ix).and_then(|id| self.awaited.get(id)).cloned();
        let Some(orphans) = orphans else {
            return;
        };
        let root_ix = self.root_of(ix);
        let begins_with = |path: &[usize], orphan| path.first() == Some(&orphan);
        let mut changes_paths = false;
        for orphan in orphans {
            changes_paths |=
                begins_with(&self.path, orphan) || begins_with(self.shown_path(), orphan);
            let is_ancestor = Some(orphan) == root_ix;
            self.set_awaits(orphan, None);
            if !is_ancestor {
                self.remove_from_parent(orphan);
                self.add_to_parent(orphan, Some(ix));
                if let Some(node) = self.node_mut(orphan) {
                    node.parent = Some(ix);
                }
            }
            let update = self.id_at(orphan).cloned().map(Change::MessageMoved);
            self.changes.extend(update);
        }
        match changes_paths {
            true => self.rebuild_paths(),
            false => self.record_fork_below(Some(ix)),
        }
    }

    fn root_of(&self, ix: usize) -> Option<usize> {
        self.chain_to(ix).first().copied()
    }

    /// Moves a node and its descendants below another node, or makes the node a root if `parent` is
    /// `None`.
    pub(in crate::conversation) fn reparent(
        &mut self,
        id: &MessageId,
        parent: Option<&MessageId>,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        let parent_ix = match parent {
            Some(parent) => Some(self.find(parent).ok_or(TreeError::UnknownParent)?),
            None => None,
        };
        self.move_below(ix, parent_ix, None)
    }

    /// Moves a node and its descendants below the node with this id. If no node has the id, the
    /// moved node becomes a root that waits for a node with the id.
    #[cfg(feature = "records")]
    pub(in crate::conversation) fn reparent_or_wait(
        &mut self,
        ix: usize,
        parent: &MessageId,
    ) -> Result<(), TreeError> {
        let parent_ix = self.find(parent);
        if self.id_at(ix) == Some(parent) {
            return Err(TreeError::Cycle);
        }
        self.move_below(
            ix,
            parent_ix,
            Some(parent.clone()).filter(|_| parent_ix.is_none()),
        )
    }

    fn move_below(
        &mut self,
        ix: usize,
        parent_ix: Option<usize>,
        awaits: Option<MessageId>,
    ) -> Result<(), TreeError> {
        if parent_ix.is_some_and(|parent_ix| self.chain_to(parent_ix).contains(&ix)) {
            return Err(TreeError::Cycle);
        }
        self.remove_from_parent(ix);
        if let Some(node) = self.node_mut(ix) {
            node.parent = parent_ix;
        }
        self.set_awaits(ix, awaits);
        self.add_to_parent(ix, parent_ix);
        let update = self.id_at(ix).cloned().map(Change::MessageMoved);
        self.changes.extend(update);
        self.rebuild_paths();
        Ok(())
    }

    /// Adds a node of a stored tree without links. [`Self::link_nodes`] links all nodes after they
    /// were added. Returns `None` if the id is used by another node.
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

    /// Builds the tree from the parent and the chosen child of each node, in the order in which the
    /// nodes were added. A node whose parent is missing becomes a root that waits for the parent.
    /// Returns `false` if some nodes form a cycle.
    pub(in crate::conversation) fn link_nodes(
        &mut self,
        links: &[(Option<MessageId>, Option<MessageId>)],
    ) -> bool {
        for (ix, (parent, chosen)) in links.iter().enumerate() {
            let find_ix = |id: &Option<MessageId>| self.find(id.as_ref()?);
            let (parent_ix, chosen_ix) = (find_ix(parent), find_ix(chosen));
            if let Some(node) = self.node_mut(ix) {
                node.parent = parent_ix;
                node.chosen = chosen_ix;
            }
            self.set_awaits(ix, parent.clone().filter(|_| parent_ix.is_none()));
            self.add_to_parent(ix, parent_ix);
        }
        // The nodes reached from the roots are counted, because nodes that cannot be reached form a
        // cycle.
        let mut reached_count = 0;
        let mut stack: Vec<(usize, usize)> = self.roots.iter().map(|ix| (*ix, 0)).collect();
        while let Some((ix, depth)) = stack.pop() {
            reached_count += 1;
            if let Some(node) = self.node_mut(ix) {
                node.depth = depth;
                node.chosen = node.chosen.filter(|chosen| node.children.contains(chosen));
                stack.extend(node.children.iter().map(|child| (*child, depth + 1)));
            }
        }
        reached_count == links.len()
    }

    /// Sets the root of the path that was shown last.
    pub(in crate::conversation) fn choose_root(&mut self, id: Option<MessageId>) {
        self.chosen_root = id.and_then(|id| self.find(&id));
    }
}
