//! Defines the data types of a store.

use serde_json::{Map, Value};

/// A text with a name that is unique in the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The name of the record.
    pub name: String,
    /// The text, which is JSON.
    pub text: String,
}

impl Record {
    /// Creates a record.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// The name of the record that contains the conversation, except for the contents of messages.
pub(crate) const OUTLINE: &str = "outline";
/// The prefix of the names of message records.
const MESSAGE_PREFIX: &str = "message/";

/// Returns the name of a message's record.
pub(crate) fn message_record_name(message: &str) -> String {
    format!("{MESSAGE_PREFIX}{message}")
}

/// Returns the message id in a record's name. Returns `None` if the record does not contain a
/// message.
pub(crate) fn message_id_in_name(name: &str) -> Option<&str> {
    name.strip_prefix(MESSAGE_PREFIX)
}

/// A set of changes that a store writes atomically.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Batch {
    /// The id of the conversation.
    pub thread_id: String,
    /// The id of the writer; see [`super::Store::take`].
    pub writer: String,
    /// The records to insert or replace, by name.
    pub put: Vec<Record>,
    /// The names of records to remove.
    pub remove: Vec<String>,
    /// A journal entry that must not exist yet.
    pub claim: Option<Record>,
    /// The journal entries to add, except for entries whose name already exists.
    pub add: Vec<Record>,
    /// The list entry of the conversation, if the entry has changed.
    pub info: Option<ThreadInfo>,
}

impl Batch {
    /// Creates an empty batch for a writer, for tests of a store.
    ///
    /// ```
    /// use leptos_assistant::store::{Batch, Record};
    ///
    /// let mut batch = Batch::new("thread", "writer");
    /// batch.put.push(Record::new("outline", "{}"));
    /// ```
    #[must_use]
    pub fn new(thread_id: impl Into<String>, writer: impl Into<String>) -> Self {
        Self {
            thread_id: thread_id.into(),
            writer: writer.into(),
            ..Self::default()
        }
    }
}

/// A stored conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StoredThread {
    /// The conversation's records, in any order.
    pub records: Vec<Record>,
    /// The entries of the conversation's journal, in any order.
    pub journal: Vec<Record>,
}

impl StoredThread {
    /// Creates a conversation from its records and its journal.
    #[must_use]
    pub const fn new(records: Vec<Record>, journal: Vec<Record>) -> Self {
        Self { records, journal }
    }
}

/// An entry in the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ThreadInfo {
    /// The id of the conversation.
    pub id: String,
    /// The title that the user gave the conversation, or else the beginning of the user's first
    /// message.
    pub title: String,
    /// True if the user gave the conversation its title.
    pub named: bool,
    /// The time of the last write, in milliseconds since 1970.
    pub updated_at: i64,
    /// The time at which the user deleted the conversation, in milliseconds since 1970. The
    /// conversation can be restored until it is removed from the store.
    pub deleted_at: Option<i64>,
}

/// The title and the deletion mark that the user gave a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Label {
    /// The title that replaces the beginning of the first message.
    pub title: Option<String>,
    /// The time at which the user deleted the conversation, in milliseconds since 1970.
    pub deleted_at: Option<i64>,
}

impl Label {
    /// Creates an empty label.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the time of deletion, in milliseconds since 1970.
    #[must_use]
    pub const fn deleted_at(mut self, at: i64) -> Self {
        self.deleted_at = Some(at);
        self
    }

    /// Serializes the label as JSON, for a store.
    ///
    /// ```
    /// use leptos_assistant::store::Label;
    ///
    /// let label = Label::new().title("The late tea");
    /// assert_eq!(Label::from_text(&label.to_text()), label);
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut object = Map::new();
        if let Some(title) = &self.title {
            object.insert("title".to_owned(), title.as_str().into());
        }
        if let Some(deleted_at) = self.deleted_at {
            object.insert("deletedAt".to_owned(), deleted_at.into());
        }
        Value::Object(object).to_string()
    }

    /// Parses the output of [`Self::to_text`]. Invalid text results in an empty label.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        Self {
            title: text_field(&value, "title"),
            deleted_at: value.get("deletedAt").and_then(Value::as_i64),
        }
    }
}

impl ThreadInfo {
    /// Creates the list entry of a conversation.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>, updated_at: i64) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            named: false,
            updated_at,
            deleted_at: None,
        }
    }

    /// Returns the entry with the title and the deletion mark of the user's label.
    ///
    /// ```
    /// use leptos_assistant::store::{Label, ThreadInfo};
    ///
    /// let thread = ThreadInfo::new("order-17", "Where is my tea?", 0);
    /// let thread = thread.labelled(Label::new().title("The late tea"));
    /// assert_eq!((thread.title.as_str(), thread.named), ("The late tea", true));
    /// ```
    #[must_use]
    pub fn labelled(mut self, label: Label) -> Self {
        if let Some(title) = label.title {
            self.title = title;
            self.named = true;
        }
        self.deleted_at = label.deleted_at;
        self
    }

    /// Serializes the entry as JSON, for a store, without the user's label.
    ///
    /// ```
    /// use leptos_assistant::store::ThreadInfo;
    ///
    /// let thread = ThreadInfo::new("order-17", "Where is my tea?", 0);
    /// assert_eq!(ThreadInfo::from_text(&thread.to_text()), Some(thread));
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut object = Map::new();
        object.insert("id".to_owned(), self.id.as_str().into());
        object.insert("title".to_owned(), self.title.as_str().into());
        object.insert("updatedAt".to_owned(), self.updated_at.into());
        Value::Object(object).to_string()
    }

    /// Parses the output of [`Self::to_text`]. Returns `None` for invalid text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let updated_at = value.get("updatedAt").and_then(Value::as_i64)?;
        let title = text_field(&value, "title").unwrap_or_default();
        Some(Self::new(text_field(&value, "id")?, title, updated_at))
    }
}

fn text_field(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}
