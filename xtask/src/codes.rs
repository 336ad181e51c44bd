//! Checks that the table in `docs/diagnostics.md` lists exactly the diagnostic codes in the source.

use std::collections::BTreeSet;

use crate::project::{Outcome, Project, read_text};
use crate::source::collect_rust_files;

const PAGE: &str = "docs/diagnostics.md";
const SOURCES: [&str; 3] = [
    "crates/assistant-core/src",
    "crates/assistant-protocols/src",
    "crates/assistant-testkit/src",
];
/// The beginnings of calls whose first argument is a diagnostic code.
const TAKERS: [&str; 6] = [
    "Diagnostic::new(",
    "ProtocolError::new(",
    "Self::new(",
    "warn(",
    "report_problem(",
    "drop_with_diagnostic(",
];

/// Fails with a list of the codes that are missing in the table or in the source.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let page = read_text(&project.root.join(PAGE))?;
    let documented: BTreeSet<&str> = documented_codes(&page).collect();
    let mut used = BTreeSet::new();
    let mut files = Vec::new();
    for folder in SOURCES {
        collect_rust_files(&project.root.join(folder), &mut files)?;
    }
    for file in files {
        used.extend(source_codes(&read_text(&file)?));
    }
    let missing = used
        .iter()
        .filter(|code| !documented.contains(code.as_str()));
    let unused = documented.iter().filter(|code| !used.contains(**code));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    let unused: Vec<&str> = unused.copied().collect();
    match missing.is_empty() && unused.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{PAGE} lacks [{}], and the source no longer has [{}]",
            missing.join(", "),
            unused.join(", ")
        )),
    }
}

/// Returns the diagnostic codes in the rows of the table.
fn documented_codes(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| {
        let (code, _) = line.strip_prefix("| `")?.split_once('`')?;
        Some(code)
    })
}

/// Returns the diagnostic codes in a source file, without its unit tests.
fn source_codes(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut codes = Vec::new();
    for taker in TAKERS {
        for rest in source.split(taker).skip(1) {
            let Some(rest) = rest.trim_start().strip_prefix('"') else {
                continue;
            };
            let code = rest.split('"').next().unwrap_or_default();
            if code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            {
                codes.push(code.to_owned());
            }
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostic_codes_are_found_in_calls_and_table_rows() {
        let source = "out.warn(\n  \"state-patch\", x); Diagnostic::new(code, y);\n#[cfg(test)]\nwarn(\"z\")";
        assert_eq!(source_codes(source), ["state-patch"]);
        let page = "| code | meaning |\n| --- | --- |\n| `a-b` | What. |";
        assert_eq!(documented_codes(page).collect::<Vec<_>>(), ["a-b"]);
    }
}
