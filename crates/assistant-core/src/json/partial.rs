//! Parses incomplete JSON incrementally, such as the streamed arguments of a tool call.
//!
//! [`PartialJson`] receives the text in pieces and always contains the best value for the text
//! received so far. The value is updated in place. The cost of a piece is proportional to its
//! length and depth, and does not depend on the text before it. Schemas are not considered. A
//! finished text is [`DocumentState::Complete`] exactly if `serde_json` accepts the text, and the
//! value is then equal. Only the order of the entries differs if an object has duplicate keys.
//!
//! An unfinished part of the text is shown as far as its value is certain. Strings and containers
//! are shown as if they ended at this point. A literal is shown from its first letter (`t` is
//! `true`), and a number up to its last valid prefix. A key is shown only together with its value.
//!
//! Text that is not JSON is ignored if nothing follows it (`{"a":1} thanks` results in `{"a":1}`).
//! If a value or a closing bracket follows the ignored text, the document becomes
//! [`DocumentState::Invalid`].
//!
//! `tree` contains the growing value, `text` decodes strings, and `number` parses numbers.

mod number;
mod text;
mod tree;

use number::{FeedResult, NumberParser};
use serde_json::{Map, Value};
use text::{StringDecoder, StringProgress};
use tree::ValueTree;

/// The maximum nesting depth of containers, which is the same as in `serde_json`.
const MAX_DEPTH: usize = 127;

/// The state of a JSON text that may be incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentState {
    /// The text contains no value yet, because it is empty, blank or only the sign of a number.
    Empty,
    /// The text is a complete JSON document. A number at the root may still grow.
    Complete,
    /// The text contains a value, but the document is incomplete.
    Partial,
    /// The text can never become a valid document, or is nested too deeply. This state is final.
    Invalid,
}

/// The state of a location in the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldState {
    /// The document is incomplete, and the field is missing or still being written. Every field of
    /// an invalid text also has this state.
    Partial,
    /// The field has its final value, or the document is complete, even if the field is missing.
    Complete,
}

/// The next expected token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ExpectedToken {
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
    /// The letters of the literal that are still missing. The string is empty if only the end of
    /// the literal is expected.
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
    mode: ExpectedToken,
    tree: ValueTree,
    key: String,
    text: StringDecoder,
    number: NumberParser,
    /// True if the parser skipped text that is not JSON, which is permitted only at the end of a
    /// document.
    skipped: bool,
    /// True if the nesting of a value exceeded the maximum depth.
    too_deep: bool,
}

/// Parses a complete or incomplete text in one piece. The result is the same as if the text were
/// parsed in several pieces.
#[must_use]
pub fn parse_partial(text: &str) -> PartialJson {
    let mut json = PartialJson::new();
    json.push(text);
    json
}

impl PartialJson {
    /// Creates a parser that has received no text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses the next piece of the text.
    pub fn push(&mut self, delta: &str) {
        self.tree.detach_open_nodes();
        let mut rest = delta;
        while !rest.is_empty() && self.mode != ExpectedToken::Invalid {
            rest = self.parse_next(rest);
        }
        if self.mode == ExpectedToken::Invalid {
            self.tree = ValueTree::default();
            return;
        }
        if self.mode == ExpectedToken::Number
            && let Some(value) = self.number.update_shown_value()
        {
            self.tree.set_top(value);
        }
        self.tree.attach_open_nodes();
    }

