//! Writes JSON objects in which absent fields are omitted.

use serde_json::Value;

use crate::event::Object;

/// A writer of one JSON object.
#[derive(Debug, Default)]
pub struct Writer(pub(in crate::json) Object);

impl Writer {
    /// Creates a writer of an object that begins with the field `type`.
    #[must_use]
    pub fn typed(event_type: &str) -> Self {
        let mut writer = Self::default();
        writer.text("type", event_type);
        writer
    }

    /// Writes a field. An existing field with the same key is replaced.
    pub fn put(&mut self, key: &str, value: Value) {
        self.0.insert(key.to_owned(), value);
    }

    /// Writes a string.
    pub fn text(&mut self, key: &str, text: &str) {
        self.put(key, Value::String(text.to_owned()));
    }

    /// Writes a string if it is present.
    pub fn opt_text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// Writes a value if it is present and not `null`, because readers treat `null` as absent.
    pub fn opt(&mut self, key: &str, value: Option<&Value>) {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            self.put(key, value.clone());
        }
    }

    /// Writes an object if it is present.
    pub fn opt_object(&mut self, key: &str, object: Option<&Object>) {
        if let Some(object) = object {
            self.put(key, Value::Object(object.clone()));
        }
    }

    /// Writes a non-negative number if it is present.
    pub fn opt_count(&mut self, key: &str, count: Option<u64>) {
        if let Some(count) = count {
            self.put(key, Value::from(count));
        }
    }

    /// Writes a number, which may be negative, if it is present.
    pub fn opt_int(&mut self, key: &str, number: Option<i64>) {
        if let Some(number) = number {
            self.put(key, Value::from(number));
        }
    }

    /// Writes `true` if the flag is set. Otherwise writes no field.
    pub fn flag(&mut self, key: &str, is_set: bool) {
        if is_set {
            self.put(key, Value::Bool(true));
        }
    }

    /// Writes a list.
    pub fn list<T>(&mut self, key: &str, items: &[T], write: fn(&T) -> Value) {
        self.put(key, Value::Array(items.iter().map(write).collect()));
    }

    /// Writes a list unless it is empty.
    pub fn opt_list<T>(&mut self, key: &str, items: &[T], write: fn(&T) -> Value) {
        if !items.is_empty() {
            self.list(key, items, write);
        }
    }

    /// Returns a mutable reference to the fields that have been written.
    pub const fn fields(&mut self) -> &mut Object {
        &mut self.0
    }

    /// Returns the written object as a JSON value.
    #[must_use]
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}
