//! A snapshot in pieces, so that a store writes what has changed: an outline, and the messages one by
//! one.
//!
//! Which messages changed is what [`crate::conversation::Change`] says; the outline, which is small,
//! is written whole. Neighbour: `restore`, which takes the whole snapshot.

use serde_json::Value;

use super::Session;
use crate::conversation::{FormatError, MessageId};

impl Session {
    /// The outline of [`Self::snapshot`]: all of it but what the messages hold.
    ///
    /// ```
    /// use assistant_core::session::{Session, SessionOptions, assemble_snapshot};
    ///
    /// let session = Session::new("thread", SessionOptions::default());
    /// let outline = session.snapshot_outline();
    /// // Here, from where a store keeps them.
    /// let message = |id: &str| session.snapshot_message(&id.into());
    /// assert_eq!(assemble_snapshot(outline, message)?, session.snapshot());
    /// # Ok::<(), assistant_core::conversation::FormatError>(())
    /// ```
    #[must_use]
    pub fn snapshot_outline(&self) -> Value {
        let outline = self.conversation.export_outline();
        self.with_session(self.with_pending(outline))
    }

    /// One message of [`Self::snapshot`], whatever branch it is on.
    #[must_use]
    pub fn snapshot_message(&self, id: &MessageId) -> Option<Value> {
        self.conversation.export_message(id)
    }
}

/// Puts a snapshot together again, from its outline and its messages by id.
///
/// # Errors
///
/// When the outline is none, or a message that it names is not there.
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
        let found = message(id);
        let found = found.ok_or_else(|| FormatError::new(format!("message {id:?} is missing")))?;
        entry.insert("message".to_owned(), found);
    }
    Ok(outline)
}
