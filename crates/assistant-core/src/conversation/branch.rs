//! Defines the user's operations on the tree: showing, moving, deleting and restoring branches.
//!
//! The session determines whether an operation is permitted. The module `join` adds messages that
//! do not continue the run's path, and the module `copy` copies messages that branches share.

use super::{
    CallKey, Change, Conversation, MessageId, Sibling, TreeError, calls::CallOwner,
    model::DeletedBranch,
};

impl Conversation {
    /// Returns the id of the parent of a message, or `None` for a root or an unknown message.
    #[must_use]
    pub fn parent(&self, id: &MessageId) -> Option<&MessageId> {
        let node = self.tree.node(self.tree.find(id)?)?;
        self.tree.id_at(node.parent?)
    }

    /// Returns the ids of the versions of a message, oldest first. The versions are the message and
    /// all other messages with the same parent.
    #[must_use]
    pub fn siblings(&self, id: &MessageId) -> Vec<&MessageId> {
        let list = self.tree.find(id).map(|ix| self.tree.siblings(ix));
        let list = list.unwrap_or_default().iter();
        list.filter_map(|ix| self.tree.id_at(*ix)).collect()
    }

    /// Returns the number of a message among its versions, counted from 1, and the number of
    /// versions. Returns `None` if no message has this id.
    #[must_use]
    pub fn version(&self, id: &MessageId) -> Option<(usize, usize)> {
        let ix = self.tree.find(id)?;
        let list = self.tree.siblings(ix);
        let index = list.iter().position(|other| *other == ix)?;
        Some((index + 1, list.len()))
    }

    /// Returns the id of the previous or the next version of a message.
    ///
    /// # Errors
    ///
    /// Fails if no message has this id, or if the message has no previous or next version.
    pub fn sibling(&self, id: &MessageId, which: Sibling) -> Result<&MessageId, TreeError> {
        self.tree.sibling(id, which)
    }

    /// Returns the ids on the path from the root to a message, including the message.
    ///
    /// # Errors
    ///
    /// Fails if no message has this id.
    pub fn path_to(&self, id: &MessageId) -> Result<Vec<&MessageId>, TreeError> {
        let chain = self.tree.chain_to(self.tree.index_of(id)?).into_iter();
        Ok(chain.filter_map(|ix| self.tree.id_at(ix)).collect())
    }

    /// Returns the ids of the children of a message, oldest first. For `None`, returns the ids of
    /// the messages without a parent.
    #[must_use]
    pub fn children(&self, id: Option<&MessageId>) -> Vec<&MessageId> {
        let list = match id {
            None => Some(self.tree.roots()),
            Some(id) => {
                let node = self.tree.find(id).and_then(|ix| self.tree.node(ix));
                node.map(|node| node.children.as_slice())
            }
        };
        let list = list.unwrap_or_default().iter();
        list.filter_map(|ix| self.tree.id_at(*ix)).collect()
    }

    /// Returns the ids of the messages whose parent is missing.
    #[must_use]
    pub fn orphans(&self) -> Vec<&MessageId> {
        let roots = self.tree.roots().iter();
        let nodes = roots.filter_map(|ix| self.tree.node(*ix));
        let orphans = nodes.filter(|node| node.awaits.is_some());
        orphans.map(|node| &node.id).collect()
    }

    /// Returns the id of the missing parent that a message waits for, or `None` if no parent is
    /// missing.
    #[must_use]
    pub fn missing_parent(&self, id: &MessageId) -> Option<&MessageId> {
        self.tree.node(self.tree.find(id)?)?.awaits.as_ref()
    }

    /// Makes the displayed branch and the run branch end at this message. For `None`, both branches
    /// become empty. Returns false if no message has this id.
    pub(crate) fn select_tip(&mut self, id: Option<&MessageId>) -> bool {
        match id.map(|id| self.tree.find(id)) {
            None => self.tree.set_run_path(Vec::new()),
            Some(Some(ix)) => self.tree.set_run_path_through(ix, true),
            Some(None) => return false,
        }
        true
    }

