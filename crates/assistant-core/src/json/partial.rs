//! Incremental parsing of incomplete JSON, such as the streamed arguments of a tool call.
//!
//! [`PartialJson`] takes the text in pieces and always contains the best value so far. The value
//! grows in place: the cost of a piece is proportional to its length and depth, and independent of
//! the text before it. Schemas are not considered, and the result agrees with the full parser: a
//! finished text is [`DocumentState::Complete`] exactly if `serde_json` accepts it, with the same
//! value.
//!
//! Unfinished parts are shown as far as they are certain: strings and containers as if closed here,
//! a literal from its first letter (`t` is `true`), a number up to its last valid prefix, a key
//! only together with its value.
//!
//! Text that is not JSON is cut off at the end (`{"a":1} thanks` shows `{"a":1}`), and makes the
//! document [`DocumentState::Invalid`] as soon as something significant follows it.
//!
//! `tree` contains the growing value, `text` decodes strings, `number` parses numbers.

mod number;
mod text;
mod tree;

use number::{Fed, Number};
use serde_json::{Map, Value};
use text::{StringProgress, Text};
use tree::Tree;

/// The maximum nesting of containers: that of `serde_json`.
const MAX_DEPTH: usize = 127;

/// The state of a JSON text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// The text is empty, blank, or the sign of a number, so it contains no value yet.
    Empty,
    /// The text is a complete JSON document. A number at the root may still grow.
    Complete,
    /// The text contains a value, but the document is incomplete.
    Partial,
    /// The text can never become a document, or nests too deeply. This state is final.
    Invalid,
}

/// The state of a location in the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldState {
    /// The field is missing, or still being written.
    Partial,
    /// The field has its final value, or the document is complete, with or without the field.
    Complete,
}

/// The next expected token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Start,
    ObjectStart,
    ObjectComma,
    Key,
    Colon,
    ObjectValue,
    ObjectAfter,
    ArrayStart,
    ArrayComma,
    ArrayAfter,
    Text,
    Number,
    /// The letters of the literal that are still missing; empty if only its end is expected.
    Literal(&'static str),
    Done,
    Invalid,
}

/// An incremental parser of one JSON document.
///
/// ```
/// use assistant_core::json::partial::{FieldState, PartialJson, DocumentState};
/// use serde_json::json;
///
/// let mut args = PartialJson::new();
/// args.push(r#"{"city":"Lisbon","note":"sun"#);
/// assert_eq!(args.value(), Some(&json!({"city": "Lisbon", "note": "sun"})));
/// assert_eq!(args.state(), DocumentState::Partial);
/// assert_eq!(args.field_state(&["city"]), FieldState::Complete);
/// assert_eq!(args.field_state(&["note"]), FieldState::Partial);
/// args.push(r#"ny"}"#);
/// assert_eq!(args.state(), DocumentState::Complete);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PartialJson {
    mode: Mode,
    tree: Tree,
    key: String,
    text: Text,
    number: Number,
    /// True if text that is not JSON was skipped, which is permitted only at the end.
    skipped: bool,
    /// True if a value exceeded the maximum depth.
    too_deep: bool,
}

/// Parses a complete text, with the same result as a text in pieces.
#[must_use]
pub fn parse_partial(text: &str) -> PartialJson {
    let mut json = PartialJson::new();
    json.push(text);
    json
}

impl PartialJson {
    /// Creates a parser at the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses the next piece of the text.
    pub fn push(&mut self, delta: &str) {
        self.tree.detach();
        let mut rest = delta;
        while !rest.is_empty() && self.mode != Mode::Invalid {
            rest = self.step(rest);
        }
        if self.mode == Mode::Invalid {
            self.tree = Tree::default();
            return;
        }
        if self.mode == Mode::Number
            && let Some(value) = self.number.show()
        {
            self.tree.set(value);
        }
        self.tree.attach();
    }

