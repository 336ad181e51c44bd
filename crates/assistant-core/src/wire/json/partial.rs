//! JSON that is still being written: the arguments of a tool call while they stream in.
//!
//! [`PartialJson`] takes the text in pieces and always holds the best value so far. The value is
//! grown in place: a piece costs what the piece is long plus how deep it stands, however much
//! came before. It never looks at a schema and never stands in for the real parse: a finished
//! text is [`DocumentState::Complete`] exactly when `serde_json` reads it, and the value is then the same.
//!
//! What is unfinished shows as far as it is certain: strings and containers as if they were
//! closed here, a literal from its first letter (`t` is `true`), a number up to its last valid
//! prefix, a key only together with its value.
//!
//! What is not JSON is cut off while it is the tail (`{"a":1} thanks` shows `{"a":1}`), and makes
//! the text [`DocumentState::Invalid`] as soon as something after it would count.
//!
//! Neighbours: `tree` holds the growing value, `text` decodes strings, `number` knows numbers.

mod number;
mod text;
mod tree;

use number::{Fed, Number};
use serde_json::{Map, Value};
use text::{Text, Took};
use tree::Tree;

/// How many containers may stand in each other: as many as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// The state of a JSON text, as far as it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// Nothing to show yet: no text, blanks, or the sign of a number.
    Empty,
    /// The text is a JSON document as it stands. A number at the root may still grow.
    Complete,
    /// There is a value, but the text is not a document (yet).
    Partial,
    /// The text can never become a document, or nests too deep. Final.
    Invalid,
}

/// The state of a place in the value: whether it may still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldState {
    /// The field has not come, or is still being written.
    Partial,
    /// The field has its final value; or the document is complete, with or without the field.
    Complete,
}

/// What the scanner expects next.
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
    /// The letters that are still missing; none when only the end of the literal is awaited.
    Literal(&'static str),
    Done,
    Invalid,
}

/// An incremental reader of one JSON document.
///
/// ```
/// use assistant_core::wire::json::partial::{FieldState, PartialJson, DocumentState};
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
    /// Something that is not JSON was passed over; fine only while it is the tail.
    skipped: bool,
    /// A value stood deeper than any is read.
    too_deep: bool,
}

/// Reads a text in one go, with the same outcome as pushing it in pieces.
#[must_use]
pub fn parse_partial(text: &str) -> PartialJson {
    let mut json = PartialJson::new();
    json.push(text);
    json
}

impl PartialJson {
    /// A reader that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text.
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

    /// The best value so far; none while the state is `Empty` or `Invalid`.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.tree.root()
    }

    /// Gives the best value so far away.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        self.tree.into_root()
    }

    /// Returns whether an object of the text names a field twice: readers differ about which
    /// counts.
    #[must_use]
    pub const fn has_duplicate_keys(&self) -> bool {
        self.tree.is_doubled()
    }

    /// Returns whether reading ended at a value that is nested deeper than 127 levels.
    #[must_use]
    pub const fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Returns the state of the text, as far as it has come.
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
        // `serde_json` refuses half a surrogate pair, so a text that had one is never complete.
        if ended && !self.text.repaired() {
            DocumentState::Complete
        } else {
            DocumentState::Partial
        }
    }

    /// Returns whether the value at `path` may still change. Array indexes are written in decimal.
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

    /// Reads a string as far as it goes, anything else one character at a time.
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

    /// A value has ended inside its parent, or the document has.
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

    /// `tight`: the character touches a number or literal and may be a slip of its end. Elsewhere
    /// in an array nothing can stand for a missing comma, so the text is lost at once.
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
            // A sign alone is not a value yet, so the place is taken with the first digit.
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
            Took::All => {}
            Took::Closed => self.mode = Mode::Colon,
            // A key shows only with its value, so a broken one is cut off like any other tail.
            Took::Bad => self.skipped = true,
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
            Took::All => {}
            Took::Closed => self.close(),
            Took::Bad => self.mode = Mode::Invalid,
        }
        rest
    }
}
