//! Reads the described fields out of a JSON object, by value.
//!
//! One rule for the whole wire (rule "tolerant in, strict out"): a described field with a wrong value is fatal and
//! named; what is not described is removed and noted; an unknown value of a closed set is removed
//! with the smallest thing that may be absent. Strings are moved out, never cloned.

use serde_json::Value;

use super::context::{Context, Fault, Path, Read, type_name};
use super::object::EventObject;
use crate::event::Object;

/// Integers beyond this do not survive a JSON number.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// The fields of one object, taken one by one.
pub(super) struct Fields<'p> {
    object: EventObject,
    pub(super) path: Path<'p>,
}

impl<'p> Fields<'p> {
    pub(super) const fn new(object: EventObject, path: Path<'p>) -> Self {
        Self { object, path }
    }

    /// The fields of a value that must be an object.
    pub(super) fn of(value: Value, context: &Context<'_>, path: Path<'p>) -> Read<Self> {
        match value {
            Value::Object(map) => Ok(Self::new(map.into(), path)),
            other => Err(context.wrong_type(path, "object", Some(&other))),
        }
    }

    /// A field that must be there, whatever it is; `null` is a value.
    pub(super) fn any(&mut self, context: &Context<'_>, key: &'static str) -> Read<Value> {
        self.object
            .take(key)
            .ok_or_else(|| context.malformed(Path::Key(&self.path, key), "Invalid input"))
    }