    /// Returns the best value so far; `None` in the states `Empty` and `Invalid`.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.tree.root()
    }

    /// Consumes the parser and returns the best value so far.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        self.tree.into_root()
    }

    /// Returns true if an object has duplicate keys, for which parsers differ.
    #[must_use]
    pub const fn has_duplicate_keys(&self) -> bool {
        self.tree.is_doubled()
    }

    /// Returns true if parsing ended at a value that is nested deeper than 127 levels.
    #[must_use]
    pub const fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Returns the state of the text so far.
    #[must_use]
    pub fn state(&self) -> DocumentState {
        if self.mode == Mode::Invalid {
            return DocumentState::Invalid;
        }
        if self.tree.root().is_none() {
            return DocumentState::Empty;
        }
        let ended = match self.mode {
            Mode::Done => !self.skipped,
            Mode::Literal("") => self.tree.depth() == 0,
            Mode::Number => self.tree.depth() == 1 && self.number.is_exact(),
            _ => false,
        };
        // `serde_json` rejects lone surrogates, so a text with one is never complete.
        if ended && !self.text.repaired() {
            DocumentState::Complete
        } else {
            DocumentState::Partial
        }
    }

    /// Returns the state of the value at `path`. Array indexes are written in decimal.
    #[must_use]
    pub fn field_state(&self, path: &[&str]) -> FieldState {
        match self.state() {
            DocumentState::Complete => FieldState::Complete,
            DocumentState::Partial if self.tree.is_settled(path) => FieldState::Complete,
            DocumentState::Empty | DocumentState::Partial | DocumentState::Invalid => {
                FieldState::Partial
            }
        }
    }

    /// Parses as much of a string as possible, or one other character. Returns the rest of the
    /// text.
    fn step<'a>(&mut self, rest: &'a str) -> &'a str {
        match self.mode {
            Mode::Key => self.key_text(rest),
            Mode::Text => self.value_text(rest),
            _ => {
                let mut chars = rest.chars();
                if let Some(ch) = chars.next() {
                    self.symbol(ch);
                }
                chars.as_str()
            }
        }
    }

    fn symbol(&mut self, ch: char) {
        match (self.mode, ch) {
            (Mode::Literal(rest), _) => self.literal(rest, ch),
            (Mode::Number, _) => self.digit(ch),
            (Mode::ObjectAfter | Mode::ArrayAfter | Mode::Done, _) => self.after_value(ch, false),
            (_, ' ' | '\t' | '\n' | '\r') => {}
            (Mode::ObjectStart, '}') | (Mode::ArrayStart, ']') => self.close(),
            (Mode::ObjectStart | Mode::ObjectComma, '"') => {
                self.key.clear();
                self.mode = Mode::Key;
            }
            (Mode::Colon, ':') => self.mode = Mode::ObjectValue,
            (Mode::Start | Mode::ObjectValue | Mode::ArrayStart | Mode::ArrayComma, _) => {
                self.value_start(ch);
            }
            _ => self.skipped = true,
        }
    }

    fn value_start(&mut self, ch: char) {
        match ch {
            '"' => self.open(Value::String(String::new()), Mode::Text),
            '{' => self.open(Value::Object(Map::new()), Mode::ObjectStart),
            '[' => self.open(Value::Array(Vec::new()), Mode::ArrayStart),
            't' => self.open_literal(Value::Bool(true), "rue"),
            'f' => self.open_literal(Value::Bool(false), "alse"),
            'n' => self.open_literal(Value::Null, "ull"),
            '-' | '0'..='9' => {
                self.number = Number::default();
                self.mode = Mode::Number;
                self.digit(ch);
            }
            _ if self.mode == Mode::Start => self.mode = Mode::Invalid,
            _ => self.skipped = true,
        }
    }

    fn open(&mut self, value: Value, mode: Mode) {
        let nests = value.is_object() || value.is_array();
        self.too_deep = nests && self.tree.depth() >= MAX_DEPTH;
        if self.skipped || self.too_deep {
            self.mode = Mode::Invalid;
            return;
        }
        self.tree.open(std::mem::take(&mut self.key), value);
        self.mode = mode;
    }

    fn open_literal(&mut self, value: Value, rest: &'static str) {
        self.open(value, Mode::Literal(rest));
        if self.mode != Mode::Invalid {
            self.tree.close();
        }
    }

    /// Continues with the parent of a complete value, or ends the document.
    fn ended(&mut self) {
        self.mode = match self.tree.top() {
            Some(Value::Object(_)) => Mode::ObjectAfter,
            Some(_) => Mode::ArrayAfter,
            None if self.tree.is_empty() => Mode::Invalid,
            None => Mode::Done,
        };
    }

    fn close(&mut self) {
        if self.skipped {
            self.mode = Mode::Invalid;
            return;
        }
        self.tree.close();
        self.ended();
    }

    /// Handles a character after a value. With `tight`, the character directly follows a number or
    /// literal and may be a typo at its end. Otherwise, in an array, the comma is missing, so the
    /// text is invalid at once.
    fn after_value(&mut self, ch: char, tight: bool) {
        let blank = matches!(ch, ' ' | '\t' | '\n' | '\r');
        match (self.mode, ch) {
            (Mode::ObjectAfter, ',') => self.mode = Mode::ObjectComma,
            (Mode::ArrayAfter, ',') => self.mode = Mode::ArrayComma,
            (Mode::ObjectAfter, '}') | (Mode::ArrayAfter, ']') => self.close(),
            (Mode::ArrayAfter, _) if !tight && (self.skipped || !blank) => {
                self.mode = Mode::Invalid;
            }
            _ => self.skipped |= !blank,
        }
    }

    fn literal(&mut self, rest: &'static str, ch: char) {
        if rest.is_empty() {
            self.ended();
            self.after_value(ch, true);
        } else if let Some(rest) = rest.strip_prefix(ch) {
            self.mode = Mode::Literal(rest);
        } else {
            self.mode = Mode::Invalid;
        }
    }

    fn digit(&mut self, ch: char) {
        let shown = self.number.has_digits();
        match self.number.feed(ch) {
            // A sign alone is not a value, so the node is opened at the first digit.
            Fed::Digit if !shown => self.open(Value::Null, Mode::Number),
            Fed::Digit | Fed::Other => {}
            Fed::Bad => self.mode = Mode::Invalid,
            Fed::End => self.number_ended(ch),
        }
    }

    fn number_ended(&mut self, ch: char) {
        self.skipped |= !self.number.is_whole();
        if self.number.has_digits() {
            let Some(value) = self.number.finish() else {
                self.mode = Mode::Invalid;
                return;
            };
            self.tree.set(value);
            self.tree.close();
        }
        self.ended();
        self.after_value(ch, true);
    }

    fn key_text<'a>(&mut self, rest: &'a str) -> &'a str {
        let (took, rest) = self.text.take(rest, &mut self.key);
        match took {
            StringProgress::All => {}
            StringProgress::Closed => self.mode = Mode::Colon,
            // A key is shown only with its value, so an invalid one is cut off at the end.
            StringProgress::Bad => self.skipped = true,
        }
        rest
    }

    fn value_text<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some(Value::String(out)) = self.tree.top_mut() else {
            self.mode = Mode::Invalid;
            return rest;
        };
        let (took, rest) = self.text.take(rest, out);
        match took {
            StringProgress::All => {}
            StringProgress::Closed => self.close(),
            StringProgress::Bad => self.mode = Mode::Invalid,
        }
        rest
    }
}
