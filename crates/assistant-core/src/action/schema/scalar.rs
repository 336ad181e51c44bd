//! Keywords for single values: type, const, enum, and the bounds of strings and numbers.

use core::cmp::Ordering;

use serde_json::{Number, Value};

use super::check::Check;
use super::describe::{kind_of, kinds};
use super::equality::equal;
use super::message::{Count, Listed, Shown};
use super::numbers::{self, count};

impl<'a> Check<'a, '_> {
    /// Applies `type`: a name or a list of names.
    pub(super) fn type_of(&mut self, wanted: &Value, instance: &Value) -> bool {
        let fits = match wanted {
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
        fits || self.fail(
            "type",
            format_args!("must be {}, not {}", kinds(wanted), kind_of(instance)),
        )
    }

    /// Applies `enum`.
    pub(super) fn one_of_values(&mut self, wanted: &Value, instance: &Value) -> bool {
        let Value::Array(values) = wanted else {
            return true;
        };
        values
            .iter()
            .any(|value| equal(value, instance, &mut self.budget))
            || self.fail("enum", format_args!("must be one of {}", Listed(values)))
    }

    /// Applies `const`.
    pub(super) fn constant(&mut self, wanted: &Value, instance: &Value) -> bool {
        equal(wanted, instance, &mut self.budget)
            || self.fail("const", format_args!("must be {}", Shown(wanted)))
    }

    /// Applies one keyword to a string; keywords that do not concern strings pass.
    pub(super) fn string_keyword(&mut self, keyword: &str, value: &'a Value, text: &str) -> bool {
        match (keyword, value) {
            ("pattern", Value::String(pattern)) => {
                self.matches(pattern, text) != Some(false)
                    || self.fail("pattern", format_args!("must match the pattern {pattern}"))
            }
            ("minLength", _) => match count(value) {
                Some(least) if self.length(text) < least => self.fail(
                    "minLength",
                    format_args!("must be at least {} long", characters(least)),
                ),
                _ => true,
            },
            ("maxLength", _) => match count(value) {
                Some(most) if self.length(text) > most => self.fail(
                    "maxLength",
                    format_args!("must be at most {} long", characters(most)),
                ),
                _ => true,
            },
            _ => true,
        }
    }

    /// Applies one keyword to a number; keywords that do not concern numbers pass.
    pub(super) fn number_keyword(
        &mut self,
        keyword: &str,
        value: &'a Value,
        number: &Number,
    ) -> bool {
        let Value::Number(bound) = value else {
            return true;
        };
        let order = numbers::compare(number, bound);
        let (keyword, fits, words) = match keyword {
            "minimum" => ("minimum", order != Ordering::Less, "at least"),
            "maximum" => ("maximum", order != Ordering::Greater, "at most"),
            "exclusiveMinimum" => ("exclusiveMinimum", order == Ordering::Greater, "more than"),
            "exclusiveMaximum" => ("exclusiveMaximum", order == Ordering::Less, "less than"),
            "multipleOf" => (
                "multipleOf",
                numbers::is_multiple(number, bound),
                "a multiple of",
            ),
            _ => return true,
        };
        fits || self.fail(keyword, format_args!("must be {words} {bound}"))
    }

    /// Returns the length in Unicode code points.
    fn length(&mut self, text: &str) -> u64 {
        self.budget.spend_text(text);
        text.chars().count() as u64
    }
}

fn characters(count: u64) -> Count {
    Count(count, "character", "characters")
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
