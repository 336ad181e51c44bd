//! Whether a schema that is written by hand fits the type that a handler reads.
//!
//! Values that the schema allows are made from it, and read into the type: one with all fields, one
//! with no more than those required, and one for each other value that a field may have.
//! Neighbours: `samples` makes the values, `fields` asks a type for the names of its fields.

mod fields;
mod samples;

use assistant_core::action::schema::{NoPatterns, validate};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Checks that arguments which the schema of an action allows can be read into the type of its
/// handler.
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
/// See [`schema_misfits`] for what is found, and what is not.
///
/// # Panics
///
/// When they cannot, with all that is wrong.
#[track_caller]
#[allow(clippy::panic, reason = "a check in tests")]
pub fn assert_schema_fits<T: DeserializeOwned>(schema: &Value) {
    let found = schema_misfits::<T>(schema);
    if !found.is_empty() {
        let type_name = std::any::type_name::<T>();
        panic!(
            "the schema does not fit {type_name}:\n- {}",
            found.join("\n- ")
        );
    }
}

/// Lists what keeps arguments that a schema allows from being read into a type: fields that the type
/// needs and the schema does not require, values of another type than the field's, properties that
/// the type denies or does not know.
///
/// Values are made from what the schema says: its types, `enum`, `const`, `format`, `examples`, and
/// the bounds that it names. A number without bounds is tried with a small one alone. What a
/// `pattern` matches is not made up: give `examples`. Optional fields that the schema does not
/// mention are no fault.
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
/// let found = schema_misfits::<Trip>(&json!({
///     "type": "object",
///     "properties": {"city": {"type": "string"}}
/// }));
/// assert_eq!(found, ["without the fields that are not required: missing field `city`"]);
/// ```
#[must_use]
pub fn schema_misfits<T: DeserializeOwned>(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let unknown = fields::of::<T>().map(|fields| unknown_properties(schema, fields));
    let tried = samples::of(schema);
    let allowed = tried
        .into_iter()
        .filter(|sample| validate(schema, &sample.value, &mut NoPatterns).is_empty());
    let mut any = false;
    for sample in allowed {
        any = true;
        let Err(error) = serde_json::from_value::<T>(sample.value) else {
            continue;
        };
        let said = match sample.what.as_str() {
            "" => error.to_string(),
            what => format!("{what}: {error}"),
        };
        // Of a field that is wrong in every value, one word is enough.
        let known = |old: &String| old.ends_with(&error.to_string());
        if !found.iter().any(known) {
            found.push(said);
        }
    }
    if !any {
        let wrong = validate(schema, &Value::Null, &mut NoPatterns);
        let fault = wrong.iter().find(|wrong| wrong.keyword == "schema");
        found.push(match fault {
            Some(fault) => format!("the schema cannot be read: {fault}"),
            None => "no value could be made from the schema: give it `examples`".to_owned(),
        });
    }
    // A type that denies them has said so.
    let denied = found.iter().any(|line| line.contains("unknown field"));
    found.extend(unknown.into_iter().flatten().filter(|_| !denied));
    found
}

/// Properties that the type has no field for.
fn unknown_properties(schema: &Value, fields: &[&str]) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(|map| map.keys());
    names
        .filter(|name| !fields.contains(&name.as_str()))
        .map(|name| format!("the type has no field `{name}`"))
        .collect()
}
