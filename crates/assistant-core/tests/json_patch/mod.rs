//! JSON Patch: the published suite, and cases that it does not cover.

mod limits;
mod random;

use assistant_core::json::patch::{PatchErrorKind, apply, apply_to_object};
use serde_json::{Value, json};

const SUITES: [&str; 2] = [
    include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/json-patch/tests.json"
    )),
    include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/json-patch/spec_tests.json"
    )),
];

/// Returns the text, since equality of values ignores key order.
fn text(value: &Value) -> String {
    value.to_string()
}

fn patched(mut doc: Value, patch: Value) -> Result<Value, PatchErrorKind> {
    let before = doc.clone();
    match apply(&mut doc, patch.as_array().unwrap()) {
        Ok(()) => Ok(doc),
        Err(error) => {
            assert_eq!(
                text(&doc),
                text(&before),
                "a failing patch changed the document"
            );
            Err(error.kind())
        }
    }
}

#[test]
fn the_published_suite_passes() {
    let mut ran = 0;
    for case in SUITES
        .iter()
        .flat_map(|s| serde_json::from_str::<Vec<Value>>(s).unwrap())
    {
        if case["disabled"] == json!(true) || !case["patch"].is_array() {
            continue;
        }
        ran += 1;
        let outcome = patched(case["doc"].clone(), case["patch"].clone());
        if case.get("error").is_some() {
            assert!(outcome.is_err(), "{case}");
        } else {
            let doc = outcome.unwrap_or_else(|kind| panic!("{kind:?}: {case}"));
            assert_eq!(case.get("expected").unwrap_or(&doc), &doc, "{case}");
        }
    }
    assert!(ran > 50);
}

#[test]
fn a_failing_patch_changes_nothing() {
    let doc = json!({"a": 1, "b": [1, 2, 3], "c": {"d": {"e": 1}, "f": 2}, "g": 4});
    let fail = json!({"op": "test", "path": "/a", "value": "never"});
    for op in [
        json!({"op": "add", "path": "/b/1", "value": 9}),
        json!({"op": "add", "path": "/b/-", "value": 9}),
        json!({"op": "add", "path": "/a", "value": 9}),
        json!({"op": "add", "path": "", "value": {"a": 0}}),
        json!({"op": "remove", "path": "/a"}),
        json!({"op": "remove", "path": "/b/0"}),
        json!({"op": "remove", "path": "/c/d"}),
        json!({"op": "replace", "path": "", "value": {"a": 0}}),
        json!({"op": "replace", "path": "/c", "value": 0}),
        json!({"op": "move", "from": "/c/d", "path": "/a"}),
        json!({"op": "move", "from": "/b/0", "path": "/b/2"}),
        json!({"op": "move", "from": "/a", "path": "/b/-"}),
        json!({"op": "copy", "from": "", "path": "/c/d/whole"}),
    ] {
        // Followed by another one, to test the order of reverting.
        let next = json!({"op": "copy", "from": "", "path": "/x"});
        let outcome = patched(doc.clone(), json!([op, next, fail]));
        let kind = outcome.unwrap_err();
        let wanted = [PatchErrorKind::TestFailed, PatchErrorKind::NotFound];
        assert!(wanted.contains(&kind), "{op}: {kind:?}");
    }
    let outcome = patched(
        doc.clone(),
        json!([
            {"op": "add", "path": "/new", "value": {}},
            {"op": "move", "from": "/c/d", "path": ""},
            fail,
        ]),
    );
    assert_eq!(outcome, Err(PatchErrorKind::NotFound));
    let outcome = patched(doc, json!([{"op": "move", "from": "/a", "path": "/zz/a"}]));
    assert_eq!(outcome, Err(PatchErrorKind::NotFound));
}

#[test]
fn the_error_gives_the_index_of_the_operation() {
    let patch = [
        json!({"op": "add", "path": "/a", "value": 1}),
        json!({"op": "remove", "path": "/b"}),
    ];
    let error = apply(&mut json!({}), &patch).unwrap_err();
    assert_eq!(error.operation(), 1);
    assert_eq!(
        error.to_string(),
        "JSON patch operation 1: the place does not exist"
    );
}

