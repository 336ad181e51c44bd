//! Converts a JSON Schema into form fields, and filled fields into a value.
//!
//! A schema may come from an agent: references are followed only inside of the schema and up to a
//! limit, objects are expanded up to a depth, and a value without a field of its own is entered as
//! JSON. Nothing is validated here: the caller validates the value. `form` renders the fields.

use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::{
    assistant::use_assistant,
    ui::{Labels, Word},
};

/// The maximum number of references and alternatives that are followed.
const MAX_HOPS: usize = 8;
/// The depth to which objects are expanded into fields.
const MAX_DEPTH: usize = 3;
/// The maximum number of fields in a form; a value with more fields is entered as JSON.
const MAX_FIELDS: usize = 100;
/// The largest `maxLength` for which a text gets a single line, in characters.
const MAX_SINGLE_LINE: u64 = 200;

#[derive(Clone)]
pub(super) struct Field {
    /// The keys from the form's value to this field; empty for the value itself.
    path: Vec<String>,
    /// The title or description in the schema, or the name of the property. Empty for the form's
    /// value itself if the schema has neither title nor description, or if the value is entered as
    /// JSON or as free text.
    label: String,
    pub(super) hint: Option<String>,
    pub(super) required: bool,
    /// True if the field initially had a text, which may then be cleared.
    given: bool,
    pub(super) kind: Kind,
    pub(super) text: RwSignal<String>,
    /// The state of the checkboxes: one for a boolean, one for each of several choices.
    pub(super) ticked: RwSignal<Vec<bool>>,
}

#[derive(Clone, PartialEq)]
pub(super) enum Kind {
    /// A single line of text, with the `type` of its `<input>`.
    Text(&'static str),
    LongText,
    Number,
    Check,
    Choice(Vec<Choice>),
    Several(Vec<Choice>),
    /// A list of texts, one per line.
    Lines,
    /// A constant, which is shown and cannot be edited.
    Fixed(Value),
    Json,
    /// Any value: valid JSON is parsed, and other text is a string. Invalid JSON that begins like
    /// an object, a list or a string is an error.
    Free,
}

#[derive(Clone, PartialEq)]
pub(super) struct Choice {
    pub(super) value: Value,
    pub(super) label: String,
}

/// An error in the value of a field.
#[derive(Clone, Copy)]
pub(super) enum Wrong {
    Missing,
    NoNumber,
    /// Invalid JSON from this position on.
    NoJson {
        line: usize,
        column: usize,
    },
}

/// Returns the fields of a schema with their initial values: a field for each property, or a single
/// field if the schema has no properties or more than [`MAX_FIELDS`].
pub(super) fn of(schema: &Value, initial: Option<&Value>) -> Vec<Field> {
    let mut fields = Vec::new();
    let whole = Place {
        path: Vec::new(),
        label: None,
        required: true,
        initial,
    };
    open(schema, schema, &whole, &mut fields);
    if !fields.is_empty() && fields.len() <= MAX_FIELDS {
        return fields;
    }
    let mut field = field(schema, schema, &whole);
    if matches!(field.kind, Kind::Json | Kind::Free) {
        field.label.clear();
    }
    vec![field]
}

/// A position in the form's value, with the label and initial value of its field.
struct Place<'a> {
    path: Vec<String>,
    label: Option<String>,
    required: bool,
    initial: Option<&'a Value>,
}

/// Adds the fields of an object. Returns false, and adds nothing, if the schema has no properties.
fn open(root: &Value, schema: &Value, place: &Place<'_>, fields: &mut Vec<Field>) -> bool {
    let plain = plain(root, schema);
    let properties = plain.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|list| !list.is_empty()) else {
        return false;
    };
    let required = plain.get("required").and_then(Value::as_array);
    for (name, schema) in properties {
        if fields.len() > MAX_FIELDS {
            break;
        }
        let named = label_of(root, schema).unwrap_or_else(|| name.clone());
        let mut path = place.path.clone();
        path.push(name.clone());
        let inner = Place {
            path,
            label: Some(match &place.label {
                Some(outer) => format!("{outer}: {named}"),
                None => named,
            }),
            required: place.required
                && required.is_some_and(|list| list.iter().any(|entry| entry == name)),
            initial: place.initial.and_then(|value| value.get(name)),
        };
        let opened = inner.path.len() < MAX_DEPTH && open(root, schema, &inner, fields);
        if !opened {
            fields.push(field(root, schema, &inner));
        }
    }
    true
}

