//! Shortens the names of the imports and exports between the npm package's module and its glue.

use std::collections::HashMap;

use crate::project::Outcome;

/// The short names that wasm-opt gave the functions that the module and its glue exchange. The
/// original names contain hashes, which take eight kilobytes compressed.
#[derive(Debug, Default)]
pub(crate) struct ShortNames {
    /// The names of the modules that functions are imported from.
    modules: Vec<String>,
    imports: HashMap<String, String>,
    exports: HashMap<String, String>,
}

impl ShortNames {
    /// Parses wasm-opt's output: lines of `["module", "name", "short name"]` for imports, and of
    /// `["name", "short name"]` for exports.
    pub(crate) fn parse(printed: &str) -> Self {
        let mut names = Self::default();
        for line in printed.lines() {
            let words: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
            let (module, into, name, short) = match *words.as_slice() {
                [module, name, short] => (Some(module), &mut names.imports, name, short),
                [name, short] => (None, &mut names.exports, name, short),
                _ => continue,
            };
            into.insert(name.to_owned(), short.to_owned());
            let new = |module: &&str| !names.modules.iter().any(|known| known == module);
            names.modules.extend(module.filter(new).map(str::to_owned));
        }
        names
    }

    /// Returns the glue with the short names: `name: function…` for imports, `wasm.name` for
    /// exports. Fails if the glue does not provide exactly one of the imported modules, or does not
    /// define every import.
    pub(crate) fn shorten_glue(&self, glue: &str) -> Outcome<String> {
        let given = |module: &&String| glue.contains(&format!("\"{module}\":"));
        let modules: Vec<&String> = self.modules.iter().filter(given).collect();
        let [module] = modules.as_slice() else {
            return Err("wasm-opt: the module asks for nothing, or of several".to_owned());
        };
        // wasm-opt renames all modules to the same name.
        let glue = glue.replace(&format!("\"{module}\":"), "a:");
        let mut short = String::with_capacity(glue.len());
        let mut given = 0;
        for piece in glue.split_inclusive(|c: char| !is_name_char(c)) {
            let word = piece.trim_end_matches(|c| !is_name_char(c));
            let name = if short.ends_with("wasm.") {
                self.exports.get(word)
            } else if piece.ends_with(':') {
                self.imports.get(word)
            } else {
                None
            };
            given += usize::from(piece.ends_with(':') && name.is_some());
            short.push_str(name.map_or(word, String::as_str));
            short.extend(piece.strip_prefix(word));
        }
        if given == self.imports.len() {
            Ok(short)
        } else {
            let asked = self.imports.len();
            Err(format!(
                "the glue gives {given} functions and the module asks for {asked}"
            ))
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}
