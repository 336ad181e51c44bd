//! Reads the known fields of a JSON object by value.
//!
//! The same rules apply to all received data (rule "tolerant in, strict out"). If a known field has
//! an invalid value, the reader returns a fatal error that names the field. An unknown field is
//! removed with a diagnostic. An unknown value of a closed set is removed together with the
//! smallest optional item that encloses it. Strings are moved out of the object, never cloned.

use std::borrow::Cow;

use serde_json::Value;

use super::context::{Context, Fault, Path, Read, type_name};
use super::object::EventObject;
use crate::event::Object;

/// The largest integer up to which JSON numbers represent all integers exactly.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// A reader that takes the fields of one object one by one. The first fault is kept until
/// [`Self::close`] returns it. After a fault, all fields count as absent, so that no further faults
/// or diagnostics are reported.
#[derive(Debug)]
pub struct Fields<'p> {
    object: EventObject,
    pub(crate) path: Path<'p>,
    fault: Option<Fault>,
}

impl<'p> Fields<'p> {
    /// Creates a reader of the fields of an object.
    #[must_use]
    pub const fn new(object: EventObject, path: Path<'p>) -> Self {
        Self {
            object,
            path,
            fault: None,
        }
    }

    /// Creates a reader for the fields of a value. Returns a fatal fault if the value is not an
    /// object.
    pub fn of(value: Value, context: &Context<'_>, path: Path<'p>) -> Read<Self> {
        match value {
            Value::Object(map) => Ok(Self::new(map.into(), path)),
            other => Err(context.wrong_type(path, "object", Some(&other))),
        }
    }