fn field(root: &Value, schema: &Value, place: &Place<'_>) -> Field {
    let kind = kind_of(root, schema);
    let default = || keyword(root, schema, "default");
    let value = place.initial.or_else(default);
    let label = place.label.clone().or_else(|| label_of(root, schema));
    let label = label.unwrap_or_default();
    let hint = keyword(root, schema, "description").and_then(Value::as_str);
    Field {
        path: place.path.clone(),
        hint: hint.filter(|hint| *hint != label).map(str::to_owned),
        label,
        required: place.required,
        given: place.initial.is_some_and(Value::is_string),
        text: RwSignal::new(value.map(|value| text_of(&kind, value)).unwrap_or_default()),
        ticked: RwSignal::new(ticks_of(&kind, value)),
        kind,
    }
}

/// Resolves a schema: follows references, and an `anyOf`, `oneOf` or `allOf` with a single
/// alternative besides `null`, and returns the last schema. Stops after [`MAX_HOPS`] steps.
fn plain<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_HOPS {
        let Some(next) = referred(root, schema).or_else(|| only_alternative(schema)) else {
            break;
        };
        schema = next;
    }
    schema
}

fn referred<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let reference = schema.get("$ref").and_then(Value::as_str)?;
    root.pointer(reference.strip_prefix('#')?)
}

fn only_alternative(schema: &Value) -> Option<&Value> {
    let list = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array())?;
    let mut others = list
        .iter()
        .filter(|one| one.get("type") != Some(&Value::from("null")));
    others.next().filter(|_| others.next().is_none())
}

/// Returns a keyword of a schema, or of the schema that its reference resolves to; `None` if both
/// lack the keyword.
fn keyword<'a>(root: &'a Value, schema: &'a Value, key: &str) -> Option<&'a Value> {
    schema.get(key).or_else(|| plain(root, schema).get(key))
}

fn label_of(root: &Value, schema: &Value) -> Option<String> {
    let title = keyword(root, schema, "title").or_else(|| keyword(root, schema, "description"));
    title.and_then(Value::as_str).map(str::to_owned)
}

fn kind_of(root: &Value, schema: &Value) -> Kind {
    let schema = plain(root, schema);
    if let Some(value) = schema.get("const") {
        return Kind::Fixed(value.clone());
    }
    if has_too_many_choices(schema) {
        return match schema.get("enum").and_then(Value::as_array) {
            Some(values) if values.iter().all(Value::is_string) => Kind::Text("text"),
            _ => Kind::Json,
        };
    }
    if let Some(choices) = choices_of(schema) {
        return Kind::Choice(choices);
    }
    match type_of(schema) {
        Some("string") => text_kind(schema),
        Some("number" | "integer") => Kind::Number,
        Some("boolean") => Kind::Check,
        Some("array") => list_kind(root, schema),
        None if schema.as_object().is_none_or(Map::is_empty) => Kind::Free,
        _ => Kind::Json,
    }
}

/// Returns the only type of a schema besides `null`. Returns an empty text for a list with several
/// types or only `null`, and `None` if the schema has no type.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(list) => {
            let mut names = list.iter().filter_map(Value::as_str);
            let mut names = names.by_ref().filter(|name| *name != "null");
            // Values of several types have no field of their own: they are entered as JSON.
            names.next().filter(|_| names.next().is_none()).or(Some(""))
        }
        _ => None,
    }
}

fn text_kind(schema: &Value) -> Kind {
    let long = schema.get("maxLength").and_then(Value::as_u64) > Some(MAX_SINGLE_LINE);
    match schema.get("format").and_then(Value::as_str) {
        Some("email") => Kind::Text("email"),
        Some("uri" | "url") => Kind::Text("url"),
        Some("date") => Kind::Text("date"),
        Some("password") => Kind::Text("password"),
        Some("textarea" | "multiline") => Kind::LongText,
        _ if long => Kind::LongText,
        _ => Kind::Text("text"),
    }
}

fn list_kind(root: &Value, schema: &Value) -> Kind {
    let Some(items) = schema.get("items").map(|items| plain(root, items)) else {
        return Kind::Json;
    };
    if has_too_many_choices(items) {
        return Kind::Json;
    }
    match (choices_of(items), type_of(items)) {
        (Some(choices), _) => Kind::Several(choices),
        (None, Some("string")) => Kind::Lines,
        _ => Kind::Json,
    }
}

/// Returns true if a schema has more choices than a form lists
/// ([`Limits::choices`](field@assistant_core::limits::Limits::choices)). The value is then entered
/// as text or as JSON, and validated as usual.
fn has_too_many_choices(schema: &Value) -> bool {
    let limits = use_assistant().map(|assistant| *assistant.runtime().limits);
    let most = limits.unwrap_or_default().choices;
    let lists = ["enum", "oneOf", "anyOf"].into_iter();
    let mut lists = lists.filter_map(|key| schema.get(key)?.as_array());
    lists.any(|list| list.len() > most)
}

