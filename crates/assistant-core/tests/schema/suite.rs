//! The official test suite for draft 2020-12.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::found;

const SUITE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/json-schema-2020-12"
);

/// The omitted parts of the suite: file, part of the group's description ("" is all), reason.
const OMITTED: [(&str, &str, &str); 11] = [
    ("refRemote.json", "", REMOTE),
    (
        "vocabulary.json",
        "no validation vocabulary",
        "needs a metaschema from elsewhere to be read",
    ),
    (
        "defs.json",
        "validate definition against metaschema",
        REMOTE,
    ),
    ("ref.json", "remote ref, containing refs itself", REMOTE),
    ("dynamicRef.json", "strict-tree schema", REMOTE),
    (
        "dynamicRef.json",
        "tests for implementation dynamic anchor and reference link",
        REMOTE,
    ),
    (
        "dynamicRef.json",
        "$ref and $dynamicAnchor are independent of order",
        REMOTE,
    ),
    (
        "dynamicRef.json",
        "$ref to $dynamicRef finds detached $dynamicAnchor",
        REMOTE,
    ),
    ("optional/cross-draft.json", "", REMOTE),
    (
        "optional/format-assertion.json",
        "",
        "format is an annotation, whatever a metaschema says",
    ),
    (
        "optional/bignum.json",
        "float comparison with high precision",
        "JSON numbers beyond u64 are read as f64 before they come here",
    ),
];
const REMOTE: &str = "refers to a document that is not embedded; none is ever fetched";

#[test]
fn the_official_suite_passes() {
    let mut cases = 0;
    let mut wrong = Vec::new();
    let mut unused: Vec<_> = OMITTED
        .iter()
        .map(|(file, group, _)| (*file, *group))
        .collect();
    for folder in ["", "optional/"] {
        let mut names: Vec<_> = fs::read_dir(Path::new(SUITE).join(folder))
            .unwrap()
            .map(|entry| format!("{folder}{}", entry.unwrap().file_name().to_str().unwrap()))
            .filter(|name| name.ends_with(".json"))
            .collect();
        names.sort();
        for name in names {
            let text = fs::read_to_string(Path::new(SUITE).join(&name)).unwrap();
            let groups: Vec<Value> = serde_json::from_str(&text).unwrap();
            for group in groups {
                let title = group["description"].as_str().unwrap();
                let is_omitted =
                    |(file, part): &(&str, &str)| *file == name && title.contains(part);
                if OMITTED
                    .iter()
                    .any(|(file, part, _)| is_omitted(&(file, part)))
                {
                    unused.retain(|entry| !is_omitted(entry));
                    continue;
                }
                for test in group["tests"].as_array().unwrap() {
                    cases += 1;
                    let found = found(&group["schema"], &test["data"]);
                    if found.is_empty() != test["valid"].as_bool().unwrap() {
                        wrong.push(format!(
                            "{name}: {title}: {}: {found:?}",
                            test["description"]
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(unused.is_empty(), "left out, but not there: {unused:?}");
    assert!(cases > 1200, "the suite is not all there: {cases}");
}
