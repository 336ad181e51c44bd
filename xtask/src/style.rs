//! `cargo xtask style`: joins the library's style sheets in one file, for pages that link a single
//! sheet. The file is a build output: trunk runs this task before each build.

use std::fs;

use crate::project::{Outcome, Project, files_with_extension, read_text};

/// The path of the joined sheet.
pub(crate) const ALL: &str = "style/all.css";

/// The file that lists the sheets in order.
const LIST: &str = "src/ui/style.rs";

/// The sheets that the launcher of the custom element needs, which are loaded before the others.
const LAUNCHER: [&str; 5] = ["tokens", "palettes", "controls", "frame", "shell"];

/// The sheet before the cascade layer, which is not in the list.
const LAYER: &str = "layer";

/// The sheets after the cascade layer, which are not in the list. The launcher needs only the
/// first.
const OUTSIDE: [&str; 2] = ["guard", "pseudo"];

/// Returns the sheets of the launcher, joined.
pub(crate) fn launcher_sheet(project: &Project) -> Outcome<String> {
    join_sheets(project, &LAUNCHER, &OUTSIDE[..1])
}

/// Joins sheets of the folder `style/` inside and outside of the layer, as the macro in [`LIST`]
/// does.
fn join_sheets(project: &Project, names: &[impl AsRef<str>], outside: &[&str]) -> Outcome<String> {
    let sheet = |name: &str| read_text(&project.root.join(format!("style/{name}.css")));
    let sheets: Outcome<Vec<String>> = names.iter().map(|name| sheet(name.as_ref())).collect();
    let outside: Outcome<Vec<String>> = outside.iter().map(|name| sheet(name)).collect();
    Ok(format_joined(&sheet(LAYER)?, &sheets?, &outside?))
}

/// Writes the joined sheet, if its file has another content or does not exist.
pub(crate) fn write_joined_sheet(project: &Project) -> Outcome<()> {
    let text = join_sheets(project, &listed_sheets(project)?, &OUTSIDE)?;
    let file = project.root.join(ALL);
    if read_text(&file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    eprintln!("xtask: writing {ALL}");
    fs::write(&file, text).map_err(|error| format!("{ALL}: {error}"))
}

/// Fails with the names of the sheets that are in the folder and not in the list.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let names = files_with_extension(project, "style", "css");
    let names = names.iter().filter_map(|file| file.file_stem()?.to_str());
    let listed = listed_sheets(project)?;
    let unknown = unlisted_sheets(names, &listed);
    if unknown.is_empty() {
        return Ok(());
    }
    let unknown = unknown.join(", ");
    Err(format!("style/: {unknown} is missing in {LIST}"))
}

/// Returns the names of the sheets in order.
fn listed_sheets(project: &Project) -> Outcome<Vec<String>> {
    let names = parse_sheet_names(&read_text(&project.root.join(LIST))?);
    match names.is_empty() {
        true => Err(format!("{LIST} lists no sheets")),
        false => Ok(names),
    }
}

/// Returns the names in the list of a Rust source: `sheets!["tokens", "controls"]`.
fn parse_sheet_names(source: &str) -> Vec<String> {
    let list = source.split_once("sheets![").map(|(_, list)| list);
    let list = list.and_then(|list| list.split_once(']'));
    let texts = list.map(|(list, _)| list).unwrap_or_default().split('"');
    texts.skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the names of sheets that are not in the list.
fn unlisted_sheets<'a>(names: impl Iterator<Item = &'a str>, listed: &[String]) -> Vec<&'a str> {
    names
        .filter(|name| {
            let is_listed = listed.iter().any(|listed| listed == name);
            !["all", LAYER].contains(name) && !OUTSIDE.contains(name) && !is_listed
        })
        .collect()
}

fn format_joined(layer: &str, sheets: &[String], outside: &[String]) -> String {
    format!(
        "/* All sheets of this folder in one, written by `cargo xtask style`: change them, not this. */\n\n\
         {layer}@layer leptos-assistant {{\n{}}}\n\n{}",
        sheets.join("\n"),
        outside.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_joined_in_order() {
        let sheets = ["a {}\n".to_owned(), "b {}\n".to_owned()];
        let outside = ["c {}\n".to_owned(), "d {}\n".to_owned()];
        let all = format_joined("@layer x;\n", &sheets, &outside);
        assert!(all.starts_with("/* "));
        assert!(all.ends_with(
            "\n\n@layer x;\n@layer leptos-assistant {\na {}\n\nb {}\n}\n\nc {}\n\nd {}\n"
        ));
    }

    #[test]
    fn a_sheet_missing_from_the_list_is_reported() {
        let listed = parse_sheet_names("sheets![\n    \"tokens\",\n    \"tool\",\n];");
        assert_eq!(listed, ["tokens", "tool"]);
        assert_eq!(
            unlisted_sheets(
                ["all", "layer", "tool", "guard", "cellar"].into_iter(),
                &listed
            ),
            ["cellar"]
        );
    }
}