/// Returns the choices of a schema by `enum`, `oneOf` or `anyOf`; `None` without such a list, or if
/// a choice is not a constant. The label of a choice with a title contains the title and the value.
fn choices_of(schema: &Value) -> Option<Vec<Choice>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let choice = |value: &Value| Choice {
            value: value.clone(),
            label: shown(value),
        };
        return Some(values.iter().map(choice).collect());
    }
    let list = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array())?;
    let choice = |one: &Value| {
        let value = one.get("const")?;
        let title = one.get("title").and_then(Value::as_str);
        Some(Choice {
            value: value.clone(),
            label: match (title, shown(value)) {
                // A title shows its value as well.
                (Some(title), value) if title != value => format!("{title} ({value})"),
                (_, value) => value,
            },
        })
    };
    list.iter().map(choice).collect()
}

/// Formats a string as plain text, any other value as JSON.
fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Formats a value as the initial text of a field of this kind.
fn text_of(kind: &Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Choice(_), value) => value.to_string(),
        (_, Value::Null) => String::new(),
        (Kind::Lines, Value::Array(list)) => {
            let lines: Vec<String> = list.iter().map(shown).collect();
            lines.join("\n")
        }
        (Kind::Json, value) => format!("{value:#}"),
        (_, value) => shown(value),
    }
}

fn ticks_of(kind: &Kind, value: Option<&Value>) -> Vec<bool> {
    match kind {
        Kind::Check => vec![value.and_then(Value::as_bool).unwrap_or_default()],
        Kind::Several(choices) => {
            let list = value.and_then(Value::as_array);
            let holds = |choice: &Choice| list.is_some_and(|list| list.contains(&choice.value));
            choices.iter().map(holds).collect()
        }
        _ => Vec::new(),
    }
}

impl Field {
    /// Returns the label of the field; empty if the schema gives none.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// Returns the default label for a form's value without a label; `None` if the field has a
    /// label or is a property.
    pub(super) fn word(&self) -> Option<fn(&Labels) -> &Word> {
        if !self.label.is_empty() || !self.path.is_empty() {
            return None;
        }
        Some(match self.kind {
            Kind::Json => |l| &l.json,
            _ => |l| &l.answer,
        })
    }

    /// Returns the field's position in the value, as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let keys = self.path.iter();
        keys.map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1")))
            .collect()
    }

    /// Returns the entered value; `None` if the field is empty and its property is omitted. Fails
    /// if a required text or number is missing, or if a number or JSON is invalid.
    pub(super) fn value(&self) -> Result<Option<Value>, Wrong> {
        let text = self.text.get_untracked();
        let ticked = self.ticked.get_untracked();
        let empty = text.trim().is_empty();
        Ok(match &self.kind {
            Kind::Fixed(value) => {
                Some(value.clone()).filter(|_| self.required || self.path.len() < 2)
            }
            Kind::Check => {
                let yes = ticked.contains(&true);
                // An unticked box does not create an optional object.
                (yes || self.required || self.path.len() < 2).then_some(Value::Bool(yes))
            }
            Kind::Several(choices) => {
                let picked = choices.iter().zip(ticked).filter(|(_, ticked)| *ticked);
                let list: Vec<Value> = picked.map(|(choice, _)| choice.value.clone()).collect();
                (self.required || !list.is_empty()).then_some(Value::Array(list))
            }
            Kind::Text(_) | Kind::LongText if empty && self.required && !self.given => {
                return Err(Wrong::Missing);
            }
            Kind::Text(_) | Kind::LongText => {
                (self.required || !text.is_empty()).then_some(Value::String(text))
            }
            Kind::Number if empty && self.required => return Err(Wrong::Missing),
            _ if empty => None,
            Kind::Lines => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                Some(lines.map(Value::from).collect())
            }
            Kind::Number => Some(number(text.trim())?),
            Kind::Free if !text.trim_start().starts_with(['{', '[', '"']) => {
                let text = text.trim();
                Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
            }
            Kind::Choice(_) | Kind::Json | Kind::Free => Some(json(text.trim())?),
        })
    }
}

fn number(text: &str) -> Result<Value, Wrong> {
    let value =
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&text.replace(',', ".")));
    let value: Option<Value> = value.ok();
    value.filter(Value::is_number).ok_or(Wrong::NoNumber)
}

fn json(text: &str) -> Result<Value, Wrong> {
    serde_json::from_str(text).map_err(|error| Wrong::NoJson {
        line: error.line(),
        column: error.column(),
    })
}

/// Sets the value of a field in the form's value, and creates the objects on the path of the field.
pub(super) fn put(whole: &mut Option<Value>, field: &Field, value: Value) {
    if field.path.is_empty() {
        *whole = Some(value);
    } else if let Value::Object(object) = whole.get_or_insert_with(|| Value::Object(Map::new())) {
        put_into(object, &field.path, value);
    }
}

fn put_into(object: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        object.insert(first.clone(), value);
        return;
    }
    let inner = object
        .entry(first.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        put_into(inner, rest, value);
    }
}
