//! The order of the rooms of `src/`: what each may import. ARCHITECTURE.md says what they are for.
//!
//! It reads paths as they stand in the code (`use crate::…` with all its braces, `crate::…` in a line, `super::…` that
//! reaches the root) and knows nothing of macros.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use crate::project::{Outcome, Project, read};

/// The rooms from the ground up. One imports from the lines above its own; those of one line from each other.
const ORDER: [&[&str]; 15] = [
    &["ui"],
    &["render"],
    &["agent"],
    &["store"],
    &["view"],
    &["runtime"],
    &["assistant"],
    &["action"],
    &["provider"],
    &["testing"],
    &["markdown"],
    &["attachment"],
    &["part"],
    &["tool"],
    &["chat"],
];

/// Something that stands against the order.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    file: PathBuf,
    line: usize,
    what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what } = self;
        write!(f, "{}:{line}: {what}", file.display())
    }
}

/// Reads all of `src/`; the message names every import that points up.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let mut files = Vec::new();
    sources(&project.root.join("src"), &mut files)?;
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        let place = file.strip_prefix(&project.root).unwrap_or(file);
        faults.extend(faults_of(place, &read(file)?));
    }
    if faults.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Err(format!(
        "{} imports against the order of the rooms:\n{}",
        faults.len(),
        lines.join("\n")
    ))
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome<()> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// The floor that a room is on.
fn floor(room: &str) -> Option<usize> {
    ORDER.iter().position(|line| line.contains(&room))
}

/// What a file, named from the project's folder, has against the order.
fn faults_of(file: &Path, text: &str) -> Vec<Fault> {
    let module = module_of(file);
    let tokens = tokens(text);
    let fault = |line, what| Fault {
        file: file.to_owned(),
        line,
        what,
    };
    let Some(from) = module.first() else {
        // The root names its modules, and gives what is in them to the outside.
        let strangers = tokens.windows(3).filter_map(|window| match window {
            [(_, "mod"), (line, name), (_, ";")] if floor(name).is_none() => Some((*line, *name)),
            _ => None,
        });
        return strangers
            .map(|(line, name)| fault(line, format!("`{name}` has no place in the order")))
            .collect();
    };
    let Some(own) = floor(from) else {
        return vec![fault(1, format!("`{from}` has no place in the order"))];
    };
    let told = imports(&module, &tokens)
        .into_iter()
        .filter_map(|(line, to)| {
            let what = match floor(to) {
                _ if to == from => return None,
                Some(other) if other <= own => return None,
                Some(_) => format!("{from} → {to} points up"),
                None => format!("{from} → `{to}`, which has no place in the order"),
            };
            Some(fault(line, what))
        });
    told.collect()
}

/// The module that a file is, from the root: `src/chat/list.rs` is `chat`, `list`.
fn module_of(file: &Path) -> Vec<String> {
    let mut names: Vec<String> = file
        .with_extension("")
        .iter()
        .skip(1)
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if names
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        names.pop();
    }
    names
}

type Token<'a> = (usize, &'a str);

/// The modules of the root that a file names, with the lines.
fn imports<'a>(module: &[String], tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    // How deep the braces are, and at which depths modules in the file began.
    let (mut depth, mut inner) = (0_usize, Vec::new());
    for (at, (_, token)) in tokens.iter().enumerate() {
        match *token {
            "{" => {
                depth += 1;
                if at >= 2 && word(tokens, at - 2) == "mod" {
                    inner.push(depth);
                }
            }
            "}" => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                }
                depth = depth.saturating_sub(1);
            }
            "crate" if at == 0 || word(tokens, at - 1) != "::" => {
                targets(tokens, at + 1, &mut found);
            }
            "super" if at == 0 || word(tokens, at - 1) != "::" => {
                let mut up = 1;
                while word(tokens, at + 2 * up - 1) == "::" && word(tokens, at + 2 * up) == "super"
                {
                    up += 1;
                }
                if up >= module.len() + inner.len() {
                    targets(tokens, at + 2 * up - 1, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// The first names of a path that goes on at a place: one, or all in a pair of braces.
fn targets<'a>(tokens: &[Token<'a>], at: usize, into: &mut Vec<Token<'a>>) {
    if word(tokens, at) != "::" {
        return;
    }
    if word(tokens, at + 1) != "{" {
        into.extend(tokens.get(at + 1));
        return;
    }
    let mut depth = 0_usize;
    for (place, (line, token)) in tokens.iter().enumerate().skip(at + 1) {
        match *token {
            "{" => depth += 1,
            "}" if depth == 1 => return,
            "}" => depth -= 1,
            name => {
                let first = matches!(word(tokens, place - 1), "{" | ",");
                if depth == 1 && first && name != "self" {
                    into.push((*line, name));
                }
            }
        }
    }
}

fn word<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |(_, token)| token)
}

