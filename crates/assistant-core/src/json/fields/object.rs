//! Stores the fields of a raw event in a flat list.
//!
//! An event has few fields, so searching a list is faster than building a hash map. Building the
//! map would take half of the time needed to decode a token. The names of common fields and common
//! event types are not allocated.

use core::fmt;
use std::borrow::Cow;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer},
};
use serde_json::{Number, Value};

use crate::event::Object;
use crate::event::fault::ProtocolError;

/// The names of common fields, which are not allocated.
const COMMON_FIELDS: [&str; 9] = [
    "type",
    "delta",
    "messageId",
    "toolCallId",
    "timestamp",
    "subagentRunId",
    "role",
    "rawEvent",
    "metadata",
];

/// The types of common events, which are not allocated, the most frequent types first.
const COMMON_TYPES: [&str; 9] = [
    "TEXT_MESSAGE_CONTENT",
    "TOOL_CALL_ARGS",
    "REASONING_MESSAGE_CONTENT",
    "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_CHUNK",
    "TOOL_CALL_START",
    "TOOL_CALL_END",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_END",
];

/// The fields of a JSON object, in order. If a field occurs more than once, its last value is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventObject {
    fields: Vec<(Cow<'static, str>, Option<FieldValue>)>,
    /// The number of fields that were not taken. If the number is zero, a lookup of an optional
    /// field returns without a search.
    remaining: usize,
}

impl EventObject {
    /// Parses the data of one frame as a JSON object.
    ///
    /// # Errors
    ///
    /// Fails if the data is not JSON, or not an object.
    pub fn parse(data: &str) -> Result<Self, ProtocolError> {
        serde_json::from_str(data).map_err(|error| {
            // The data is parsed again to distinguish invalid JSON from a value that is not an
            // object, because the deserializer rejects such a value before it reads the whole
            // value.
            if error.is_data() && serde_json::from_str::<IgnoredAny>(data).is_ok() {
                let message = "Invalid event: the frame is not a JSON object.";
                return ProtocolError::new("invalid-frame", message);
            }
            let message = format!("Invalid event: the frame is not JSON ({error}).");
            ProtocolError::new("invalid-json", message)
        })
    }

    /// Returns true if a field is present and was not taken.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns true if a field is `null`.
    #[must_use]
    pub fn is_null(&self, name: &str) -> bool {
        matches!(self.get(name), Some(FieldValue::Other(value)) if value.is_null())
    }

    /// Returns true if a field is an array.
    #[must_use]
    pub fn is_array(&self, name: &str) -> bool {
        matches!(self.get(name), Some(FieldValue::Other(value)) if value.is_array())
    }

