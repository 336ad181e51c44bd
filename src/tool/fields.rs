//! Converts a JSON Schema into form fields, and filled fields into a value.
//!
//! A schema may come from an agent: references are followed only inside of the schema and up to a
//! limit, objects are expanded up to a limited depth, and a value without a field of its own is
//! entered as JSON. The caller validates the value. `form` renders the fields.

use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::{assistant::use_assistant, ui::LabelName};

/// The maximum number of references and alternatives that are followed.
const MAX_HOPS: usize = 8;
/// The depth to which objects are expanded into fields.
const MAX_DEPTH: usize = 3;
/// The maximum number of fields in a form; a value with more fields is entered as JSON.
const MAX_FIELDS: usize = 100;
/// The largest `maxLength` for which a text field has a single line, in characters.
const MAX_SINGLE_LINE: u64 = 200;
/// The maximum length of an initial text in a single line, in characters. A longer text would be
/// cut off in a narrow window.
const MAX_SHOWN: usize = 40;
/// The number of characters that a row of a text area shows at least.
const ROW_CHARS: usize = 20;
/// The numbers of rows of a text area.
const ROWS: (usize, usize) = (3, 8);

#[derive(Clone)]
pub(super) struct FormField {
    /// The keys from the form's value to this field; empty if the field contains the complete
    /// value.
    path: Vec<String>,
    /// The title or description in the schema, or the name of the property. Empty for a field that
    /// contains the complete value, if the schema has neither title nor description, or if the
    /// value is entered as JSON or as free text.
    label: String,
    pub(super) hint: Option<String>,
    pub(super) required: bool,
    /// True if the field initially had a text, which the user may then clear.
    given: bool,
    pub(super) kind: FieldKind,
    pub(super) text: RwSignal<String>,
    /// The state of the checkboxes: one checkbox for a boolean, or one for each choice if several
    /// choices may be selected.
    pub(super) ticked: RwSignal<Vec<bool>>,
}

#[derive(Clone, PartialEq)]
pub(super) enum FieldKind {
    /// A single line of text, with the `type` of its `<input>`.
    Text(&'static str),
    LongText,
    Number,
    Check,
    Choice(Vec<FieldChoice>),
    Several(Vec<FieldChoice>),
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
pub(super) struct FieldChoice {
    pub(super) value: Value,
    pub(super) label: String,
}

/// An error in the value of a field.
#[derive(Clone, Copy)]
pub(super) enum FieldError {
    Missing,
    NoNumber,
    /// The text is not valid JSON. The position of the error is `line` and `column`.
    NoJson {
        line: usize,
        column: usize,
    },
}

/// Returns the fields of a schema with their initial values: a field for each property, including
/// the properties of nested objects, or a single field if the schema has no properties or more than
/// [`MAX_FIELDS`].
pub(super) fn fields_of_schema(schema: &Value, initial: Option<&Value>) -> Vec<FormField> {
    let mut fields = Vec::new();
    let root_position = FieldPosition {
        path: Vec::new(),
        label: None,
        required: true,
        initial,
    };
    add_object_fields(schema, schema, &root_position, &mut fields);
    if !fields.is_empty() && fields.len() <= MAX_FIELDS {
        return fields;
    }
    let mut field = build_field(schema, schema, &root_position);
    if matches!(field.kind, FieldKind::Json | FieldKind::Free) {
        field.label.clear();
    }
    vec![field]
}

/// A position in the form's value, with the label and initial value of its field.
struct FieldPosition<'a> {
    path: Vec<String>,
    label: Option<String>,
    required: bool,
    initial: Option<&'a Value>,
}

/// Adds the fields of an object and of its nested objects. Stops after more than [`MAX_FIELDS`]
/// fields. Returns false, and adds nothing, if the schema has no properties.
fn add_object_fields(
    root: &Value,
    schema: &Value,
    position: &FieldPosition<'_>,
    fields: &mut Vec<FormField>,
) -> bool {
    let resolved_schema = resolve_schema(root, schema);
    let properties = resolved_schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|list| !list.is_empty()) else {
        return false;
    };
    let required_names = resolved_schema.get("required").and_then(Value::as_array);
    for (name, schema) in properties {
        if fields.len() > MAX_FIELDS {
            break;
        }
        let label = field_label(root, schema).unwrap_or_else(|| name.clone());
        let mut path = position.path.clone();
        path.push(name.clone());
        let field_position = FieldPosition {
            path,
            label: Some(match &position.label {
                Some(outer) => format!("{outer}: {label}"),
                None => label,
            }),
            required: position.required
                && required_names.is_some_and(|list| list.iter().any(|entry| entry == name)),
            initial: position.initial.and_then(|value| value.get(name)),
        };
        let is_expanded = field_position.path.len() < MAX_DEPTH
            && add_object_fields(root, schema, &field_position, fields);
        if !is_expanded {
            fields.push(build_field(root, schema, &field_position));
        }
    }
    true
}

