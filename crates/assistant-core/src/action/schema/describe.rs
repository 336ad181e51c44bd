//! Short descriptions of schemas ("a string or null", `an object with "id"`) for messages. Not
//! every schema has a description.

use serde_json::{Map, Value};

use super::check::Check;
use super::message::{Listed, Named, Shown, bounded};

/// The maximum number of references and nested alternatives that are followed.
const MAX_HOPS: usize = 4;

/// The longest description, in characters.
const MAX_WORDS: usize = 120;

/// The maximum number of required properties that are named.
const MAX_PROPERTIES: usize = 4;

impl<'a> Check<'a, '_> {
    pub(super) fn describe(&mut self, schema: &'a Value) -> Option<String> {
        let mut at = schema;
        for _ in 0..MAX_HOPS {
            if let Some(words) = words(at) {
                return Some(words);
            }
            at = self.resolve(at.get("$ref")?.as_str()?)?.schema;
        }
        None
    }
}

fn words(schema: &Value) -> Option<String> {
    let map = match schema {
        Value::Bool(true) => return Some("anything".into()),
        Value::Bool(false) => return Some("nothing".into()),
        _ => schema.as_object()?,
    };
    if let Some(value) = map.get("const") {
        return Some(bounded(format_args!("{}", Shown(value)), MAX_WORDS));
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return Some(bounded(
            format_args!("one of {}", Listed(values)),
            MAX_WORDS,
        ));
    }
    match map.get("type") {
        Some(Value::String(name)) if name == "object" => Some(object(map)),
        Some(wanted) => Some(kinds(wanted)),
        None if map.contains_key("required") || map.contains_key("properties") => Some(object(map)),
        None => alternatives(map),
    }
}

/// Describes the alternatives of `anyOf` or `oneOf` by their types; `None` if one of them has no
/// type.
fn alternatives(map: &Map<String, Value>) -> Option<String> {
    let Value::Array(schemas) = map.get("anyOf").or_else(|| map.get("oneOf"))? else {
        return None;
    };
    let mut out = String::new();
    for schema in schemas.iter().take(MAX_PROPERTIES) {
        let name = kinds(schema.get("type")?);
        push_word(&mut out, " or ", &name);
    }
    if schemas.len() > MAX_PROPERTIES {
        push_word(&mut out, " or ", "…");
    }
    Some(out)
}

/// Describes an object by its tag if it has one, otherwise by its required properties.
fn object(map: &Map<String, Value>) -> String {
    let properties = map.get("properties").and_then(Value::as_object);
    let tag = properties.into_iter().flatten().find_map(|(key, schema)| {
        let value = schema.get("const")?;
        Some(bounded(
            format_args!("{}: {}", Named(key), Shown(value)),
            MAX_WORDS,
        ))
    });
    let mut needs = tag.unwrap_or_default();
    if needs.is_empty() {
        let required = map.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        for name in required.take(MAX_PROPERTIES) {
            push_word(
                &mut needs,
                " and ",
                &bounded(format_args!("{}", Named(name)), MAX_WORDS),
            );
        }
    }
    if needs.is_empty() {
        "an object".into()
    } else {
        format!("an object with {needs}")
    }
}

/// Describes the types of a `type` keyword: "a string or null".
pub(super) fn kinds(wanted: &Value) -> String {
    match wanted {
        Value::String(name) => kind(name).into(),
        Value::Array(names) => {
            let mut out = String::new();
            for name in names.iter().take(7).filter_map(Value::as_str) {
                push_word(&mut out, " or ", kind(name));
            }
            out
        }
        _ => kind("").into(),
    }
}

/// Describes the type of a value: "a string".
pub(super) fn kind_of(value: &Value) -> &'static str {
    kind(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn kind(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "of a type that does not exist",
    }
}

fn push_word(out: &mut String, between: &str, word: &str) {
    if !out.is_empty() {
        out.push_str(between);
    }
    out.push_str(word);
}
