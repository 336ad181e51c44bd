//! Applies the keywords for objects. Properties are visited by position in the instance's order,
//! since `unevaluatedProperties` marks them by position.

use core::fmt;

use serde_json::Value;

use super::check::{EvaluatedPositions, Validation};
use super::message::{CountWords, QuotedKeys, QuotedName};
use crate::event::Object;

const COUNT_WORDS: CountWords = ("must have", "property", "properties");

impl<'a> Validation<'a, '_> {
    /// Applies one keyword of `schema` to an object. Keywords that do not concern objects are
    /// satisfied.
    pub(super) fn apply_object_keyword(
        &mut self,
        schema: &'a Object,
        keyword: &str,
        value: &'a Value,
        instance: &Value,
        object: &Object,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let length = object.len() as u64;
        match keyword {
            "properties" => self.apply_properties(value, object, evaluated),
            "patternProperties" => self.apply_pattern_properties(value, object, evaluated),
            "additionalProperties" => {
                self.apply_additional_properties(schema, value, object, evaluated)
            }
            "propertyNames" => self.apply_property_names(value, object),
            "required" => {
                let words = format_args!("is required");
                self.require_properties("required", words, schema, value, object)
            }
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.apply_dependents(schema, value, instance, object, evaluated)
            }
            "minProperties" => {
                self.apply_count_bound("minProperties", value, COUNT_WORDS, |_| length)
            }
            "maxProperties" => {
                self.apply_count_bound("maxProperties", value, COUNT_WORDS, |_| length)
            }
            _ => true,
        }
    }

    fn apply_properties(
        &mut self,
        schemas: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(schemas) = self.read_schema_map(schemas) else {
            return true;
        };
        let properties = object.iter().enumerate();
        self.check_each(properties, |check, (position, (key, item))| {
            check.budget.spend_text(key);
            let Some(schema) = schemas.get(key) else {
                return true;
            };
            if let Some(evaluated) = evaluated.as_deref_mut() {
                evaluated.mark(position);
            }
            check.with_path_step(key, &mut |check| check.apply(schema, item, None))
        })
    }

    fn apply_pattern_properties(
        &mut self,
        schemas: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(schemas) = self.read_schema_map(schemas) else {
            return true;
        };
        let mut is_valid = true;
        for (position, (key, item)) in object.iter().enumerate() {
            for (pattern, schema) in schemas {
                // If the host does not evaluate the pattern, the property is accepted with any
                // value.
                let match_result = self.match_pattern(pattern, key);
                if match_result == Some(false) {
                    continue;
                }
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
                if match_result.is_some() {
                    is_valid &=
                        self.with_path_step(key, &mut |check| check.apply(schema, item, None));
                }
                if !self.should_continue(is_valid) {
                    return false;
                }
            }
        }
        is_valid
    }

    fn apply_additional_properties(
        &mut self,
        schema: &'a Object,
        rest: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        self.check_each(
            object.iter().enumerate(),
            |check, (position, (key, item))| {
                check.budget.spend_text(key);
                let is_known = properties.is_some_and(|properties| properties.contains_key(key))
                    || patterns.is_some_and(|patterns| {
                        patterns
                            .keys()
                            .any(|pattern| check.match_pattern(pattern, key) != Some(false))
                    });
                if is_known {
                    return true;
                }
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
                check.apply_to_extra_property("additionalProperties", rest, properties, key, item)
            },
        )
    }

    /// Applies `unevaluatedProperties` to the properties that no other keyword has evaluated.
    pub(super) fn apply_unevaluated_properties(
        &mut self,
        rest: &'a Value,
        object: &Object,
        evaluated: &EvaluatedPositions,
    ) -> bool {
        let keyword = "unevaluatedProperties";
        self.check_each(
            object.iter().enumerate(),
            |check, (position, (key, item))| {
                check.budget.spend(1);
                evaluated.contains(position)
                    || check.apply_to_extra_property(keyword, rest, None, key, item)
            },
        )
    }

    /// Applies `rest`, the value of `keyword`, to a property that has no schema of its own.
    /// `expected` contains the known properties, which the violation lists.
    fn apply_to_extra_property(
        &mut self,
        keyword: &'static str,
        rest: &'a Value,
        expected: Option<&Object>,
        key: &str,
        item: &Value,
    ) -> bool {
        self.with_path_step(&key, &mut |check| match (rest, expected) {
            (Value::Bool(false), Some(expected)) if !expected.is_empty() => check.record_violation(
                keyword,
                format_args!(
                    "is not a known property; known are {}",
                    QuotedKeys(expected)
                ),
            ),
            (Value::Bool(false), _) => {
                check.record_violation(keyword, format_args!("is not a known property"))
            }
            _ => check.apply(rest, item, None),
        })
    }

    fn apply_property_names(&mut self, schema: &'a Value, object: &Object) -> bool {
        self.check_each(object.keys(), |check, key| {
            if !check.budget.spend_text(key) {
                return false;
            }
            let name = Value::String(key.clone());
            check.with_path_step(key, &mut |check| {
                let Err(mut violations) = check.try_apply(schema, &name, None) else {
                    return true;
                };
                for violation in &mut violations {
                    violation.message.insert_str(0, "the property name ");
                }
                check.record_violations(violations)
            })
        })
    }

    /// Records a violation for each of `names` that the object does not contain. `words` is the
    /// message, without the description of the expected value.
    fn require_properties(
        &mut self,
        keyword: &'static str,
        words: fmt::Arguments<'_>,
        schema: &'a Object,
        names: &Value,
        object: &Object,
    ) -> bool {
        let properties = schema.get("properties").and_then(Value::as_object);
        let names = names.as_array().into_iter().flatten();
        self.check_each(names.filter_map(Value::as_str), |check, name| {
            check.budget.spend_text(name);
            object.contains_key(name)
                || check.report_missing_property(keyword, words, name, properties)
        })
    }

    /// Records a violation for a missing property, with a description of the expected value if the
    /// schema has a description. Always returns false.
    fn report_missing_property(
        &mut self,
        keyword: &'static str,
        words: fmt::Arguments<'_>,
        name: &str,
        properties: Option<&'a Object>,
    ) -> bool {
        let expected = match properties.and_then(|properties| properties.get(name)) {
            Some(schema) if !self.is_quiet() => self.describe_schema(schema),
            _ => None,
        };
        self.with_path_step(&name, &mut |check| match &expected {
            Some(expected) => check.record_violation(keyword, format_args!("{words}: {expected}")),
            None => check.record_violation(keyword, words),
        })
    }

    /// Applies `dependentRequired`, `dependentSchemas` or the `dependencies` of older drafts, which
    /// combines both keywords.
    fn apply_dependents(
        &mut self,
        schema: &'a Object,
        dependents: &'a Value,
        instance: &Value,
        object: &Object,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(dependents) = self.read_schema_map(dependents) else {
            return true;
        };
        self.check_each(dependents, |check, (key, dependent)| {
            check.budget.spend_text(key);
            match dependent {
                _ if !object.contains_key(key) => true,
                Value::Array(_) => {
                    let words = format_args!("is required together with {}", QuotedName(key));
                    check.require_properties("dependentRequired", words, schema, dependent, object)
                }
                _ => check.apply(dependent, instance, evaluated.as_deref_mut()),
            }
        })
    }

    /// Returns `value` as an object of schemas. For any other value, records a fault of the schema
    /// and returns `None`.
    fn read_schema_map(&mut self, value: &'a Value) -> Option<&'a Object> {
        let schemas = value.as_object();
        if schemas.is_none() {
            self.record_schema_fault(format_args!(
                "the schema is not valid: an object of schemas was expected"
            ));
        }
        schemas
    }
}
