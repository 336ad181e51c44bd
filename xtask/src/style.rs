//! `cargo xtask style`: the style sheets of the library in one file, which is what pages link.

use std::fs;

use crate::project::{Outcome, Project, files, read};

/// The sheets in the order in which they stand in the one: later ones may rely on those before.
const SHEETS: &[&str] = &[
    "tokens",
    "controls",
    "chat",
    "message",
    "turn",
    "part",
    "markdown",
    "composer",
    "attachment",
    "tool",
    "question",
    "inbox",
    "form",
    "allowed",
    "notice",
    "past",
    "dialog",
    "frame",
    "tree",
];

/// All of them.
pub(crate) const ALL: &str = "style/all.css";

/// Writes the one file, if it is another than before.
pub(crate) fn write(project: &Project) -> Outcome<()> {
    let text = text(project)?;
    let file = project.root.join(ALL);
    if read(&file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    eprintln!("xtask: writing {ALL}");
    fs::write(&file, text).map_err(|error| format!("{ALL}: {error}"))
}

/// Says what the one file lacks.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let names = files(project, "style", "css");
    let names = names.iter().filter_map(|file| file.file_stem()?.to_str());
    let unknown = unknown(names);
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        return Err(format!(
            "style/: {unknown} has no place in the order, see xtask/src/style.rs"
        ));
    }
    if read(&project.root.join(ALL))? == text(project)? {
        Ok(())
    } else {
        Err(format!(
            "{ALL} is not what the other sheets are; `cargo xtask style` writes it"
        ))
    }
}

/// The sheets without a place.
fn unknown<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names
        .filter(|name| *name != "all" && !SHEETS.contains(name))
        .collect()
}

fn text(project: &Project) -> Outcome<String> {
    let sheets: Outcome<Vec<String>> = SHEETS
        .iter()
        .map(|name| read(&project.root.join(format!("style/{name}.css"))))
        .collect();
    Ok(joined(&sheets?))
}

fn joined(sheets: &[String]) -> String {
    format!(
        "/* All sheets of this folder in one, written by `cargo xtask style`: change them, not this. */\n\n{}",
        sheets.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheets_stand_in_one_after_the_other() {
        let all = joined(&["a {}\n".to_owned(), "b {}\n".to_owned()]);
        assert!(all.starts_with("/* "));
        assert!(all.ends_with("\n\na {}\n\nb {}\n"));
    }

    #[test]
    fn a_sheet_without_a_place_is_named() {
        assert_eq!(unknown(["all", "tool", "cellar"].into_iter()), ["cellar"]);
    }
}
