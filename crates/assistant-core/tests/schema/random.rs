//! Random schemas and instances: no panics, bounded results, and consistent verdicts.

use assistant_core::action::schema::MAX_VIOLATIONS;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::found;

/// Values of the draft's keywords, so that many are meaningful schemas.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-3..9_i64).prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
        ".{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(WORDS), inner), 0..5).prop_map(|entries| {
                entries
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

const WORDS: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$defs",
    "#",
    "#a",
    "a",
    "#/$defs/a",
    "../a%zz",
    "urn:a?b",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "type",
    "enum",
    "const",
    "string",
    "number",
    "integer",
    "object",
    "array",
    "null",
    "properties",
    "required",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "prefixItems",
    "items",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "multipleOf",
    "minProperties",
    "maxProperties",
];

/// Meaningful schemas, for instances with few names.
fn any_schema() -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let kind = || {
        prop::sample::select(vec![
            "string", "integer", "number", "object", "array", "null",
        ])
    };
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        kind().prop_map(|kind| json!({ "type": kind })),
        (0..3).prop_map(
            |n| json!({ "minimum": n, "maxLength": n, "minItems": n, "maxProperties": n })
        ),
        any_instance().prop_map(|value| json!({ "const": value })),
        name().prop_map(|name| json!({ "required": [name] })),
        (name(), name())
            .prop_map(|(a, b)| json!({ "dependentRequired": { a: [b] }, "pattern": a })),
    ];
    leaf.prop_recursive(4, 40, 4, move |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            (name(), pair()).prop_map(|(a, (x, y))| json!({ "properties": { a: x }, "additionalProperties": y })),
            (name(), pair()).prop_map(|(a, (x, y))| json!({ "dependentSchemas": { a: x }, "unevaluatedProperties": y })),
            (name(), pair()).prop_map(|(a, (x, y))| json!({ "properties": { a: x }, "allOf": [y], "unevaluatedProperties": false })),
            (name(), pair()).prop_map(|(a, (x, y))| json!({ "patternProperties": { a: x }, "propertyNames": y })),
            pair().prop_map(|(x, y)| json!({ "prefixItems": [x], "items": y, "uniqueItems": true })),
            pair().prop_map(|(x, y)| json!({ "contains": x, "maxContains": 1, "unevaluatedItems": y })),
            pair().prop_map(|(x, y)| json!({ "anyOf": [x, y], "unevaluatedProperties": false })),
            pair().prop_map(|(x, y)| json!({ "oneOf": [x, y], "unevaluatedItems": false })),
            pair().prop_map(|(x, y)| json!({ "allOf": [x, { "not": y }] })),
            (pair(), inner.clone()).prop_map(|((x, y), z)| json!({ "if": x, "then": y, "else": z })),
            pair().prop_map(|(x, y)| json!({ "$defs": { "x": x }, "properties": { "a": y } })),
        ]
    })
}

fn any_instance() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (0..4).prop_map(Value::from),
        Just(json!(1.0)),
        Just(json!(0.5)),
        prop::sample::select(vec!["", "a", "abc"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let name = prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..4).prop_map(|all| all.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn random_schemas_never_panic(schema in any_value(), instance in any_value()) {
        let violations = found(&schema, &instance);
        prop_assert!(violations.len() <= MAX_VIOLATIONS);
        for violation in violations {
            prop_assert!(!violation.message().is_empty());
            prop_assert!(violation.path().is_empty() || violation.path().starts_with('/'));
        }
    }

    /// Validation and the verdict alone agree: `if` needs only the verdict.
    #[test]
    fn the_violations_and_the_verdict_agree(schema in any_schema(), instance in any_instance()) {
        let listed = found(&schema, &instance);
        let verdict = found(&json!({ "if": schema, "else": false }), &instance);
        prop_assert_eq!(listed.is_empty(), verdict.is_empty(), "{:?}", listed);
    }
}
