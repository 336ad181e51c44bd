//! The list of messages, without their parts.
//!
//! A thread may have thousands of messages, few of which are in view. Growth at the end affects
//! only new entries; every other change rebuilds the list and increments the edition of the list.
//! The signals of a message are in `message`, and exist only for messages that a view has
//! requested.

use std::ops::Deref;

use assistant_core::{
    conversation::{Conversation, Message, MessageId},
    event::Role,
};

/// An entry in the list of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageEntry {
    /// The id of the message in the conversation.
    pub(crate) id: MessageId,
    /// The role of the author. Messages that the agent attributes to the user have the role of the
    /// assistant.
    pub(crate) role: Role,
    /// The time at which the message appeared, in milliseconds since 1970; 0 if unknown.
    pub(crate) created_at: i64,
}

impl MessageEntry {
    /// Returns the id of the message in the conversation.
    #[must_use]
    pub const fn id(&self) -> &MessageId {
        &self.id
    }

    /// Returns the role of the author. Messages that the agent attributes to the user have the role
    /// of the assistant.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Returns the time at which the message appeared, in milliseconds since 1970; 0 if unknown.
    #[must_use]
    pub const fn created_at(&self) -> i64 {
        self.created_at
    }
}

impl From<&Message> for MessageEntry {
    fn from(message: &Message) -> Self {
        Self {
            id: message.id().clone(),
            role: message.author_role(),
            created_at: message.created_at(),
        }
    }
}

/// The messages of the chat, oldest first, as a slice and as an iterator for `<For>`.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_assistant;
///
/// #[component]
/// fn Log() -> impl IntoView {
///     let assistant = use_assistant()?;
///     let (messages, count) = (assistant.messages(), assistant.messages());
///     Some(view! {
///         <p>{move || count.with(|list| list.len())}</p>
///         <For each=move || messages.get() key=|entry| entry.id().clone() let:entry>
///             <p>{assistant.message_text(entry.id())}</p>
///         </For>
///     })
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct MessageList {
    entries: Vec<MessageEntry>,
    thread: u64,
    edition: u64,
    /// The edition of the conversation's path, which restarts with each conversation.
    path_edition: Option<u64>,
}

impl Deref for MessageList {
    type Target = [MessageEntry];

    fn deref(&self) -> &[MessageEntry] {
        &self.entries
    }
}

impl IntoIterator for MessageList {
    type Item = MessageEntry;
    type IntoIter = std::vec::IntoIter<MessageEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a> IntoIterator for &'a MessageList {
    type Item = &'a MessageEntry;
    type IntoIter = std::slice::Iter<'a, MessageEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// A change of the list of messages.
pub(super) struct ListChange {
    /// True if the messages belong to a different conversation than the list.
    is_other_thread: bool,
    /// The position of the first new entry; 0 if the whole list is replaced.
    from: usize,
    entries: Vec<MessageEntry>,
    path_edition: u64,
}

impl ListChange {
    /// Creates the change that replaces the list with the messages of another conversation.
    pub(super) fn replacement(conversation: &Conversation) -> Self {
        Self {
            is_other_thread: true,
            ..Self::from_position(0, conversation)
        }
    }

    fn from_position(from: usize, conversation: &Conversation) -> Self {
        Self {
            is_other_thread: false,
            from,
            entries: conversation
                .path_from(from)
                .map(MessageEntry::from)
                .collect(),
            path_edition: conversation.path_edition(),
        }
    }
}

impl MessageList {
    /// Returns a number that changes when the list shows another conversation.
    #[must_use]
    pub const fn thread(&self) -> u64 {
        self.thread
    }

    /// Returns a number that changes when the list is rebuilt. While the number is the same, the
    /// list has only grown.
    #[must_use]
    pub const fn edition(&self) -> u64 {
        self.edition
    }

    /// Returns the change that updates the list to the current messages of the conversation.
    pub(super) fn change_to(&self, conversation: &Conversation) -> ListChange {
        if self.path_edition == Some(conversation.path_edition()) {
            ListChange::from_position(self.entries.len(), conversation)
        } else {
            ListChange::from_position(0, conversation)
        }
    }

    pub(super) fn apply_change(&mut self, change: ListChange) {
        if change.from == 0 {
            self.entries.clear();
            self.edition += 1;
        }
        self.thread += u64::from(change.is_other_thread);
        self.path_edition = Some(change.path_edition);
        self.entries.extend(change.entries);
    }
}
