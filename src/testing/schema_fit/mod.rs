//! Checks that a hand-written schema fits the type that a handler deserializes.
//!
//! Values that the schema allows are generated and deserialized into the type: one value with all
//! fields, one with only the required fields, and one for each other value that a field may have.
//! `samples` generates the values, and `fields` finds the field names of a type.

mod fields;
mod samples;

use assistant_core::action::schema::{NoPatterns, validate};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Asserts that all arguments that the schema of an action allows can be deserialized into the
/// argument type of the action's handler.
///
/// ```
/// use leptos_assistant::testing::assert_schema_fits;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// struct Trip {
///     city: String,
///     nights: Option<u8>,
/// }
///
/// assert_schema_fits::<Trip>(&json!({
///     "type": "object",
///     "properties": {
///         "city": {"type": "string"},
///         "nights": {"type": "integer", "minimum": 1, "maximum": 30}
///     },
///     "required": ["city"]
/// }));
/// ```
///
/// See [`schema_misfits`] for the checks.
///
/// # Panics
///
/// Panics with a list of all problems if some arguments cannot be deserialized.
#[track_caller]
#[allow(clippy::panic, reason = "a check in tests")]
pub fn assert_schema_fits<T: DeserializeOwned>(schema: &Value) {
    let misfits = schema_misfits::<T>(schema);
    if !misfits.is_empty() {
        let type_name = std::any::type_name::<T>();
        panic!(
            "the schema does not fit {type_name}:\n- {}",
            misfits.join("\n- ")
        );
    }
}

/// Lists the ways in which a schema does not fit a type: fields that the type needs and the schema
/// does not require, values whose type differs from the type of the field, and properties that the
/// type rejects or has no field for.
///
/// Values are generated from the schema's types, `enum`, `const`, `format`, `examples` and bounds.
/// For a number without bounds, only a small number is tried. No text is generated for a `pattern`,
/// so such a schema needs `examples`. Optional fields that the schema does not mention are not
/// reported.
///
/// ```
/// use leptos_assistant::testing::schema_misfits;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// struct Trip {
///     city: String,
/// }
///
/// let misfits = schema_misfits::<Trip>(&json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}}
/// }));
/// assert_eq!(misfits, ["without the fields that are not required: missing field `city`"]);
/// ```
#[must_use]
pub fn schema_misfits<T: DeserializeOwned>(schema: &Value) -> Vec<String> {
    let mut misfits = Vec::new();
    let unknown_fields =
        fields::field_names::<T>().map(|fields| unknown_properties(schema, fields));
    let candidates = samples::generate_samples(schema);
    let allowed_samples = candidates
        .into_iter()
        .filter(|sample| validate(schema, &sample.value, &mut NoPatterns).is_empty());
    let mut has_sample = false;
    for sample in allowed_samples {
        has_sample = true;
        let Err(error) = serde_json::from_value::<T>(sample.value) else {
            continue;
        };
        let misfit = match sample.difference.as_str() {
            "" => error.to_string(),
            difference => format!("{difference}: {error}"),
        };
        // An error that occurs for every value is reported once.
        let is_reported = |old: &String| old.ends_with(&error.to_string());
        if !misfits.iter().any(is_reported) {
            misfits.push(misfit);
        }
    }
    if !has_sample {
        let violations = validate(schema, &Value::Null, &mut NoPatterns);
        let violation = violations
            .iter()
            .find(|violation| violation.keyword() == "schema");
        misfits.push(match violation {
            Some(violation) => format!("the schema cannot be read: {violation}"),
            None => "no value could be made from the schema: give it `examples`".to_owned(),
        });
    }
    // Skips the unknown fields if an error of the type has already reported an unknown field.
    let reports_unknown_fields = misfits.iter().any(|line| line.contains("unknown field"));
    misfits.extend(
        unknown_fields
            .into_iter()
            .flatten()
            .filter(|_| !reports_unknown_fields),
    );
    misfits
}

/// Returns the properties of the schema for which the type has no field.
fn unknown_properties(schema: &Value, fields: &[&str]) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let property_names = properties.into_iter().flat_map(|map| map.keys());
    property_names
        .filter(|name| !fields.contains(&name.as_str()))
        .map(|name| format!("the type has no field `{name}`"))
        .collect()
}
