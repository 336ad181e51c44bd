//! Stores the fields of a raw event in a flat list.
//!
//! An event has few fields, so searching a list is faster than building a hash map. Building the
//! map would take half of the time needed to decode a token. The names of common fields are not
//! allocated.

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

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

/// The fields of a JSON object, in order. If a field occurs more than once, its last value is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventObject {
    fields: Vec<(Cow<'static, str>, Option<Value>)>,
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

    /// Returns the value of a field, or `None` if the field is absent or was taken.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
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

    /// Returns a mutable reference to the value of a field, or `None` if the field is absent or was
    /// taken.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.slot_mut(name).and_then(Option::as_mut)
    }

    /// Removes a field and returns its value, or `None` if the field is absent or was taken.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        if self.remaining == 0 {
            return None;
        }
        let value = self.slot_mut(name).and_then(Option::take);
        self.remaining -= usize::from(value.is_some());
        value
    }

    /// Sets the value of a field. The field is added if it is absent.
    pub fn set(&mut self, name: &'static str, value: Value) {
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
            .filter_map(|(key, value)| Some((key, value?)))
            .filter(move |(key, _)| !taken_names.contains(key))
    }

    fn slot_mut(&mut self, name: &str) -> Option<&mut Option<Value>> {
        self.fields
            .iter_mut()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl From<Vec<(Cow<'static, str>, Option<Value>)>> for EventObject {
    fn from(fields: Vec<(Cow<'static, str>, Option<Value>)>) -> Self {
        let remaining = fields.len();
        Self { fields, remaining }
    }
}

impl From<Object> for EventObject {
    fn from(object: Object) -> Self {
        let fields = object.into_iter();
        let fields = fields.map(|(key, value)| (Cow::Owned(key), Some(value)));
        fields.collect::<Vec<_>>().into()
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
            fields.push((name, Some(map.next_value()?)));
        }
        Ok(fields.into())
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
