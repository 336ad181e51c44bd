//! Validates values against JSON Schema draft 2020-12.
//!
//! The validator interprets `&Value` directly and compiles nothing, because most schemas are used
//! only a few times and the code is sent to browsers. It implements every assertion and applicator
//! of the draft, with `$ref`, `$anchor`, `$dynamicRef` and embedded `$id` resources. Keywords of
//! older drafts that tools still send (`definitions`, `dependencies`, `items` as a list) are
//! supported.
//!
//! The validator does not fetch schemas: a reference to a document that is not embedded is a
//! violation. It does not assert `format` or content keywords, which are annotations in this draft.
//! Regular expressions are evaluated by a [`PatternHost`]. Since schemas may come from an agent,
//! the validator does not panic, and its recursion and work are limited; an instance that cannot be
//! checked within the limits is a violation. A keyword with a value of the wrong type is ignored,
//! except where a schema was expected.
//!
//! * `check` traverses schema and instance together; `object`, `array`, `scalar` and `combine`
//!   implement the keywords; `budget` limits the work.
//! * `refs` resolves references, with `uri`.
//! * `numbers` and `equality` compare values by JSON's rules; `message` and `describe` write the
//!   messages.
//!
//! ```
//! use assistant_core::action::schema::{NoPatterns, validate};
//! use serde_json::json;
//!
//! let schema = json!({
//!     "type": "object",
//!     "properties": {
//!         "action": { "type": "string" },
//!         "importance": { "enum": ["low", "high"] },
//!     },
//!     "required": ["action"],
//! });
//! let violations = validate(&schema, &json!({ "importance": "urgent" }), &mut NoPatterns);
//! let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
//! assert_eq!(
//!     lines,
//!     [r#"/importance: must be one of "low", "high""#, "/action: is required: a string"],
//! );
//! ```

mod array;
mod budget;
mod check;
mod combine;
mod describe;
mod equality;
mod message;
mod numbers;
mod object;
mod refs;
mod scalar;
mod uri;

use core::fmt;

use serde_json::Value;

use check::Validation;
pub(crate) use numbers::compare as compare_numbers;

/// The maximum number of violations that [`validate`] lists.
pub const MAX_VIOLATIONS: usize = 50;

/// The host's regular expression engine, with ECMA-262 syntax (`RegExp` in a browser).
pub trait PatternHost {
    /// Returns true if `pattern` matches anywhere in `text`. Returns `None` if the host cannot
    /// evaluate the pattern; the pattern then counts as satisfied.
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool>;
}

/// A host that evaluates no pattern, so each pattern counts as satisfied. This host is used for
/// schemas from agents, because regular expressions from agents are never evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPatterns;

impl PatternHost for NoPatterns {
    fn pattern_matches(&mut self, _pattern: &str, _text: &str) -> Option<bool> {
        None
    }
}

/// A reason why an instance does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    pub(crate) path: String,
    pub(crate) keyword: &'static str,
    pub(crate) limit: String,
    pub(crate) message: String,
}

impl Violation {
    /// Returns the JSON Pointer to the location in the instance. The pointer to the root is `""`.
    /// The path of a missing property is the path that the property would have. A very long path is
    /// truncated with an ellipsis.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the keyword that was violated. The keyword is `false` for a schema that allows
    /// nothing, `schema` for a fault of the schema itself, and `limit` for a check that exceeded
    /// its budget.
    #[must_use]
    pub const fn keyword(&self) -> &'static str {
        self.keyword
    }

    /// Returns the value of the keyword, such as a bound, the name of a type or the permitted
    /// values, for hosts that write their own messages. A long value is truncated. The result is
    /// empty for `minContains`, `maxContains` and `dependentRequired`, for keywords whose value is
    /// a boolean or consists of schemas, and for `false`, `schema` and `limit`.
    #[must_use]
    pub fn limit(&self) -> &str {
        &self.limit
    }

    /// Returns a short description of the violation.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Validates `instance` against `schema` and returns the violations: faults of the schema first,
/// then violations of the instance in the order of the schema's keywords.
///
/// At most [`MAX_VIOLATIONS`] violations are listed. If the schema cannot be read, has an
/// unresolved reference, nests too deeply or takes too much work, no instance is valid, and the
/// reason is reported as a violation.
pub fn validate(
    schema: &Value,
    instance: &Value,
    patterns: &mut dyn PatternHost,
) -> Vec<Violation> {
    let mut validation = Validation::new(schema, patterns);
    let is_valid = validation.apply(schema, instance, None);
    validation.finish(is_valid)
}
