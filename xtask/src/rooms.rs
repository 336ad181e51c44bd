//! Checks that imports follow the order of the rooms (the top-level modules) of `src/` and of the
//! engine, and that imports have no cycles. The tables in ARCHITECTURE.md list the rooms in this
//! order.
//!
//! Paths are parsed as they are written in the code: `use crate::…` with braces, `crate::…` in
//! expressions, and `super::…` that reaches the root.

use std::path::Path;

use crate::cycles;
use crate::fault::Fault;
use crate::project::{Outcome, Project, read_text};
use crate::source::{Token, collect_rust_files, module_path, token_at, tokens};

/// A source folder with its rooms.
struct SourceArea {
    folder: &'static str,
    /// The heading of the table in ARCHITECTURE.md that lists the rooms.
    heading: &'static str,
    /// The rooms from the bottom up. Each room may import from the rooms before it.
    order: &'static [&'static str],
}

const LIBRARY: SourceArea = SourceArea {
    folder: "src",
    heading: "## Modules of src",
    order: &LIBRARY_ROOMS,
};

const ENGINE: SourceArea = SourceArea {
    folder: "crates/assistant-core/src",
    heading: "## Modules of the engine",
    order: &[
        "order",
        "id",
        "event",
        "json",
        "text",
        "limits",
        "action",
        "conversation",
        "session",
        "observe",
        "loop_events",
        "records",
        "replay",
    ],
};

const LIBRARY_ROOMS: [&str; 15] = [
    "ui",
    "render",
    "agent",
    "store",
    "view",
    "runtime",
    "assistant",
    "action",
    "provider",
    "testing",
    "markdown",
    "attachment",
    "part",
    "tool",
    "chat",
];

/// The folders whose files must not import in cycles.
const WITHOUT_CYCLES: [&str; 4] = [
    "src",
    "crates/assistant-core/src",
    "crates/assistant-protocols/src",
    "crates/assistant-testkit/src",
];

/// Checks the library and the engine. Fails with a list of the imports from higher rooms, if a
/// table in ARCHITECTURE.md differs from the order, or with a list of the cycles.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let architecture = read_text(&project.root.join("ARCHITECTURE.md"))?;
    for area in [&LIBRARY, &ENGINE] {
        area.check_order(project)?;
        area.check_table(&architecture)?;
    }
    for folder in WITHOUT_CYCLES {
        cycles::check(&project.root.join(folder))?;
    }
    Ok(())
}

impl SourceArea {
    /// Fails unless the table in ARCHITECTURE.md lists the rooms in order, with one room per row.
    fn check_table(&self, text: &str) -> Outcome<()> {
        let table = text
            .lines()
            .skip_while(|line| *line != self.heading)
            .skip_while(|line| !line.starts_with("| room |"));
        let rows = table.skip(2).take_while(|line| line.starts_with('|'));
        let rooms = rows.filter_map(|row| row.split('|').nth(1).map(str::trim));
        let rooms: Vec<&str> = rooms.collect();
        let mut named = Vec::new();
        for cell in rooms {
            let room = cell
                .strip_prefix('`')
                .and_then(|cell| cell.strip_suffix('`'));
            match room.filter(|room| !room.contains('`')) {
                Some(room) => named.push(room),
                None => return Err(format!("ARCHITECTURE.md: {cell} is not one room")),
            }
        }
        match named == self.order {
            true => Ok(()),
            false => Err(format!(
                "ARCHITECTURE.md lists the rooms {}, and the order is {}",
                named.join(", "),
                self.order.join(", ")
            )),
        }
    }

