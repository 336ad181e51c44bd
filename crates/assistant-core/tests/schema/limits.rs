//! Schemas and values designed to stall the check, or to inflate its messages.

use std::iter;

use assistant_core::action::schema::MAX_VIOLATIONS;
use serde_json::{Value, json};

use super::found;

#[test]
fn violations_and_their_messages_are_bounded() {
    let long = "x".repeat(100_000);
    let schema = json!({ "items": { "enum": [long, json!([[[long]]]), 1] } });
    let instance = Value::Array(iter::repeat_n(json!({ "a": long }), 200).collect());
    let violations = found(&schema, &instance);
    assert_eq!(violations.len(), MAX_VIOLATIONS);
    assert!(
        violations
            .iter()
            .all(|one| one.message().chars().count() < 310)
    );
    let deep = json!({ "additionalProperties": false });
    let violations = found(&deep, &json!({ long: 1 }));
    assert!(violations[0].path().chars().count() < 510);
}

fn reaches_limit(schema: &Value, instance: &Value) {
    let violations = found(schema, instance);
    assert!(
        violations.iter().any(|one| one.keyword() == "limit"),
        "{violations:?}"
    );
}

#[test]
fn recursive_schemas_reach_a_limit() {
    reaches_limit(&json!({ "$ref": "#" }), &json!(1));
    reaches_limit(
        &json!({ "$dynamicRef": "#a", "$dynamicAnchor": "a" }),
        &json!(1),
    );
    reaches_limit(
        &json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        &json!(1),
    );
    reaches_limit(&json!({ "not": { "$ref": "#" } }), &json!(1));
    reaches_limit(&json!({ "anyOf": [{ "$ref": "#" }, true] }), &json!(1));
    reaches_limit(
        &json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" }),
        &json!(1),
    );
}

#[test]
fn costly_schemas_reach_a_limit() {
    // Thirty doubling levels: about a billion applications.
    let mut defs = serde_json::Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
        defs.insert(
            level.to_string(),
            json!({ "allOf": [next, next], "anyOf": [next, next] }),
        );
    }
    defs.insert("30".into(), json!(true));
    reaches_limit(&json!({ "$defs": defs, "$ref": "#/$defs/0" }), &json!(1));
    // Every item is compared with every value.
    let values: Vec<_> = (0..5_000).collect();
    let items: Vec<_> = (5_000..10_000).collect();
    reaches_limit(&json!({ "items": { "enum": values } }), &json!(items));
}

#[test]
fn a_schema_error_is_not_inverted_by_not() {
    assert!(!found(&json!({ "not": { "$ref": "#/no" } }), &json!(1)).is_empty());
    assert!(!found(&json!({ "if": 3 }), &json!(1)).is_empty());
    assert!(!found(&json!({ "not": { "not": 3 } }), &json!(1)).is_empty());
}

#[test]
fn large_lists_and_deep_trees_are_checked() {
    let items: Vec<_> = (0..100_000).map(|n| json!(n)).collect();
    assert_eq!(
        found(
            &json!({ "uniqueItems": true, "items": { "type": "integer" } }),
            &json!(items)
        ),
        []
    );
    let tree = json!({
        "type": "object",
        "properties": { "children": { "type": "array", "items": { "$ref": "#" } } },
    });
    let mut deep = json!({ "children": [3] });
    for _ in 0..55 {
        deep = json!({ "children": [deep] });
    }
    assert_eq!(found(&tree, &deep).len(), 1);
    let mut deeper = json!([]);
    for _ in 0..1_000 {
        deeper = json!([deeper]);
    }
    reaches_limit(&json!({ "const": deeper }), &deeper);
    reaches_limit(&json!({ "uniqueItems": true }), &deeper);
    reaches_limit(&json!({ "items": { "$ref": "#" } }), &deeper);
}
