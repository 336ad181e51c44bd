//! The tree of messages: vectors of operations, recordings of another library, and random trees.

mod drawing;
mod model;
mod outline;
mod random;
mod repository;

use std::{fs, path::Path};

use assistant_testkit::replay::branches;
use serde_json::{Value, json};

fn fixture(name: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    serde_json::from_str(&fs::read_to_string(Path::new(root).join(name)).unwrap()).unwrap()
}

#[test]
fn every_branch_vector_yields_the_expected_result() {
    for file in ["branched.json", "branched_own.json"] {
        let fixture = fixture(file);
        for vector in fixture["vectors"].as_array().unwrap() {
            let report = branches::replay_vector(vector);
            let (id, expect) = (&vector["id"], &vector["expect"]);
            assert_eq!(report["observed"], *expect, "{id} of {file}");
            assert_eq!(report["ok"], true, "{id} of {file}");
        }
    }
}

#[test]
fn an_export_and_import_between_operations_changes_nothing() {
    let fixture = fixture("branched.json");
    for vector in fixture["vectors"].as_array().unwrap() {
        let ops = vector["ops"].as_array().unwrap();
        let in_loop = |op: &Value| op["op"].as_str().unwrap().starts_with("call");
        if ops.iter().any(in_loop) || !vector["expect"]["errors"].is_null() {
            continue;
        }
        for at in 0..=ops.len() {
            let mut ops = ops.clone();
            ops.insert(at, json!({"op": "roundtrip"}));
            let report = branches::replay_vector(&json!({"ops": ops, "expect": vector["expect"]}));
            assert_eq!(
                report["observed"], vector["expect"],
                "{} at {at}",
                vector["id"]
            );
        }
    }
}

#[test]
fn invalid_operations_are_reported() {
    let run = |ops: Value| branches::replay_vector(&json!({"ops": ops, "expect": {"path": []}}));
    for op in [
        json!({"op": "fly"}),
        json!({}),
        json!(7),
        json!({"op": "add", "id": "x"}),
        json!({"op": "add", "id": "x", "role": "king"}),
        json!({"op": "import", "messages": [3]}),
        json!({"op": "calls_generated", "assistant": "x", "calls": 3}),
    ] {
        let report = run(json!([op]));
        assert_eq!(report["ok"], false, "{op}");
        assert_eq!(report["observed"]["errors"].as_array().unwrap().len(), 1);
        assert_eq!(report["observed"]["path"], json!([]));
    }
    assert_eq!(branches::replay_vector(&json!(null))["ok"], false);
    assert_eq!(run(json!("none"))["ok"], true);
}