    /// Returns the location of the object.
    #[must_use]
    pub const fn path(&self) -> Path<'p> {
        self.path
    }

    /// Records a fault, unless an earlier fault is recorded.
    pub fn fail(&mut self, fault: Fault) {
        self.fault = self.fault.take().or(Some(fault));
    }

    /// Returns true if a fault is recorded.
    pub const fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Removes the recorded fault and returns it as an error, or returns `Ok` if no fault is
    /// recorded.
    pub fn checked(&mut self) -> Read<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    /// Returns the value of a successful read. Otherwise records the fault and returns the default
    /// value.
    pub fn keep<T: Default>(&mut self, read: Read<T>) -> T {
        read.unwrap_or_else(|fault| {
            self.fail(fault);
            T::default()
        })
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        if self.has_failed() {
            return None;
        }
        self.object.take(key)
    }

    fn take_text(&mut self, key: &str) -> Option<String> {
        if self.has_failed() {
            return None;
        }
        self.object.take_text(key).map(Cow::into_owned)
    }

    fn record_wrong_type(
        &mut self,
        context: &Context<'_>,
        key: &'static str,
        expected: &str,
        found: Option<&Value>,
    ) {
        self.fail(context.wrong_type(Path::Key(&self.path, key), expected, found));
    }

    fn record_malformed(&mut self, context: &Context<'_>, key: &'static str, problem: &str) {
        self.fail(context.malformed(Path::Key(&self.path, key), problem));
    }

    /// Takes a required field of any type, including `null`. A missing field records a fault.
    pub fn any(&mut self, context: &Context<'_>, key: &'static str) -> Value {
        self.take(key).unwrap_or_else(|| {
            self.record_malformed(context, key, "Invalid input");
            Value::Null
        })
    }

    /// Takes an optional field. A field that is `null` records a fault in strict mode, and counts
    /// as absent in tolerant mode.
    pub fn opt(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<Value> {
        match self.opt_any(context, key) {
            Some(Value::Null) => {
                self.record_malformed(context, key, "Invalid input");
                None
            }
            other => other,
        }
    }

    /// Takes an optional field. A field that is `null` counts as absent.
    pub fn nullable(&mut self, key: &str) -> Option<Value> {
        self.take(key).filter(|value| !value.is_null())
    }

    /// Takes an optional field. In tolerant mode, a field that is `null` counts as absent, and a
    /// diagnostic reports it if the data is streamed.
    fn opt_any(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<Value> {
        match self.take(key) {
            Some(Value::Null) if !context.strict => {
                // A field that is `null` is reported only in streamed data, because stored data may
                // contain such fields.
                if !context.keep_extra {
                    context.notes.null(context.event, key);
                }
                None
            }
            other => other,
        }
    }

    /// Takes a required string. If the field is missing or not a string, records a fault and
    /// returns an empty string.
    pub fn text(&mut self, context: &Context<'_>, key: &'static str) -> String {
        self.take_text(key).unwrap_or_else(|| {
            let other = self.take(key);
            self.record_wrong_type(context, key, "string", other.as_ref());
            String::new()
        })
    }

    /// Takes an optional string. A value that is not a string records a fault.
    pub fn opt_text(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<String> {
        if let Some(text) = self.take_text(key) {
            return Some(text);
        }
        let other = self.opt_any(context, key)?;
        self.record_wrong_type(context, key, "string", Some(&other));
        None
    }

    /// Takes a required object with known members. If the field is missing or not an object,
    /// records a fault and returns an empty object.
    pub fn object(&mut self, context: &Context<'_>, key: &'static str) -> Object {
        match self.take(key) {
            Some(Value::Object(map)) => map,
            other => {
                self.record_wrong_type(context, key, "object", other.as_ref());
                Object::new()
            }
        }
    }

    /// Takes a required object with arbitrary members. If the field is missing or not an object,
    /// records a fault and returns an empty object.
    pub fn record(&mut self, context: &Context<'_>, key: &'static str) -> Object {
        let value = self.take(key);
        self.expect_record(value, context, key)
    }

    /// Takes an optional object with arbitrary members. If the value is not an object, records a
    /// fault and returns an empty object.
    pub fn opt_record(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<Object> {
        let value = self.opt_any(context, key)?;
        Some(self.expect_record(Some(value), context, key))
    }

    fn expect_record(
        &mut self,
        value: Option<Value>,
        context: &Context<'_>,
        key: &'static str,
    ) -> Object {
        let Some(Value::Object(map)) = value else {
            self.record_malformed(context, key, "Invalid input");
            return Object::new();
        };
        map
    }

    fn expect_array(
        &mut self,
        value: Option<Value>,
        context: &Context<'_>,
        key: &'static str,
    ) -> Vec<Value> {
        match value {
            Some(Value::Array(items)) => items,
            other => {
                self.record_wrong_type(context, key, "array", other.as_ref());
                Vec::new()
            }
        }
    }

    /// Takes an optional boolean. A value that is not a boolean records a fault.
    pub fn opt_bool(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<bool> {
        match self.opt_any(context, key)? {
            Value::Bool(value) => Some(value),
            other => {
                self.record_wrong_type(context, key, "boolean", Some(&other));
                None
            }
        }
    }

    /// Takes an optional integer of at least `least`, which JSON numbers represent exactly. Any
    /// other value records a fault.
    pub fn opt_integer(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        least: i64,
    ) -> Option<i64> {
        let value = self.opt_any(context, key)?;
        let number = read_integer(&value, least);
        number
            .map_err(|problem| self.record_malformed(context, key, &problem))
            .ok()
    }

    /// Takes a required list. `read` reads its elements, and unknown elements are removed with a
    /// diagnostic. If the field is missing or not a list, or if an element has a fatal fault,
    /// records the fault and returns an empty list.
    pub fn list<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Vec<T> {
        let value = self.take(key);
        let items = self.expect_array(value, context, key);
        let list = read_list(items, context, Path::Key(&self.path, key), read);
        self.keep(list)
    }

    /// Takes an optional list. The elements are read as by [`Self::list`] if the field is present.
    pub fn opt_list<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Option<Vec<T>> {
        let value = self.opt_any(context, key)?;
        let items = self.expect_array(Some(value), context, key);
        let list = read_list(items, context, Path::Key(&self.path, key), read);
        Some(self.keep(list))
    }

    /// Takes an optional field, and reads its value with `read`. An unknown value is removed with a
    /// diagnostic, and a fatal fault is recorded.
    pub fn opt_with<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Option<T> {
        let value = self.opt_any(context, key)?;
        let path = Path::Key(&self.path, key);
        match read(value, context, path) {
            Ok(value) => return Some(value),
            Err(Fault::Unknown) => context.report_removed(path),
            Err(fatal) => self.fail(fatal),
        }
        None
    }

    /// Takes a required field whose value must be the string `word`. Any other value records a
    /// fault.
    pub fn literal(&mut self, context: &Context<'_>, key: &'static str, word: &str) {
        if self.take_text(key).as_deref() != Some(word) {
            let problem = format!("Invalid input: expected \"{word}\"");
            self.record_malformed(context, key, &problem);
        }
    }

    /// Takes the discriminator of a union. Returns an empty string if the field is missing or not a
    /// string.
    pub fn kind(&mut self, key: &'static str) -> String {
        match self.take(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        }
    }

    /// Takes a required field whose value is one of `words`, as described for the function
    /// [`word`]. If a fault is recorded, returns the fault instead.
    pub fn word<T: Copy>(
        &mut self,
        context: &Context<'_>,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Read<T> {
        self.checked()?;
        let value = self.take(key);
        word(value.as_ref(), context, Path::Key(&self.path, key), words)
    }

    /// Returns true if the field is present and is an array.
    pub fn is_array(&self, key: &str) -> bool {
        !self.has_failed() && self.object.is_array(key)
    }

    /// Returns true if the field is present.
    pub fn has(&self, key: &str) -> bool {
        !self.has_failed() && self.object.has(key)
    }

    /// Returns true if the field is present and `null`.
    pub fn is_null(&self, key: &str) -> bool {
        !self.has_failed() && self.object.is_null(key)
    }

    /// Drops the remaining fields with a diagnostic, and returns `made`, which was built from the
    /// other fields. If a fault is recorded, returns the fault instead.
    pub fn close<T>(mut self, context: &mut Context<'_>, made: T) -> Read<T> {
        self.checked()?;
        self.report_rest(context);
        Ok(made)
    }

    /// Returns true if no field remains.
    pub const fn is_empty(&self) -> bool {
        self.object.is_empty()
    }

    fn report_rest(self, context: &mut Context<'_>) {
        if self.is_empty() {
            return;
        }
        for (key, _) in self.object.rest() {
            context.report_removed(Path::Key(&self.path, &key));
        }
    }

    /// Returns the remaining fields if the context keeps unknown fields. Otherwise drops these
    /// fields with a diagnostic and returns an empty object. If a fault is recorded, returns the
    /// fault instead.
    pub fn rest(mut self, context: &mut Context<'_>) -> Read<Object> {
        self.checked()?;
        if context.keep_extra {
            let rest = self.object.rest();
            return Ok(rest.map(|(key, value)| (key.into_owned(), value)).collect());
        }
        self.report_rest(context);
        Ok(Object::new())
    }
}

/// Reads each element of a list with `read`. Unknown elements are removed with a diagnostic.
fn read_list<T>(
    items: Vec<Value>,
    context: &mut Context<'_>,
    path: Path<'_>,
    read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut values = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let path = Path::Index(&path, index);
        match read(item, context, path) {
            Ok(value) => values.push(value),
            Err(Fault::Unknown) => context.report_removed(path),
            Err(fatal) => return Err(fatal),
        }
    }
    Ok(values)
}

/// Reads a list element as a string. Returns a fatal fault if the value is not a string.
pub fn text(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(context.wrong_type(path, "string", Some(&other))),
    }
}

/// Reads a string that is one of `words`. Returns [`Fault::Unknown`] for any other string, and a
/// fatal fault for a value that is not a string.
pub fn word<T>(
    value: Option<&Value>,
    context: &Context<'_>,
    path: Path<'_>,
    words: &[(&str, T)],
) -> Read<T>
where
    T: Copy,
{
    if let Some(Value::String(text)) = value {
        let entry = words.iter().find(|(word, _)| word == text);
        return entry.map(|(_, meaning)| *meaning).ok_or(Fault::Unknown);
    }
    let words: Vec<String> = words
        .iter()
        .map(|(word, _)| format!("\"{word}\""))
        .collect();
    let problem = format!("Invalid option: expected one of {}", words.join("|"));
    Err(context.malformed(path, &problem))
}

/// Reads an integer as defined by JSON Schema. A number such as `1.0` is also an integer, because
/// JSON numbers have no type. Returns an error message for other values, for integers below
/// `least`, and for integers that JSON numbers do not represent exactly.
fn read_integer(value: &Value, least: i64) -> Result<i64, String> {
    let Some(float) = value.as_f64() else {
        let actual_type = type_name(Some(value));
        return Err(format!(
            "Invalid input: expected number, received {actual_type}"
        ));
    };
    let limit = MAX_INTEGER as f64;
    if float.fract() != 0.0 {
        return Err("Invalid input: expected int, received number".to_owned());
    }
    if float > limit {
        return Err(format!("Too big: expected int to be <{MAX_INTEGER}"));
    }
    if float < -limit {
        return Err(format!("Too small: expected int to be >-{MAX_INTEGER}"));
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "whole and within the range of i64"
    )]
    let number = float as i64;
    if number < least {
        return Err(format!("Too small: expected number to be >={least}"));
    }
    Ok(number)
}
