//! Generates values that a schema allows, as far as the schema describes the values.

use serde_json::{Map, Value, json};

/// The maximum nesting depth of the schemas for which values are generated.
const MAX_DEPTH: usize = 6;
/// The maximum number of values for one schema.
const MAX_SAMPLES: usize = 40;

/// A value, and a description of its difference from the usual value.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) difference: String,
    pub(super) value: Value,
}

impl Sample {
    fn new(value: Value) -> Self {
        Self {
            difference: String::new(),
            value,
        }
    }
}

/// Generates values of a schema, the most usual first, at most [`MAX_SAMPLES`]. Some values may not
/// be allowed by the schema.
pub(super) fn generate_samples(schema: &Value) -> Vec<Sample> {
    SampleGenerator { root: schema }.samples(schema, 0)
}

struct SampleGenerator<'a> {
    root: &'a Value,
}

impl SampleGenerator<'_> {
    fn samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        let mut samples = self.all_samples(schema, depth);
        samples.truncate(MAX_SAMPLES);
        samples
    }

    fn all_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        if let Some(target) = self.resolve_reference(schema) {
            return self.samples(target, depth + 1);
        }
        if let Some(value) = schema.get("const") {
            return vec![Sample::new(value.clone())];
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return values.iter().cloned().map(Sample::new).collect();
        }
        let mut samples: Vec<Sample> = keyword_items(schema, "examples").map(Sample::new).collect();
        for keyword in ["anyOf", "oneOf"] {
            for branch in keyword_items(schema, keyword) {
                samples.extend(self.samples(&merge_schemas(schema, &branch), depth + 1));
            }
        }
        if samples.is_empty() {
            let merged = keyword_items(schema, "allOf").fold(schema.clone(), |merged, part| {
                let part = self.resolve_reference(&part).cloned().unwrap_or(part);
                merge_schemas(&merged, &part)
            });
            for name in possible_types(&merged) {
                samples.extend(self.samples_of_type(&name, &merged, depth));
            }
        }
        samples
    }

    fn samples_of_type(&self, name: &str, schema: &Value, depth: usize) -> Vec<Sample> {
        let values = match name {
            "object" => return self.object_samples(schema, depth),
            "array" => return self.array_samples(schema, depth),
            "string" => vec![sample_text(schema)],
            "integer" => sample_numbers(schema, json!(1)),
            "number" => sample_numbers(schema, json!(0.5)),
            "boolean" => vec![json!(true), json!(false)],
            _ => vec![Value::Null],
        };
        values.into_iter().map(Sample::new).collect()
    }

    /// Generates an object with all fields, an object with only the required fields, and an object
    /// for each other value of each field.
    fn object_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields: Vec<(&String, Vec<Sample>)> = properties
            .into_iter()
            .flatten()
            .map(|(name, field)| (name, self.samples(field, depth + 1)))
            .collect();
        let mut all_fields = Map::new();
        for (name, values) in &fields {
            if let Some(sample) = values.first() {
                all_fields.insert((*name).clone(), sample.value.clone());
            }
        }
        if let (true, Some(field_schema)) =
            (all_fields.is_empty(), schema.get("additionalProperties"))
        {
            let value = self.samples(field_schema, depth + 1).into_iter().next();
            all_fields.extend(value.map(|sample| ("key".to_owned(), sample.value)));
        }
        let required_names: Vec<Value> = keyword_items(schema, "required").collect();
        for name in required_names.iter().filter_map(Value::as_str) {
            // The schema does not describe the field, so any value is allowed.
            all_fields.entry(name).or_insert_with(|| json!("text"));
        }
        let required_fields = all_fields.clone().into_iter();
        let required_fields: Map<String, Value> = required_fields
            .filter(|(name, _)| required_names.contains(&Value::from(name.as_str())))
            .collect();
        let mut samples = vec![Sample::new(Value::Object(all_fields.clone()))];
        if required_fields.len() < all_fields.len() {
            samples.push(Sample {
                difference: "without the fields that are not required".to_owned(),
                value: Value::Object(required_fields),
            });
        }
        for (name, values) in fields {
            for alternative in values.into_iter().skip(1) {
                let mut fields_with_alternative = all_fields.clone();
                let difference = match alternative.difference.as_str() {
                    "" => format!("`{name}` as {}", alternative.value),
                    difference => format!("`{name}` {difference}"),
                };
                fields_with_alternative.insert(name.clone(), alternative.value);
                let value = Value::Object(fields_with_alternative);
                samples.push(Sample { difference, value });
            }
        }
        samples
    }

    fn array_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        let prefix: Option<Vec<Value>> = keyword_items(schema, "prefixItems")
            .map(|item| Some(self.samples(&item, depth + 1).first()?.value.clone()))
            .collect();
        let prefix = prefix.unwrap_or_default();
        let items = schema.get("items").cloned().unwrap_or(Value::Bool(true));
        let min_len = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let min_len = usize::try_from(min_len).unwrap_or(usize::MAX).clamp(1, 20);
        let array_of_item = |item: Sample| {
            let mut values = prefix.clone();
            let missing_count = min_len.saturating_sub(values.len());
            values.extend(std::iter::repeat_n(item.value, missing_count));
            Sample {
                difference: item.difference,
                value: Value::Array(values),
            }
        };
        let mut samples: Vec<Sample> = self
            .samples(&items, depth + 1)
            .into_iter()
            .map(array_of_item)
            .collect();
        samples.push(Sample::new(Value::Array(prefix.clone())));
        samples
    }

    /// Resolves the `$ref` of a schema within the root schema. Returns `None` if the schema has no
    /// `$ref`, or the target does not exist.
    fn resolve_reference(&self, schema: &Value) -> Option<&Value> {
        let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer)
    }
}