fn build_field(root: &Value, schema: &Value, position: &FieldPosition<'_>) -> FormField {
    let default_value = || keyword(root, schema, "default");
    let value = position.initial.or_else(default_value);
    let mut kind = field_kind(root, schema);
    let text = value.map(|value| initial_text(&kind, value));
    let text = text.unwrap_or_default();
    if !text.is_empty() {
        kind = readable_kind(kind, &text);
    }
    let label = position.label.clone().or_else(|| field_label(root, schema));
    let label = label.unwrap_or_default();
    let hint = keyword(root, schema, "description").and_then(Value::as_str);
    FormField {
        path: position.path.clone(),
        hint: hint.filter(|hint| *hint != label).map(str::to_owned),
        label,
        required: position.required,
        given: position.initial.is_some_and(Value::is_string),
        text: RwSignal::new(text),
        ticked: RwSignal::new(initial_ticks(&kind, value)),
        kind,
    }
}

/// Resolves a schema: follows references, and an `anyOf`, `oneOf` or `allOf` with a single
/// alternative besides `null`, and returns the last schema. Stops after [`MAX_HOPS`] steps.
fn resolve_schema<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_HOPS {
        let Some(target) = resolve_reference(root, schema).or_else(|| only_alternative(schema))
        else {
            break;
        };
        schema = target;
    }
    schema
}

fn resolve_reference<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let reference = schema.get("$ref").and_then(Value::as_str)?;
    root.pointer(reference.strip_prefix('#')?)
}

fn only_alternative(schema: &Value) -> Option<&Value> {
    let list = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array())?;
    let mut alternatives = list
        .iter()
        .filter(|alternative| alternative.get("type") != Some(&Value::from("null")));
    alternatives
        .next()
        .filter(|_| alternatives.next().is_none())
}

/// Returns a keyword of a schema, or of the schema that its reference resolves to; `None` if both
/// lack the keyword.
fn keyword<'a>(root: &'a Value, schema: &'a Value, key: &str) -> Option<&'a Value> {
    schema
        .get(key)
        .or_else(|| resolve_schema(root, schema).get(key))
}

fn field_label(root: &Value, schema: &Value) -> Option<String> {
    let title = keyword(root, schema, "title").or_else(|| keyword(root, schema, "description"));
    title.and_then(Value::as_str).map(str::to_owned)
}

fn field_kind(root: &Value, schema: &Value) -> FieldKind {
    let schema = resolve_schema(root, schema);
    if let Some(value) = schema.get("const") {
        return FieldKind::Fixed(value.clone());
    }
    if has_too_many_choices(schema) {
        return match schema.get("enum").and_then(Value::as_array) {
            Some(values) if values.iter().all(Value::is_string) => FieldKind::Text("text"),
            _ => FieldKind::Json,
        };
    }
    if let Some(choices) = schema_choices(schema) {
        return FieldKind::Choice(choices);
    }
    match single_type(schema) {
        Some("string") => text_kind(schema),
        Some("number" | "integer") => FieldKind::Number,
        Some("boolean") => FieldKind::Check,
        Some("array") => list_kind(root, schema),
        None if schema.as_object().is_none_or(Map::is_empty) => FieldKind::Free,
        _ => FieldKind::Json,
    }
}

/// Returns the only type of a schema besides `null`. Returns an empty text for a list with several
/// types or only `null`, and `None` if the schema has no type.
fn single_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(list) => {
            let mut names = list.iter().filter_map(Value::as_str);
            let mut names = names.by_ref().filter(|name| *name != "null");
            // Without a single type, an empty text is returned, because the value is then entered
            // as JSON.
            names.next().filter(|_| names.next().is_none()).or(Some(""))
        }
        _ => None,
    }
}

fn text_kind(schema: &Value) -> FieldKind {
    let is_long = schema.get("maxLength").and_then(Value::as_u64) > Some(MAX_SINGLE_LINE);
    match schema.get("format").and_then(Value::as_str) {
        Some("email") => FieldKind::Text("email"),
        Some("uri" | "url") => FieldKind::Text("url"),
        Some("date") => FieldKind::Text("date"),
        Some("password") => FieldKind::Text("password"),
        Some("textarea" | "multiline") => FieldKind::LongText,
        _ if is_long => FieldKind::LongText,
        _ => FieldKind::Text("text"),
    }
}

