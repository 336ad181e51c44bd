//! Texts of violations: the message, and the limit for other wordings.

use serde_json::json;

use super::{found, lines};

#[test]
fn a_violation_has_the_limit_of_its_keyword() {
    let schema = json!({
        "type": "object",
        "properties": {
            "age": { "type": "integer", "minimum": 18 },
            "name": { "anyOf": [{ "type": "string" }, { "type": "null" }], "maxLength": 3 },
            "importance": { "enum": ["low", "high"] },
            "tags": { "type": "array", "items": { "pattern": "^[a-z]$" }, "minItems": 4 },
        },
        "maxProperties": 2,
    });
    let instance = json!({ "age": 7.5, "name": "Anna", "importance": 1, "tags": ["A"] });
    let found = found(&schema, &instance);
    let limits: Vec<(&str, &str)> = found
        .iter()
        .map(|violation| (violation.keyword(), violation.limit()))
        .collect();
    let expected = [
        ("type", "integer"),
        ("minimum", "18"),
        ("maxLength", "3"),
        ("enum", r#""low", "high""#),
        ("pattern", "^[a-z]$"),
        ("minItems", "4"),
        ("maxProperties", "2"),
    ];
    assert_eq!(limits, expected);
}

/// A schema is not a limit, and neither is the value of a keyword that only led to the violated
/// one.
#[test]
fn a_violation_of_a_subschema_has_no_limit() {
    let schema = json!({
        "$defs": { "nothing": false },
        "allOf": [{ "properties": { "a": { "$ref": "#/$defs/nothing" } } }],
        "properties": {
            "a": true,
            "b": { "oneOf": [{ "minProperties": 0 }, { "maxProperties": 1 }] },
            "c": { "const": { "k": true } },
            "d": { "prefixItems": [false] },
            "e": { "allOf": [{ "type": "object", "unevaluatedProperties": false }] },
            "f": { "not": { "type": "number" } },
            "g": { "uniqueItems": true },
            "h": { "minContains": 2, "contains": { "type": "string" } },
        },
        "additionalProperties": false,
    });
    let instance = json!({
        "a": 1, "b": {}, "c": 1, "d": [1], "e": { "x": 1 }, "f": 1, "g": [1, 1], "h": [], "i": 1,
    });
    let limits: Vec<(&str, String)> = found(&schema, &instance)
        .into_iter()
        .map(|violation| (violation.keyword(), violation.limit().to_owned()))
        .collect();
    let of = |keyword: &str| {
        let mut limits = limits.iter().filter(|(of, _)| *of == keyword);
        let limit = limits.next().map(|(_, limit)| limit.as_str());
        assert!(limits.all(|(_, other)| Some(other.as_str()) == limit));
        limit
    };
    assert_eq!(of("const"), Some(r#"{"k":true}"#));
    for keyword in [
        "false",
        "oneOf",
        "unevaluatedProperties",
        "additionalProperties",
        "not",
        "uniqueItems",
        "minContains",
    ] {
        assert_eq!(of(keyword), Some(""), "{keyword} in {limits:?}");
    }
}

#[test]
fn messages_describe_the_expected_value() {
    let cases = [
        (
            json!({ "type": ["integer", "null"] }),
            json!(1.5),
            "must be an integer or null, not a number",
        ),
        (json!({ "minimum": 3 }), json!(2), "must be at least 3"),
        (json!({ "maximum": 3 }), json!(4), "must be at most 3"),
        (
            json!({ "exclusiveMinimum": 0 }),
            json!(0),
            "must be more than 0",
        ),
        (
            json!({ "exclusiveMaximum": 1 }),
            json!(1.0),
            "must be less than 1",
        ),
        (
            json!({ "multipleOf": 0.01 }),
            json!(0.015),
            "must be a multiple of 0.01",
        ),
        (
            json!({ "minLength": 1 }),
            json!(""),
            "must be at least 1 character long",
        ),
        (
            json!({ "maxLength": 2 }),
            json!("abc"),
            "must be at most 2 characters long",
        ),
        (
            json!({ "pattern": "^a" }),
            json!("b"),
            "must match the pattern ^a",
        ),
        (
            json!({ "minItems": 1 }),
            json!([]),
            "must have at least 1 item",
        ),
        (
            json!({ "maxItems": 2 }),
            json!([1, 2, 3]),
            "must have at most 2 items",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 2, 1.0]),
            "items must all differ: 0 and 2 are the same",
        ),
        (
            json!({ "minProperties": 2 }),
            json!({}),
            "must have at least 2 properties",
        ),
        (
            json!({ "maxProperties": 1 }),
            json!({ "a": 1, "b": 2 }),
            "must have at most 1 property",
        ),
        (
            json!({ "const": { "a": 1 } }),
            json!(2),
            r#"must be {"a":1}"#,
        ),
        (
            json!({ "not": { "type": "string" } }),
            json!("a"),
            "must not be a string",
        ),
        (
            json!({ "contains": { "type": "string" } }),
            json!([1]),
            "must contain at least 1 item like this: a string",
        ),
        (json!({ "items": false }), json!([1]), "/0: is not allowed"),
        (
            json!({ "prefixItems": [true], "unevaluatedItems": false }),
            json!([1, 2]),
            "/1: is one item too many",
        ),
        (
            json!({ "propertyNames": { "maxLength": 1 } }),
            json!({ "ab": 1 }),
            "/ab: the property name must be at most 1 character long",
        ),
        (
            json!({ "dependentRequired": { "card": ["address"] } }),
            json!({ "card": 1 }),
            r#"/address: is required together with "card""#,
        ),
        (
            json!({ "unevaluatedProperties": false }),
            json!({ "a": 1 }),
            "/a: is not a known property",
        ),
        (
            json!({ "$ref": "#/$defs/no" }),
            json!(1),
            r##"the schema refers to "#/$defs/no", which is not there"##,
        ),
        (
            json!({ "properties": { "a": 3 } }),
            json!({ "a": 1 }),
            "/a: the schema is not valid: an object, true or false was expected",
        ),
        (
            json!(3),
            json!(1),
            "the schema is not valid: an object, true or false was expected",
        ),
        (
            json!(null),
            json!(1),
            "the schema is not valid: an object, true or false was expected",
        ),
        (
            json!({ "anyOf": [] }),
            json!(1),
            "the schema is not valid: a list of schemas was expected",
        ),
        (
            json!({ "properties": [] }),
            json!({}),
            "the schema is not valid: an object of schemas was expected",
        ),
    ];
    for (schema, instance, expected) in cases {
        assert_eq!(
            lines(&schema, &instance),
            [expected],
            "{schema} on {instance}"
        );
    }
}

#[test]
fn messages_list_alternative_types() {
    let schema = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    assert_eq!(lines(&schema, &json!(3)), ["must be a string or null"]);
    let schema = json!({ "oneOf": [{ "const": "on" }, { "enum": ["off", "auto"] }] });
    assert_eq!(
        lines(&schema, &json!("up")),
        [r#"must be "on" or one of "off", "auto""#]
    );
}

#[test]
fn the_closest_alternative_is_reported() {
    let schema = json!({
        "properties": { "shape": { "oneOf": [{ "$ref": "#/$defs/circle" }, { "$ref": "#/$defs/box" }] } },
        "$defs": {
            "circle": {
                "type": "object",
                "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } },
                "required": ["kind", "radius"],
            },
            "box": {
                "type": "object",
                "properties": { "kind": { "const": "box" }, "width": { "type": "number" } },
                "required": ["kind", "width"],
            },
        },
    });
    assert_eq!(
        lines(
            &schema,
            &json!({ "shape": { "kind": "circle", "radius": "3" } })
        ),
        ["/shape/radius: must be a number, not a string"]
    );
    assert_eq!(
        lines(&schema, &json!({ "shape": { "kind": "star" } })),
        [r#"/shape: must be an object with "kind": "circle" or an object with "kind": "box""#]
    );
    assert_eq!(
        lines(&schema, &json!({ "shape": "circle" })),
        [r#"/shape: must be an object with "kind": "circle" or an object with "kind": "box""#]
    );
}

#[test]
fn several_matching_alternatives_are_reported() {
    let schema = json!({ "oneOf": [{ "type": "integer" }, { "minimum": 2 }] });
    assert_eq!(
        lines(&schema, &json!(3)),
        ["must fit only one of 2 alternatives"]
    );
    let schema = json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] });
    assert_eq!(
        lines(&schema, &json!(3)),
        ["must fit only one of these, but fits several: an integer or a number"]
    );
}
