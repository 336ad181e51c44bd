//! JSON Schema: accepted values, and locations of violations. Messages, the official suite, limits
//! and random input have separate files.

mod limits;
mod messages;
mod random;
mod suite;

use std::collections::HashMap;

use assistant_core::action::schema::{NoPatterns, PatternHost, Violation, validate};
use regress::Regex;
use serde_json::{Value, json};

/// Regular expressions of a browser with the `u` flag.
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

/// The schema of `confirmAction`, without additional properties.
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

#[test]
fn valid_tool_arguments_are_accepted() {
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
        .map(|one| (one.path(), one.keyword()))
        .collect();
    assert_eq!(
        facts,
        [
            ("/importance", "enum"),
            ("/action", "required"),
            ("/force~1d", "additionalProperties"),
        ]
    );
    let messages: Vec<_> = violations.iter().map(|one| one.message()).collect();
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
fn a_root_of_the_wrong_type_is_reported() {
    let violations = found(&confirm_action(), &json!("delete"));
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].path(), "");
    assert_eq!(violations[0].to_string(), "must be an object, not a string");
}

#[test]
fn a_failing_subschema_still_evaluates_its_other_properties() {
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
fn patterns_that_the_host_cannot_check_count_as_matches() {
    let schema = json!({
        "properties": { "a": { "pattern": "^never$" } },
        "patternProperties": { "^x-": { "type": "integer" } },
        "additionalProperties": false,
    });
    let instance = json!({ "a": "other", "x-b": "text", "c": 1 });
    assert_eq!(validate(&schema, &instance, &mut NoPatterns), []);
    assert_eq!(found(&schema, &instance).len(), 3);
    // Any host refuses an invalid regular expression.
    assert_eq!(found(&json!({ "pattern": "(" }), &json!("text")), []);
}

#[test]
fn older_draft_keywords_are_supported() {
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
fn numbers_are_compared_exactly() {
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
