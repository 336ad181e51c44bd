//! Adds or updates messages anywhere in the tree, not only at the end of the run's path.
//! [`Conversation::upsert`] accepts messages in any order.
//!
//! A message whose parent is missing is a root until the parent arrives. `branch` handles the
//! user's changes to the tree.

use super::{Conversation, Message, MessageId, TreeError, part::parts_from_content};
use crate::event::{Content, Role};

impl Conversation {
    /// Adds a message below another message, or as a root. The shown path stays unchanged.
    ///
    /// # Errors
    ///
    /// Fails if another message has the message's id, if the parent is missing, or if the message
    /// would become its own descendant.
    #[cfg(feature = "replay")]
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
        self.tree.check_cycle(&message.id, parent)?;
        let (_, id) = self.add_message_below(message, parent);
        Ok(id)
    }

    /// Adds a message to the tree, or updates the existing message with the same id. The existing
    /// message keeps its role and parent.
    ///
    /// A new message whose parent is missing is a root until the parent arrives. The shown path and
    /// the run branch stay unchanged, except that both begin with the message if the conversation
    /// was empty.
    ///
    /// # Errors
    ///
    /// Fails if a new message would become its own descendant.
    #[cfg(any(feature = "records", feature = "replay"))]
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
        self.tree.check_cycle(&message.id, parent)?;
        let was_empty = self.tree.len() == 0;
        let (ix, id) = self.add_message_below(message, parent);
        if was_empty {
            self.tree.set_run_path(self.tree.chain_to(ix));
        }
        Ok(id)
    }

    /// Replaces the texts and files of a message. The message keeps its position, its calls and its
    /// cost.
    ///
    /// # Errors
    ///
    /// Fails if no message has this id.
    pub(crate) fn edit_in_place(
        &mut self,
        id: &MessageId,
        content: Content,
    ) -> Result<(), TreeError> {
        let ix = self.tree.index_of(id)?;
        let mut new_message = Message::new(id.clone(), Role::User, 0);
        new_message.listed = matches!(content, Content::Parts(_));
        new_message.parts = parts_from_content(content);
        self.update_node(ix, new_message);
        Ok(())
    }

    #[cfg(any(feature = "records", feature = "replay"))]
    fn add_message_below(
        &mut self,
        message: Message,
        parent: Option<&MessageId>,
    ) -> (usize, MessageId) {
        let entry = self.create_tree_message(message);
        let (ix, id) = self.tree.add_below(entry.message.id.clone(), entry, parent);
        self.assign_id(ix);
        self.index_calls(ix);
        (ix, id)
    }

    /// Replaces the content of a message except its calls. The message keeps its position and its
    /// role. It keeps its cost unless the new message has a cost.
    pub(super) fn update_node(&mut self, ix: usize, new_message: Message) {
        self.edit_message(ix, |message| {
            message.parts.retain(|part| part.call_key().is_some());
            let mut parts = new_message.parts;
            parts.retain(|part| part.call_key().is_none());
            parts.append(&mut message.parts);
            message.parts = parts;
            message.listed = new_message.listed;
            message.markdown = new_message.markdown;
            message.cost.merge_report(new_message.cost);
        });
    }

    /// Returns true if a message and its child belong to one response. Reasoning and activities
    /// belong to the response of the child. An assistant's message without tool calls belongs to
    /// the response of the child if both messages are from the same run.
    pub(crate) fn is_same_response(&self, above: &MessageId, below: &MessageId) -> bool {
        let find_node = |id| self.tree.find(id).and_then(|ix| self.node(ix));
        let (Some(upper), Some(lower)) = (find_node(above), find_node(below)) else {
            return false;
        };
        match upper.message.role {
            Role::Reasoning | Role::Activity => true,
            Role::Assistant => {
                !upper.message.has_calls() && upper.run.is_some() && upper.run == lower.run
            }
            _ => false,
        }
    }
}
