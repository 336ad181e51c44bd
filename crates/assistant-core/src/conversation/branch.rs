//! Operations on the tree: shows, moves and deletes branches.
//!
//! Nothing here decides whether it may be done: that is the session's. Neighbours: `join`, the way
//! in for messages that do not continue the run's path, and `copy`, for what branches share.

use std::{collections::HashSet, fmt};

use super::{Change, Conversation, Message, MessageId};

/// Why an operation on the tree was not carried out. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// There is no message with this id.
    UnknownMessage,
    /// There is no message with the parent's id.
    UnknownParent,
    /// There is a message with this id already.
    DuplicateId,
    /// A message cannot stand below itself.
    Cycle,
    /// Only what a person said can be edited as a branch.
    NotUser,
    /// Only an answer can be regenerated.
    NotAssistant,
    /// There is no version before or after this one.
    NoSibling,
    /// Nothing was deleted, or something else has taken its place since.
    NothingDeleted,
}

impl TreeError {
    /// The word for it, for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownMessage => "unknown_message",
            Self::UnknownParent => "unknown_parent",
            Self::DuplicateId => "duplicate_id",
            Self::Cycle => "cycle",
            Self::NotUser => "not_user",
            Self::NotAssistant => "not_assistant",
            Self::NoSibling => "no_sibling",
            Self::NothingDeleted => "nothing_deleted",
        }
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownMessage => "There is no such message.",
            Self::UnknownParent => "There is no such parent message.",
            Self::DuplicateId => "There is a message with this id already.",
            Self::Cycle => "A message cannot stand below itself.",
            Self::NotUser => "Only what a person said can be edited as a branch.",
            Self::NotAssistant => "Only an answer can be regenerated.",
            Self::NoSibling => "There is no other version there.",
            Self::NothingDeleted => "There is nothing to bring back.",
        })
    }
}

impl std::error::Error for TreeError {}

/// A version of a message, relative to the one that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sibling {
    /// The one before.
    Previous,
    /// The one after.
    Next,
}

