//! Applies the keywords for arrays.

use serde_json::{Map, Value};

use super::check::{EvaluatedPositions, Validation};
use super::equality::find_first_repeat;
use super::message::{CountWithNoun, CountWords};
use super::numbers::parse_count;

const COUNT_WORDS: CountWords = ("must have", "item", "items");

impl<'a> Validation<'a, '_> {
    /// Applies one keyword of `schema` to an array. Keywords that do not concern arrays are
    /// satisfied.
    pub(super) fn apply_array_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        keyword: &str,
        value: &'a Value,
        items: &[Value],
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let length = items.len() as u64;
        match (keyword, value) {
            // Before draft 2020-12, `items` could be a list of schemas, and `additionalItems` was
            // the schema of the remaining items.
            ("prefixItems" | "items", Value::Array(schemas)) => {
                self.apply_prefix_items(schemas, items, evaluated)
            }
            ("items", _) => {
                let prefix = schema.get("prefixItems").and_then(Value::as_array);
                self.apply_items_from(value, prefix.map_or(0, Vec::len), items, evaluated)
            }
            ("additionalItems", _) => match schema.get("items") {
                Some(Value::Array(prefix)) => {
                    self.apply_items_from(value, prefix.len(), items, evaluated)
                }
                _ => true,
            },
            ("contains", _) => self.apply_contains(schema, value, items, evaluated),
            ("minItems", _) => self.apply_count_bound("minItems", value, COUNT_WORDS, |_| length),
            ("maxItems", _) => self.apply_count_bound("maxItems", value, COUNT_WORDS, |_| length),
            ("uniqueItems", Value::Bool(true)) => {
                match find_first_repeat(items, &mut self.budget) {
                    Some((earlier, later)) => self.record_violation(
                        "uniqueItems",
                        format_args!("items must all differ: {earlier} and {later} are the same"),
                    ),
                    None => true,
                }
            }
            _ => true,
        }
    }

    fn apply_prefix_items(
        &mut self,
        schemas: &'a [Value],
        items: &[Value],
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let pairs = schemas.iter().zip(items).enumerate();
        self.check_each(pairs, |check, (position, (schema, item))| {
            if let Some(evaluated) = evaluated.as_deref_mut() {
                evaluated.mark(position);
            }
            check.with_path_step(&position, &mut |check| check.apply(schema, item, None))
        })
    }

    /// Applies a schema to all items from position `start`, and marks all positions as evaluated.
    fn apply_items_from(
        &mut self,
        schema: &'a Value,
        start: usize,
        items: &[Value],
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        let rest = items.iter().enumerate().skip(start);
        self.check_each(rest, |check, (position, item)| {
            check.with_path_step(&position, &mut |check| check.apply(schema, item, None))
        })
    }

    /// Applies `unevaluatedItems` to the items that no other keyword has evaluated.
    pub(super) fn apply_unevaluated_items(
        &mut self,
        rest: &'a Value,
        items: &[Value],
        evaluated: &EvaluatedPositions,
    ) -> bool {
        self.check_each(items.iter().enumerate(), |check, (position, item)| {
            check.budget.spend(1);
            let mut apply_rest = |check: &mut Self| match rest {
                Value::Bool(false) => {
                    check.record_violation("unevaluatedItems", format_args!("is one item too many"))
                }
                _ => check.apply(rest, item, None),
            };
            evaluated.contains(position) || check.with_path_step(&position, &mut apply_rest)
        })
    }

    fn apply_contains(
        &mut self,
        schema: &'a Map<String, Value>,
        item_schema: &'a Value,
        items: &[Value],
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let mut match_count = 0_u64;
        for (position, item) in items.iter().enumerate() {
            if self.test_schema(item_schema, item, None) {
                match_count += 1;
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
            }
            if self.is_stopped() {
                return false;
            }
        }
        let min_count = schema.get("minContains").and_then(parse_count).unwrap_or(1);
        let max_count = schema
            .get("maxContains")
            .and_then(parse_count)
            .unwrap_or(u64::MAX);
        let (keyword, words, bound) = if match_count < min_count {
            let keyword = if schema.contains_key("minContains") {
                "minContains"
            } else {
                "contains"
            };
            (keyword, "least", min_count)
        } else if match_count > max_count {
            ("maxContains", "most", max_count)
        } else {
            return true;
        };
        let description = if self.is_quiet() {
            None
        } else {
            self.describe_schema(item_schema)
        };
        let (introduction, description) = match &description {
            Some(description) => (" like this: ", description.as_str()),
            None => (" of the kind that the schema names", ""),
        };
        let bound = CountWithNoun(bound, "item", "items");
        self.record_violation(
            keyword,
            format_args!("must contain at {words} {bound}{introduction}{description}"),
        )
    }
}
