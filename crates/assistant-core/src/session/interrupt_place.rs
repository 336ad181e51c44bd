//! The place of an agent's question in the tree.

use crate::conversation::{CallKey, Conversation, MessageId};

/// The place of a question in the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Place {
    /// The newest message of its branch when it was asked.
    pub(super) tip: Option<MessageId>,
}

impl Place {
    /// The place that a stored conversation names.
    pub(super) fn stored(id: Option<&str>) -> Self {
        let tip = id.map(MessageId::from);
        Self { tip }
    }

    /// The id of the message, for a stored conversation.
    pub(super) fn id(&self) -> Option<&str> {
        self.tip.as_ref().map(MessageId::as_str)
    }

    pub(super) fn is_on_run_path(
        &self,
        gates: Option<CallKey>,
        conversation: &Conversation,
    ) -> bool {
        let tip = self.tip.as_ref();
        tip.is_none_or(|tip| conversation.is_on_run_path(tip))
            || gates.is_some_and(|key| conversation.is_run_call(&key))
    }
}