impl Conversation {
    /// Gives a node another parent, which is to be told of it.
    pub(super) fn set_parent(&mut self, ix: usize, parent: Option<usize>) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        node.parent = parent;
        let id = node.message.id.clone();
        self.log.push(Change::MessageMoved(id));
    }

    /// The ids from the root to a message.
    ///
    /// # Errors
    ///
    /// When there is no such message.
    pub fn path_to(&self, id: &MessageId) -> Result<Vec<&MessageId>, TreeError> {
        let ix = self.index_of(id)?;
        let chain = self.chain_to(ix);
        Ok(chain.into_iter().filter_map(|ix| self.id_at(ix)).collect())
    }

    /// The children of a message, oldest first; without one, the messages that have no parent.
    #[must_use]
    pub fn children(&self, id: Option<&MessageId>) -> Vec<&MessageId> {
        let list = match id {
            None => Some(self.roots.as_slice()),
            Some(id) => {
                let node = self.ids.get(id).and_then(|ix| self.node(*ix));
                node.map(|node| node.children.as_slice())
            }
        };
        let list = list.unwrap_or_default().iter();
        list.filter_map(|ix| self.id_at(*ix)).collect()
    }

    /// The messages whose parent is not there.
    #[must_use]
    pub fn orphans(&self) -> Vec<&MessageId> {
        let awaits = |ix: &&usize| self.node(**ix).is_some_and(|node| node.awaits.is_some());
        let roots = self.roots.iter().filter(awaits);
        roots.filter_map(|ix| self.id_at(*ix)).collect()
    }

    /// Returns the id of the parent that a message waits for, if it is not there yet.
    #[must_use]
    pub fn missing_parent(&self, id: &MessageId) -> Option<&MessageId> {
        self.node(*self.ids.get(id)?)?.awaits.as_ref()
    }

    /// Returns how many messages there are, on all branches.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.ids.len()
    }

    /// All messages, in the order in which they came.
    pub fn all_messages(&self) -> impl Iterator<Item = &Message> {
        self.nodes.iter().flatten().map(|node| &node.message)
    }

    pub(super) fn index_of(&self, id: &MessageId) -> Result<usize, TreeError> {
        self.ids.get(id).copied().ok_or(TreeError::UnknownMessage)
    }

    /// The path through a message: below it, at each step, the child that was shown last, else the
    /// newest.
    fn branch_through(&self, ix: usize) -> Vec<usize> {
        let mut path = self.chain_to(ix);
        let mut tip = self.node(ix);
        while let Some(node) = tip {
            let remembered = node.chosen.filter(|chosen| node.children.contains(chosen));
            let Some(next) = remembered.or(node.children.last().copied()) else {
                break;
            };
            path.push(next);
            tip = self.node(next);
        }
        path
    }

    /// Shows the branch through a message. `exact` ends it there. With `write`, runs write there
    /// from now on; else only what is shown changes.
    pub(crate) fn select(
        &mut self,
        id: &MessageId,
        exact: bool,
        write: bool,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        let path = match exact {
            true => self.chain_to(ix),
            false => self.branch_through(ix),
        };
        self.show_path(path, write);
        Ok(())
    }

    fn show_path(&mut self, path: Vec<usize>, write: bool) {
        if write {
            return self.write_at(path);
        }
        self.remember(&path);
        self.close_gaps();
        self.shown = (path != self.path).then_some(path);
        self.path_edition += 1;
        self.log.push(Change::Path);
    }

    /// Runs write from now on where the person is.
    pub(crate) fn write_where_shown(&mut self) {
        if let Some(shown) = self.shown.take() {
            self.write_at(shown);
        }
    }

    /// Shows the branch that runs write on.
    pub(crate) fn show_run_branch(&mut self) {
        self.close_gaps();
        if self.shown.is_some() {
            let path = self.path.clone();
            self.show_path(path, false);
        }
    }

    /// A run is tried again from here. What its last try started or what a person denied in it
    /// stays so if the agent says it again.
    pub(crate) fn try_again_at(&mut self, tip: &MessageId) {
        self.close_gaps();
        let old = self.path.clone();
        let known = self.ids.get(tip).copied();
        // The run may have made a copy of it for its own branch.
        let copy = || {
            let known = self.message(tip);
            self.find_message(known.map_or(tip.as_str(), |known| known.wire_id()))
        };
        let Some(tip) = known.filter(|ix| self.on_path(*ix)).or_else(copy) else {
            return;
        };
        self.write_at(self.chain_to(tip));
        for ix in old {
            if !self.on_path(ix) {
                self.keep_detached(ix, |call| {
                    let decided = call.approval.as_ref().is_some_and(|a| a.decision.is_some());
                    decided || call.was_started()
                });
            }
        }
    }

    /// The version of a message before or after it.
    ///
    /// # Errors
    ///
    /// When there is no such message, or it is the first or the last one.
    pub fn sibling(&self, id: &MessageId, which: Sibling) -> Result<&MessageId, TreeError> {
        let ix = self.index_of(id)?;
        let list = self.sibling_list(ix);
        let place = list.iter().position(|other| *other == ix);
        let wanted = match which {
            Sibling::Previous => place.and_then(|place| place.checked_sub(1)),
            Sibling::Next => place.map(|place| place + 1),
        };
        let found = wanted.and_then(|place| list.get(place));
        found
            .and_then(|ix| self.id_at(*ix))
            .ok_or(TreeError::NoSibling)
    }

    /// Removes a message and all below it. If what is shown goes with it, its previous version is
    /// shown, else the next, else what was before it.
    pub(crate) fn delete(&mut self, id: &MessageId) -> Result<(), TreeError> {
        self.close_gaps();
        let ix = self.index_of(id)?;
        let doomed = self.subtree(ix);
        self.keep_removed(&doomed);
        let shown_goes = self.shown_path().contains(&ix);
        let run_goes = self.path.contains(&ix);
        let siblings = self.sibling_list(ix);
        let place = siblings.iter().position(|other| *other == ix).unwrap_or(0);
        let heir = place
            .checked_sub(1)
            .and_then(|place| siblings.get(place))
            .or_else(|| siblings.get(place + 1))
            .copied();
        let parent = self.node(ix).and_then(|node| node.parent);
        self.unhang(ix);
        let mut deleted = Vec::new();
        for gone in &doomed {
            if let Some(node) = self.nodes.get_mut(*gone).and_then(Option::take) {
                self.log
                    .push(Change::MessageRemoved(node.message.id.clone()));
                deleted.push(node.message);
            }
        }
        let next = match (heir, parent) {
            (Some(heir), _) => self.branch_through(heir),
            (None, Some(parent)) => self.chain_to(parent),
            (None, None) => Vec::new(),
        };
        if run_goes {
            let shown = self.shown.take().filter(|_| !shown_goes);
            self.path = next;
            self.shown = shown.filter(|shown| *shown != self.path);
        } else if shown_goes {
            self.shown = (next != self.path).then_some(next);
        }
        let shown = self.shown_path().to_vec();
        self.remember(&shown);
        self.reindex();
        for message in &deleted {
            self.detach_deleted(message);
        }
        self.list_results_once();
        Ok(())
    }

    pub(super) fn subtree(&self, ix: usize) -> Vec<usize> {
        let mut all = Vec::new();
        let mut next = vec![ix];
        while let Some(ix) = next.pop() {
            all.push(ix);
            next.extend(self.node(ix).into_iter().flat_map(|node| &node.children));
        }
        all
    }

    /// Moves a message and all below it below another, or to the roots.
    pub(crate) fn reparent(
        &mut self,
        id: &MessageId,
        parent: Option<&MessageId>,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        let below = match parent {
            Some(parent) => Some(
                self.ids
                    .get(parent)
                    .copied()
                    .ok_or(TreeError::UnknownParent)?,
            ),
            None => None,
        };
        if below.is_some_and(|below| self.chain_to(below).contains(&ix)) {
            return Err(TreeError::Cycle);
        }
        self.unhang(ix);
        if let Some(node) = self.node_mut(ix) {
            node.parent = below;
            node.awaits = None;
        }
        self.hang(ix, below);
        self.log.push(Change::MessageMoved(id.clone()));
        self.lengthen_path();
        Ok(())
    }

    /// Returns whether the tree holds together, for tests: every message is reached from the roots
    /// exactly once, parents and children agree, and both paths lead from a root to their end.
    #[doc(hidden)]
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let mut seen = HashSet::new();
        let mut next: Vec<(usize, Option<usize>)> =
            self.roots.iter().map(|root| (*root, None)).collect();
        while let Some((ix, parent)) = next.pop() {
            let Some(node) = self.node(ix).filter(|node| node.parent == parent) else {
                return false;
            };
            if !seen.insert(ix) || self.ids.get(&node.message.id) != Some(&ix) {
                return false;
            }
            next.extend(node.children.iter().map(|child| (*child, Some(ix))));
        }
        let leads = |path: &[usize]| {
            let tip = path.last();
            let nodes = path.iter().copied().filter(|ix| self.node(*ix).is_some());
            tip.is_none_or(|tip| seen.contains(tip) && self.chain_to(*tip).into_iter().eq(nodes))
        };
        let shared = self.path.iter().rposition(|ix| self.is_shared(*ix));
        seen.len() == self.ids.len()
            && leads(&self.path)
            && leads(self.shown_path())
            && shared.is_none_or(|last| last < self.shared_len)
    }
}
