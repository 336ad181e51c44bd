//! Writes a call as a callout that parses back to the same call.

use std::fmt;

use serde_json::Value;

use super::{Callout, CalloutOptions, body, scalar};

/// The maximum length of a key that is written without the mark `?`, in characters including
/// quotes. YAML requires the colon of such a key within 1024 characters.
const MAX_IMPLICIT_KEY: usize = 1000;

/// The error for a field that a callout cannot represent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable(&'static str);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a callout cannot say the call's {}", self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Writes the callout for a call, without a line break at its end. With the default
/// [`CalloutOptions`], the callout parses back to the same call, except for the ordinal and the
/// source.
///
/// # Errors
///
/// Fails if the name, the id or the error is blank, an extra field has the name of a callout field,
/// a value nests too deeply, or the callout is too long.
pub fn write(call: &Callout) -> Result<String, Unwritable> {
    let limits = CalloutOptions::default();
    let is_blank = |text: &str| text.trim().is_empty();
    if is_blank(&call.id) {
        return Err(Unwritable("id"));
    }
    if is_blank(&call.name) {
        return Err(Unwritable("name"));
    }
    if call.error_text.as_deref().is_some_and(is_blank) {
        return Err(Unwritable("error"));
    }
    if call.extra.keys().any(|key| body::is_known_field(key)) {
        return Err(Unwritable("extra fields"));
    }
    let mut body = YamlWriter::new(limits.max_depth);
    let fits_in_header = is_bare_word(&call.name) && is_bare_word(&call.id);
    let header = if fits_in_header {
        format!("> [!tool {} {}]", call.name, call.id)
    } else {
        body.write_text_field("toolName", &call.name);
        body.write_text_field("toolCallId", &call.id);
        "> [!tool]".to_owned()
    };
    if let Some(state) = call.state {
        body.write_text_field("state", state.as_str());
    }
    body.write_optional_field("input", call.input.as_ref())?;
    body.write_optional_field("output", call.output.as_ref())?;
    if let Some(error) = &call.error_text {
        body.write_text_field("errorText", error);
    }
    for (key, value) in &call.extra {
        body.write_field(key, value, 0)
            .ok_or(Unwritable("extra fields"))?;
    }
    let mut callout = header;
    for line in body.out.lines() {
        callout.push_str(if line.is_empty() { "\n>" } else { "\n> " });
        callout.push_str(line);
    }
    if callout.len() > limits.max_block {
        return Err(Unwritable("length"));
    }
    Ok(callout)
}

/// Returns true if the header can contain the text as a bare word.
fn is_bare_word(text: &str) -> bool {
    let is_allowed = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, ']' | '=');
    !text.is_empty() && text.chars().all(is_allowed)
}

/// A writer for YAML in block style.
struct YamlWriter {
    out: String,
    max_depth: usize,
}

impl YamlWriter {
    const fn new(max_depth: usize) -> Self {
        Self {
            out: String::new(),
            max_depth,
        }
    }

    fn write_optional_field(
        &mut self,
        key: &'static str,
        value: Option<&Value>,
    ) -> Result<(), Unwritable> {
        let Some(value) = value else { return Ok(()) };
        self.write_field(key, value, 0).ok_or(Unwritable(key))
    }

    fn write_text_field(&mut self, key: &str, text: &str) {
        self.out.push_str(key);
        self.out.push(':');
        self.write_text(text, 1);
    }

    /// Writes `key: value` on a line that is already indented. `level` is the level of the mapping.
    /// Returns `None` if the value nests too deeply.
    fn write_field(&mut self, key: &str, value: &Value, level: usize) -> Option<()> {
        let key_text = format_inline_text(key);
        if key_text.chars().count() > MAX_IMPLICIT_KEY {
            self.out.push_str("? ");
            self.out.push_str(&key_text);
            self.out.push('\n');
            self.write_indent(level);
        } else {
            self.out.push_str(&key_text);
        }
        self.out.push(':');
        match value {
            Value::Array(items) if !items.is_empty() => {
                self.out.push('\n');
                self.write_indent(level + 1);
                self.write_block(value, level + 1)
            }
            Value::Object(fields) if !fields.is_empty() => {
                self.out.push('\n');
                self.write_indent(level + 1);
                self.write_block(value, level + 1)
            }
            _ => self.write_leaf(value, level + 1),
        }
    }

