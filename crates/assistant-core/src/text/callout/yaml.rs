//! Parses the body of a callout as a single YAML document that contains a mapping, within limits.
//!
//! Values are built from the events of the YAML parser without recursion, so that the limits apply
//! before memory is allocated.

use std::{borrow::Cow, collections::HashMap};

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

use super::scalar;
use crate::event::Object;

/// The maximum growth by aliases, as a multiple of the input. Aliases of aliases grow
/// exponentially.
const ALIAS_GROWTH: usize = 8;

/// Parses a mapping. An empty document is an empty mapping. Fails with a message for the author of
/// the callout.
pub(super) fn read_mapping(text: &str, max_depth: usize) -> Result<Object, String> {
    parse_mapping(text, max_depth).or_else(|error| {
        let joined_text = join_surrogate_escapes(text).ok_or(error)?;
        parse_mapping(&joined_text, max_depth)
    })
}

fn parse_mapping(text: &str, max_depth: usize) -> Result<Object, String> {
    let mut reader = YamlReader {
        max_depth,
        budget: text.len().saturating_mul(ALIAS_GROWTH),
        stack: Vec::new(),
        anchors: HashMap::new(),
        root: None,
        documents: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let line = span.start.line();
        let result = reader.handle_event(event);
        result.map_err(|problem| format!("{problem} (line {line} of the body)"))?;
    }
    match reader.root {
        None => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields),
        Some(_) => Err("the body is no mapping".to_owned()),
    }
}

/// Replaces each surrogate pair of JSON escapes, such as `\ud83d\ude00`, by one escape of YAML,
/// because the YAML parser refuses surrogates, and JSON writers escape characters in this way.
/// Returns `None` if there is no such pair.
fn join_surrogate_escapes(text: &str) -> Option<String> {
    let (mut joined_text, mut rest, mut has_pair) = (String::new(), text, false);
    while let Some((before, escaped)) = rest.split_once('\\') {
        joined_text.push_str(before);
        joined_text.push('\\');
        rest = match read_surrogate_pair(escaped) {
            Some((code_point, after)) => {
                has_pair = true;
                joined_text.push_str(&format!("U{code_point:08X}"));
                after
            }
            // Copies the escaped character, so that an escaped backslash begins no escape.
            None => {
                let mut characters = escaped.chars();
                joined_text.extend(characters.next());
                characters.as_str()
            }
        };
    }
    joined_text.push_str(rest);
    has_pair.then_some(joined_text)
}

/// Returns the code point of a surrogate pair whose first backslash was read, and the text after the
/// pair.
fn read_surrogate_pair(text: &str) -> Option<(u32, &str)> {
    let (high, rest) = read_code_unit(text)?;
    let (low, rest) = read_code_unit(rest.strip_prefix('\\')?)?;
    let mut characters = char::decode_utf16([high, low]);
    let character = characters.next()?.ok()?;
    characters
        .next()
        .is_none()
        .then_some((u32::from(character), rest))
}

/// Reads `u` and four hexadecimal digits.
fn read_code_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.strip_prefix('u')?.split_at_checked(4)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code_unit = u16::from_str_radix(digits, 16).ok()?;
    is_number.then_some((code_unit, rest))
}

type YamlResult<T = ()> = Result<T, Cow<'static, str>>;

struct YamlReader {
    max_depth: usize,
    /// The number of bytes that aliases may still copy.
    budget: usize,
    stack: Vec<OpenNode>,
    anchors: HashMap<usize, Value>,
    root: Option<Value>,
    documents: usize,
}

/// An incomplete list or mapping.
struct OpenNode {
    items: NodeItems,
    /// The anchor of the collection, or 0 if the collection has no anchor.
    anchor: usize,
}

enum NodeItems {
    List(Vec<Value>),
    /// A mapping, and the key of the next value.
    Mapping(Object, Option<String>),
}

impl YamlReader {
    fn handle_event(&mut self, event: Event<'_>) -> YamlResult {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("there is a second document".into());
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.needs_key() {
                    return self.handle_key(text, style, anchor, tag.as_deref());
                }
                let value = parse_scalar(text, style, tag.as_deref())?;
                self.add_value(value, anchor)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.open_node(NodeItems::List(Vec::new()), anchor, tag.as_deref(), "seq")?;
            }
            Event::MappingStart(anchor, tag) => {
                let items = NodeItems::Mapping(Map::new(), None);
                self.open_node(items, anchor, tag.as_deref(), "map")?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(node) = self.stack.pop() {
                    let value = match node.items {
                        NodeItems::List(items) => Value::Array(items),
                        NodeItems::Mapping(fields, _) => Value::Object(fields),
                    };
                    self.add_value(value, node.anchor)?;
                }
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor);
                let value = value.ok_or("an alias refers to no complete value")?;
                let value_copy = copy_within_budget(value, &mut self.budget)?;
                if self.needs_key() {
                    return Err("an alias is no key".into());
                }
                if self.stack.len() + depth_of(&value_copy) > self.max_depth {
                    return Err(TOO_DEEP.into());
                }
                self.add_value(value_copy, 0)?;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn open_node(
        &mut self,
        items: NodeItems,
        anchor: usize,
        tag: Option<&Tag>,
        kind: &str,
    ) -> YamlResult {
        if self.needs_key() {
            return Err("a key is a list or a mapping".into());
        }
        if self.stack.len() >= self.max_depth {
            return Err(TOO_DEEP.into());
        }
        if !tag.is_none_or(|tag| is_non_specific(tag) || core_type(tag) == Some(kind)) {
            return Err(UNKNOWN_TAG.into());
        }
        self.stack.push(OpenNode { items, anchor });
        Ok(())
    }

