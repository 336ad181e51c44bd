//! How messages join the tree that do not continue the run's path: [`Conversation::upsert`] is the
//! one way in for what is fed in from elsewhere, in any order.
//!
//! A message whose parent is not there yet is an orphan: a root until the parent comes. Neighbour:
//! `branch`, for what a person does to the tree.

use super::{Change, Conversation, Message, MessageId, TreeError, content::content_parts};
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
        if self.tree.contains(&message.id) {
            return Err(TreeError::DuplicateId);
        }
        if parent.is_some_and(|parent| !self.tree.contains(parent)) {
            return Err(TreeError::UnknownParent);
        }
        self.tree.refuse_cycle(&message.id, parent)?;
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
        if let Some(ix) = self.tree.find(&message.id) {
            let id = message.id.clone();
            self.update_node(ix, message);
            return Ok(id);
        }
        self.tree.refuse_cycle(&message.id, parent)?;
        let was_empty = self.tree.len() == 0;
        let (ix, id) = self.join(message, parent);
        if was_empty {
            self.tree.write_at(self.tree.chain_to(ix));
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
        let ix = self.tree.index_of(id)?;
        let mut fresh = Message::new(id.clone(), Role::User, 0);
        fresh.listed = matches!(content, Content::Parts(_));
        fresh.parts = content_parts(content);
        self.update_node(ix, fresh);
        Ok(())
    }

    fn join(&mut self, message: Message, parent: Option<&MessageId>) -> (usize, MessageId) {
        let entry = self.tree_message(message);
        let (ix, id) = self.tree.join(entry.message.id.clone(), entry, parent);
        self.name(ix);
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

    /// Whether two messages, one below the other, are one response: what the model thought belongs
    /// to what it said, and so do texts of one run between which no tool ran.
    pub(crate) fn is_one_response(&self, above: &MessageId, below: &MessageId) -> bool {
        let node = |id| self.tree.find(id).and_then(|ix| self.node(ix));
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