    /// Writes a non-empty list or mapping whose first line is already indented. Returns `None` if
    /// the value nests too deeply.
    fn write_block(&mut self, value: &Value, level: usize) -> Option<()> {
        // The body counts as the first level, so a value at the level `max_depth` nests too deeply.
        if level >= self.max_depth {
            return None;
        }
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.write_indent(level);
                    }
                    self.write_item(item, level)?;
                }
            }
            Value::Object(fields) => {
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.write_indent(level);
                    }
                    self.write_field(key, value, level)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn write_item(&mut self, item: &Value, level: usize) -> Option<()> {
        self.out.push('-');
        let is_leaf = match item {
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => true,
        };
        if is_leaf {
            return self.write_leaf(item, level + 1);
        }
        self.out.push(' ');
        self.write_block(item, level + 1)
    }

    /// Writes a scalar or an empty collection after a space. Returns `None` if a collection nests
    /// too deeply.
    fn write_leaf(&mut self, value: &Value, level: usize) -> Option<()> {
        if level >= self.max_depth && (value.is_array() || value.is_object()) {
            return None;
        }
        let word = match value {
            Value::String(text) => {
                self.write_text(text, level);
                return Some(());
            }
            Value::Array(_) => "[]".to_owned(),
            Value::Object(_) => "{}".to_owned(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        };
        self.out.push(' ');
        self.out.push_str(&word);
        self.out.push('\n');
        Some(())
    }

    /// Writes a string as a literal block if the string has several lines that such a block can
    /// contain. Otherwise, writes the string on one line.
    fn write_text(&mut self, text: &str, level: usize) {
        self.out.push(' ');
        let Some(lines) = literal_lines(text) else {
            self.out.push_str(&format_inline_text(text));
            self.out.push('\n');
            return;
        };
        self.out
            .push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
        for line in lines {
            if !line.is_empty() {
                self.write_indent(level);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    fn write_indent(&mut self, level: usize) {
        for _ in 0..level {
            self.out.push_str("  ");
        }
    }
}

/// Returns the lines of a multiline text that a literal block can contain verbatim. Returns `None`
/// for other texts.
fn literal_lines(text: &str) -> Option<std::str::Split<'_, char>> {
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    let has_valid_ends = !text.starts_with([' ', '\t', '\n']) && !text.ends_with("\n\n");
    let is_plain_line = |line: &str| line.chars().all(is_plain_char) && !is_blank_line(line);
    (text.contains('\n') && has_valid_ends && lines.clone().all(is_plain_line)).then_some(lines)
}

/// Returns true for a non-empty line that contains only blanks.
fn is_blank_line(line: &str) -> bool {
    !line.is_empty() && line.trim().is_empty()
}

/// Returns a text or key as a scalar on one line, quoted if necessary.
fn format_inline_text(text: &str) -> String {
    let has_plain_start = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_plain_in_text =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ',' | '/' | '(' | ')');
    let is_plain = has_plain_start
        && !text.ends_with(' ')
        && text.chars().all(is_plain_in_text)
        && scalar::parse_plain(text).is_string();
    if is_plain {
        text.to_owned()
    } else {
        quote(text)
    }
}

fn quote(text: &str) -> String {
    let mut quoted_text = String::with_capacity(text.len() + 2);
    quoted_text.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted_text.push_str("\\\""),
            '\\' => quoted_text.push_str("\\\\"),
            '\n' => quoted_text.push_str("\\n"),
            '\r' => quoted_text.push_str("\\r"),
            '\t' => quoted_text.push_str("\\t"),
            c if is_plain_char(c) => quoted_text.push(c),
            c => quoted_text.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted_text.push('"');
    quoted_text
}

/// Returns true for characters that YAML permits everywhere without escapes.
fn is_plain_char(c: char) -> bool {
    let is_special = matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    );
    !c.is_control() && !is_special
}
