//! Reads the described fields out of a JSON object, by value.
//!
//! One rule for the whole wire (decision D7): a described field with a wrong value is fatal and
//! named; what is not described is removed and noted; an unknown value of a closed set is removed
//! with the smallest thing that may be absent. Strings are moved out, never cloned.

use serde_json::Value;

use super::context::{Context, Fault, Path, Read};
use super::frame::Frame;
use crate::event::Object;

/// Integers beyond this do not survive a JSON number.
const MAX_INTEGER: i64 = (1 << 53) - 1;

/// The fields of one object, taken one by one.
pub(super) struct Fields<'p> {
    frame: Frame,
    pub(super) path: Path<'p>,
}

impl<'p> Fields<'p> {
    pub(super) const fn new(frame: Frame, path: Path<'p>) -> Self {
        Self { frame, path }
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
        self.frame
            .take(key)
            .ok_or_else(|| context.malformed(Path::Key(&self.path, key), "Invalid input"))
    }

    /// A field that may be absent; `null` is not a value.
    pub(super) fn opt(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Value>> {
        match self.frame.take(key) {
            Some(Value::Null) if context.strict => {
                Err(context.wrong_type(Path::Key(&self.path, key), "a value", Some(&Value::Null)))
            }
            Some(Value::Null) => {
                if !context.keep_extra {
                    context.notes.null(context.event, key);
                }
                Ok(None)
            }
            other => Ok(other),
        }
    }

    pub(super) fn text(&mut self, context: &Context<'_>, key: &'static str) -> Read<String> {
        match self.frame.take(key) {
            Some(Value::String(text)) => Ok(text),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "string", other.as_ref())),
        }
    }

    pub(super) fn opt_text(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<String>> {
        match self.frame.get(key) {
            // The common case first: most optional fields are absent on most events.
            None => Ok(None),
            Some(Value::Null) if !context.strict => self.opt(context, key).map(|_| None),
            Some(_) => self.text(context, key).map(Some),
        }
    }

    pub(super) fn object(&mut self, context: &Context<'_>, key: &'static str) -> Read<Object> {
        match self.frame.take(key) {
            Some(Value::Object(map)) => Ok(map),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "object", other.as_ref())),
        }
    }

    pub(super) fn opt_object(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Object>> {
        match self.frame.get(key) {
            None => Ok(None),
            Some(Value::Null) if !context.strict => self.opt(context, key).map(|_| None),
            Some(_) => self.object(context, key).map(Some),
        }
    }

    pub(super) fn array(&mut self, context: &Context<'_>, key: &'static str) -> Read<Vec<Value>> {
        match self.frame.take(key) {
            Some(Value::Array(items)) => Ok(items),
            other => Err(context.wrong_type(Path::Key(&self.path, key), "array", other.as_ref())),
        }
    }

    pub(super) fn opt_array(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<Vec<Value>>> {
        match self.frame.get(key) {
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
        match self.opt(context, key)? {
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
        let Some(value) = self.opt(context, key)? else {
            return Ok(None);
        };
        let path = Path::Key(&self.path, key);
        let Some(number) = integer(&value) else {
            return Err(context.wrong_type(path, "int", Some(&value)));
        };
        if number < least {
            let problem = format!("Too small: expected number to be >={least}");
            return Err(context.malformed(path, &problem));
        }
        Ok(Some(number))
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
        let Some(value) = self.opt(context, key)? else {
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
        match self.frame.take(key) {
            Some(Value::String(text)) if text == word => Ok(()),
            _ => {
                let problem = format!("Invalid input: expected \"{word}\"");
                Err(context.malformed(Path::Key(&self.path, key), &problem))
            }
        }
    }

    /// The subagent that an event belongs to.
    pub(super) fn tag(&mut self, context: &mut Context<'_>) -> Read<Option<String>> {
        self.opt_named(context, "subagentRunId")
    }

    /// The subagent that a part of an event belongs to; `subject` says which part refuses a null.
    pub(super) fn nested_tag(
        &mut self,
        context: &mut Context<'_>,
        subject: &dyn Fn() -> String,
    ) -> Read<Option<String>> {
        if context.strict && self.is_null("subagentRunId") {
            return Err(context.refused(&format!(
                "Cannot send {} 'subagentRunId: null'. The field is optional — omit it entirely.",
                subject()
            )));
        }
        self.opt_text(context, "subagentRunId")
    }

    /// An optional text of which a null has its own sentence.
    pub(super) fn opt_named(
        &mut self,
        context: &mut Context<'_>,
        key: &'static str,
    ) -> Read<Option<String>> {
        self.reject_null(context, key)?;
        self.opt_text(context, key)
    }

    /// Refuses a null in strict mode.
    pub(super) fn reject_null(&self, context: &Context<'_>, key: &str) -> Read<()> {
        self.reject_null_at(context, key, key)
    }

    /// Refuses a null in strict mode, naming the field from the root of the event.
    pub(super) fn reject_null_at(&self, context: &Context<'_>, key: &str, name: &str) -> Read<()> {
        if context.strict && self.is_null(key) {
            return Err(context.refused(&format!(
                "Cannot send '{}' with '{name}: null'. The field is optional — omit it entirely.",
                context.event
            )));
        }
        Ok(())
    }

    /// A text without which an event is about nothing.
    pub(super) fn identity(&mut self, context: &Context<'_>, key: &'static str) -> Read<String> {
        match self.frame.take(key) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(context.refused(&format!(
                "Cannot send '{}' without a '{key}'.",
                context.event
            ))),
        }
    }

    /// Whether the field is an array.
    pub(super) fn is_array(&self, key: &str) -> bool {
        matches!(self.frame.get(key), Some(Value::Array(_)))
    }

    /// Whether the field is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.frame.get(key).is_some()
    }

    /// Whether the field is there and `null`.
    pub(super) fn is_null(&self, key: &str) -> bool {
        matches!(self.frame.get(key), Some(Value::Null))
    }

    /// Notes and drops what is left, key by key.
    pub(super) fn close(self, context: &mut Context<'_>) {
        for (key, _) in self.frame.rest() {
            context.removed(Path::Key(&self.path, &key));
        }
    }

    /// What is left, if the context keeps it; else as [`Self::close`].
    pub(super) fn rest(self, context: &mut Context<'_>) -> Object {
        if context.keep_extra {
            return self
                .frame
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

/// An integer as JSON Schema means it: `1.0` is one, as no number in JSON has a type.
fn integer(value: &Value) -> Option<i64> {
    let number = value.as_i64().or_else(|| {
        let float = value.as_f64()?;
        #[allow(
            clippy::cast_possible_truncation,
            reason = "whole and within the range of i64"
        )]
        (float.fract() == 0.0 && float.abs() <= MAX_INTEGER as f64).then_some(float as i64)
    })?;
    (-MAX_INTEGER..=MAX_INTEGER)
        .contains(&number)
        .then_some(number)
}
