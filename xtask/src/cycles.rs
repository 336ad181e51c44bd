//! Detects import cycles between files.
//!
//! An import counts as an import from the file that defines the item: re-exports are followed. A
//! module file and its submodules may import from each other, because together they form one
//! module. Unit tests inside a file are ignored.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use crate::imports::ParsedFile;
use crate::project::{Outcome, read_text};
use crate::source::{collect_rust_files, module_path, tokens};

/// The path of a module; empty for the root.
type ModulePath = Vec<String>;

/// The files below a folder, with their imports.
#[derive(Debug, Default)]
struct ImportGraph {
    files: BTreeMap<ModulePath, ParsedFile>,
}

/// Checks all Rust files below a folder. Fails with a list of the cycles, each with the lines of
/// its imports.
pub(crate) fn check(folder: &Path) -> Outcome<()> {
    let mut found = Vec::new();
    collect_rust_files(folder, &mut found)?;
    let mut graph = ImportGraph::default();
    for path in &found {
        graph.add_file(path.strip_prefix(folder).unwrap_or(path), &read_text(path)?);
    }
    let cycles = graph.describe_cycles();
    if cycles.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} cycles of imports between files of {}:\n{}",
        cycles.len(),
        folder.display(),
        cycles.join("\n")
    ))
}

impl ImportGraph {
    fn add_file(&mut self, file: &Path, text: &str) {
        let file_of = ParsedFile::parse(&tokens(text));
        self.files.insert(module_path(file), file_of);
    }

    /// Resolves a path in a module to a path from the root; `None` for a path of another crate.
    fn resolve_path(&self, from: &[String], path: &[String]) -> Option<ModulePath> {
        let joined = |base: &[String], rest: &[String]| [base, rest].concat();
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return Some(rest.to_vec()),
            "self" => return Some(joined(from, rest)),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                let base = from.get(..from.len().checked_sub(up)?)?;
                return Some(joined(base, path.get(up..)?));
            }
            _ => {}
        }
        if self
            .files
            .contains_key(&joined(from, std::slice::from_ref(first)))
        {
            return Some(joined(from, path));
        }
        // A name that is imported here. One that refers to itself belongs to another crate.
        let imports = &self.files.get(from)?.imports;
        let import = imports
            .iter()
            .find(|import| import.name == *first && import.path.first() != Some(first))?;
        Some(joined(&self.resolve_path(from, &import.path)?, rest))
    }

    /// Returns the module whose file defines the item at a path from the root; `None` if the root
    /// itself contains the name but no file is known for it.
    fn defining_module(&self, path: &[String], depth: usize) -> Option<ModulePath> {
        let is_module = |len: &usize| {
            path.get(..*len)
                .is_some_and(|part| self.files.contains_key(part))
        };
        let len = (1..=path.len()).take_while(is_module).count();
        let (module, rest) = path.split_at_checked(len)?;
        let Some(name) = rest.first().filter(|name| *name != "*") else {
            return Some(module.to_vec());
        };
        let file = self.files.get(module)?;
        // Longer chains of re-exports do not occur.
        if depth > 16 || file.defines.contains(name) {
            return Some(module.to_vec());
        }
        for import in file.imports.iter().filter(|import| import.name == *name) {
            if let Some(target) = self.resolve_path(module, &import.path)
                && target != path
            {
                return self.defining_module(&[&target[..], rest.get(1..)?].concat(), depth + 1);
            }
        }
        let globs = file.imports.iter().filter(|import| import.name == "*");
        for glob in globs.filter(|glob| glob.is_public) {
            let inside = glob.path.split_last().map(|(_, inside)| inside)?;
            let Some(base) = self.resolve_path(module, inside) else {
                continue;
            };
            let found = self.defining_module(&[&base[..], rest].concat(), depth + 1);
            if let Some(found) = found
                && self.files.get(&found)?.defines.contains(name)
            {
                return Some(found);
            }
        }
        Some(module.to_vec())
    }

    /// Returns the modules that a file imports from, each with the line of the first import.
    fn imported_modules(
        &self,
        from: &ModulePath,
        file: &ParsedFile,
    ) -> BTreeMap<ModulePath, usize> {
        let mut targets = BTreeMap::new();
        let imports = file.imports.iter();
        let imports = imports.map(|import| (import.line, from.clone(), &import.path));
        let paths = file.paths.iter();
        let paths = paths.map(|(line, inner, path)| (*line, [&from[..], inner].concat(), path));
        for (line, at, path) in imports.chain(paths) {
            let absolute = self.resolve_path(&at, path).or_else(|| {
                // Inner modules know the file's imports by a glob.
                (at != *from)
                    .then(|| self.resolve_path(from, path))
                    .flatten()
            });
            let Some(target) = absolute.and_then(|path| self.defining_module(&path, 0)) else {
                continue;
            };
            // Excludes the file's own items, and those of its submodules.
            if !target.starts_with(from) {
                targets.entry(target).or_insert(line);
            }
        }
        targets
    }

    /// Returns each cycle as text. Cycles that share a file with a reported cycle are omitted.
    fn describe_cycles(&self) -> Vec<String> {
        let edges: BTreeMap<&ModulePath, BTreeMap<ModulePath, usize>> = self
            .files
            .iter()
            .map(|(module, file)| (module, self.imported_modules(module, file)))
            .collect();
        let mut reported: BTreeSet<&ModulePath> = BTreeSet::new();
        let mut lines = Vec::new();
        for start in edges.keys() {
            if reported.contains(*start) {
                continue;
            }
            let Some(cycle) = shortest_cycle(&edges, start) else {
                continue;
            };
            if cycle.iter().any(|module| reported.contains(module)) {
                continue;
            }
            let names = cycle.iter().zip(cycle.iter().cycle().skip(1));
            let steps = names.map(|(from, to)| {
                let line = edges.get(from).and_then(|to_of| to_of.get(*to));
                format!("{}:{}", from.join("/"), line.copied().unwrap_or_default())
            });
            let steps: Vec<String> = steps.collect();
            lines.push(format!("{} → {}", steps.join(" → "), start.join("/")));
            reported.extend(cycle);
        }
        lines
    }
}

