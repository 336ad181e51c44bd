//! Splits snapshots into an outline and single messages, so that a store writes only changes.
//!
//! [`crate::conversation::Change`] identifies the changed messages; the outline is small and always
//! written as a whole. The module `restore` reads the assembled snapshot.

use serde_json::Value;

use super::Session;
use crate::conversation::{FormatError, MessageId};

impl Session {
    /// Returns the outline of [`Self::snapshot`]: the snapshot without the content of messages.
    ///
    /// ```
    /// use assistant_core::session::{Session, SessionOptions, assemble_snapshot};
    ///
    /// let session = Session::new("thread", SessionOptions::default());
    /// let outline = session.snapshot_outline();
    /// // An application reads the message from a store.
    /// let message = |id: &str| session.snapshot_message(&id.into());
    /// assert_eq!(assemble_snapshot(outline, message)?, session.snapshot());
    /// # Ok::<(), assistant_core::conversation::FormatError>(())
    /// ```
    #[must_use]
    pub fn snapshot_outline(&self) -> Value {
        let outline = self.conversation.export_outline();
        self.add_session_state(self.add_pending_data(outline))
    }

    /// Returns the entry of a message in [`Self::snapshot`], on any branch, or `None` if the
    /// conversation does not contain the message.
    #[must_use]
    pub fn snapshot_message(&self, id: &MessageId) -> Option<Value> {
        self.conversation.export_message(id)
    }
}

/// Assembles a snapshot from its outline and its messages by id.
///
/// # Errors
///
/// Fails if the outline is invalid, or if a message that the outline lists is missing.
pub fn assemble_snapshot(
    mut outline: Value,
    mut message: impl FnMut(&str) -> Option<Value>,
) -> Result<Value, FormatError> {
    let entries = outline.get_mut("messages").and_then(Value::as_array_mut);
    let entries = entries.ok_or_else(|| FormatError::new("an outline without 'messages'"))?;
    for entry in entries {
        let entry = entry.as_object_mut();
        let entry = entry.ok_or_else(|| FormatError::new("an entry of an outline is no object"))?;
        let id = entry.shift_remove("id");
        let id = id.as_ref().and_then(Value::as_str);
        let id = id.ok_or_else(|| FormatError::new("an entry of an outline without 'id'"))?;
        let content = message(id);
        let content =
            content.ok_or_else(|| FormatError::new(format!("message {id:?} is missing")))?;
        entry.insert("message".to_owned(), content);
    }
    Ok(outline)
}