    /// A field that may be absent; `null` is not a value.
    pub(super) fn opt(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Value>> {
        match self.object.take(key) {
            Some(Value::Null) if context.strict => {
                Err(context.malformed(Path::Key(&self.path, key), "Invalid input"))
            }
            Some(Value::Null) => {
                self.absent(context, key);
                Ok(None)
            }
            other => Ok(other),
        }
    }

    /// A field that may be absent or `null`, which is the same.
    pub(super) fn nullable(&mut self, key: &str) -> Option<Value> {
        self.object.take(key).filter(|value| !value.is_null())
    }

    /// A field that may be absent, taken; in tolerant mode a null is read as that.
    fn opt_typed(&mut self, context: &mut Context<'_>, key: &'static str) -> Option<Value> {
        match self.object.take(key) {
            Some(Value::Null) if !context.strict => {
                self.absent(context, key);
                None
            }
            other => other,
        }
    }

    /// Notes a null that is read as an absent field; a store may hold them.
    fn absent(&self, context: &mut Context<'_>, key: &'static str) {
        if !context.keep_extra {
            context.notes.null(context.event, key);
        }
    }

    pub(super) fn text(&mut self, context: &Context<'_>, key: &'static str) -> Read<String> {
        match self.object.take(key) {
            Some(Value::String(text)) => Ok(text),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "string", other.as_ref())),
        }
    }

    pub(super) fn opt_text(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<String>> {
        match self.object.get(key) {
            // The common case first: most optional fields are absent on most events.
            None => Ok(None),
            Some(Value::Null) if !context.strict => self.opt(context, key).map(|_| None),
            Some(_) => self.text(context, key).map(Some),
        }
    }

    /// An object of which the members are described.
    pub(super) fn object(&mut self, context: &Context<'_>, key: &'static str) -> Read<Object> {
        match self.object.take(key) {
            Some(Value::Object(map)) => Ok(map),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "object", other.as_ref())),
        }
    }

    /// An object that may hold anything.
    pub(super) fn record(&mut self, context: &Context<'_>, key: &'static str) -> Read<Object> {
        match self.object.take(key) {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(context.malformed(Path::Key(&self.path, key), "Invalid input")),
        }
    }

    pub(super) fn opt_record(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Object>> {
        match self.object.get(key) {
            None => Ok(None),
            Some(Value::Null) if !context.strict => self.opt(context, key).map(|_| None),
            Some(_) => self.record(context, key).map(Some),
        }
    }

    pub(super) fn array(&mut self, context: &Context<'_>, key: &'static str) -> Read<Vec<Value>> {
        match self.object.take(key) {
            Some(Value::Array(items)) => Ok(items),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "array", other.as_ref())),
        }
    }

    pub(super) fn opt_array(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Vec<Value>>> {
        match self.object.get(key) {
            None => Ok(None),
            Some(Value::Null) if !context.strict => self.opt(context, key).map(|_| None),
            Some(_) => self.array(context, key).map(Some),
        }
    }

    pub(super) fn opt_bool(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<bool>> {
        match self.opt_typed(context, key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(value)),
            Some(other) => {
                Err(context.wrong_type(Path::Key(&self.path, key), "boolean", Some(&other)))
            }
        }
    }

    /// An integer within what JSON numbers carry exactly, not below `least`.
    pub(super) fn opt_integer(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        least: i64,
    ) -> Read<Option<i64>> {
        let Some(value) = self.opt_typed(context, key) else {
            return Ok(None);
        };
        let path = Path::Key(&self.path, key);
        integer(&value, least)
            .map(Some)
            .map_err(|problem| context.malformed(path, &problem))
    }

    /// A list of which each element is read by `read`; unknown elements are removed.
    pub(super) fn list<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Read<Vec<T>> {
        let items = self.array(context, key)?;
        list(items, context, Path::Key(&self.path, key), read)
    }

    /// Like [`Self::list`], for a field that may be absent.
    pub(super) fn opt_list<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Read<Option<Vec<T>>> {
        match self.opt_array(context, key)? {
            None => Ok(None),
            Some(items) => list(items, context, Path::Key(&self.path, key), read).map(Some),
        }
    }

    /// What an optional field is read as; an unknown value is removed.
    pub(super) fn opt_with<T>(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
        read: fn(Value, &mut Context<'_>, Path<'_>) -> Read<T>,
    ) -> Read<Option<T>> {
        let Some(value) = self.opt_typed(context, key) else {
            return Ok(None);
        };
        let path = Path::Key(&self.path, key);
        match read(value, context, path) {
            Ok(value) => Ok(Some(value)),
            Err(Fault::Unknown) => {
                context.removed(path);
                Ok(None)
            }
            Err(fatal) => Err(fatal),
        }
    }

    /// A field that may only hold one word.
    pub(super) fn literal(
        &mut self,
        context: &Context<'_>,
        key: &'static str,
        word: &str,
    ) -> Read<()> {
        match self.object.take(key) {
            Some(Value::String(text)) if text == word => Ok(()),
            _ => {
                let problem = format!("Invalid input: expected \"{word}\"");
                Err(context.malformed(Path::Key(&self.path, key), &problem))
            }
        }
    }

    /// The word by which the kinds of a union differ; what is not a known word is another kind,
    /// whatever it is.
    pub(super) fn kind(&mut self, key: &'static str) -> Read<String> {
        match self.object.take(key) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(Fault::Unknown),
        }
    }

    /// A field that holds a word of a closed set.
    pub(super) fn word<T: Copy>(
        &mut self,
        context: &Context<'_>,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Read<T> {
        let value = self.object.take(key);
        word(value.as_ref(), context, Path::Key(&self.path, key), words)
    }

    /// Whether the field is an array.
    pub(super) fn is_array(&self, key: &str) -> bool {
        matches!(self.object.get(key), Some(Value::Array(_)))
    }

    /// Whether the field is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some()
    }

    /// Whether the field is there and `null`.
    pub(super) fn is_null(&self, key: &str) -> bool {
        matches!(self.object.get(key), Some(Value::Null))
    }

    /// Notes and drops what is left, key by key.
    pub(super) fn close(self, context: &mut Context<'_>) {
        for (key, _) in self.object.rest() {
            context.removed(Path::Key(&self.path, &key));
        }
    }

    /// What is left, if the context keeps it; else as [`Self::close`].
    pub(super) fn rest(self, context: &mut Context<'_>) -> Object {
        if context.keep_extra {
            return self
                .object
                .rest()
                .map(|(key, value)| (key.into_owned(), value))
                .collect();
        }
        self.close(context);
        Object::new()
    }
}

/// Reads each element of a list; unknown elements are removed and noted.
pub(super) fn list<T>(
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
            Err(Fault::Unknown) => context.removed(path),
            Err(fatal) => return Err(fatal),
        }
    }
    Ok(values)
}

/// A list element that must be a string.
pub(super) fn text(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(context.wrong_type(path, "string", Some(&other))),
    }
}

/// A word of a closed set; one that is not in it is unknown, what is no word at all is wrong.
pub(super) fn word<T>(
    value: Option<&Value>,
    context: &Context<'_>,
    path: Path<'_>,
    words: &[(&str, T)],
) -> Read<T>
where
    T: Copy,
{
    if let Some(Value::String(text)) = value {
        let found = words.iter().find(|(word, _)| word == text);
        return found.map(|(_, meaning)| *meaning).ok_or(Fault::Unknown);
    }
    let words: Vec<String> = words
        .iter()
        .map(|(word, _)| format!("\"{word}\""))
        .collect();
    let problem = format!("Invalid option: expected one of {}", words.join("|"));
    Err(context.malformed(path, &problem))
}

/// An integer as JSON Schema means it: `1.0` is one, as no number in JSON has a type.
fn integer(value: &Value, least: i64) -> Result<i64, String> {
    let Some(float) = value.as_f64() else {
        let found = type_name(Some(value));
        return Err(format!("Invalid input: expected number, received {found}"));
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
