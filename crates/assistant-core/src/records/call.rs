//! Converts calls to the records that other systems store with a message.

use serde_json::Value;

use crate::{
    conversation::{
        Conversation, Message, MessageId, Part, ToolCall,
        record_fields::{count_field, int_field, json_text_field, text_field},
    },
    event::Object,
};

/// A call with its arguments and its result as JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) result: Option<String>,
    pub(crate) timestamp: i64,
    pub(crate) text_position: Option<u64>,
}

/// The calls of a message. The calls are in `partial` while the message is being written or a call
/// has not ended, and in `complete` afterwards; the unused list is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallRecords {
    pub(crate) partial: Vec<CallRecord>,
    pub(crate) complete: Vec<CallRecord>,
}

impl CallRecord {
    /// Returns the record as JSON: `{id, name, arguments, result?, timestamp, textPosition?}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Object::new();
        let mut insert_field = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        insert_field("id", self.id.as_str().into());
        insert_field("name", self.name.as_str().into());
        insert_field("arguments", self.arguments.as_str().into());
        if let Some(result) = &self.result {
            insert_field("result", result.as_str().into());
        }
        insert_field("timestamp", self.timestamp.into());
        if let Some(position) = self.text_position {
            insert_field("textPosition", position.into());
        }
        Value::Object(object)
    }

    /// Parses a record from JSON; `None` if the value is not an object or has no id. The result is
    /// the first of `result`, `output` and `content` that is not null; a value that is not a string
    /// is written as JSON.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        let result_keys = ["result", "output", "content"];
        Some(Self {
            id: text_field(fields, "id").or_else(|| text_field(fields, "toolCallId"))?,
            name: text_field(fields, "name")
                .or_else(|| text_field(fields, "toolName"))
                .unwrap_or_default(),
            arguments: json_text_field(fields, "arguments")
                .or_else(|| json_text_field(fields, "args"))
                .or_else(|| json_text_field(fields, "input"))
                .unwrap_or_default(),
            result: result_keys
                .iter()
                .find_map(|key| json_text_field(fields, key)),
            timestamp: int_field(fields, "timestamp").unwrap_or(0),
            text_position: count_field(fields, "textPosition"),
        })
    }

    fn from_call(call: &ToolCall, text_position: u64) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.args_text().to_owned(),
            result: call.result().map(|result| result.value.to_string()),
            timestamp: call.created_at,
            text_position: Some(text_position),
        }
    }

    /// Replaces each field for which `complete` has a value. The timestamp is replaced only if it
    /// was 0.
    fn update(&mut self, complete: Self) {
        let has_text = |text: &String| !text.is_empty();
        if has_text(&complete.name) {
            self.name = complete.name;
        }
        if has_text(&complete.arguments) {
            self.arguments = complete.arguments;
        }
        self.result = complete.result.or(self.result.take());
        if self.timestamp == 0 {
            self.timestamp = complete.timestamp;
        }
        self.text_position = complete.text_position.or(self.text_position);
    }

    /// Merges the records of two lists by the ids of the calls, in order of first appearance. The
    /// fields of `complete` take precedence if they are not empty. The timestamp is that of the
    /// earlier record, or of the later record if that of the earlier record is 0.
    #[must_use]
    pub fn merge(partial: Vec<Self>, complete: Vec<Self>) -> Vec<Self> {
        let mut indexes = std::collections::HashMap::new();
        let mut records: Vec<Self> = Vec::new();
        for record in partial.into_iter().chain(complete) {
            let index = *indexes.entry(record.id.clone()).or_insert(records.len());
            match records.get_mut(index) {
                Some(existing) => existing.update(record),
                None => records.push(record),
            }
        }
        records
    }

    /// Returns the call's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, as JSON text.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Returns the result, as JSON text; `None` while the call has no result.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }

    /// Returns the time at which the call appeared, in milliseconds since 1970; 0 if unknown.
    #[must_use]
    pub const fn timestamp(&self) -> i64 {
        self.timestamp
    }

    /// Returns the call's position: the number of characters of the message's text before the call;
    /// `None` if unknown.
    #[must_use]
    pub const fn text_position(&self) -> Option<u64> {
        self.text_position
    }
}

impl CallRecords {
    /// Returns the records of a message's calls, in their current state. Both lists are empty if
    /// the message does not exist.
    #[must_use]
    pub fn of(conversation: &Conversation, message: &MessageId) -> Self {
        let Some(source) = conversation.message(message) else {
            return Self::default();
        };
        let records = collect_records(source, conversation);
        let mut calls = conversation.calls_in(source);
        let is_in_progress =
            conversation.is_being_written(message) || calls.any(|call| !call.phase().is_final());
        match is_in_progress {
            true => Self {
                partial: records,
                complete: Vec::new(),
            },
            false => Self {
                partial: Vec::new(),
                complete: records,
            },
        }
    }

    /// Returns the records as JSON: `{partialToolCalls, toolCalls}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let write_list =
            |list: &[CallRecord]| -> Value { list.iter().map(CallRecord::to_json).collect() };
        serde_json::json!({
            "partialToolCalls": write_list(&self.partial),
            "toolCalls": write_list(&self.complete),
        })
    }

    /// Parses the records of a stored message. Entries without an id are skipped; entries for the
    /// same call are merged.
    #[must_use]
    pub fn from_json(message: &Value) -> Vec<CallRecord> {
        let read_list = |key: &str| {
            let list = message.get(key).and_then(Value::as_array);
            let list = list.into_iter().flatten();
            list.filter_map(CallRecord::from_json).collect()
        };
        CallRecord::merge(read_list("partialToolCalls"), read_list("toolCalls"))
    }

    /// Returns the calls of a message in progress; the result is empty if the message is finished.
    #[must_use]
    pub fn partial(&self) -> &[CallRecord] {
        &self.partial
    }

    /// Returns the calls of a finished message; the result is empty if the message is in progress.
    #[must_use]
    pub fn complete(&self) -> &[CallRecord] {
        &self.complete
    }
}

fn collect_records(message: &Message, conversation: &Conversation) -> Vec<CallRecord> {
    let mut position = 0_u64;
    let mut records = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) => {
                let count = u64::try_from(text.text.chars().count());
                position = position.saturating_add(count.unwrap_or(u64::MAX));
            }
            Part::Call(key) => {
                let call = conversation.call(key);
                records.extend(call.map(|call| CallRecord::from_call(call, position)));
            }
            _ => {}
        }
    }
    records
}
