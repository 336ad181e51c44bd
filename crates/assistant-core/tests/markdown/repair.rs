//! Repair of unfinished markup, compared with recordings of an established library.
//!
//! Results are compared as trees. Intended differences are listed in `differences.json` with their
//! reasons, and the list must be exact.

use std::collections::BTreeSet;

use assistant_core::text::markdown::{Kind, Node, parse, repair};
use serde_json::{Value, json};

const VECTORS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/markdown_repair/markdown_repair.json"
));
const DIFFERENCES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/markdown_repair/differences.json"
));

/// Returns the recorded tree, with the library's own address for an unfinished link removed.
fn recorded(output: &str) -> Vec<Node> {
    parse(&output.replace("(streamdown:incomplete-link)", "()"))
}

/// Replaces links without an address by their text, as a view may show them.
fn text_only(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    for mut node in nodes {
        node.children = text_only(node.children);
        let unwrapped = match &node.kind {
            Kind::Link { href, .. } if href.is_empty() => node.children,
            _ => vec![node],
        };
        for node in unwrapped {
            match (out.last_mut().map(|last| &mut last.kind), &node.kind) {
                (Some(Kind::Text(text)), Kind::Text(more)) => text.push_str(more),
                _ => out.push(node),
            }
        }
    }
    out
}

#[test]
fn repair_differs_from_the_recordings_only_as_listed() {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    let mut found = BTreeSet::new();
    for vector in file["vectors"].as_array().unwrap() {
        let (input, output) = (&vector["input"], vector["output"].as_str().unwrap());
        let mut ours = parse(&repair(input.as_str().unwrap()));
        if vector["options"]["linkMode"] == "text-only" {
            ours = text_only(ours);
        }
        if ours != recorded(output) {
            found.insert(json!([input, vector["options"]]).to_string());
        }
    }
    let file: Value = serde_json::from_str(DIFFERENCES).unwrap();
    let listed: BTreeSet<String> = file
        .as_object()
        .unwrap()
        .values()
        .flat_map(|cases| cases.as_array().unwrap())
        .map(|case| json!([case["input"], case["options"]]).to_string())
        .collect();
    let fresh: Vec<_> = found.difference(&listed).collect();
    let passing: Vec<_> = listed.difference(&found).collect();
    assert!(
        fresh.is_empty() && passing.is_empty(),
        "new: {fresh:#?}\nno longer: {passing:#?}"
    );
}
