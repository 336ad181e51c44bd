//! Every field with every wrong value.

use std::collections::BTreeMap;

use crate::compare::{compare, play_in_both};
use crate::reference::Reference;

#[test]
fn every_wrong_value_comes_to_the_same() {
    let Some(mut reference) = Reference::start() else {
        return;
    };
    let cases = conformance::malformed::cases();
    eprintln!("{} cases", cases.len());
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in &cases {
        let theirs = reference.play(&one.case);
        let ours = play_in_both(&one.case);
        if let Err(difference) = ours.and_then(|ours| compare(theirs, ours)) {
            found.entry(one.name.clone()).or_default().push(difference);
        }
    }
    for (name, differences) in &found {
        eprintln!("== {name}\n {}", differences.join("\n"));
    }
    assert!(found.is_empty(), "{} differences", found.len());
}