    /// Fails with a list of the imports from higher rooms.
    fn check_order(&self, project: &Project) -> Outcome<()> {
        let mut files = Vec::new();
        collect_rust_files(&project.root.join(self.folder), &mut files)?;
        files.sort();
        let mut faults = Vec::new();
        for file in &files {
            let place = file.strip_prefix(&project.root).unwrap_or(file);
            faults.extend(self.find_faults(place, &read_text(file)?));
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

    /// Returns the position of a room in the order; `None` if the room is not listed.
    fn room_index(&self, room: &str) -> Option<usize> {
        self.order.iter().position(|name| *name == room)
    }

    /// Returns the imports of a file from higher rooms, and all rooms that the order does not list.
    /// The path of the file is relative to the project.
    fn find_faults(&self, file: &Path, text: &str) -> Vec<Fault> {
        let module = module_path(file.strip_prefix(self.folder).unwrap_or(file));
        let tokens = tokens(text);
        let fault = |line, what| Fault {
            file: file.to_owned(),
            line,
            what,
        };
        let Some(from) = module.first() else {
            // The root declares modules and re-exports their items.
            let strangers = tokens.windows(3).filter_map(|window| match window {
                [(_, "mod"), (line, name), (_, ";")] if self.room_index(name).is_none() => {
                    Some((*line, *name))
                }
                _ => None,
            });
            return strangers
                .map(|(line, name)| fault(line, format!("`{name}` has no place in the order")))
                .collect();
        };
        let Some(own) = self.room_index(from) else {
            return vec![fault(1, format!("`{from}` has no place in the order"))];
        };
        let imports = imported_rooms(&module, &tokens)
            .into_iter()
            .filter_map(|(line, to)| {
                let what = match self.room_index(to) {
                    _ if to == from => return None,
                    Some(other) if other <= own => return None,
                    Some(_) => format!("{from} → {to} points up"),
                    None => format!("{from} → `{to}`, which has no place in the order"),
                };
                Some(fault(line, what))
            });
        imports.collect()
    }
}

/// Returns the rooms that a file imports from, with the lines of the paths that refer to them.
fn imported_rooms<'a>(module: &[String], tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    // The current brace depth, and the depths at which inline modules began.
    let (mut depth, mut inner) = (0_usize, Vec::new());
    for (at, (_, token)) in tokens.iter().enumerate() {
        match *token {
            "{" => {
                depth += 1;
                if at >= 2 && token_at(tokens, at - 2) == "mod" {
                    inner.push(depth);
                }
            }
            "}" => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                }
                depth = depth.saturating_sub(1);
            }
            "crate" if at == 0 || token_at(tokens, at - 1) != "::" => {
                add_targets(tokens, at + 1, &mut found);
            }
            "super" if at == 0 || token_at(tokens, at - 1) != "::" => {
                let mut up = 1;
                while token_at(tokens, at + 2 * up - 1) == "::"
                    && token_at(tokens, at + 2 * up) == "super"
                {
                    up += 1;
                }
                if up >= module.len() + inner.len() {
                    add_targets(tokens, at + 2 * up - 1, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the name that follows `::` at a position or, if a pair of braces follows, all first names
/// inside the braces.
fn add_targets<'a>(tokens: &[Token<'a>], at: usize, into: &mut Vec<Token<'a>>) {
    if token_at(tokens, at) != "::" {
        return;
    }
    if token_at(tokens, at + 1) != "{" {
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
                let first = matches!(token_at(tokens, place - 1), "{" | ",");
                if depth == 1 && first && name != "self" {
                    into.push((*line, name));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::format_by_line;

    fn faults_in(file: &str, text: &str) -> Vec<String> {
        format_by_line(&LIBRARY.find_faults(Path::new(file), text))
    }

    #[test]
    fn an_upward_import_is_reported_with_its_line() {
        let text = "use std::fmt;\nuse crate::chat::Labels;\n";
        assert_eq!(
            faults_in("src/tool/form.rs", text),
            ["2: tool → chat points up"]
        );
        assert!(faults_in("src/chat/list.rs", "use crate::tool::Card;").is_empty());
    }

    #[test]
    fn nested_braces_of_an_import_are_parsed() {
        let text = "use crate::{\n    ui::{self, Icon, when},\n    tool::{Card, slot::{Slot}},\n    chat,\n};\n";
        assert_eq!(
            faults_in("src/part/mod.rs", text),
            ["3: part → tool points up", "4: part → chat points up"]
        );
    }

    #[test]
    fn a_path_in_code_counts_and_one_in_a_comment_does_not() {
        let text = "/// See [`crate::chat`].\nfn f() { let x = \"crate::chat\"; /* crate::chat */ crate::runtime::now() }\n";
        assert_eq!(
            faults_in("src/ui/time.rs", text),
            ["2: ui → runtime points up"]
        );
    }

    #[test]
    fn a_path_to_the_root_by_super_counts() {
        let text = "use super::super::chat::Labels;\nuse super::pieces;\n";
        assert_eq!(
            faults_in("src/tool/form.rs", text),
            ["1: tool → chat points up"]
        );
        let inner = "mod tests { use super::super::pieces; }";
        assert!(faults_in("src/tool/form.rs", inner).is_empty());
        assert_eq!(
            faults_in("src/ui.rs", "use super::chat::Labels;"),
            ["1: ui → chat points up"]
        );
    }

    #[test]
    fn a_module_missing_from_the_order_is_reported() {
        assert_eq!(
            faults_in(
                "src/lib.rs",
                "mod ui;\npub mod cellar;\npub use chat::Labels;"
            ),
            ["2: `cellar` has no place in the order"]
        );
        assert_eq!(
            faults_in("src/cellar/mod.rs", "use crate::ui::Icon;"),
            ["1: `cellar` has no place in the order"]
        );
        assert_eq!(
            faults_in("src/tool/form.rs", "use crate::Labels;"),
            ["1: tool → `Labels`, which has no place in the order"]
        );
    }

    #[test]
    fn two_modules_do_not_import_each_other() {
        assert!(faults_in("src/action/hook.rs", "use crate::assistant::Assistant;").is_empty());
        assert_eq!(
            faults_in("src/assistant/mod.rs", "use crate::action::ToolAction;"),
            ["1: assistant → action points up"]
        );
    }

    #[test]
    fn an_upward_import_of_the_engine_is_reported() {
        let found = |file, text| format_by_line(&ENGINE.find_faults(Path::new(file), text));
        assert_eq!(
            found(
                "crates/assistant-core/src/conversation/call.rs",
                "use crate::{event::Event, session::Input};"
            ),
            ["1: conversation → session points up"]
        );
    }

    #[test]
    fn a_table_row_with_two_modules_is_refused() {
        let table = |rows: &[String]| {
            let rows: Vec<String> = rows
                .iter()
                .map(|row| format!("| {row} | views |"))
                .collect();
            format!(
                "## Modules of src\n\n| room | holds |\n| --- | --- |\n{}\n\nMore",
                rows.join("\n")
            )
        };
        let mut rows: Vec<String> = LIBRARY
            .order
            .iter()
            .map(|room| format!("`{room}`"))
            .collect();
        assert_eq!(LIBRARY.check_table(&table(&rows)), Ok(()));
        rows.swap(0, 1);
        assert!(LIBRARY.check_table(&table(&rows)).is_err());
        rows.splice(0..2, ["`ui`, `render`".to_owned()]);
        let message = "ARCHITECTURE.md: `ui`, `render` is not one room";
        assert_eq!(LIBRARY.check_table(&table(&rows)), Err(message.to_owned()));
    }

    #[test]
    fn quotes_and_lifetimes_do_not_hide_later_paths() {
        let text = "fn f<'a>(x: &'a str) { let c = '\"'; let r = r#\"\"crate::chat\"#; crate::chat::go() }";
        assert_eq!(faults_in("src/ui/a.rs", text), ["1: ui → chat points up"]);
    }
}