/// Returns the shortest path from a file back to itself, without the repeated file at the end.
fn shortest_cycle<'a>(
    edges: &BTreeMap<&'a ModulePath, BTreeMap<ModulePath, usize>>,
    start: &'a ModulePath,
) -> Option<Vec<&'a ModulePath>> {
    let mut came_from: BTreeMap<&ModulePath, &'a ModulePath> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for next in edges.get(at).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut way = vec![at];
                while let Some(before) = way.last().and_then(|last| came_from.get(*last)) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            let Some((known, _)) = edges.get_key_value(next) else {
                continue;
            };
            if !came_from.contains_key(next) {
                came_from.insert(known, at);
                queue.push_back(known);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(files: &[(&str, &str)]) -> Vec<String> {
        let mut graph = ImportGraph::default();
        for (file, text) in files {
            graph.add_file(Path::new(file), text);
        }
        graph.describe_cycles()
    }

    #[test]
    fn two_files_that_import_each_other_are_reported_with_lines() {
        let files = [
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "\nuse crate::b::B;\npub struct A;"),
            ("b.rs", "use crate::a::A;\npub struct B;"),
        ];
        assert_eq!(cycles(&files), ["a:2 → b:1 → a"]);
    }

    #[test]
    fn imports_in_one_direction_are_no_cycle() {
        let files = [
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::{C, D as E};\npub struct B;"),
            ("c.rs", "pub struct C; pub struct D;"),
        ];
        assert_eq!(cycles(&files), Vec::<String>::new());
    }

    #[test]
    fn re_exports_resolve_to_the_file_that_defines_the_item() {
        let files = [
            (
                "room/mod.rs",
                "mod a;\nmod b;\npub use a::A;\npub(crate) use b::*;",
            ),
            ("room/a.rs", "use super::B;\npub struct A;"),
            ("room/b.rs", "use crate::room::A;\npub struct B;"),
        ];
        assert_eq!(cycles(&files), ["room/a:1 → room/b:1 → room/a"]);
    }

    #[test]
    fn a_module_and_its_submodules_are_one_node() {
        let files = [
            (
                "room/mod.rs",
                "mod a;\nuse self::a::A;\npub struct Room(A, a::B);",
            ),
            ("room/a.rs", "use super::Room;\npub struct A; pub struct B;"),
        ];
        assert_eq!(cycles(&files), Vec::<String>::new());
    }

    #[test]
    fn paths_in_code_count_as_imports_and_unit_tests_do_not() {
        let files = [
            ("a.rs", "fn f() { crate::b::g() }"),
            (
                "b.rs",
                "use crate::c;\nfn g() -> impl Sized + use<> { c::h() }",
            ),
            (
                "c.rs",
                "fn h() { loop {} }\nmod tests { use crate::a::f; fn t() { super::super::a::f() } }",
            ),
        ];
        assert_eq!(cycles(&files), Vec::<String>::new());
        let closed = [files[0], files[1], ("c.rs", "fn h() { super::a::f() }")];
        assert_eq!(cycles(&closed), ["a:1 → b:1 → c:1 → a"]);
    }

    #[test]
    fn each_cycle_is_reported_once() {
        let files = [
            ("a.rs", "use crate::{b::B, c::C};\npub struct A;"),
            ("b.rs", "use crate::a::A;\npub struct B;"),
            ("c.rs", "use crate::d::D;\npub struct C;"),
            ("d.rs", "use crate::c::C;\npub struct D;"),
        ];
        assert_eq!(cycles(&files), ["a:1 → b:1 → a", "c:1 → d:1 → c"]);
    }
}