/// Returns a kind of field that shows the initial text completely, because the user approves that
/// text. A browser shows neither line breaks in a single line, nor a text that is no date in a date
/// field, nor the text of a password field.
fn readable_kind(kind: FieldKind, text: &str) -> FieldKind {
    let FieldKind::Text(input_type) = kind else {
        return kind;
    };
    let is_long = text.chars().count() > MAX_SHOWN || text.contains(char::is_control);
    match input_type {
        _ if is_long => FieldKind::LongText,
        "date" if is_date(text) => kind,
        "email" | "url" if text.trim() == text => kind,
        _ => FieldKind::Text("text"),
    }
}

/// Returns true for a date that a date field shows: `2026-05-01`.
fn is_date(text: &str) -> bool {
    let mut numbers = text
        .splitn(3, '-')
        .map(|part| part.parse().unwrap_or_default());
    let mut next_number = || numbers.next().unwrap_or_default();
    let (year, month, day): (u32, u32, u32) = (next_number(), next_number(), next_number());
    let days: u32 = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day) && text == format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the number of rows that a text takes in a narrow text area.
fn count_rows(text: &str) -> usize {
    let width = |c: char| if c.is_ascii() { 1 } else { 2 };
    let lines = text
        .split('\n')
        .map(|line| line.chars().map(width).sum::<usize>());
    lines.map(|width| width.div_ceil(ROW_CHARS).max(1)).sum()
}

/// Returns the number of rows of a text area with this initial text.
pub(super) fn rows_for(text: &str) -> usize {
    let (min, max) = ROWS;
    count_rows(text).clamp(min, max)
}

/// Returns true if a text area shows only a part of this text.
pub(super) fn is_cut(text: &str) -> bool {
    count_rows(text) > ROWS.1
}

fn list_kind(root: &Value, schema: &Value) -> FieldKind {
    let Some(items) = schema.get("items").map(|items| resolve_schema(root, items)) else {
        return FieldKind::Json;
    };
    if has_too_many_choices(items) {
        return FieldKind::Json;
    }
    match (schema_choices(items), single_type(items)) {
        (Some(choices), _) => FieldKind::Several(choices),
        (None, Some("string")) => FieldKind::Lines,
        _ => FieldKind::Json,
    }
}

/// Returns true if a schema has more choices than a form lists
/// ([`Limits::choices`](assistant_core::limits::Limits::choices)). The value is then entered
/// as text or as JSON, and validated as usual.
fn has_too_many_choices(schema: &Value) -> bool {
    let limits = use_assistant().map(|assistant| *assistant.runtime().limits);
    let max_choices = limits.unwrap_or_default().choices();
    let lists = ["enum", "oneOf", "anyOf"].into_iter();
    let mut lists = lists.filter_map(|key| schema.get(key)?.as_array());
    lists.any(|list| list.len() > max_choices)
}

/// Returns the choices that a schema lists in `enum`, `oneOf` or `anyOf`; `None` if there is no
/// such list, or if a choice is not a constant. The label of a choice with a title contains the
/// title and the value.
fn schema_choices(schema: &Value) -> Option<Vec<FieldChoice>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let to_choice = |value: &Value| FieldChoice {
            value: value.clone(),
            label: format_value(value),
        };
        return Some(values.iter().map(to_choice).collect());
    }
    let list = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array())?;
    let to_choice = |choice: &Value| {
        let value = choice.get("const")?;
        let title = choice.get("title").and_then(Value::as_str);
        Some(FieldChoice {
            value: value.clone(),
            label: match (title, format_value(value)) {
                // The label of a choice with a title also shows the value.
                (Some(title), value) if title != value => format!("{title} ({value})"),
                (_, value) => value,
            },
        })
    };
    list.iter().map(to_choice).collect()
}

/// Formats a string as plain text, and any other value as JSON.
fn format_value(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Formats a value as the initial text of a field of the given kind.
fn initial_text(kind: &FieldKind, value: &Value) -> String {
    match (kind, value) {
        // The empty choice, if the value is not one of the choices.
        (FieldKind::Choice(choices), value) => {
            let choice = choices.iter().find(|choice| is_same(&choice.value, value));
            choice.map_or_else(String::new, |choice| choice.value.to_string())
        }
        (_, Value::Null) => String::new(),
        (FieldKind::Lines, Value::Array(list)) => {
            let lines: Vec<String> = list.iter().map(format_value).collect();
            lines.join("\n")
        }
        (FieldKind::Json, value) => format!("{value:#}"),
        (_, value) => format_value(value),
    }
}

/// Returns true if two values are equal JSON: the order of keys and the notation of numbers do not
/// count.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() != other.is_f64() && one.as_f64() == other.as_f64())
        }
        (one, other) => one == other,
    }
}

