//! Keywords for objects. Properties are visited by position in the instance's order, since
//! `unevaluatedProperties` marks them by position.

use core::fmt;

use serde_json::{Map, Value};

use super::check::{Check, Evaluated};
use super::message::{Count, Keys, Named};
use super::numbers::count;

type Object = Map<String, Value>;

impl<'a> Check<'a, '_> {
    /// Applies one keyword of `schema` to an object; keywords that do not concern objects pass.
    pub(super) fn object_keyword(
        &mut self,
        schema: &'a Object,
        keyword: &str,
        value: &'a Value,
        instance: &Value,
        object: &Object,
        evaluated: Option<&mut Evaluated>,
    ) -> bool {
        match keyword {
            "properties" => self.properties(value, object, evaluated),
            "patternProperties" => self.pattern_properties(value, object, evaluated),
            "additionalProperties" => self.additional_properties(schema, value, object, evaluated),
            "propertyNames" => self.property_names(value, object),
            "required" => self.required(schema, value, object),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.dependents(schema, value, instance, object, evaluated)
            }
            "minProperties" => match count(value) {
                Some(least) if (object.len() as u64) < least => self.fail(
                    "minProperties",
                    format_args!(
                        "must have at least {}",
                        Count(least, "property", "properties")
                    ),
                ),
                _ => true,
            },
            "maxProperties" => match count(value) {
                Some(most) if (object.len() as u64) > most => self.fail(
                    "maxProperties",
                    format_args!(
                        "must have at most {}",
                        Count(most, "property", "properties")
                    ),
                ),
                _ => true,
            },
            _ => true,
        }
    }

    fn properties(
        &mut self,
        schemas: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let Some(schemas) = self.schemas(schemas) else {
            return true;
        };
        let mut fits = true;
        for (position, (key, item)) in object.iter().enumerate() {
            self.budget.spend_text(key);
            if let Some(schema) = schemas.get(key) {
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
                fits &= self.within(key, &mut |check| check.apply(schema, item, None));
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    fn pattern_properties(
        &mut self,
        schemas: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let Some(schemas) = self.schemas(schemas) else {
            return true;
        };
        let mut fits = true;
        for (position, (key, item)) in object.iter().enumerate() {
            for (pattern, schema) in schemas {
                // If the host does not evaluate the pattern, the property is accepted with any
                // value.
                let matches = self.matches(pattern, key);
                if matches == Some(false) {
                    continue;
                }
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
                if matches.is_some() {
                    fits &= self.within(key, &mut |check| check.apply(schema, item, None));
                }
                if !self.should_continue(fits) {
                    return false;
                }
            }
        }
        fits
    }

    fn additional_properties(
        &mut self,
        schema: &'a Object,
        rest: &'a Value,
        object: &Object,
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let named = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let mut fits = true;
        for (position, (key, item)) in object.iter().enumerate() {
            self.budget.spend_text(key);
            let known = named.is_some_and(|named| named.contains_key(key))
                || patterns.is_some_and(|patterns| {
                    patterns
                        .keys()
                        .any(|pattern| self.matches(pattern, key) != Some(false))
                });
            if !known {
                if let Some(evaluated) = evaluated.as_deref_mut() {
                    evaluated.mark(position);
                }
                fits &= self.extra("additionalProperties", rest, named, key, item);
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Applies `unevaluatedProperties` to the properties that no other keyword has evaluated.
    pub(super) fn unevaluated_properties(
        &mut self,
        rest: &'a Value,
        object: &Object,
        evaluated: &Evaluated,
    ) -> bool {
        let mut fits = true;
        for (position, (key, item)) in object.iter().enumerate() {
            self.budget.spend(1);
            if !evaluated.has(position) {
                fits &= self.extra("unevaluatedProperties", rest, None, key, item);
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Checks a property that has no schema of its own.
    fn extra(
        &mut self,
        keyword: &'static str,
        rest: &'a Value,
        expected: Option<&Object>,
        key: &str,
        item: &Value,
    ) -> bool {
        self.within(&key, &mut |check| match (rest, expected) {
            (Value::Bool(false), Some(expected)) if !expected.is_empty() => check.fail(
                keyword,
                format_args!("is not a known property; known are {}", Keys(expected)),
            ),
            (Value::Bool(false), _) => check.fail(keyword, format_args!("is not a known property")),
            _ => check.apply(rest, item, None),
        })
    }

    fn property_names(&mut self, schema: &'a Value, object: &Object) -> bool {
        let mut fits = true;
        for key in object.keys() {
            if !self.budget.spend_text(key) {
                return false;
            }
            let name = Value::String(key.clone());
            fits &= self.within(key, &mut |check| {
                let Err(mut found) = check.try_apply(schema, &name, None) else {
                    return true;
                };
                for violation in &mut found {
                    violation.message.insert_str(0, "the property name ");
                }
                check.adopt(found)
            });
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    fn required(&mut self, schema: &'a Object, names: &Value, object: &Object) -> bool {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut fits = true;
        for name in names
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            self.budget.spend_text(name);
            if !object.contains_key(name) {
                fits &= self.missing("required", format_args!("is required"), name, properties);
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Reports a missing property with the description of the expected value.
    fn missing(
        &mut self,
        keyword: &'static str,
        words: fmt::Arguments<'_>,
        name: &str,
        properties: Option<&'a Object>,
    ) -> bool {
        let expected = match properties.and_then(|properties| properties.get(name)) {
            Some(schema) if !self.is_quiet() => self.describe(schema),
            _ => None,
        };
        self.within(&name, &mut |check| match &expected {
            Some(expected) => check.fail(keyword, format_args!("{words}: {expected}")),
            None => check.fail(keyword, words),
        })
    }

    /// Applies `dependentRequired`, `dependentSchemas`, and the older `dependencies`, which
    /// combined both.
    fn dependents(
        &mut self,
        schema: &'a Object,
        dependents: &'a Value,
        instance: &Value,
        object: &Object,
        mut evaluated: Option<&mut Evaluated>,
    ) -> bool {
        let Some(dependents) = self.schemas(dependents) else {
            return true;
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut fits = true;
        for (key, dependent) in dependents {
            self.budget.spend_text(key);
            if object.contains_key(key) {
                fits &= match dependent {
                    Value::Array(names) => self.required_with(names, key, object, properties),
                    _ => self.apply(dependent, instance, evaluated.as_deref_mut()),
                };
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    fn required_with(
        &mut self,
        names: &[Value],
        key: &str,
        object: &Object,
        properties: Option<&'a Object>,
    ) -> bool {
        let mut fits = true;
        for name in names.iter().filter_map(Value::as_str) {
            self.budget.spend_text(name);
            if !object.contains_key(name) {
                fits &= self.missing(
                    "dependentRequired",
                    format_args!("is required together with {}", Named(key)),
                    name,
                    properties,
                );
            }
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
    }

    /// Reads a map of schemas; anything else is a fault of the schema.
    fn schemas(&mut self, value: &'a Value) -> Option<&'a Object> {
        let schemas = value.as_object();
        if schemas.is_none() {
            self.fault(format_args!(
                "the schema is not valid: an object of schemas was expected"
            ));
        }
        schemas
    }
}
