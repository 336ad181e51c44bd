//! Tracks the message that the user edits in a window, and stores unsent texts.

use std::collections::HashMap;

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use crate::assistant::Assistant;

/// The key of an unsent text: the id of the conversation, and the id of the edited message.
pub(super) type DraftKey = (String, MessageId);

/// The message that the user edits. The transcript and the composer of a window share this state.
#[derive(Clone, Copy)]
pub(super) struct EditedMessage {
    id: RwSignal<Option<MessageId>>,
    /// True if the composer opened the editor, so that cancelling returns the focus to the
    /// composer.
    by_composer: StoredValue<bool>,
    /// The id of the message whose editor the user has opened and that has not taken the focus yet.
    focus_request: RwSignal<Option<MessageId>>,
    /// The unsent texts. An editor is unmounted when its message is far from the view, and when the
    /// user edits another message.
    drafts: StoredValue<HashMap<DraftKey, String>>,
}

impl EditedMessage {
    pub(super) fn new() -> Self {
        Self {
            id: RwSignal::new(None),
            by_composer: StoredValue::new(false),
            focus_request: RwSignal::new(None),
            drafts: StoredValue::new(HashMap::new()),
        }
    }

    /// Returns the state of the surrounding window, or a new state outside of a window.
    pub(super) fn current() -> Self {
        use_context().unwrap_or_else(Self::new)
    }

    /// Returns true if the user edits the message with this id. In a reactive closure, the value is
    /// tracked.
    pub(super) fn is_editing(self, id: &MessageId) -> bool {
        self.id
            .with(|edited_message| edited_message.as_ref() == Some(id))
    }

    /// Returns the id of the message whose editor the composer has opened. Returns `None` if the
    /// composer has opened no editor. In a reactive closure, the value is tracked.
    pub(super) fn id_opened_by_composer(self) -> Option<MessageId> {
        self.id.get().filter(|_| self.by_composer.get_value())
    }

    /// Opens the editor of a message, unless the assistant is busy.
    pub(super) fn edit_message(self, assistant: &Assistant, id: MessageId) {
        self.open_editor(assistant, Some(id), false);
    }

    /// Opens the editor of the user's last message for the composer, unless the assistant is busy.
    /// Returns true if the editor was opened.
    pub(super) fn edit_last_message(self, assistant: &Assistant) -> bool {
        let last_id = assistant.messages().with_untracked(|messages| {
            let mut newest_first = messages.iter().rev();
            let last_message = newest_first.find(|entry| entry.role == Role::User);
            last_message.map(|entry| entry.id.clone())
        });
        self.open_editor(assistant, last_id, true)
    }

    fn open_editor(self, assistant: &Assistant, id: Option<MessageId>, by_composer: bool) -> bool {
        if id.is_none() || assistant.activity().get_untracked().busy {
            return false;
        }
        self.by_composer.set_value(by_composer);
        self.focus_request.set(id.clone());
        self.id.set(id);
        true
    }

    /// Returns true once after the user has opened the editor of a message. Returns false if that
    /// editor is mounted again. In a reactive closure, the value is tracked.
    pub(super) fn take_focus_request(self, id: &MessageId) -> bool {
        let is_requested = self
            .focus_request
            .with(|requested_id| requested_id.as_ref() == Some(id));
        if is_requested {
            self.focus_request.set(None);
        }
        is_requested
    }

    /// Returns the unsent text of an editor, if any.
    pub(super) fn draft(self, key: &DraftKey) -> Option<String> {
        self.drafts.with_value(|drafts| drafts.get(key).cloned())
    }

    pub(super) fn store_draft(self, key: &DraftKey, text: String) {
        self.drafts
            .update_value(|drafts| drop(drafts.insert(key.clone(), text)));
    }

    /// Closes the editor, and discards its text. Returns true if the composer had opened the
    /// editor.
    pub(super) fn close_editor(self, key: &DraftKey) -> bool {
        self.drafts.update_value(|drafts| drop(drafts.remove(key)));
        self.id.set(None);
        self.by_composer.get_value()
    }
}
