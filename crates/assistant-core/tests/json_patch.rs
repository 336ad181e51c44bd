//! JSON Patch: the published suite, and what it leaves open.

use assistant_core::{
    event::EventKind,
    wire::json::patch::{PatchErrorKind, apply, apply_to_object},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::*;

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

/// The text too, because equality of values does not see the order of keys.
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
            Err(error.kind)
        }
    }
}

#[test]
fn the_published_suite_holds() {
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
fn all_or_nothing() {
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
        // Another one after it, so that notes are taken back in the right order.
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
fn the_error_names_the_operation() {
    let patch = [
        json!({"op": "add", "path": "/a", "value": 1}),
        json!({"op": "remove", "path": "/b"}),
    ];
    let error = apply(&mut json!({}), &patch).unwrap_err();
    assert_eq!(error.operation, 1);
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
fn array_indexes_have_one_spelling() {
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
fn moving() {
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
    let gone = json!([{"op": "move", "from": "/b", "path": "/b"}]);
    assert_eq!(
        patched(json!({"a": 1}), gone),
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

#[test]
fn a_patch_cannot_nest_the_document_without_end() {
    let mut doc = json!({});
    let wrap = [json!({"op": "copy", "from": "", "path": "/a"})];
    let mut error = None;
    for _ in 0..1000 {
        if let Err(refused) = apply(&mut doc, &wrap) {
            error = Some(refused.kind);
            break;
        }
    }
    assert_eq!(error, Some(PatchErrorKind::TooDeep));
    serde_json::from_str::<Value>(&text(&doc)).unwrap();

    let deep = (0..126).fold(json!(1), |value, _| json!([value]));
    let add = |value: &Value| json!([{"op": "add", "path": "/a", "value": value}]);
    assert!(patched(json!({}), add(&deep)).is_ok());
    assert_eq!(
        patched(json!({}), add(&json!([deep]))),
        Err(PatchErrorKind::TooDeep)
    );
    let lower = json!([{"op": "move", "from": "/a", "path": "/b/c"}]);
    assert_eq!(
        patched(json!({"b": {}, "a": deep}), lower),
        Err(PatchErrorKind::TooDeep)
    );
}

#[test]
fn a_patch_cannot_double_the_document_without_end() {
    let double = vec![json!({"op": "copy", "from": "/a", "path": "/a/-"}); 120];
    let wide = vec![
        json!({"op": "copy", "from": "/t", "path": "/u"}),
        json!({"op": "move", "from": "/u", "path": "/t/x"}),
    ];
    assert_eq!(
        patched(json!({"a": [1]}), json!(double)),
        Err(PatchErrorKind::OverBudget)
    );
    let doc = json!({"t": {"text": "x".repeat(3 << 20)}});
    assert!(patched(doc.clone(), json!(wide)).is_ok());
    assert_eq!(
        patched(doc, json!([wide.clone(), wide].concat())),
        Err(PatchErrorKind::OverBudget)
    );
}

#[test]
fn copies_fill_no_more_memory_than_the_budget() {
    // Each empty object takes far more memory than the two bytes it was written with.
    let double = json!({"op": "copy", "from": "/a", "path": "/a/-"});
    let mut doc = json!({"a": [{"": {}}]});
    let error = apply(&mut doc, &vec![double.clone(); 40]).unwrap_err();
    assert!(error.is_over_budget());
    assert_eq!(doc, json!({"a": [{"": {}}]}));
    // Patch by patch it ends as well.
    let copy = |n: usize| [json!({"op": "copy", "from": "/a", "path": format!("/more/{n}/-")})];
    let mut doc = json!({"a": "x".repeat(1 << 20), "more": [[], [], [], [], [], [], [], []]});
    let refused = (0..100).find(|n| apply(&mut doc, &copy(n % 8)).is_err());
    assert_eq!(refused, Some(30));
    // What brings its own bytes is still welcome, and so is a small copy.
    let add = json!([{"op": "add", "path": "/b", "value": [1, 2, 3]}, {"op": "copy", "from": "/b", "path": "/c"}]);
    apply(&mut doc, add.as_array().unwrap()).unwrap();
    // Room that a removal makes can be used by the next patch.
    apply(&mut doc, &[json!({"op": "remove", "path": "/more/7"})]).unwrap();
    apply(&mut doc, &copy(1)).unwrap();
}

#[test]
fn shifting_a_long_list_again_and_again_ends() {
    let doc = json!({"list": vec![0; 100_000], "map": {"in": {}}, "to": {"a": {}}});
    let each = |op: Value, count: usize| vec![op; count];
    let front = json!({"op": "move", "from": "/list/0", "path": "/list/-"});
    let deeper = json!({"op": "move", "from": "/list", "path": "/map/in/list"});
    let back = json!({"op": "move", "from": "/map/in/list", "path": "/list"});
    for (few, op) in [
        (100, vec![front]),
        (100, vec![json!({"op": "remove", "path": "/list/0"})]),
        (
            100,
            vec![json!({"op": "add", "path": "/list/0", "value": 1})],
        ),
        (100, vec![deeper, back]),
    ] {
        let patch = |times| {
            json!(
                op.iter()
                    .cloned()
                    .cycle()
                    .take(op.len() * times)
                    .collect::<Vec<_>>()
            )
        };
        assert!(patched(doc.clone(), patch(few)).is_ok());
        assert_eq!(
            patched(doc.clone(), patch(1000)),
            Err(PatchErrorKind::OverBudget)
        );
    }
    // At the end nothing is shifted.
    let push = each(json!({"op": "add", "path": "/list/-", "value": 1}), 5000);
    assert!(patched(doc.clone(), json!(push)).is_ok());
    let pop: Vec<_> = (90_000..100_000)
        .rev()
        .map(|n| json!({"op": "remove", "path": format!("/list/{n}")}))
        .collect();
    assert!(patched(doc, json!(pop)).is_ok());
    let wide: Value = (0..20_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let newest: Vec<_> = (10_000..20_000)
        .rev()
        .map(|n| json!({"op": "remove", "path": format!("/k{n}")}))
        .collect();
    assert!(patched(wide, json!(newest)).is_ok());
}

#[test]
fn an_object_can_be_held_to_stay_one() {
    let mut doc = json!({"a": [1]});
    for patch in [
        json!([{"op": "replace", "path": "", "value": 1}]),
        json!([{"op": "remove", "path": "/a"}, {"op": "remove", "path": ""}]),
        json!([{"op": "copy", "from": "/a", "path": ""}]),
    ] {
        let error = apply_to_object(&mut doc, patch.as_array().unwrap()).unwrap_err();
        assert_eq!(error.kind, PatchErrorKind::NotAnObject);
        assert_eq!(text(&doc), r#"{"a":[1]}"#);
    }
    let over =
        json!([{"op": "replace", "path": "", "value": 1}, {"op": "add", "path": "", "value": {}}]);
    apply_to_object(&mut doc, over.as_array().unwrap()).unwrap();
    assert_eq!(doc, json!({}));
}

#[test]
fn a_patch_over_budget_is_told_apart_and_changes_nothing() {
    let mut driver = Driver::new();
    driver.send("hi");
    let bomb = vec![json!({"op": "copy", "from": "/a", "path": "/a/-"}); 40];
    let content = json!({"a": [[]]});
    driver.events([
        started(),
        EventKind::StateSnapshot {
            snapshot: content.clone(),
        },
        EventKind::ActivitySnapshot {
            message_id: "plan".to_owned(),
            activity_type: "plan".to_owned(),
            content: content.as_object().unwrap().clone(),
            replace: true,
        },
    ]);
    let step = driver.event(EventKind::StateDelta {
        delta: bomb.clone(),
    });
    assert_eq!(step.diagnostics[0].code, "over-budget");
    assert_eq!(driver.session.conversation().state(), &content);
    let step = driver.event(EventKind::ActivityDelta {
        message_id: "plan".to_owned(),
        activity_type: "plan".to_owned(),
        patch: bomb,
    });
    assert_eq!(step.diagnostics[0].code, "over-budget");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (0..9).prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

fn operation() -> impl Strategy<Value = Value> {
    let path = || {
        prop::collection::vec(prop_oneof!["[abc]", "[012]", Just("-".to_owned())], 0..4).prop_map(
            |tokens| {
                tokens
                    .iter()
                    .map(|token| format!("/{token}"))
                    .collect::<String>()
            },
        )
    };
    let op = prop_oneof!["add", "remove", "replace", "move", "copy", "test"];
    (op, path(), path(), value()).prop_map(|(op, path, from, value)| {
        json!({"op": op, "path": path, "from": from, "value": value, "more": 1})
    })
}

proptest! {
    #[test]
    fn a_failing_patch_leaves_the_document_as_it_was(
        mut doc in value(),
        ops in prop::collection::vec(operation(), 1..12),
        add in prop::collection::vec(operation(), 0..3),
    ) {
        // Keep what applies, so that there is much to take back, and then let it fail.
        let mut probe = doc.clone();
        let mut patch: Vec<_> =
            ops.into_iter().filter(|op| apply(&mut probe, std::slice::from_ref(op)).is_ok()).collect();
        patch.extend(add);
        patch.push(json!({"op": "fail"}));
        let before = text(&doc);
        prop_assert!(apply(&mut doc, &patch).is_err());
        prop_assert_eq!(text(&doc), before);
    }

    #[test]
    fn a_patch_is_its_operations_in_turn(
        doc in value(),
        ops in prop::collection::vec(operation(), 1..8),
    ) {
        let mut whole = doc.clone();
        let mut steps = doc;
        if apply(&mut whole, &ops).is_ok() {
            for op in ops {
                apply(&mut steps, &[op]).unwrap();
            }
            prop_assert_eq!(text(&whole), text(&steps));
        }
    }
}
