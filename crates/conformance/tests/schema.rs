//! Compares the JSON Schema validator with the `jsonschema` crate: both must accept or reject the
//! same values for random schemas. The official suite, in the core, defines correct results.

#![allow(missing_docs, reason = "tests")]

use assistant_core::action::schema::{PatternHost, validate};
use conformance::property_config;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A pattern host for patterns without special characters, which match as substrings.
struct PlainText;

impl PatternHost for PlainText {
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool> {
        Some(text.contains(pattern))
    }
}

fn any_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c"])
}

fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3..5_i64).prop_map(Value::from),
        prop::sample::select(vec![1.0, 0.5, 0.1, 0.3, 0.75, -0.0, 1e20, 1.5e-7])
            .prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Beyond 2^53 the results may differ: ours uses the decimal number, the crate a binary one.
        (-1e9..1e9_f64).prop_map(Value::from),
    ]
}

fn any_instance() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_number(),
        prop::sample::select(vec!["", "a", "abc", "ü💩"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let entry = (any_name().prop_map(str::to_owned), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            prop::collection::vec(entry, 0..4).prop_map(|all| all.into_iter().collect()),
        ]
    })
}

/// Generates schemas without subschemas.
fn any_simple_schema() -> impl Strategy<Value = Value> {
    let kinds = vec![
        "string", "integer", "number", "object", "array", "null", "boolean",
    ];
    let kind = move || prop::sample::select(kinds.clone());
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        kind().prop_map(|kind| json!({ "type": kind })),
        (kind(), kind())
            .prop_filter("types are named once", |(one, other)| one != other)
            .prop_map(|(one, other)| json!({ "type": [one, other] })),
        any_number().prop_map(|bound| json!({ "minimum": bound })),
        any_number().prop_map(|bound| json!({ "exclusiveMaximum": bound })),
        prop::sample::select(vec![1.0, 2.0, 0.5, 0.25, 3.0])
            .prop_map(|by| json!({ "multipleOf": by })),
        (0..4, 0..4).prop_map(|(least, most)| json!({
            "minLength": least, "maxLength": most,
            "minItems": least, "maxItems": most + 1,
            "minProperties": least, "maxProperties": most + 1,
        })),
        any_instance().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(any_instance(), 1..4).prop_map(|values| json!({ "enum": values })),
        any_name().prop_map(|name| json!({ "required": [name], "pattern": name })),
        (any_name(), any_name())
            .prop_map(|(one, other)| json!({ "dependentRequired": { one: [other] } })),
        Just(json!({ "uniqueItems": true })),
        Just(json!({ "$ref": "#/$defs/one" })),
        Just(json!({ "$ref": "two" })),
        Just(json!({ "$ref": "#three" })),
        Just(json!({ "$dynamicRef": "#four" })),
    ]
}

/// Generates schemas with subschemas. Only schemas without references are placed under `$defs`.
fn any_schema() -> impl Strategy<Value = Value> {
    let nested = any_simple_schema().prop_recursive(4, 40, 4, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            (any_name(), two()).prop_map(|(a, (x, y))| json!({ "properties": { a: x }, "additionalProperties": y })),
            (any_name(), two()).prop_map(|(a, (x, y))| json!({ "properties": { a: x }, "anyOf": [y, x], "unevaluatedProperties": false })),
            (any_name(), two()).prop_map(|(a, (x, y))| json!({ "dependentSchemas": { a: x }, "unevaluatedProperties": y })),
            (any_name(), two()).prop_map(|(a, (x, y))| json!({ "patternProperties": { a: x }, "propertyNames": y })),
            two().prop_map(|(x, y)| json!({ "prefixItems": [x], "items": y })),
            two().prop_map(|(x, y)| json!({ "contains": x, "maxContains": 1, "unevaluatedItems": y })),
            two().prop_map(|(x, y)| json!({ "contains": x, "minContains": 0, "allOf": [y], "unevaluatedItems": false })),
            two().prop_map(|(x, y)| json!({ "anyOf": [x, y], "unevaluatedProperties": false })),
            two().prop_map(|(x, y)| json!({ "oneOf": [x, y], "unevaluatedItems": false })),
            two().prop_map(|(x, y)| json!({ "allOf": [x, { "not": y }] })),
            (two(), inner.clone(), any::<bool>()).prop_map(|((x, y), z, closed)| {
                json!({ "if": x, "then": y, "else": z, "unevaluatedProperties": closed })
            }),
        ]
    });
    let leaf = || {
        any_simple_schema().prop_filter("no reference", |schema| {
            schema.get("$ref").is_none() && schema.get("$dynamicRef").is_none()
        })
    };
    (nested, [leaf(), leaf(), leaf()]).prop_map(|(schema, [one, two, three])| {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://example.com/schemas/root",
            "allOf": [schema],
            "$defs": {
                "one": one,
                "two": { "$id": "two", "properties": { "a": two } },
                "three": { "$anchor": "three", "prefixItems": [three] },
                "four": { "$dynamicAnchor": "four", "not": { "const": 1 } },
            },
        })
    })
}

proptest! {
    #![proptest_config(property_config(2_000))]

    #[test]
    fn verdicts_equal_those_of_the_jsonschema_crate(schema in any_schema(), instances in prop::collection::vec(any_instance(), 1..8)) {
        let Ok(theirs) = jsonschema::draft202012::new(&schema) else {
            return Err(TestCaseError::fail("the other validator refuses the schema"));
        };
        for instance in instances {
            let ours = validate(&schema, &instance, &mut PlainText);
            prop_assert_eq!(ours.is_empty(), theirs.is_valid(&instance), "{}: {:?}", instance, ours);
        }
    }
}
