//! JSON Schema draft 2020-12: does a value fit a schema, and if not, what has to change.
//!
//! A direct interpreter over `&Value`: nothing is compiled, because a schema is read about as often
//! as it is written and the code ships to browsers. It covers every assertion and applicator of the
//! draft, with `$ref`, `$anchor`, `$dynamicRef` and embedded `$id` resources. Older spellings that
//! tools still send (`definitions`, `dependencies`, `items` as a list) are understood.
//!
//! It never fetches a schema (a reference to a document that is not embedded is a violation), never
//! asserts `format` or content keywords (annotations in this draft), never runs a regular
//! expression itself ([`PatternHost`] does), and never panics, recurses or works without bound:
//! schemas may come from an agent, and what cannot be checked in bounds is a violation.
//! A keyword with a value of the wrong kind says nothing, except where a schema was expected.
//!
//! * `check` walks schema and instance together; `object`, `array`, `scalar` and `combine` hold the
//!   keywords by kind; `budget` bounds the walk.
//! * `refs` finds what a reference means, `uri` resolves it.
//! * `numbers` and `equality` hold JSON's own idea of sameness, `message` and `describe` the words.
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
//! let found = validate(&schema, &json!({ "importance": "urgent" }), &mut NoPatterns);
//! let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
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

use check::Check;
pub(crate) use numbers::compare as compare_numbers;

/// The most violations that [`validate`] lists.
pub const MAX_VIOLATIONS: usize = 50;

/// The host's regular expressions, as ECMA-262 has them (`RegExp` in a browser).
pub trait PatternHost {
    /// Whether `pattern` matches anywhere in `text`; `None` if the host does not know or refuses
    /// the pattern, which then counts as satisfied.
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool>;
}

/// A host that refuses every pattern, so that each counts as satisfied: for schemas that come from
/// an agent, whose regular expressions are never run.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPatterns;

impl PatternHost for NoPatterns {
    fn pattern_matches(&mut self, _pattern: &str, _text: &str) -> Option<bool> {
        None
    }
}

/// One thing that keeps an instance from fitting its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the instance, `""` for the whole of it. A missing property has the path
    /// that it would have, an unexpected one its own. Cut with an ellipsis if very long.
    pub path: String,
    /// The keyword that was not met; `false` for a schema that allows nothing, `schema` for a fault
    /// of the schema itself, `limit` for a check that was given up.
    pub keyword: &'static str,
    /// What that keyword says: a bound, the name of a type, the values there are; cut if it is long,
    /// empty if it is a schema or schemas. For messages in other words than the one below.
    pub limit: String,
    /// What was expected, in plain words, short.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Everything that keeps `instance` from fitting `schema`, keyword by keyword as the schema has them;
/// empty if it fits.
///
/// At most [`MAX_VIOLATIONS`] are listed. A schema that cannot be read, refers to what is not
/// there, nests too deeply or asks for too much work never fits: the violation says so.
pub fn validate(
    schema: &Value,
    instance: &Value,
    patterns: &mut dyn PatternHost,
) -> Vec<Violation> {
    let mut check = Check::new(schema, patterns);
    let fits = check.apply(schema, instance, None);
    check.finish(fits)
}
