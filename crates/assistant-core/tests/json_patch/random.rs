//! Random patches: atomic, and equal to their operations one by one.

use proptest::prelude::*;

use super::*;

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
    fn random_failing_patches_change_nothing(
        mut doc in value(),
        ops in prop::collection::vec(operation(), 1..12),
        add in prop::collection::vec(operation(), 0..3),
    ) {
        // Keeps the applicable operations, so that there is much to revert, and then fails.
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
    fn a_patch_equals_its_operations_one_by_one(
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
