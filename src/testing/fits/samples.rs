//! Generates values that a schema allows, as far as the schema describes them.

use serde_json::{Map, Value, json};

/// The maximum depth at which a schema is followed.
const MAX_DEPTH: usize = 6;
/// The maximum number of values for one schema.
const MAX_SAMPLES: usize = 40;

/// A value, and a description of its difference from the usual value.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) what: String,
    pub(super) value: Value,
}

impl Sample {
    fn usual(value: Value) -> Self {
        Self {
            what: String::new(),
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
        let mut made = self.all_samples(schema, depth);
        made.truncate(MAX_SAMPLES);
        made
    }

    fn all_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        if let Some(target) = self.resolve_reference(schema) {
            return self.samples(target, depth + 1);
        }
        if let Some(value) = schema.get("const") {
            return vec![Sample::usual(value.clone())];
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return values.iter().cloned().map(Sample::usual).collect();
        }
        let mut made: Vec<Sample> = keyword_items(schema, "examples")
            .map(Sample::usual)
            .collect();
        for keyword in ["anyOf", "oneOf"] {
            for branch in keyword_items(schema, keyword) {
                made.extend(self.samples(&merge_schemas(schema, &branch), depth + 1));
            }
        }
        if made.is_empty() {
            let whole = keyword_items(schema, "allOf").fold(schema.clone(), |whole, part| {
                let part = self.resolve_reference(&part).cloned().unwrap_or(part);
                merge_schemas(&whole, &part)
            });
            for name in possible_types(&whole) {
                made.extend(self.samples_of_type(&name, &whole, depth));
            }
        }
        made
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
        values.into_iter().map(Sample::usual).collect()
    }

    /// Generates an object with all fields, one with only the required fields, and one for each
    /// other value of each field.
    fn object_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields: Vec<(&String, Vec<Sample>)> = properties
            .into_iter()
            .flatten()
            .map(|(name, field)| (name, self.samples(field, depth + 1)))
            .collect();
        let mut full = Map::new();
        for (name, values) in &fields {
            if let Some(usual) = values.first() {
                full.insert((*name).clone(), usual.value.clone());
            }
        }
        if let (true, Some(others)) = (full.is_empty(), schema.get("additionalProperties")) {
            let value = self.samples(others, depth + 1).into_iter().next();
            full.extend(value.map(|sample| ("key".to_owned(), sample.value)));
        }
        let required: Vec<Value> = keyword_items(schema, "required").collect();
        for name in required.iter().filter_map(Value::as_str) {
            // Anything is allowed there.
            full.entry(name).or_insert_with(|| json!("text"));
        }
        let bare = full.clone().into_iter();
        let bare: Map<String, Value> = bare
            .filter(|(name, _)| required.contains(&Value::from(name.as_str())))
            .collect();
        let mut made = vec![Sample::usual(Value::Object(full.clone()))];
        if bare.len() < full.len() {
            made.push(Sample {
                what: "without the fields that are not required".to_owned(),
                value: Value::Object(bare),
            });
        }
        for (name, values) in fields {
            for other in values.into_iter().skip(1) {
                let mut whole = full.clone();
                let what = match other.what.as_str() {
                    "" => format!("`{name}` as {}", other.value),
                    what => format!("`{name}` {what}"),
                };
                whole.insert(name.clone(), other.value);
                let value = Value::Object(whole);
                made.push(Sample { what, value });
            }
        }
        made
    }

    fn array_samples(&self, schema: &Value, depth: usize) -> Vec<Sample> {
        let begin: Option<Vec<Value>> = keyword_items(schema, "prefixItems")
            .map(|item| Some(self.samples(&item, depth + 1).first()?.value.clone()))
            .collect();
        let begin = begin.unwrap_or_default();
        let items = schema.get("items").cloned().unwrap_or(Value::Bool(true));
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX).clamp(1, 20);
        let one_more = |item: Sample| {
            let mut whole = begin.clone();
            let missing = least.saturating_sub(whole.len());
            whole.extend(std::iter::repeat_n(item.value, missing));
            Sample {
                what: item.what,
                value: Value::Array(whole),
            }
        };
        let mut made: Vec<Sample> = self
            .samples(&items, depth + 1)
            .into_iter()
            .map(one_more)
            .collect();
        made.push(Sample::usual(Value::Array(begin.clone())));
        made
    }

    /// Resolves the `$ref` of a schema within the root schema; `None` if the schema has no `$ref`,
    /// or the target does not exist.
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
/// other keyword of `other` replaces that of `base`. `anyOf`, `oneOf` and `allOf` of `base` are
/// dropped.
fn merge_schemas(base: &Value, other: &Value) -> Value {
    let (Some(base), Some(other)) = (base.as_object(), other.as_object()) else {
        return other.clone();
    };
    let mut whole = base.clone();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        whole.shift_remove(keyword);
    }
    for (keyword, value) in other {
        match (whole.get_mut(keyword), value) {
            (Some(Value::Object(into)), Value::Object(more)) => {
                into.extend(more.clone());
            }
            (Some(Value::Array(into)), Value::Array(more)) => into.extend(more.clone()),
            _ => {
                whole.insert(keyword.clone(), value.clone());
            }
        }
    }
    Value::Object(whole)
}

/// Returns the types that a schema names, else the types that its keywords imply, else all types.
fn possible_types(schema: &Value) -> Vec<String> {
    let types = match schema.get("type") {
        Some(Value::String(one)) => return vec![one.clone()],
        Some(Value::Array(several)) => several.iter(),
        _ => [].iter(),
    };
    let types: Vec<String> = types.filter_map(Value::as_str).map(str::to_owned).collect();
    if !types.is_empty() {
        return types;
    }
    let about = [
        ("properties", "object"),
        ("items", "array"),
        ("minimum", "number"),
        ("maximum", "number"),
        ("format", "string"),
        ("pattern", "string"),
        ("minLength", "string"),
    ];
    let about = about
        .iter()
        .find(|(keyword, _)| schema.get(keyword).is_some());
    match about {
        Some((_, name)) => vec![(*name).to_owned()],
        None => ["string", "integer", "boolean", "array", "object", "null"]
            .map(str::to_owned)
            .to_vec(),
    }
}

fn sample_text(schema: &Value) -> Value {
    let made = match schema.get("format").and_then(Value::as_str) {
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
    let bound = |keyword: &str| {
        let bound = schema.get(keyword).and_then(Value::as_u64);
        bound.and_then(|bound| usize::try_from(bound).ok())
    };
    let most = bound("maxLength").unwrap_or(usize::MAX);
    let least = bound("minLength").unwrap_or(0).min(10_000);
    let mut made: String = made.chars().take(most).collect();
    while made.chars().count() < least {
        made.push('x');
    }
    made.into()
}

/// Returns candidate values for a number schema: a usual number, the value of `multipleOf`, and the
/// bounds. The caller drops values that the schema does not allow.
fn sample_numbers(schema: &Value, usual: Value) -> Vec<Value> {
    let bounds: Vec<Value> = ["minimum", "maximum"]
        .iter()
        .filter_map(|keyword| schema.get(keyword).cloned())
        .collect();
    let steps = schema.get("multipleOf").cloned();
    let above = schema.get("exclusiveMinimum").and_then(Value::as_f64);
    let above = above.map(|above| json!(above + 1.0));
    // Values outside of the bounds are filtered out by the caller.
    std::iter::once(usual)
        .chain(steps)
        .chain(above)
        .chain(bounds)
        .collect()
}
