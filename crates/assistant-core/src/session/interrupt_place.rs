//! The branch of an interrupt in the tree.

use crate::conversation::{CallKey, Conversation, MessageId};

/// The branch of an interrupt in the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Place {
    /// The newest message of its branch at the time of the question.
    pub(super) tip: Option<MessageId>,
}

impl Place {
    /// Creates the place of a stored interrupt from the id of its message.
    pub(super) fn stored(id: Option<&str>) -> Self {
        let tip = id.map(MessageId::from);
        Self { tip }
    }

    /// Returns the id of the branch's message, for storage.
    pub(super) fn id(&self) -> Option<&str> {
        self.tip.as_ref().map(MessageId::as_str)
    }

    pub(super) fn is_on_run_path(
        &self,
        blocks: Option<CallKey>,
        conversation: &Conversation,
    ) -> bool {
        let tip = self.tip.as_ref();
        tip.is_none_or(|tip| conversation.is_on_run_path(tip))
            || blocks.is_some_and(|key| conversation.is_run_call(&key))
    }
}
