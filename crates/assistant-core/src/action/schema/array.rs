//! Keywords for arrays.

use serde_json::{Map, Value};

use super::check::{Check, Evaluated};
use super::equality::first_repeat;
use super::message::Count;
use super::numbers::count;

impl<'a> Check<'a, '_> {
    /// Applies one keyword of `schema` to an array; keywords that do not concern arrays pass.
    pub(super) fn array_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        keyword: &str,
        value: &'a Value,
        items: &[Value],
        evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let length = items.len() as u64;
        match (keyword, value) {
            // Before draft 2020-12, `items` held the list and `additionalItems` the rest.
            ("prefixItems" | "items", Value::Array(schemas)) => {
                self.prefix(schemas, items, evaluated)
            }
            ("items", _) => {
                let prefix = schema.get("prefixItems").and_then(Value::as_array);
                self.rest(value, prefix.map_or(0, Vec::len), items, evaluated)
            }
            ("additionalItems", _) => match schema.get("items") {
                Some(Value::Array(prefix)) => self.rest(value, prefix.len(), items, evaluated),
                _ => true,
            },
            ("contains", _) => self.contains(schema, value, items, evaluated),
            ("minItems", _) => match count(value) {
                Some(least) if length < least => self.fail(
                    "minItems",
                    format_args!("must have at least {}", Count(least, "item", "items")),
                ),
                _ => true,
            },
            ("maxItems", _) => match count(value) {
                Some(most) if length > most => self.fail(
                    "maxItems",
                    format_args!("must have at most {}", Count(most, "item", "items")),
                ),
                _ => true,
            },
            ("uniqueItems", Value::Bool(true)) => match first_repeat(items, &mut self.budget) {
                Some((earlier, later)) => self.fail(
                    "uniqueItems",
                    format_args!("items must all differ: {earlier} and {later} are the same"),
                ),
                None => true,
            },
            _ => true,
        }
    }

    fn prefix(
        &mut self,
        schemas: &'a [Value],
        items: &[Value],
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let mut fits = true;
        for (position, (schema, item)) in schemas.iter().zip(items).enumerate() {
            if let Some(evaluated) = evaluated.as_deref_mut() {
                evaluated.mark(position);
            }
            fits &= self.within(&position, &mut |check| check.apply(schema, item, None));
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Applies a schema to all items from `start` on.
    fn rest(
        &mut self,
        schema: &'a Value,
        start: usize,
        items: &[Value],
        evaluated: Option<&mut Evaluated>,
    ) -> bool {
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        let mut fits = true;
        for (position, item) in items.iter().enumerate().skip(start) {
            fits &= self.within(&position, &mut |check| check.apply(schema, item, None));
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Applies `unevaluatedItems` to the items that no other keyword has evaluated.
    pub(super) fn unevaluated_items(
        &mut self,
        rest: &'a Value,
        items: &[Value],
        evaluated: &Evaluated,
    ) -> bool {
        let mut fits = true;
        for (position, item) in items.iter().enumerate() {
            self.budget.spend(1);
            if !evaluated.has(position) {
                fits &= self.within(&position, &mut |check| match rest {
                    Value::Bool(false) => {
                        check.fail("unevaluatedItems", format_args!("is one item too many"))
                    }
                    _ => check.apply(rest, item, None),
                });
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    fn contains(
        &mut self,
        schema: &'a Map<String, Value>,
        wanted: &'a Value,
        items: &[Value],
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let mut found = 0_u64;
        for (position, item) in items.iter().enumerate() {
            if self.test(wanted, item, None) {
                found += 1;
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
            }
            if self.is_stopped() {
                return false;
            }
        }
        let least = schema.get("minContains").and_then(count).unwrap_or(1);
        let most = schema
            .get("maxContains")
            .and_then(count)
            .unwrap_or(u64::MAX);
        let (keyword, words, bound) = if found < least {
            let keyword = if schema.contains_key("minContains") {
                "minContains"
            } else {
                "contains"
            };
            (keyword, "least", least)
        } else if found > most {
            ("maxContains", "most", most)
        } else {
            return true;
        };
        let evaluated = if self.is_quiet() {
            None
        } else {
            self.describe(wanted)
        };
        let (like, evaluated) = match &evaluated {
            Some(evaluated) => (" like this: ", evaluated.as_str()),
            None => (" of the kind that the schema names", ""),
        };
        let bound = Count(bound, "item", "items");
        self.fail(
            keyword,
            format_args!("must contain at {words} {bound}{like}{evaluated}"),
        )
    }
}