    /// Returns the best value for the text received so far, or `None` in the states `Empty` and
    /// `Invalid`.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.tree.root()
    }

    /// Consumes the parser and returns the best value for the text received so far, or `None` in
    /// the states `Empty` and `Invalid`.
    #[must_use]
    pub fn into_value(self) -> Option<Value> {
        self.tree.into_root()
    }

    /// Returns true if an object has duplicate keys. Parsers disagree on the value of such an
    /// object.
    #[must_use]
    pub const fn has_duplicate_keys(&self) -> bool {
        self.tree.has_duplicate_keys()
    }

    /// Returns true if the text is invalid because a value is nested deeper than 127 levels.
    #[must_use]
    pub const fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Returns the state of the text that has been received.
    #[must_use]
    pub fn state(&self) -> DocumentState {
        if self.mode == ExpectedToken::Invalid {
            return DocumentState::Invalid;
        }
        if self.tree.root().is_none() {
            return DocumentState::Empty;
        }
        let is_ended = match self.mode {
            ExpectedToken::Done => !self.skipped,
            ExpectedToken::Literal("") => self.tree.depth() == 0,
            ExpectedToken::Number => self.tree.depth() == 1 && self.number.is_exact(),
            _ => false,
        };
        // A text with a lone surrogate is never complete, because `serde_json` rejects it.
        if is_ended && !self.text.has_replaced_surrogates() {
            DocumentState::Complete
        } else {
            DocumentState::Partial
        }
    }

    /// Returns the state of the value at `path`. An array index in the path is written in decimal.
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

    /// Parses as much as possible of a key or a string, or else one character. Returns the rest of
    /// the text.
    fn parse_next<'a>(&mut self, rest: &'a str) -> &'a str {
        match self.mode {
            ExpectedToken::Key => self.read_key(rest),
            ExpectedToken::Text => self.read_string(rest),
            _ => {
                let mut chars = rest.chars();
                if let Some(ch) = chars.next() {
                    self.read_symbol(ch);
                }
                chars.as_str()
            }
        }
    }

    fn read_symbol(&mut self, ch: char) {
        match (self.mode, ch) {
            (ExpectedToken::Literal(rest), _) => self.read_literal(rest, ch),
            (ExpectedToken::Number, _) => self.read_number_char(ch),
            (ExpectedToken::ObjectAfter | ExpectedToken::ArrayAfter | ExpectedToken::Done, _) => {
                self.read_after_value(ch, false);
            }
            (_, ' ' | '\t' | '\n' | '\r') => {}
            (ExpectedToken::ObjectStart, '}') | (ExpectedToken::ArrayStart, ']') => {
                self.close_value();
            }
            (ExpectedToken::ObjectStart | ExpectedToken::ObjectComma, '"') => {
                self.key.clear();
                self.mode = ExpectedToken::Key;
            }
            (ExpectedToken::Colon, ':') => self.mode = ExpectedToken::ObjectValue,
            (
                ExpectedToken::Start
                | ExpectedToken::ObjectValue
                | ExpectedToken::ArrayStart
                | ExpectedToken::ArrayComma,
                _,
            ) => {
                self.start_value(ch);
            }
            _ => self.skipped = true,
        }
    }

    fn start_value(&mut self, ch: char) {
        match ch {
            '"' => self.open_value(Value::String(String::new()), ExpectedToken::Text),
            '{' => self.open_value(Value::Object(Map::new()), ExpectedToken::ObjectStart),
            '[' => self.open_value(Value::Array(Vec::new()), ExpectedToken::ArrayStart),
            't' => self.open_literal(Value::Bool(true), "rue"),
            'f' => self.open_literal(Value::Bool(false), "alse"),
            'n' => self.open_literal(Value::Null, "ull"),
            '-' | '0'..='9' => {
                self.number = NumberParser::default();
                self.mode = ExpectedToken::Number;
                self.read_number_char(ch);
            }
            _ if self.mode == ExpectedToken::Start => self.mode = ExpectedToken::Invalid,
            _ => self.skipped = true,
        }
    }

    fn open_value(&mut self, value: Value, mode: ExpectedToken) {
        let is_container = value.is_object() || value.is_array();
        self.too_deep = is_container && self.tree.depth() >= MAX_DEPTH;
        if self.skipped || self.too_deep {
            self.mode = ExpectedToken::Invalid;
            return;
        }
        self.tree.open_node(std::mem::take(&mut self.key), value);
        self.mode = mode;
    }

    fn open_literal(&mut self, value: Value, rest: &'static str) {
        self.open_value(value, ExpectedToken::Literal(rest));
        if self.mode != ExpectedToken::Invalid {
            self.tree.close_node();
        }
    }

    /// Continues with the parent of a complete value, or ends the document if the value has no
    /// parent. A document without a value is invalid.
    fn continue_with_parent(&mut self) {
        self.mode = match self.tree.top() {
            Some(Value::Object(_)) => ExpectedToken::ObjectAfter,
            Some(_) => ExpectedToken::ArrayAfter,
            None if self.tree.is_empty() => ExpectedToken::Invalid,
            None => ExpectedToken::Done,
        };
    }

    fn close_value(&mut self) {
        if self.skipped {
            self.mode = ExpectedToken::Invalid;
            return;
        }
        self.tree.close_node();
        self.continue_with_parent();
    }

    /// Handles a character that follows a value. If `tight` is true, the character directly follows
    /// a number or literal, and may be a typo at the end of that value. If `tight` is false, an
    /// unexpected character in an array makes the text invalid.
    fn read_after_value(&mut self, ch: char, tight: bool) {
        let is_blank = matches!(ch, ' ' | '\t' | '\n' | '\r');
        match (self.mode, ch) {
            (ExpectedToken::ObjectAfter, ',') => self.mode = ExpectedToken::ObjectComma,
            (ExpectedToken::ArrayAfter, ',') => self.mode = ExpectedToken::ArrayComma,
            (ExpectedToken::ObjectAfter, '}') | (ExpectedToken::ArrayAfter, ']') => {
                self.close_value();
            }
            (ExpectedToken::ArrayAfter, _) if !tight && (self.skipped || !is_blank) => {
                self.mode = ExpectedToken::Invalid;
            }
            _ => self.skipped |= !is_blank,
        }
    }

    fn read_literal(&mut self, rest: &'static str, ch: char) {
        if rest.is_empty() {
            self.continue_with_parent();
            self.read_after_value(ch, true);
        } else if let Some(rest) = rest.strip_prefix(ch) {
            self.mode = ExpectedToken::Literal(rest);
        } else {
            self.mode = ExpectedToken::Invalid;
        }
    }

    fn read_number_char(&mut self, ch: char) {
        let had_digits = self.number.has_digits();
        match self.number.feed_char(ch) {
            // The node is opened at the first digit, because a sign alone is not a value.
            FeedResult::Digit if !had_digits => self.open_value(Value::Null, ExpectedToken::Number),
            FeedResult::Digit | FeedResult::Other => {}
            FeedResult::Bad => self.mode = ExpectedToken::Invalid,
            FeedResult::End => self.finish_number(ch),
        }
    }

    fn finish_number(&mut self, ch: char) {
        self.skipped |= !self.number.is_whole();
        if self.number.has_digits() {
            let Some(value) = self.number.final_value() else {
                self.mode = ExpectedToken::Invalid;
                return;
            };
            self.tree.set_top(value);
            self.tree.close_node();
        }
        self.continue_with_parent();
        self.read_after_value(ch, true);
    }

    fn read_key<'a>(&mut self, rest: &'a str) -> &'a str {
        let (progress, rest) = self.text.decode(rest, &mut self.key);
        match progress {
            StringProgress::All => {}
            StringProgress::Closed => self.mode = ExpectedToken::Colon,
            // An invalid key is ignored, because a key is shown only together with its value.
            StringProgress::Bad => self.skipped = true,
        }
        rest
    }

    fn read_string<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some(Value::String(out)) = self.tree.top_mut() else {
            self.mode = ExpectedToken::Invalid;
            return rest;
        };
        let (progress, rest) = self.text.decode(rest, out);
        match progress {
            StringProgress::All => {}
            StringProgress::Closed => self.close_value(),
            StringProgress::Bad => self.mode = ExpectedToken::Invalid,
        }
        rest
    }
}
