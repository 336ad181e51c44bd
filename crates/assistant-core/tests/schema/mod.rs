//! JSON Schema: what violations say and where. The official suite, limits and random input have files of
//! their own.

mod limits;
mod random;
mod suite;

use std::collections::HashMap;

use assistant_core::action::schema::{NoPatterns, PatternHost, Violation, validate};
use regress::Regex;
use serde_json::{Value, json};

/// Regular expressions as a browser has them with the `u` flag.
#[derive(Default)]
struct Regress(HashMap<String, Option<Regex>>);

impl PatternHost for Regress {
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let compiled = || Regex::with_flags(pattern, "u").ok();
        let regex = self.0.entry(pattern.into()).or_insert_with(compiled);
        regex.as_ref().map(|regex| regex.find(text).is_some())
    }
}

fn found(schema: &Value, instance: &Value) -> Vec<Violation> {
    validate(schema, instance, &mut Regress::default())
}

fn lines(schema: &Value, instance: &Value) -> Vec<String> {
    found(schema, instance)
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// `confirmAction` of the design document, closed to other properties.
fn confirm_action() -> Value {
    json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "description": "The action that needs confirmation" },
            "importance": { "type": "string", "enum": ["low", "medium", "high", "critical"] },
        },
        "required": ["action"],
        "additionalProperties": false,
    })
}

/// For messages in other words: what the keyword says that is not met, also after one that holds
/// schemas of its own.
#[test]
fn a_violation_gives_what_its_keyword_says() {
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
    let said: Vec<(&str, &str)> = found
        .iter()
        .map(|violation| (violation.keyword, violation.limit.as_str()))
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
    assert_eq!(said, expected);
}

/// Schemas are no limits, nor is what a keyword says that only led to the one that is not met.
#[test]
fn a_violation_of_a_schema_has_no_limit() {
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
    let said: Vec<(&str, String)> = found(&schema, &instance)
        .into_iter()
        .map(|violation| (violation.keyword, violation.limit))
        .collect();
    let of = |keyword: &str| {
        let mut said = said.iter().filter(|(of, _)| *of == keyword);
        let limit = said.next().map(|(_, limit)| limit.as_str());
        assert!(said.all(|(_, other)| Some(other.as_str()) == limit));
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
        assert_eq!(of(keyword), Some(""), "{keyword} in {said:?}");
    }
}

#[test]
fn tool_arguments_that_fit() {
    let schema = confirm_action();
    assert_eq!(found(&schema, &json!({ "action": "delete" })), []);
    assert_eq!(
        found(&schema, &json!({ "action": "", "importance": "low" })),
        []
    );
}

#[test]
fn all_violations_are_listed_with_paths() {
    let violations = found(
        &confirm_action(),
        &json!({ "importance": "urgent", "force/d": true }),
    );
    let facts: Vec<_> = violations
        .iter()
        .map(|one| (one.path.as_str(), one.keyword))
        .collect();
    assert_eq!(
        facts,
        [
            ("/importance", "enum"),
            ("/action", "required"),
            ("/force~1d", "additionalProperties"),
        ]
    );
    let messages: Vec<_> = violations.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            r#"must be one of "low", "medium", "high", "critical""#,
            "is required: a string",
            r#"is not a known property; known are "action", "importance""#,
        ]
    );
}

#[test]
fn a_wrong_root_is_named() {
    let violations = found(&confirm_action(), &json!("delete"));
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].path, "");
    assert_eq!(violations[0].to_string(), "must be an object, not a string");
}

#[test]
fn messages_say_what_is_expected() {
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
fn alternatives_of_types_are_named() {
    let schema = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    assert_eq!(lines(&schema, &json!(3)), ["must be a string or null"]);
    let schema = json!({ "oneOf": [{ "const": "on" }, { "enum": ["off", "auto"] }] });
    assert_eq!(
        lines(&schema, &json!("up")),
        [r#"must be "on" or one of "off", "auto""#]
    );
}

#[test]
fn the_closest_alternative_speaks() {
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
fn too_many_alternatives_are_named() {
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

#[test]
fn a_failing_part_does_not_make_the_rest_unexpected() {
    let schema = json!({
        "allOf": [{ "properties": { "a": { "type": "string" }, "b": true } }],
        "unevaluatedProperties": false,
    });
    assert_eq!(
        lines(&schema, &json!({ "a": 1, "b": 2, "c": 3 })),
        [
            "/a: must be a string, not a number",
            "/c: is not a known property"
        ]
    );
}

#[test]
fn patterns_that_the_host_refuses_are_satisfied() {
    let schema = json!({
        "properties": { "a": { "pattern": "^never$" } },
        "patternProperties": { "^x-": { "type": "integer" } },
        "additionalProperties": false,
    });
    let instance = json!({ "a": "other", "x-b": "text", "c": 1 });
    assert_eq!(validate(&schema, &instance, &mut NoPatterns), []);
    assert_eq!(found(&schema, &instance).len(), 3);
    // A pattern that is no regular expression is refused by any host.
    assert_eq!(found(&json!({ "pattern": "(" }), &json!("text")), []);
}

#[test]
fn older_spellings_are_understood() {
    let schema = json!({
        "definitions": { "name": { "type": "string" } },
        "items": [{ "$ref": "#/definitions/name" }],
        "additionalItems": { "type": "integer" },
    });
    assert_eq!(found(&schema, &json!(["a", 1, 2])), []);
    assert_eq!(
        lines(&schema, &json!([1, "a"])),
        [
            "/0: must be a string, not a number",
            "/1: must be an integer, not a string"
        ]
    );
}

#[test]
fn numbers_are_exact() {
    let fits = |schema: Value, instance: Value| found(&schema, &instance).is_empty();
    assert!(fits(json!({ "multipleOf": 0.0001 }), json!(0.0075)));
    assert!(!fits(json!({ "multipleOf": 0.0001 }), json!(0.00751)));
    assert!(fits(json!({ "multipleOf": 0.1 }), json!(4.35e300)));
    assert!(!fits(json!({ "multipleOf": 3 }), json!(1e308)));
    assert!(fits(json!({ "multipleOf": u64::MAX }), json!(u64::MAX)));
    assert!(!fits(
        json!({ "multipleOf": u64::MAX }),
        json!(u64::MAX - 1)
    ));
    assert!(fits(json!({ "multipleOf": -0.5 }), json!(-1.5)));
    assert!(!fits(
        json!({ "maximum": 9_007_199_254_740_992_u64 }),
        json!(9_007_199_254_740_993_u64)
    ));
    assert!(!fits(
        json!({ "exclusiveMaximum": u64::MAX }),
        json!(u64::MAX)
    ));
    assert!(fits(
        json!({ "exclusiveMaximum": 1.844_674_407_370_955_2e19 }),
        json!(u64::MAX)
    ));
    assert!(fits(json!({ "minimum": -1.5 }), json!(-1)));
    assert!(!fits(json!({ "minimum": -1.5 }), json!(-2)));
    assert!(!fits(
        json!({ "const": 9_007_199_254_740_992.0 }),
        json!(9_007_199_254_740_993_u64)
    ));
    assert!(fits(json!({ "const": 1e300 }), json!(1e300)));
    assert!(fits(json!({ "const": 0 }), json!(-0.0)));
    assert!(fits(
        json!({ "uniqueItems": true }),
        json!([1, true, "1", [1], [true], {}])
    ));
    assert!(!fits(
        json!({ "uniqueItems": true }),
        json!([{ "a": 1, "b": 0.0 }, { "b": 0, "a": 1.0 }])
    ));
    assert!(fits(json!({ "maxLength": 1 }), json!("💩")));
}
