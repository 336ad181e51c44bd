//! Checks that the names of tests are statements without listed words.

use std::path::Path;

use crate::fault::{Fault, check_files};
use crate::project::{Outcome, Project};
use crate::prose::{PHRASES, is_question};

const FOLDERS: [&str; 6] = ["crates", "demo", "e2e", "src", "tests", "xtask"];
const ENDINGS: [&str; 2] = ["rs", "mjs"];

/// The words that names of tests must not contain, each with the words to use instead.
const WORDS: [(&str, &str); 4] = [
    ("deeds", "actions"),
    ("says so", "reports it, shows it"),
    ("stands", "is"),
    ("yes", "approval"),
];

/// Checks the names of all tests. Fails with a list of the faults.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    check_files(project, "names of tests", (&FOLDERS, &ENDINGS), find_faults)
}

fn find_faults(file: &Path, text: &str) -> Vec<Fault> {
    let is_rust = file.extension().is_some_and(|ending| ending == "rs");
    let names = if is_rust {
        test_functions(text)
    } else {
        test_titles(text)
    };
    let faults = names.into_iter().filter_map(|(line, name)| {
        let what = name_fault(&name)?;
        let file = file.to_owned();
        Some(Fault { file, line, what })
    });
    faults.collect()
}

fn name_fault(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.first()?;
    if is_question(first) {
        return Some(format!("\"{first}\" begins a question: name the subject"));
    }
    let text = format!(" {} ", words.join(" ").to_lowercase());
    let mut phrases = PHRASES.iter().chain(&WORDS);
    let (phrase, better) = phrases.find(|(phrase, _)| text.contains(&format!(" {phrase} ")))?;
    Some(format!("\"{phrase}\" in \"{name}\": write {better}"))
}

/// Returns the names of the test functions in a Rust file, with spaces for underscores, and their
/// lines.
pub(crate) fn test_functions(text: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut is_test = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("wasm_bindgen_test");
            continue;
        }
        let function = line
            .trim_start_matches("async ")
            .strip_prefix("fn ")
            .and_then(|rest| rest.split_once('('));
        if let Some((name, _)) = function.filter(|_| is_test) {
            names.push((at + 1, name.replace('_', " ")));
        }
        is_test = false;
    }
    names
}

/// Returns the titles of the tests in a script, with their lines.
fn test_titles(text: &str) -> Vec<(usize, String)> {
    let title = |(at, line): (usize, &str)| {
        let (before, rest) = line.split_once("est(")?;
        let is_call = before.ends_with(['t', 'T']);
        let quote = rest
            .chars()
            .next()
            .filter(|c| is_call && "\"`".contains(*c))?;
        let title = rest.get(1..)?.split(quote).next()?;
        Some((at + 1, title.replace([':', ',', ';', '.'], " ")))
    };
    text.lines().enumerate().filter_map(title).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::format_by_line;

    fn found(file: &str, text: &str) -> Vec<String> {
        format_by_line(&find_faults(Path::new(file), text))
    }

    #[test]
    fn questions_and_coined_phrases_are_found_in_test_functions() {
        let text = "#[test]\nfn what_was_denied() {}\n\n#[wasm_bindgen_test]\n#[ignore]\nasync fn a_run_goes_on() {}\n\n\
                    fn what_helps() {}\n\n#[test]\nfn a_denied_call_stays_denied() {}\n";
        assert_eq!(
            found("tests/a.rs", text),
            [
                "2: \"what\" begins a question: name the subject",
                "6: \"goes on\" in \"a run goes on\": write continues",
            ]
        );
    }

    #[test]
    fn questions_and_coined_phrases_are_found_in_titles() {
        let text = "test(\"who follows runs nothing\", run);\nchatTest(`a handler fails: the agent is told`, run);\n\
                    const latest = test(1);\ntest(\"a stop ends the run\", run);\n";
        assert_eq!(
            found("e2e/a.mjs", text),
            [
                "1: \"who\" begins a question: name the subject",
                "2: \"is told\" in \"a handler fails  the agent is told\": write is notified, receives",
            ]
        );
    }
}