    fn needs_key(&self) -> bool {
        let innermost_items = self.stack.last().map(|frame| &frame.items);
        matches!(innermost_items, Some(NodeItems::Mapping(_, None)))
    }

    /// Stores the key of the next value as a string, even if the key would have another type as a
    /// value. Fails if the mapping already contains the key, or if the tag is unknown or does not
    /// fit the key.
    fn handle_key(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> YamlResult {
        parse_scalar(Cow::Borrowed(&*text), style, tag)?;
        if anchor != 0 {
            self.store_anchor(anchor, &text.as_ref().into())?;
        }
        if let Some(NodeItems::Mapping(fields, key)) =
            self.stack.last_mut().map(|top| &mut top.items)
        {
            if fields.contains_key(&*text) {
                return Err(format!("the key '{}' is there twice", clip(&text)).into());
            }
            *key = Some(text.into_owned());
        }
        Ok(())
    }

    /// Adds a complete value to the innermost open list or mapping, or sets the root if no list or
    /// mapping is open. If `anchor` is not 0, a copy is stored for aliases.
    fn add_value(&mut self, value: Value, anchor: usize) -> YamlResult {
        if anchor != 0 {
            self.store_anchor(anchor, &value)?;
        }
        match self.stack.last_mut().map(|frame| &mut frame.items) {
            None => self.root = Some(value),
            Some(NodeItems::List(items)) => items.push(value),
            Some(NodeItems::Mapping(fields, key)) => {
                if let Some(key) = key.take() {
                    fields.insert(key, value);
                }
            }
        }
        Ok(())
    }

    fn store_anchor(&mut self, anchor: usize, value: &Value) -> YamlResult {
        let value_copy = copy_within_budget(value, &mut self.budget)?;
        self.anchors.insert(anchor, value_copy);
        Ok(())
    }
}

const TOO_DEEP: &str = "the body nests too deep";
/// The prefix of the tags of the core schema.
const CORE_SCHEMA: &str = "tag:yaml.org,2002:";
const UNKNOWN_TAG: &str = "a tag is not known";

fn parse_scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> YamlResult<Value> {
    match tag {
        None if style == ScalarStyle::Plain => Ok(scalar::parse_plain(&text)),
        None => Ok(Value::String(text.into_owned())),
        Some(tag) if is_non_specific(tag) => Ok(Value::String(text.into_owned())),
        Some(tag) => core_type(tag)
            .and_then(|kind| scalar::parse_tagged(kind, &text))
            .ok_or_else(|| UNKNOWN_TAG.into()),
    }
}

/// Returns the name of the type that a tag of the core schema denotes, which may be written out, as
/// in `!<tag:yaml.org,2002:str>`. Returns `None` for other tags.
fn core_type(tag: &Tag) -> Option<&str> {
    if tag.is_yaml_core_schema() {
        return Some(tag.suffix.as_str());
    }
    let name = tag.suffix.strip_prefix(CORE_SCHEMA);
    name.filter(|_| tag.handle.is_empty())
}

/// Returns true for the non-specific tag `!`, which makes a scalar a string.
fn is_non_specific(tag: &Tag) -> bool {
    tag.handle.is_empty() && tag.suffix == "!"
}

/// Copies a value after charging it to the budget. Fails if the budget is too small. The recursion
/// is limited by the depth of the input.
fn copy_within_budget(value: &Value, budget: &mut usize) -> YamlResult<Value> {
    let remaining = budget.checked_sub(estimate_size(value));
    *budget = remaining.ok_or("aliases make the body too large")?;
    Ok(value.clone())
}

/// Estimates the size of a value as written, in bytes. The recursion is limited by the depth of the
/// input.
fn estimate_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => 4 + text.len(),
        Value::Array(items) => 4 + items.iter().map(estimate_size).sum::<usize>(),
        Value::Object(fields) => {
            let sizes = fields
                .iter()
                .map(|(key, value)| 4 + key.len() + estimate_size(value));
            4 + sizes.sum::<usize>()
        }
    }
}

fn depth_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}