    /// Displays the branch through a message. If `exact` is true, the branch ends at the message.
    /// If `write` is true, the branch also becomes the run branch. Fails if no message has this id.
    pub(crate) fn select(
        &mut self,
        id: &MessageId,
        exact: bool,
        write: bool,
    ) -> Result<(), TreeError> {
        self.tree.select(id, exact, write)
    }

    /// Makes the displayed branch the run branch.
    pub(crate) fn set_run_branch_to_shown(&mut self) {
        self.tree.set_run_branch_to_shown();
    }

    /// Displays the run branch.
    pub(crate) fn show_run_branch(&mut self) {
        self.tree.show_run_branch();
    }

    /// Returns true if a message is on the run branch.
    pub(crate) fn is_on_run_path(&self, id: &MessageId) -> bool {
        self.tree
            .find(id)
            .is_some_and(|ix| self.tree.is_on_path(ix))
    }

    /// Cuts the run branch back to this message, so that a run can be retried. Calls of the removed
    /// messages that were started or decided are kept as detached calls. A detached call keeps its
    /// state if the agent repeats the call. Does nothing if no message has this id.
    pub(crate) fn retry_at(&mut self, tip: &MessageId) {
        self.tree.close_gaps();
        let old_path = self.tree.path().to_vec();
        let tip_ix = self.tree.find(tip);
        // If the message is not on the run's path, its copy is used, because the run may have
        // copied the message to its own branch.
        let find_copy = || {
            let message = self.message(tip);
            self.find_message(message.map_or(tip.as_str(), |message| message.wire_id()))
        };
        let path_ix = tip_ix
            .filter(|ix| self.tree.is_on_path(*ix))
            .or_else(find_copy);
        // A message without a copy on the path is used as it is, because a snapshot may have moved
        // the message to its own branch.
        let Some(tip) = path_ix.or(tip_ix) else {
            return;
        };
        self.tree.set_run_path(self.tree.chain_to(tip));
        for ix in old_path {
            if !self.tree.is_on_path(ix) {
                self.index_detached_calls(ix, |call| {
                    let is_decided = call.approval().is_some_and(|a| a.decision.is_some());
                    is_decided || call.was_started()
                });
            }
        }
    }

    /// Returns the thread id of the run branch: the thread id of the newest message that has a
    /// thread id. Returns `None` if no message of the branch has a thread id.
    pub(crate) fn run_thread_id(&self) -> Option<&str> {
        let mut newest = self.run_path().rev();
        newest.find_map(|message| message.thread_id.as_deref())
    }

    /// Sets the thread id of the newest message on the run branch. Does nothing if the branch is
    /// empty.
    pub(crate) fn set_run_thread_id(&mut self, thread_id: String) {
        let Some(ix) = self.tree.path().last().copied() else {
            return;
        };
        let ix = self.unshare(ix);
        self.edit_message(ix, |message| message.thread_id = Some(thread_id));
    }

    /// Moves a message and its descendants below another message. For `None`, the message becomes a
    /// root. Fails if an id is unknown, or if the message would become its own descendant.
    pub(crate) fn reparent(
        &mut self,
        id: &MessageId,
        parent: Option<&MessageId>,
    ) -> Result<(), TreeError> {
        self.tree.reparent(id, parent)
    }

    /// Deletes a message and its descendants, which [`Self::restore_deleted`] can restore. If the
    /// message was displayed, the previous version is displayed instead. If there is no previous
    /// version, the next version is displayed, or else the parent. Fails if no message has this id.
    pub(crate) fn delete(&mut self, id: &MessageId) -> Result<(), TreeError> {
        let ix = self.tree.index_of(id)?;
        let node_results = self.tree.nodes().filter_map(|(ix, node)| {
            let results = &node.item.results;
            (!results.is_empty()).then(|| (Some(ix), results.clone()))
        });
        let results = node_results
            .chain([(None, self.leading_results.clone())])
            .collect();
        let branch = self.tree.delete(ix);
        let deletion = DeletedBranch {
            branch,
            results,
            detached: Vec::new(),
        };
        let keys: Vec<CallKey> = deletion.call_keys().collect();
        self.deleted = Some(Box::new(deletion));
        for key in &keys {
            self.calls.detach(key);
        }
        self.unindex_deleted();
        self.index_deleted_calls(&keys);
        self.normalize_result_order();
        Ok(())
    }

