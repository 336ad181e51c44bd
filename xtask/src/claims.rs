//! Checks that every test that the comparison and the requirements link to exists. `rules` checks
//! the tests of rules.

use std::path::Path;

use crate::project::{Outcome, Project, read_text};

const PAGES: [&str; 2] = ["docs/comparison.md", "docs/requirements.md"];

/// Fails with a list of the linked tests that do not exist in the linked files.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let mut missing = Vec::new();
    for page in PAGES {
        let text = read_text(&project.root.join(page))?;
        for (name, path) in test_links(&text) {
            let file = project.root.join("docs").join(Path::new(path));
            if !read_text(&file).is_ok_and(|text| text.contains(&test_definition(name, path))) {
                missing.push(format!("{page}: {name} in {path}"));
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("tests that are not there: {}", missing.join(", ")))
}

/// Returns the text with which a test is defined in its file: a function in Rust, a title in
/// JavaScript.
pub(crate) fn test_definition(name: &str, path: &str) -> String {
    if path.ends_with(".mjs") {
        format!("\"{name}\"")
    } else {
        format!("fn {name}(")
    }
}

/// Returns the links of a page to tests: the name of the test, and the path of its file.
fn test_links(page: &str) -> Vec<(&str, &str)> {
    let after = page.split('[').skip(1);
    let links = after.filter_map(|rest| {
        let (name, rest) = rest.split_once("](")?;
        let (path, _) = rest.split_once(')')?;
        Some((name, path))
    });
    let is_test = |path: &str| {
        ["tests/", "e2e/specs/", "e2e/consent/"]
            .iter()
            .any(|folder| path.contains(folder))
    };
    links.filter(|(_, path)| is_test(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_tests_are_found_in_a_row() {
        let row =
            "| a [b] | yes, `c[0]`: [it_works](../tests/web/a.rs), [more](https://example.org) |";
        assert_eq!(test_links(row), [("it_works", "../tests/web/a.rs")]);
        let row = "| S1 | x | [it, too](../e2e/specs/a.spec.mjs) |";
        assert_eq!(test_links(row), [("it, too", "../e2e/specs/a.spec.mjs")]);
    }

    #[test]
    fn a_link_to_a_test_names_a_function_or_a_title() {
        assert_eq!(
            test_definition("it_works", "../tests/web/a.rs"),
            "fn it_works("
        );
        assert_eq!(
            test_definition("it, too", "../e2e/specs/a.spec.mjs"),
            "\"it, too\""
        );
    }
}
