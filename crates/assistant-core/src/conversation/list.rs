//! Reads a conversation from a flat list of messages, in the AG-UI form that servers store.
//!
//! The list contains authors and texts, but no branches, times or decisions. A tool message becomes
//! the result of the call to which its id refers. `export` reads and writes the whole tree.

use serde_json::Value;

use super::{Author, CallEnd, Conversation, FormatError, format_error::DUPLICATE_ID};
use crate::{event::Message, json::form};

impl Conversation {
    /// Adds the messages of a list to an empty conversation, and cancels calls without a result. If
    /// any entry has `parts`, the whole list is read in the form of the AI SDK.
    ///
    /// # Errors
    ///
    /// Fails if an entry is not a message, or if two messages have the same id.
    pub(super) fn load_list(mut self, list: Vec<Value>) -> Result<Self, FormatError> {
        #[cfg(feature = "ui-stream")]
        if list
            .iter()
            .any(|entry| entry.get("parts").is_some_and(Value::is_array))
        {
            return self.load_ui_messages(list);
        }
        for entry in list {
            let message =
                form::message_from_value(entry).map_err(|e| FormatError(e.to_string()))?;
            self.add_listed_message(message)?;
        }
        self.close_unanswered_calls();
        Ok(self)
    }

    fn add_listed_message(&mut self, message: Message) -> Result<(), FormatError> {
        let is_duplicate = self.find_message(&message.id).is_some()
            || self.find_call_by_result(&message.id).is_some();
        if is_duplicate {
            return Err(FormatError::new(DUPLICATE_ID));
        }
        self.append_received(message, Author::Record, 0);
        Ok(())
    }

    /// Cancels the calls that have not ended. They are not started again, because their outcome is
    /// unknown.
    pub(super) fn close_unanswered_calls(&mut self) {
        for key in self.active_calls() {
            self.close_call(key, CallEnd::Cancelled, 0);
        }
    }
}
