//! The cost limits of a patch.

use assistant_core::event::EventKind;
use serde_json::{Value, json};

use super::{PatchErrorKind, apply, apply_to_object, patched, text};
use crate::support::{Driver, started};

#[test]
fn a_patch_beyond_the_depth_limit_is_refused() {
    let mut doc = json!({});
    let wrap = [json!({"op": "copy", "from": "", "path": "/a"})];
    let mut error = None;
    for _ in 0..1000 {
        if let Err(refused) = apply(&mut doc, &wrap) {
            error = Some(refused.kind());
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
fn a_patch_that_doubles_the_document_is_over_budget() {
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
fn copies_are_limited_by_the_memory_budget() {
    // Each empty object takes far more memory than the two bytes of its text.
    let double = json!({"op": "copy", "from": "/a", "path": "/a/-"});
    let mut doc = json!({"a": [{"": {}}]});
    let error = apply(&mut doc, &vec![double.clone(); 40]).unwrap_err();
    assert!(error.exceeds_limit());
    assert_eq!(doc, json!({"a": [{"": {}}]}));
    // Repeated patches are limited as well.
    let copy = |n: usize| [json!({"op": "copy", "from": "/a", "path": format!("/more/{n}/-")})];
    let mut doc = json!({"a": "x".repeat(1 << 20), "more": [[], [], [], [], [], [], [], []]});
    let refused = (0..100).find(|n| apply(&mut doc, &copy(n % 8)).is_err());
    assert_eq!(refused, Some(30));
    // Values within the patch are still accepted, and so are small copies.
    let add = json!([{"op": "add", "path": "/b", "value": [1, 2, 3]}, {"op": "copy", "from": "/b", "path": "/c"}]);
    apply(&mut doc, add.as_array().unwrap()).unwrap();
    // Memory freed by a removal is available to the next patch.
    apply(&mut doc, &[json!({"op": "remove", "path": "/more/7"})]).unwrap();
    apply(&mut doc, &copy(1)).unwrap();
}

#[test]
fn repeated_shifts_of_a_long_list_are_over_budget() {
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
    // Operations at the end shift nothing.
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
fn apply_to_object_refuses_a_root_that_is_not_an_object() {
    let mut doc = json!({"a": [1]});
    for patch in [
        json!([{"op": "replace", "path": "", "value": 1}]),
        json!([{"op": "remove", "path": "/a"}, {"op": "remove", "path": ""}]),
        json!([{"op": "copy", "from": "/a", "path": ""}]),
    ] {
        let error = apply_to_object(&mut doc, patch.as_array().unwrap()).unwrap_err();
        assert_eq!(error.kind(), PatchErrorKind::NotAnObject);
        assert_eq!(text(&doc), r#"{"a":[1]}"#);
    }
    let over =
        json!([{"op": "replace", "path": "", "value": 1}, {"op": "add", "path": "", "value": {}}]);
    apply_to_object(&mut doc, over.as_array().unwrap()).unwrap();
    assert_eq!(doc, json!({}));
}

#[test]
fn a_patch_over_budget_is_reported_and_changes_nothing() {
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
    assert_eq!(step.diagnostics[0].code(), "over-budget");
    assert_eq!(driver.session.conversation().state(), &content);
    let step = driver.event(EventKind::ActivityDelta {
        message_id: "plan".to_owned(),
        activity_type: "plan".to_owned(),
        patch: bomb,
    });
    assert_eq!(step.diagnostics[0].code(), "over-budget");
}