/// Words, `::` and signs of Rust code with their lines; no comments, no texts.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(next) = rest.chars().next() {
        let len = match next {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => comment(rest),
            _ if rest.starts_with("r\"") || rest.starts_with("r#") => raw_text(rest),
            '"' => quoted(rest, '"').unwrap_or(rest.len()),
            // A lifetime has no end; a character has one close by.
            '\'' => quoted(rest, '\'').filter(|len| *len <= 12).unwrap_or(1),
            _ if is_of_word(next) => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        if is_of_word(next) && !token.contains(['"', '\n']) || "::{},;*".contains(token) {
            found.push((line, token));
        }
        line += token.matches('\n').count();
        rest = after;
    }
    found
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a comment that begins here; comments lie within each other.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a raw text that begins here, or of the word that only begins like one.
fn raw_text(text: &str) -> usize {
    let marks = text.chars().skip(1).take_while(|c| *c == '#').count();
    let end = format!("\"{}", "#".repeat(marks));
    let body = text.get(marks + 1..).unwrap_or_default();
    match body.strip_prefix('"') {
        Some(body) => body
            .find(&end)
            .map_or(text.len(), |at| marks + 2 + at + end.len()),
        None => 1,
    }
}

/// The length of what stands between two equal marks, with both.
fn quoted(text: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, text: &str) -> Vec<String> {
        let faults = faults_of(Path::new(file), text);
        faults
            .iter()
            .map(|fault| format!("{}: {}", fault.line, fault.what))
            .collect()
    }

    #[test]
    fn an_import_that_points_up_is_named_with_its_line() {
        let text = "use std::fmt;\nuse crate::chat::Labels;\n";
        assert_eq!(told("src/tool/form.rs", text), ["2: tool → chat points up"]);
        assert!(told("src/chat/list.rs", "use crate::tool::Card;").is_empty());
    }

    #[test]
    fn braces_are_read_to_their_end() {
        let text = "use crate::{\n    ui::{self, Icon, when},\n    tool::{Card, slot::{Slot}},\n    chat,\n};\n";
        assert_eq!(
            told("src/part/mod.rs", text),
            ["3: part → tool points up", "4: part → chat points up"]
        );
    }

    #[test]
    fn a_path_in_a_line_counts_and_a_comment_does_not() {
        let text = "/// See [`crate::chat`].\nfn f() { let x = \"crate::chat\"; /* crate::chat */ crate::runtime::now() }\n";
        assert_eq!(told("src/ui/time.rs", text), ["2: ui → runtime points up"]);
    }

    #[test]
    fn a_way_to_the_root_by_super_counts() {
        let text = "use super::super::chat::Labels;\nuse super::pieces;\n";
        assert_eq!(told("src/tool/form.rs", text), ["1: tool → chat points up"]);
        let inner = "mod tests { use super::super::pieces; }";
        assert!(told("src/tool/form.rs", inner).is_empty());
        assert_eq!(
            told("src/ui.rs", "use super::chat::Labels;"),
            ["1: ui → chat points up"]
        );
    }

    #[test]
    fn a_module_without_a_place_is_named() {
        assert_eq!(
            told(
                "src/lib.rs",
                "mod ui;\npub mod cellar;\npub use chat::Labels;"
            ),
            ["2: `cellar` has no place in the order"]
        );
        assert_eq!(
            told("src/cellar/mod.rs", "use crate::ui::Icon;"),
            ["1: `cellar` has no place in the order"]
        );
        assert_eq!(
            told("src/tool/form.rs", "use crate::Labels;"),
            ["1: tool → `Labels`, which has no place in the order"]
        );
    }

    #[test]
    fn rooms_of_one_line_import_from_each_other() {
        assert!(told("src/action/hook.rs", "use crate::assistant::Assistant;").is_empty());
        assert!(told("src/assistant/mod.rs", "use crate::action::ToolCallView;").is_empty());
    }

    #[test]
    fn quotes_and_lifetimes_do_not_hide_what_follows() {
        let text = "fn f<'a>(x: &'a str) { let c = '\"'; let r = r#\"\"crate::chat\"#; crate::chat::go() }";
        assert_eq!(told("src/ui/a.rs", text), ["1: ui → chat points up"]);
    }
}