#[test]
fn malformed_operations_are_refused() {
    for (op, kind) in [
        (json!("add"), PatchErrorKind::UnknownOperation),
        (json!({"path": ""}), PatchErrorKind::UnknownOperation),
        (
            json!({"op": "Add", "path": "", "value": 1}),
            PatchErrorKind::UnknownOperation,
        ),
        (
            json!({"op": "add", "path": "/a"}),
            PatchErrorKind::MissingMember("value"),
        ),
        (
            json!({"op": "replace", "path": "/a"}),
            PatchErrorKind::MissingMember("value"),
        ),
        (
            json!({"op": "test", "path": "/a"}),
            PatchErrorKind::MissingMember("value"),
        ),
        (
            json!({"op": "add", "value": 1}),
            PatchErrorKind::MissingMember("path"),
        ),
        (
            json!({"op": "add", "path": null, "value": 1}),
            PatchErrorKind::MissingMember("path"),
        ),
        (
            json!({"op": "copy", "path": "/b"}),
            PatchErrorKind::MissingMember("from"),
        ),
        (
            json!({"op": "add", "path": "a", "value": 1}),
            PatchErrorKind::InvalidPointer,
        ),
        (
            json!({"op": "remove", "path": "/a~2"}),
            PatchErrorKind::InvalidPointer,
        ),
    ] {
        assert_eq!(patched(json!({"a": 1}), json!([op])), Err(kind), "{op}");
    }
}

#[test]
fn array_indexes_must_be_canonical_and_in_range() {
    for (op, index) in [
        ("replace", "-"),
        ("remove", "-"),
        ("test", "-"),
        ("add", "01"),
        ("add", "4"),
        ("add", "1e0"),
    ] {
        let op = json!({"op": op, "path": format!("/{index}"), "value": 1});
        assert_eq!(
            patched(json!([1, 2, 3]), json!([op])),
            Err(PatchErrorKind::NotFound),
            "{op}"
        );
    }
    let op = json!([{"op": "add", "path": "/3", "value": 4}]);
    assert_eq!(patched(json!([1, 2, 3]), op), Ok(json!([1, 2, 3, 4])));
    let op = json!([{"op": "add", "path": "/-", "value": 4}]);
    assert_eq!(patched(json!({}), op), Ok(json!({"-": 4})));
}

#[test]
fn numbers_are_compared_by_value() {
    for (left, right, equal) in [
        (json!(1), json!(1.0), true),
        (json!(-0.0), json!(0), true),
        (json!([{"a": 1e2}]), json!([{"a": 100}]), true),
        (json!(1), json!(1.5), false),
        (
            json!(9007199254740993_i64),
            json!(9007199254740992.0),
            false,
        ),
        (json!(u64::MAX), json!(-1), false),
        (json!(1), json!("1"), false),
        (json!(0), json!(false), false),
        (json!(null), json!({}), false),
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), true),
        (json!({"a": 1}), json!({"a": 1, "b": null}), false),
        (json!([1, 2]), json!([2, 1]), false),
    ] {
        let outcome = patched(
            left.clone(),
            json!([{"op": "test", "path": "", "value": right}]),
        );
        assert_eq!(outcome.is_ok(), equal, "{left} {right}");
    }
}

#[test]
fn a_move_into_its_own_child_is_refused() {
    let into = json!([{"op": "move", "from": "/a", "path": "/a/b/c"}]);
    assert_eq!(
        patched(json!({"a": {"b": {}}}), into),
        Err(PatchErrorKind::MoveIntoItself)
    );
    let root = json!([{"op": "move", "from": "", "path": "/a"}]);
    assert_eq!(
        patched(json!({"a": 1}), root),
        Err(PatchErrorKind::MoveIntoItself)
    );
    let still = json!([{"op": "move", "from": "/a", "path": "/a"}]);
    assert_eq!(patched(json!({"a": 1}), still), Ok(json!({"a": 1})));
    let moved_to_itself = json!([{"op": "move", "from": "/b", "path": "/b"}]);
    assert_eq!(
        patched(json!({"a": 1}), moved_to_itself),
        Err(PatchErrorKind::NotFound)
    );
    let alike = json!([{"op": "move", "from": "/a", "path": "/ab"}]);
    assert_eq!(patched(json!({"a": 1}), alike), Ok(json!({"ab": 1})));
    let up = json!([{"op": "move", "from": "/a/b", "path": "/a"}]);
    assert_eq!(
        patched(json!({"a": {"b": 7, "c": 8}}), up),
        Ok(json!({"a": 7}))
    );
}

#[test]
fn key_order_is_kept() {
    let patch = json!([
        {"op": "remove", "path": "/b"},
        {"op": "replace", "path": "/a", "value": 0},
        {"op": "add", "path": "/e", "value": 5},
    ]);
    let doc = patched(json!({"a": 1, "b": 2, "c": 3, "d": 4}), patch).unwrap();
    assert_eq!(text(&doc), r#"{"a":0,"c":3,"d":4,"e":5}"#);
}

#[test]
fn removing_the_root_leaves_null() {
    assert_eq!(
        patched(json!([1]), json!([{"op": "remove", "path": ""}])),
        Ok(Value::Null)
    );
}