    /// Removes the deleted messages from the index of wire ids. If the conversation contains
    /// results without a call, the indices are rebuilt instead, because the calls of these results
    /// may be on the path now.
    fn unindex_deleted(&mut self) {
        if !self.orphans.is_empty() {
            return self.reindex();
        }
        let Some(deletion) = self.deleted.take() else {
            return;
        };
        for (ix, node) in deletion.branch.node_numbers().zip(deletion.branch.nodes()) {
            self.unindex_wire_id(node.item.message.wire_id(), ix);
        }
        self.deleted = Some(deletion);
    }

    /// Indexes the calls of a deleted branch by wire id, so that agents can still refer to the
    /// calls. A call is not indexed if another call has the same wire id.
    fn index_deleted_calls(&mut self, keys: &[CallKey]) {
        for key in keys.iter().copied() {
            let Some(call) = self.calls.get(&key) else {
                continue;
            };
            let is_unused_id = self.calls.detached_key(&call.id).is_none()
                && self.call_by_wire_id(&call.id).is_none();
            if is_unused_id {
                self.calls.index_detached(key);
                if let Some(deletion) = &mut self.deleted {
                    deletion.detached.push(key);
                }
            }
        }
    }

    /// Returns the id of the first message in the last deleted branch and the number of deleted
    /// messages, if the deletion can be undone.
    #[must_use]
    pub fn last_deleted(&self) -> Option<(&MessageId, usize)> {
        let deletion = self
            .deleted
            .as_deref()
            .filter(|deletion| self.can_restore(deletion))?;
        let first = deletion.branch.nodes().next()?;
        Some((&first.id, deletion.branch.nodes().count()))
    }

    /// Discards the deleted branch and its calls, except calls that an agent can still refer to.
    pub(crate) fn forget_deleted(&mut self) {
        let Some(deletion) = self.deleted.take() else {
            return;
        };
        for key in deletion.call_keys() {
            let call = self.calls.get(&key);
            let indexed_key = call.and_then(|call| self.calls.detached_key(&call.id));
            if self.calls.owner(&key) == Some(CallOwner::Nowhere) && indexed_key != Some(key) {
                self.calls.remove(&key);
            }
        }
    }

    /// Returns true if the deleted branch can be restored: the parent of the branch exists, the
    /// nodes and ids of the branch are unused, and none of its calls belongs to a message.
    fn can_restore(&self, deleted: &DeletedBranch) -> bool {
        let mut calls = deleted.call_keys();
        self.tree.can_restore(&deleted.branch)
            && calls.all(|key| self.calls.owner(&key) == Some(CallOwner::Nowhere))
    }

    /// Restores the last deleted branch. If `write` is true, the restored branch becomes the run
    /// branch. Fails if nothing was deleted, or if the branch can no longer be restored.
    pub(crate) fn restore_deleted(&mut self, write: bool) -> Result<(), TreeError> {
        let deletion = self
            .deleted
            .take()
            .filter(|deletion| self.can_restore(deletion));
        let deletion = *deletion.ok_or(TreeError::NothingDeleted)?;
        let keys: Vec<CallKey> = deletion.call_keys().collect();
        let nodes: Vec<usize> = deletion.branch.node_numbers().collect();
        self.tree.restore(deletion.branch, write);
        for ix in &nodes {
            self.assign_id(*ix);
            self.attach_calls(*ix);
        }
        for key in deletion.detached {
            self.calls.forget_detached(&key);
        }
        // The calls are reported as changed, because their states may have changed since the
        // deletion.
        self.log.extend(keys.into_iter().map(Change::Call));
        for (place, results) in deletion.results {
            match place {
                Some(ix) if nodes.contains(&ix) => {}
                Some(ix) => {
                    if let Some(node) = self.node_mut(ix) {
                        node.results = results;
                    }
                }
                None => self.leading_results = results,
            }
        }
        self.reindex();
        for ix in nodes {
            self.tree.gather_orphans(ix);
        }
        self.normalize_result_order();
        Ok(())
    }
}
