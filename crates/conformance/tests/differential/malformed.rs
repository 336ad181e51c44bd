//! Compares streams with wrong values in every field, and unusual streams.

use std::collections::BTreeMap;

use conformance::malformed::Case;

use crate::compare::{check_same_warnings, compare, play_in_both_modes, rule};
use crate::reference::Reference;

#[test]
fn every_wrong_value_has_the_same_outcome() {
    assert_same_outcomes(&conformance::malformed::cases());
}

#[test]
fn two_wrong_values_report_the_same_one() {
    assert_same_outcomes(&conformance::malformed::draw_pairs());
}

#[test]
fn unusual_streams_have_the_same_outcome() {
    assert_same_outcomes(&conformance::oddities::cases());
}

fn assert_same_outcomes(cases: &[Case]) {
    let Some(mut reference) = Reference::start() else {
        return;
    };
    eprintln!("{} cases", cases.len());
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in cases {
        let theirs = reference.play(&one.case);
        let ours = play_in_both_modes(&one.case);
        if ours.is_ok() && permitting_rule(&one.name).is_some() {
            continue;
        }
        if let Err(difference) = ours.and_then(|ours| {
            if theirs["outcome"] == "completed" {
                check_same_warnings(&theirs, &ours)?;
            }
            compare(theirs, ours)
        }) {
            found.entry(one.name.clone()).or_default().push(difference);
        }
    }
    for (name, differences) in &found {
        eprintln!("== {name}\n {}", differences.join("\n"));
    }
    assert!(found.is_empty(), "{} differences", found.len());
}

/// Returns the rule that permits a difference for the case with this name, if any.
fn permitting_rule(name: &str) -> Option<&'static str> {
    let is_patch = name.starts_with("state ") || name.starts_with("activity ");
    let has = |word: &str| name.contains(word);
    // RFC 6902 has no inherited names and no lengths, and is strict about indices.
    let odd = [
        "/toString",
        "/valueOf",
        "/list/length",
        "/list/00",
        "/list/01",
        "/list/3",
    ];
    if is_patch && odd.into_iter().any(has) {
        return Some(rule::PLACE);
    }
    if name == r#"state {"op":"replace","path":"","value":9}"# {
        return Some(rule::INTO_SCALAR);
    }
    let cut = ["cut JSON", "blank data", "no data"];
    if has(", last, ends with ") && cut.into_iter().any(has) {
        return Some(rule::TRUNCATED);
    }
    if name == "frames: a page" {
        return Some(rule::NO_STREAM);
    }
    has("an infinite number").then_some(rule::LARGE)
}