    /// Returns the text of a field, or `None` if the field is absent, was taken or is not a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            FieldValue::Text(text) => Some(text),
            FieldValue::Number(_) | FieldValue::Other(_) => None,
        }
    }

    fn get(&self, name: &str) -> Option<&FieldValue> {
        if self.remaining == 0 {
            return None;
        }
        self.fields
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .and_then(|(_, value)| value.as_ref())
    }

    /// Returns true if every field was taken.
    pub const fn is_empty(&self) -> bool {
        self.remaining == 0
    }

    /// Returns a mutable reference to the value of a field, or `None` if the field is absent, was
    /// taken, or is a string or a number.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        match self.slot_mut(name)?.as_mut()? {
            FieldValue::Other(value) => Some(value),
            FieldValue::Text(_) | FieldValue::Number(_) => None,
        }
    }

    /// Removes a field and returns its value, or `None` if the field is absent or was taken.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        if self.remaining == 0 {
            return None;
        }
        let value = self.slot_mut(name).and_then(Option::take);
        self.remaining -= usize::from(value.is_some());
        value.map(Value::from)
    }

    /// Removes a field and returns its text. Returns `None`, and keeps the field, if the field is
    /// not a string.
    pub fn take_text(&mut self, name: &str) -> Option<Cow<'static, str>> {
        if self.remaining == 0 {
            return None;
        }
        let slot = self.slot_mut(name)?;
        let value = slot.take_if(|value| matches!(value, FieldValue::Text(_)));
        let Some(FieldValue::Text(text)) = value else {
            return None;
        };
        self.remaining -= 1;
        Some(text)
    }

    /// Sets the value of a field. The field is added if it is absent.
    pub fn set(&mut self, name: &'static str, value: Value) {
        let value = FieldValue::from(value);
        let old_value = match self.slot_mut(name) {
            Some(slot) => slot.replace(value),
            None => {
                self.fields.push((Cow::Borrowed(name), Some(value)));
                None
            }
        };
        self.remaining += usize::from(old_value.is_none());
    }

    /// Returns the fields that were not taken. Earlier duplicates of taken fields are omitted.
    pub fn rest(self) -> impl Iterator<Item = (Cow<'static, str>, Value)> {
        let taken_fields = self.fields.iter().filter(|(_, value)| value.is_none());
        let taken_names: Vec<Cow<'static, str>> = match self.remaining {
            0 => Vec::new(),
            _ => taken_fields.map(|(key, _)| key.clone()).collect(),
        };
        self.fields
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?.into())))
            .filter(move |(key, _)| !taken_names.contains(key))
    }

    fn slot_mut(&mut self, name: &str) -> Option<&mut Option<FieldValue>> {
        self.fields
            .iter_mut()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl From<Object> for EventObject {
    fn from(object: Object) -> Self {
        let fields = object.into_iter();
        let fields = fields.map(|(key, value)| (Cow::Owned(key), Some(value.into())));
        let fields: Vec<_> = fields.collect();
        let remaining = fields.len();
        Self { fields, remaining }
    }
}

/// The value of a field. Most values are strings and numbers, which are stored apart from other
/// values, because a [`Value`] is large and expensive to move.
#[derive(Debug, Clone, PartialEq)]
enum FieldValue {
    Text(Cow<'static, str>),
    Number(Number),
    Other(Box<Value>),
}

impl From<Value> for FieldValue {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.into()),
            Value::Number(number) => Self::Number(number),
            other => Self::Other(Box::new(other)),
        }
    }
}

impl From<FieldValue> for Value {
    fn from(value: FieldValue) -> Self {
        match value {
            FieldValue::Text(text) => Self::String(text.into_owned()),
            FieldValue::Number(number) => Self::Number(number),
            FieldValue::Other(value) => *value,
        }
    }
}

impl<'de> Deserialize<'de> for EventObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = EventObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<EventObject, A::Error> {
        let mut fields = Vec::with_capacity(6);
        while let Some(FieldName(name)) = map.next_key()? {
            let common_texts: &[&str] = match &*name {
                "type" => &COMMON_TYPES,
                _ => &[],
            };
            let value = map.next_value_seed(ValueVisitor { common_texts })?;
            fields.push((name, Some(value)));
        }
        let remaining = fields.len();
        Ok(EventObject { fields, remaining })
    }
}

/// A visitor of the value of a field.
struct ValueVisitor {
    /// The texts that are not allocated.
    common_texts: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for ValueVisitor {
    type Value = FieldValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FieldValue, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = FieldValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FieldValue, E> {
        let common_text = self.common_texts.iter().find(|common| **common == text);
        Ok(FieldValue::Text(match common_text {
            Some(common) => Cow::Borrowed(common),
            None => Cow::Owned(text.to_owned()),
        }))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<FieldValue, E> {
        Ok(Value::Bool(value).into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<FieldValue, E> {
        Ok(Value::from(value).into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<FieldValue, E> {
        Ok(Value::from(value).into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<FieldValue, E> {
        Ok(Value::from(value).into())
    }

    fn visit_unit<E: Error>(self) -> Result<FieldValue, E> {
        Ok(Value::Null.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<FieldValue, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(list)).map(Into::into)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FieldValue, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Into::into)
    }
}

struct FieldName(Cow<'static, str>);

impl<'de> Deserialize<'de> for FieldName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = FieldName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FieldName, E> {
        Ok(FieldName(
            match COMMON_FIELDS.iter().find(|common| **common == name) {
                Some(common) => Cow::Borrowed(common),
                None => Cow::Owned(name.to_owned()),
            },
        ))
    }
}
