//! What `docs/comparison.md` claims: every test that it names is there.

use std::path::Path;

use crate::project::{Outcome, Project, read};

const PAGE: &str = "docs/comparison.md";

/// Names the tests that the page links to and that are not there.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let page = read(&project.root.join(PAGE))?;
    let mut missing = Vec::new();
    for (name, path) in links(&page) {
        let file = project.root.join("docs").join(Path::new(path));
        let is_there = read(&file).is_ok_and(|text| text.contains(&format!("fn {name}(")));
        if !is_there {
            missing.push(format!("{name} in {path}"));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{PAGE} names tests that are not there: {}",
        missing.join(", ")
    ))
}

/// Links to tests, as the name of the test and the path of its file.
fn links(page: &str) -> Vec<(&str, &str)> {
    let after = page.split('[').skip(1);
    let links = after.filter_map(|rest| {
        let (name, rest) = rest.split_once("](")?;
        let (path, _) = rest.split_once(')')?;
        Some((name, path))
    });
    links.filter(|(_, path)| path.contains("tests/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_tests_are_found_in_a_row() {
        let row =
            "| a [b] | yes, `c[0]`: [it_works](../tests/web/a.rs), [more](https://example.org) |";
        assert_eq!(links(row), [("it_works", "../tests/web/a.rs")]);
    }
}