fn keyword_items(schema: &Value, keyword: &str) -> impl Iterator<Item = Value> + use<> {
    let list = schema.get(keyword).and_then(Value::as_array).cloned();
    list.into_iter().flatten()
}

/// Merges two schemas that both apply. Objects and arrays of the same keyword are combined; any
/// other keyword of `overlay` replaces the same keyword of `base`. `anyOf`, `oneOf` and `allOf` of
/// `base` are dropped.
fn merge_schemas(base: &Value, overlay: &Value) -> Value {
    let (Some(base), Some(overlay)) = (base.as_object(), overlay.as_object()) else {
        return overlay.clone();
    };
    let mut merged = base.clone();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        merged.shift_remove(keyword);
    }
    for (keyword, value) in overlay {
        match (merged.get_mut(keyword), value) {
            (Some(Value::Object(target)), Value::Object(addition)) => {
                target.extend(addition.clone());
            }
            (Some(Value::Array(target)), Value::Array(addition)) => target.extend(addition.clone()),
            _ => {
                merged.insert(keyword.clone(), value.clone());
            }
        }
    }
    Value::Object(merged)
}

/// Returns the types that a schema names, or else the types that its keywords imply, or else all
/// types.
fn possible_types(schema: &Value) -> Vec<String> {
    let types = match schema.get("type") {
        Some(Value::String(name)) => return vec![name.clone()],
        Some(Value::Array(names)) => names.iter(),
        _ => [].iter(),
    };
    let types: Vec<String> = types.filter_map(Value::as_str).map(str::to_owned).collect();
    if !types.is_empty() {
        return types;
    }
    let implied_types = [
        ("properties", "object"),
        ("items", "array"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("format", "string"),
        ("pattern", "string"),
        ("minLength", "string"),
    ];
    let implied_type = implied_types
        .iter()
        .find(|(keyword, _)| schema.get(keyword).is_some());
    match implied_type {
        Some((_, name)) => vec![(*name).to_owned()],
        None => ["string", "integer", "boolean", "array", "object", "null"]
            .map(str::to_owned)
            .to_vec(),
    }
}

fn sample_text(schema: &Value) -> Value {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("time") => "12:30:00Z",
        Some("date-time") => "2026-01-31T12:30:00Z",
        Some("duration") => "PT1H",
        Some("email" | "idn-email") => "somebody@example.org",
        Some("hostname") => "example.org",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri" | "iri") => "https://example.org/",
        Some("uuid") => "0b9e2f5e-6f0d-4f0e-9b1a-2f6d1c3b5a70",
        _ => "text",
    };
    let length_limit = |keyword: &str| {
        let limit = schema.get(keyword).and_then(Value::as_u64);
        limit.and_then(|limit| usize::try_from(limit).ok())
    };
    let max_len = length_limit("maxLength").unwrap_or(usize::MAX);
    let min_len = length_limit("minLength").unwrap_or(0).min(10_000);
    let mut text: String = text.chars().take(max_len).collect();
    while text.chars().count() < min_len {
        text.push('x');
    }
    text.into()
}

/// Returns candidate values for a number schema: `usual`, the value of `multipleOf`, a number above
/// the exclusive minimum, and the inclusive bounds. The caller drops values that the schema does
/// not allow.
fn sample_numbers(schema: &Value, usual: Value) -> Vec<Value> {
    let bounds: Vec<Value> = ["minimum", "maximum"]
        .iter()
        .filter_map(|keyword| schema.get(keyword).cloned())
        .collect();
    let multiple = schema.get("multipleOf").cloned();
    let above_minimum = schema.get("exclusiveMinimum").and_then(Value::as_f64);
    let above_minimum = above_minimum.map(|minimum| json!(minimum + 1.0));
    std::iter::once(usual)
        .chain(multiple)
        .chain(above_minimum)
        .chain(bounds)
        .collect()
}
