//! Checks that the npm package has the features of the library: each public method has a member of
//! the same name, in camel case, in the types of the package, or a row in a table.

use std::collections::BTreeSet;

use crate::project::{Outcome, Project, read_text};
use crate::source::collect_rust_files;

/// The table of methods with another name in JavaScript, or with a reason for a missing
/// counterpart.
const TABLE: &str = "crates/assistant-embed/parity.md";
const SOURCE: &str = "src";
const TYPES: [&str; 2] = [
    "crates/assistant-embed/npm/index.d.ts",
    "crates/assistant-embed/npm/full.d.ts",
];
/// The types of the library, and the corresponding interfaces of the package.
const PAIRS: [(&str, &[&str]); 9] = [
    ("ToolAction", &["ActionDefinition"]),
    ("ToolContext", &["ToolContext"]),
    ("AssistantProvider", &["MountOptions", "SharedOptions"]),
    ("Assistant", &["Chat", "ChatState"]),
    ("Branches", &["Chat", "ChatState"]),
    ("Conversations", &["Chat", "ChatState"]),
    ("RememberedApprovals", &["Chat", "ChatState"]),
    ("Tools", &["Chat", "ChatState"]),
    ("Updates", &["FullChat"]),
];
/// The component whose properties count as methods.
const COMPONENT: &str = "AssistantProvider";
/// The entry of a row for a method that has no counterpart, for the given reason.
const NONE: &str = "none";

/// Fails with a list of methods without a counterpart, and of rows that are not needed. Prints the
/// number of methods without a counterpart.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let mut files = Vec::new();
    collect_rust_files(&project.root.join(SOURCE), &mut files)?;
    let sources: Vec<String> = files
        .iter()
        .map(|file| read_text(file))
        .collect::<Outcome<_>>()?;
    let types = TYPES.map(|file| read_text(&project.root.join(file)));
    let types = types.into_iter().collect::<Outcome<Vec<_>>>()?.join("\n");
    let table = read_text(&project.root.join(TABLE))?;
    let compared = compare_interfaces(&sources, &types, &table);
    eprintln!(
        "parity: {} methods, {} without a counterpart in JavaScript",
        compared.methods, compared.without
    );
    match compared.faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{TABLE}: {}", compared.faults.join("; "))),
    }
}

/// The result of a comparison.
#[derive(Debug, Default, PartialEq, Eq)]
struct Comparison {
    methods: usize,
    without: usize,
    faults: Vec<String>,
}

fn compare_interfaces(sources: &[String], types: &str, table: &str) -> Comparison {
    let mut compared = Comparison::default();
    let rows: Vec<ParityRow<'_>> = table.lines().filter_map(ParityRow::parse).collect();
    let mut used = BTreeSet::new();
    for (name, interfaces) in PAIRS {
        let members: BTreeSet<&str> = interfaces
            .iter()
            .flat_map(|of| member_names(types, of))
            .collect();
        let methods: BTreeSet<&str> = sources
            .iter()
            .flat_map(|text| method_names(text, name))
            .collect();
        for method in methods {
            compared.methods += 1;
            let full = format!("{name}::{method}");
            let row = rows.iter().find(|row| row.rust == full);
            let same = members.contains(to_camel_case(method).as_str());
            let Some(row) = row else {
                if !same {
                    compared.faults.push(format!("{full} has no counterpart"));
                }
                continue;
            };
            used.insert(row.rust);
            if same {
                compared
                    .faults
                    .push(format!("the row of {full} is not needed"));
                continue;
            }
            match row.script {
                NONE if row.reason.is_empty() => {
                    compared.faults.push(format!("{full} needs a reason"));
                }
                NONE => compared.without += 1,
                other if members.contains(other) => {}
                other => compared
                    .faults
                    .push(format!("{full}: there is no `{other}`")),
            }
        }
    }
    let unused = rows.iter().filter(|row| !used.contains(row.rust));
    let unused = unused.map(|row| format!("there is no {}", row.rust));
    compared.faults.extend(unused);
    compared
}

/// A row of the table: a Rust method, its name in JavaScript, and a reason.
struct ParityRow<'a> {
    rust: &'a str,
    script: &'a str,
    reason: &'a str,
}

impl<'a> ParityRow<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut cells = line.strip_prefix("| `")?.trim_end_matches('|').split(" | ");
        Some(Self {
            rust: cells.next()?.trim().trim_end_matches('`'),
            script: cells.next()?.trim().trim_matches('`'),
            reason: cells.next().unwrap_or_default().trim(),
        })
    }
}

/// Returns the names of the public methods of a type, or of the properties of the component. The
/// source must be formatted by rustfmt.
fn method_names<'a>(text: &'a str, of: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut within = false;
    for line in text.lines() {
        if line.starts_with("impl") || (of == COMPONENT && line.starts_with("pub fn ")) {
            within = is_beginning_of(line, of);
        } else if line.starts_with(['}', ')']) {
            within = false;
        } else if within {
            found.extend(member_name(line, of == COMPONENT));
        }
    }
    found
}

