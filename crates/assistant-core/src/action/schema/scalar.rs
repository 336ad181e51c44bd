//! Applies the keywords for single values: `type`, `const`, `enum`, and the bounds of strings and
//! numbers.

use core::cmp::Ordering;

use serde_json::{Number, Value};

use super::check::Validation;
use super::describe::{describe_type_of, describe_types};
use super::equality::is_equal;
use super::message::{CountWithNoun, CountWords, TruncatedJson, ValueList};
use super::numbers::{self, parse_count};

const COUNT_WORDS: CountWords = ("must be", "character long", "characters long");

impl<'a> Validation<'a, '_> {
    /// Applies `type`, whose value is a name or a list of names. Any other value is satisfied by
    /// all instances.
    pub(super) fn apply_type(&mut self, wanted: &Value, instance: &Value) -> bool {
        let is_valid = match wanted {
            Value::String(name) => is_of_type(name, instance),
            Value::Array(names) => {
                self.budget.spend(names.len());
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .any(|name| is_of_type(name, instance))
            }
            _ => true,
        };
        is_valid
            || self.record_violation(
                "type",
                format_args!(
                    "must be {}, not {}",
                    describe_types(wanted),
                    describe_type_of(instance)
                ),
            )
    }

    /// Applies `enum`: the instance must equal one of the values. A value that is not a list is
    /// satisfied by all instances.
    pub(super) fn apply_enum(&mut self, wanted: &Value, instance: &Value) -> bool {
        let Value::Array(values) = wanted else {
            return true;
        };
        values
            .iter()
            .any(|value| is_equal(value, instance, &mut self.budget))
            || self.record_violation("enum", format_args!("must be one of {}", ValueList(values)))
    }

    /// Applies `const`: the instance must equal the value of the keyword.
    pub(super) fn apply_const(&mut self, wanted: &Value, instance: &Value) -> bool {
        is_equal(wanted, instance, &mut self.budget)
            || self.record_violation("const", format_args!("must be {}", TruncatedJson(wanted)))
    }

    /// Applies one keyword to a string. Keywords that do not concern strings are satisfied.
    pub(super) fn apply_string_keyword(
        &mut self,
        keyword: &str,
        value: &'a Value,
        text: &str,
    ) -> bool {
        let length = |check: &mut Self| check.count_characters(text);
        match (keyword, value) {
            ("pattern", Value::String(pattern)) => {
                self.match_pattern(pattern, text) != Some(false)
                    || self.record_violation(
                        "pattern",
                        format_args!("must match the pattern {pattern}"),
                    )
            }
            ("minLength", _) => self.apply_count_bound("minLength", value, COUNT_WORDS, length),
            ("maxLength", _) => self.apply_count_bound("maxLength", value, COUNT_WORDS, length),
            _ => true,
        }
    }

    /// Applies one keyword to a number. Keywords that do not concern numbers are satisfied.
    pub(super) fn apply_number_keyword(
        &mut self,
        keyword: &str,
        value: &'a Value,
        number: &Number,
    ) -> bool {
        let Value::Number(bound) = value else {
            return true;
        };
        let order = numbers::compare(number, bound);
        let (keyword, is_valid, words) = match keyword {
            "minimum" => ("minimum", order != Ordering::Less, "at least"),
            "maximum" => ("maximum", order != Ordering::Greater, "at most"),
            "exclusiveMinimum" => ("exclusiveMinimum", order == Ordering::Greater, "more than"),
            "exclusiveMaximum" => ("exclusiveMaximum", order == Ordering::Less, "less than"),
            "multipleOf" => (
                "multipleOf",
                numbers::is_multiple_of(number, bound),
                "a multiple of",
            ),
            _ => return true,
        };
        is_valid || self.record_violation(keyword, format_args!("must be {words} {bound}"))
    }

    /// Applies a keyword that bounds a count: a minimum if the keyword starts with `min`, otherwise
    /// a maximum. A bound that is not a count is satisfied.
    pub(super) fn apply_count_bound(
        &mut self,
        keyword: &'static str,
        bound: &Value,
        (verb, singular, plural): CountWords,
        count: impl FnOnce(&mut Self) -> u64,
    ) -> bool {
        let Some(bound) = parse_count(bound) else {
            return true;
        };
        let (is_valid, limit) = match keyword.starts_with("min") {
            true => (count(self) >= bound, "least"),
            false => (count(self) <= bound, "most"),
        };
        let bound = CountWithNoun(bound, singular, plural);
        is_valid || self.record_violation(keyword, format_args!("{verb} at {limit} {bound}"))
    }

    /// Returns the length of a text in Unicode code points, and charges the text to the budget.
    fn count_characters(&mut self, text: &str) -> u64 {
        self.budget.spend_text(text);
        text.chars().count() as u64
    }
}

fn is_of_type(name: &str, instance: &Value) -> bool {
    match instance {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            name == "number" || (name == "integer" && numbers::is_integer(number))
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}
