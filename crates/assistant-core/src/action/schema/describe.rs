//! Describes schemas in a few words for messages, such as "a string or null" or `an object with
//! "id"`. Some schemas have no description.

use serde_json::{Map, Value};

use super::check::Validation;
use super::message::{QuotedName, TruncatedJson, ValueList, format_bounded};

/// The maximum number of schemas that are examined along a chain of references.
const MAX_REFERENCES: usize = 4;

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION_LEN: usize = 120;

/// The maximum number of required properties or alternatives that are named.
const MAX_PROPERTIES: usize = 4;

impl<'a> Validation<'a, '_> {
    pub(super) fn describe_schema(&mut self, schema: &'a Value) -> Option<String> {
        let mut current_schema = schema;
        for _ in 0..MAX_REFERENCES {
            if let Some(words) = describe_inline(current_schema) {
                return Some(words);
            }
            current_schema = self.resolve(current_schema.get("$ref")?.as_str()?)?.schema;
        }
        None
    }
}

fn describe_inline(schema: &Value) -> Option<String> {
    let map = match schema {
        Value::Bool(true) => return Some("anything".into()),
        Value::Bool(false) => return Some("nothing".into()),
        _ => schema.as_object()?,
    };
    if let Some(value) = map.get("const") {
        return Some(format_bounded(
            format_args!("{}", TruncatedJson(value)),
            MAX_DESCRIPTION_LEN,
        ));
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        return Some(format_bounded(
            format_args!("one of {}", ValueList(values)),
            MAX_DESCRIPTION_LEN,
        ));
    }
    match map.get("type") {
        Some(Value::String(name)) if name == "object" => Some(describe_object(map)),
        Some(wanted) => Some(describe_types(wanted)),
        None if map.contains_key("required") || map.contains_key("properties") => {
            Some(describe_object(map))
        }
        None => describe_union(map),
    }
}

/// Describes the alternatives of `anyOf` or `oneOf` by their types. Returns `None` if an examined
/// alternative has no type.
fn describe_union(map: &Map<String, Value>) -> Option<String> {
    let Value::Array(schemas) = map.get("anyOf").or_else(|| map.get("oneOf"))? else {
        return None;
    };
    let mut text = String::new();
    for schema in schemas.iter().take(MAX_PROPERTIES) {
        let name = describe_types(schema.get("type")?);
        push_separated(&mut text, " or ", &name);
    }
    if schemas.len() > MAX_PROPERTIES {
        push_separated(&mut text, " or ", "…");
    }
    Some(text)
}

/// Describes an object by its tag, or by its required properties if the object has no tag.
fn describe_object(map: &Map<String, Value>) -> String {
    let properties = map.get("properties").and_then(Value::as_object);
    let tag = properties.into_iter().flatten().find_map(|(key, schema)| {
        let value = schema.get("const")?;
        Some(format_bounded(
            format_args!("{}: {}", QuotedName(key), TruncatedJson(value)),
            MAX_DESCRIPTION_LEN,
        ))
    });
    let mut requirements = tag.unwrap_or_default();
    if requirements.is_empty() {
        let required = map.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        for name in required.take(MAX_PROPERTIES) {
            push_separated(
                &mut requirements,
                " and ",
                &format_bounded(format_args!("{}", QuotedName(name)), MAX_DESCRIPTION_LEN),
            );
        }
    }
    if requirements.is_empty() {
        "an object".into()
    } else {
        format!("an object with {requirements}")
    }
}

/// Describes the types of a `type` keyword, for example as "a string or null".
pub(super) fn describe_types(wanted: &Value) -> String {
    match wanted {
        Value::String(name) => describe_type(name).into(),
        Value::Array(names) => {
            let mut text = String::new();
            for name in names.iter().take(7).filter_map(Value::as_str) {
                push_separated(&mut text, " or ", describe_type(name));
            }
            text
        }
        _ => describe_type("").into(),
    }
}

/// Describes the type of a value, for example as "a string".
pub(super) fn describe_type_of(value: &Value) -> &'static str {
    describe_type(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

fn describe_type(name: &str) -> &'static str {
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

fn push_separated(out: &mut String, between: &str, word: &str) {
    if !out.is_empty() {
        out.push_str(between);
    }
    out.push_str(word);
}