/// Returns true if a line begins the inherent implementation of a type, or the component.
fn is_beginning_of(line: &str, of: &str) -> bool {
    if of == COMPONENT {
        return line
            .strip_prefix("pub fn ")
            .and_then(|rest| rest.strip_prefix(of))
            == Some("(");
    }
    let header = line.trim_start_matches("impl");
    // Generics of the implementation.
    let header = match header.strip_prefix('<') {
        Some(rest) => rest.split_once("> ").map_or("", |(_, header)| header),
        None => header.trim_start(),
    };
    let rest = header.strip_prefix(of);
    rest.is_some_and(|rest| rest.starts_with([' ', '<']) && !rest.contains(" for "))
}

/// Returns the name of the public method, or of the property, that a line defines; `None` for other
/// lines.
fn member_name(line: &str, is_property: bool) -> Option<&str> {
    let line = line
        .strip_prefix("    ")
        .filter(|line| !line.starts_with(' '))?;
    if is_property {
        let (name, _) = line.split_once(": ")?;
        return name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c == '_')
            .then_some(name);
    }
    let rest = line.strip_prefix("pub ")?;
    let rest = rest
        .trim_start_matches("const ")
        .trim_start_matches("async ");
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

/// Returns the names of an interface's members. The source must be formatted.
fn member_names<'a>(types: &'a str, interface: &str) -> Vec<&'a str> {
    let begin = format!("interface {interface}");
    let bodies = types
        .split(&begin)
        .skip(1)
        .filter(|rest| rest.starts_with([' ', '<']));
    let lines = bodies.flat_map(|body| body.lines().take_while(|line| *line != "}"));
    let member = |line: &'a str| {
        let line = line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))?;
        let line = line.trim_start_matches("readonly ");
        let end = line.find(|c: char| !c.is_alphanumeric())?;
        let (name, rest) = line.split_at(end);
        (!name.is_empty() && rest.starts_with([':', '?', '(', '<'])).then_some(name)
    };
    lines.filter_map(member).collect()
}

/// Converts a name to camel case.
fn to_camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = "impl<Args> ToolAction<Args> {\n    pub fn text_result(mut self) {\n        pub fn inner() {}\n    }\n    \
                        pub(crate) fn hidden(self) {}\n    pub async fn run<T>(self) {}\n}\n\
                        impl Debug for ToolAction {\n    pub fn fmt() {}\n}\nimpl ToolActions {\n    pub fn other() {}\n}\n\
                        pub fn AssistantProvider(\n    /// The agent: any.\n    agent: AgentProp,\n    #[prop(into)]\n    \
                        thread_id: String,\n) -> impl IntoView {\n    let x: y;\n}\n";
    const TYPES: &str = "export interface ActionDefinition<A = any> {\n  /** It. */\n  textResult?: boolean;\n}\n\
                         interface SharedOptions extends MountOptions {\n  threadId?: string;\n}\n";

    fn faults(table: &str) -> Vec<String> {
        compare_interfaces(&[RUST.to_owned()], TYPES, table).faults
    }

    #[test]
    fn methods_and_properties_without_a_counterpart_are_reported() {
        let missing = [
            "ToolAction::run has no counterpart",
            "AssistantProvider::agent has no counterpart",
        ];
        assert_eq!(faults(""), missing);
        let table = "| Rust | JavaScript | reason |\n| --- | --- | --- |\n| `ToolAction::run` | none | it needs a runtime |\n\
                     | `AssistantProvider::agent` | none | it is an address |\n";
        let compared = compare_interfaces(&[RUST.to_owned()], TYPES, table);
        assert_eq!(compared.faults, Vec::<String>::new());
        assert_eq!((compared.methods, compared.without), (4, 2));
    }

    #[test]
    fn rows_need_a_use_a_reason_and_an_existing_counterpart() {
        let table = "| `ToolAction::run` | `start` | |\n| `AssistantProvider::agent` | none | |\n\
                     | `ToolAction::text_result` | `textResult` | |\n| `ToolAction::gone` | none | old |\n";
        assert_eq!(
            faults(table),
            [
                "ToolAction::run: there is no `start`",
                "the row of ToolAction::text_result is not needed",
                "AssistantProvider::agent needs a reason",
                "there is no ToolAction::gone",
            ]
        );
        assert!(
            faults("| `ToolAction::run` | `textResult` | |")
                .iter()
                .all(|fault| !fault.contains("run"))
        );
    }

    #[test]
    fn names_become_camel_case() {
        assert_eq!(to_camel_case("remember_up_to"), "rememberUpTo");
        assert_eq!(to_camel_case("describe"), "describe");
    }
}
