//! How messages join the tree that do not continue the run's path: [`Conversation::upsert`] is the
//! one way in for what is fed in from elsewhere, in any order.
//!
//! A message whose parent is not there yet is an orphan: a root until the parent comes. Neighbour:
//! `branch`, for what a person does to the tree.

use super::{Change, Conversation, Message, MessageId, TreeError, wire_form::content_parts};
use crate::event::{Content, Role};

impl Conversation {
    /// Joins a message below another, or as a root. What is shown stays as it is.
    ///
    /// # Errors
    ///
    /// When its id is taken, its parent is not there, or it would stand below itself.
    pub(crate) fn add(
        &mut self,
        message: Message,
        parent: Option<&MessageId>,
    ) -> Result<MessageId, TreeError> {
        if self.ids.contains_key(&message.id) {
            return Err(TreeError::DuplicateId);
        }
        if parent.is_some_and(|parent| !self.ids.contains_key(parent)) {
            return Err(TreeError::UnknownParent);
        }
        self.refuse_cycle(&message.id, parent)?;
        let (_, id) = self.join(message, parent);
        Ok(id)
    }

    /// Joins a message to the tree, or updates the one with its id, which keeps role and parent.
    ///
    /// A parent that is not there yet makes the message a root until it comes. What is shown and
    /// where runs write stays as it is, unless the conversation was empty.
    ///
    /// # Errors
    ///
    /// When it would stand below itself.
    pub(crate) fn upsert(
        &mut self,
        message: Message,
        parent: Option<&MessageId>,
    ) -> Result<MessageId, TreeError> {
        if let Some(ix) = self.ids.get(&message.id).copied() {
            let id = message.id.clone();
            self.update_node(ix, message);
            return Ok(id);
        }
        self.refuse_cycle(&message.id, parent)?;
        let was_empty = self.ids.is_empty();
        let (ix, id) = self.join(message, parent);
        if was_empty {
            self.write_at(self.chain_to(ix));
        }
        Ok(id)
    }

    /// Puts other words into a message, which keeps its place, its calls and its cost.
    ///
    /// # Errors
    ///
    /// When there is no such message.
    pub(crate) fn edit_in_place(
        &mut self,
        id: &MessageId,
        content: Content,
    ) -> Result<(), TreeError> {
        let ix = self.index_of(id)?;
        let mut fresh = Message::new(id.clone(), Role::User, 0);
        fresh.listed = matches!(content, Content::Parts(_));
        fresh.parts = content_parts(content);
        self.update_node(ix, fresh);
        Ok(())
    }

    /// A new message must not be below itself: by its own parent, or by messages that wait for it.
    fn refuse_cycle(&self, id: &MessageId, parent: Option<&MessageId>) -> Result<(), TreeError> {
        let Some(parent) = parent else { return Ok(()) };
        let above = self.ids.get(parent).and_then(|ix| self.root_of(*ix));
        let awaited = above.and_then(|root| self.node(root)?.awaits.as_ref());
        match parent == id || awaited == Some(id) {
            true => Err(TreeError::Cycle),
            false => Ok(()),
        }
    }

    fn join(&mut self, message: Message, parent: Option<&MessageId>) -> (usize, MessageId) {
        let below = parent.and_then(|id| self.ids.get(id).copied());
        let (ix, id) = self.add_node(message, below);
        if let Some(node) = self.node_mut(ix) {
            node.awaits = parent.filter(|_| below.is_none()).cloned();
        }
        self.hang(ix, below);
        if let Some(above) = below.filter(|above| self.on_path(*above)) {
            let depth = self.node(above).map_or(0, |above| above.depth);
            self.shared_len = self.shared_len.max(depth + 1);
        }
        self.log.push(Change::MessageAdded(id.clone()));
        self.gather_orphans(ix);
        self.index_calls(ix);
        (ix, id)
    }

    /// Puts the content of a message into another, which keeps its place, its role, and its cost
    /// where nothing is said of it.
    fn update_node(&mut self, ix: usize, fresh: Message) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let message = &mut node.message;
        message.parts.retain(|part| part.call_key().is_some());
        let mut parts = fresh.parts;
        parts.retain(|part| part.call_key().is_none());
        parts.append(&mut message.parts);
        message.parts = parts;
        message.listed = fresh.listed;
        message.markdown = fresh.markdown;
        message.cost.take_in(fresh.cost);
        let id = message.id.clone();
        self.log.push(Change::Message(id));
    }

    pub(super) fn hang(&mut self, ix: usize, parent: Option<usize>) {
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => parent.children.push(ix),
            None => self.roots.push(ix),
        }
    }

    /// Takes a node from its parent's children, or from the roots. A way that leads nowhere any more
    /// is not remembered.
    pub(super) fn unhang(&mut self, ix: usize) {
        let parent = self.node(ix).and_then(|node| node.parent);
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => {
                parent.children.retain(|child| *child != ix);
                parent.chosen = parent.chosen.filter(|chosen| *chosen != ix);
            }
            None => self.roots.retain(|root| *root != ix),
        }
    }

    /// Puts the nodes that waited for this one below it. One that stands above it, as a run does
    /// not ask where it writes, waits no longer.
    pub(super) fn gather_orphans(&mut self, ix: usize) {
        let Some(id) = self.id_at(ix) else {
            return;
        };
        let waits = |root: &usize| {
            let node = self.node(*root);
            node.is_some_and(|node| node.awaits.as_ref() == Some(id))
        };
        let waiting: Vec<usize> = self.roots.iter().copied().filter(waits).collect();
        if waiting.is_empty() {
            return;
        }
        let own = self.root_of(ix);
        for orphan in waiting {
            let above = Some(orphan) == own;
            if !above {
                self.unhang(orphan);
                self.hang(orphan, Some(ix));
            }
            if let Some(node) = self.node_mut(orphan) {
                node.awaits = None;
                node.parent = Some(ix).filter(|_| !above);
            }
            self.log
                .extend(self.id_at(orphan).cloned().map(Change::MessageMoved));
        }
        self.lengthen_path();
    }

    fn root_of(&self, ix: usize) -> Option<usize> {
        self.chain_to(ix).first().copied()
    }

    /// Lets the paths begin at a root again after something on them has found another parent.
    pub(super) fn lengthen_path(&mut self) {
        if let Some(tip) = self.path.last().copied() {
            self.path = self.chain_to(tip);
        }
        if let Some(tip) = self.shown.as_ref().and_then(|shown| shown.last().copied()) {
            self.shown = Some(self.chain_to(tip));
        }
        let shown = self.shown_path().to_vec();
        self.remember(&shown);
        self.number_path();
    }

    /// Whether two messages, one below the other, are one response: what the model thought belongs
    /// to what it said, and so do texts of one run between which no tool ran.
    pub(crate) fn is_one_response(&self, above: &MessageId, below: &MessageId) -> bool {
        let node = |id| self.ids.get(id).and_then(|ix| self.node(*ix));
        let (Some(above), Some(below)) = (node(above), node(below)) else {
            return false;
        };
        match above.message.role {
            Role::Reasoning | Role::Activity => true,
            Role::Assistant => {
                !above.message.has_calls() && above.run.is_some() && above.run == below.run
            }
            _ => false,
        }
    }
}