fn initial_ticks(kind: &FieldKind, value: Option<&Value>) -> Vec<bool> {
    match kind {
        FieldKind::Check => vec![value.and_then(Value::as_bool).unwrap_or_default()],
        FieldKind::Several(choices) => {
            let list = value.and_then(Value::as_array);
            let is_selected =
                |choice: &FieldChoice| list.is_some_and(|list| list.contains(&choice.value));
            choices.iter().map(is_selected).collect()
        }
        _ => Vec::new(),
    }
}

impl FormField {
    /// Returns the label of the field, which is empty if the schema provides no label.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// Returns the default label of a field that contains the complete value; `None` if the field
    /// has a label or contains a property.
    pub(super) fn default_label(&self) -> Option<LabelName> {
        if !self.label.is_empty() || !self.path.is_empty() {
            return None;
        }
        Some(match self.kind {
            FieldKind::Json => LabelName::Json,
            _ => LabelName::Answer,
        })
    }

    /// Returns the field's position in the value, as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let keys = self.path.iter();
        keys.map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1")))
            .collect()
    }

    /// Returns the entered value; `None` if the field is empty and its property is omitted. Fails
    /// if a required value is missing, or if a number or JSON is invalid.
    pub(super) fn value(&self) -> Result<Option<Value>, FieldError> {
        let text = self.text.get_untracked();
        let ticked = self.ticked.get_untracked();
        let is_empty = text.trim().is_empty();
        Ok(match &self.kind {
            FieldKind::Fixed(value) => {
                Some(value.clone()).filter(|_| self.required || self.path.len() < 2)
            }
            FieldKind::Check => {
                let is_ticked = ticked.contains(&true);
                // An unticked optional checkbox in a nested object has no value, because a value
                // would create the object.
                (is_ticked || self.required || self.path.len() < 2)
                    .then_some(Value::Bool(is_ticked))
            }
            FieldKind::Several(choices) => {
                let selected_choices = choices.iter().zip(ticked).filter(|(_, ticked)| *ticked);
                let values: Vec<Value> = selected_choices
                    .map(|(choice, _)| choice.value.clone())
                    .collect();
                (self.required || !values.is_empty()).then_some(Value::Array(values))
            }
            FieldKind::Text(_) | FieldKind::LongText
                if is_empty && self.required && !self.given =>
            {
                return Err(FieldError::Missing);
            }
            FieldKind::Text(_) | FieldKind::LongText => {
                (self.required || !text.is_empty()).then_some(Value::String(text))
            }
            FieldKind::Number | FieldKind::Choice(_) | FieldKind::Json | FieldKind::Free
                if is_empty && self.required =>
            {
                return Err(FieldError::Missing);
            }
            _ if is_empty => None,
            FieldKind::Lines => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                Some(lines.map(Value::from).collect())
            }
            FieldKind::Number => Some(parse_number(text.trim())?),
            FieldKind::Free if !text.trim_start().starts_with(['{', '[', '"']) => {
                let text = text.trim();
                Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
            }
            FieldKind::Choice(_) | FieldKind::Json | FieldKind::Free => {
                Some(parse_json(text.trim())?)
            }
        })
    }
}

fn parse_number(text: &str) -> Result<Value, FieldError> {
    let value =
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&text.replace(',', ".")));
    let value: Option<Value> = value.ok();
    value.filter(Value::is_number).ok_or(FieldError::NoNumber)
}

fn parse_json(text: &str) -> Result<Value, FieldError> {
    serde_json::from_str(text).map_err(|error| FieldError::NoJson {
        line: error.line(),
        column: error.column(),
    })
}

/// Sets the value of a field in the form's value, and creates the objects on the path of the field.
pub(super) fn set_value(whole: &mut Option<Value>, field: &FormField, value: Value) {
    if field.path.is_empty() {
        *whole = Some(value);
    } else if let Value::Object(object) = whole.get_or_insert_with(|| Value::Object(Map::new())) {
        insert_at_path(object, &field.path, value);
    }
}

fn insert_at_path(object: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        object.insert(first.clone(), value);
        return;
    }
    let child = object
        .entry(first.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(child) = child {
        insert_at_path(child, rest, value);
    }
}
