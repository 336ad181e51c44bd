//! Parses the imports of a Rust file: its `use` declarations, and the paths in its code.

use std::collections::BTreeSet;

use crate::source::{Token, is_word_char, token_at};

/// An import that a `use` declaration adds.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) line: usize,
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    pub(crate) is_public: bool,
}

/// The imports, paths and definitions of a file.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    pub(crate) imports: Vec<Import>,
    /// The paths outside of `use` declarations: the line, the inline modules that contain the path,
    /// and the path.
    pub(crate) paths: Vec<(usize, Vec<String>, Vec<String>)>,
    /// The names of the items that the file defines, to resolve glob imports.
    pub(crate) defines: BTreeSet<String>,
}

impl ParsedFile {
    /// Parses the tokens of a file.
    pub(crate) fn parse(tokens: &[Token<'_>]) -> Self {
        let mut file = Self::default();
        // The inline modules around a position, with the depth of their braces.
        let (mut depth, mut inner): (usize, Vec<(usize, String)>) = (0, Vec::new());
        let mut at = 0;
        while let Some((line, token)) = tokens.get(at) {
            let before = |back: usize| at.checked_sub(back).map_or("", |at| token_at(tokens, at));
            match *token {
                "{" => {
                    depth += 1;
                    if before(2) == "mod" {
                        inner.push((depth, before(1).to_owned()));
                    }
                }
                "}" => {
                    inner.pop_if(|(began, _)| *began == depth);
                    depth = depth.saturating_sub(1);
                }
                "use" if before(1) != "::" => {
                    if let Some(after) = file.parse_declaration(tokens, at, *line, &inner) {
                        at = after;
                        continue;
                    }
                }
                "struct" | "enum" | "fn" | "trait" | "type" | "const" | "static" | "union"
                    if inner.is_empty() =>
                {
                    file.defines.insert(token_at(tokens, at + 1).to_owned());
                }
                name if before(1) != "::" && name.starts_with(is_word_char) => {
                    let mut path = vec![name.to_owned()];
                    while token_at(tokens, at + 1) == "::"
                        && token_at(tokens, at + 2).starts_with(is_word_char)
                    {
                        at += 2;
                        path.push(token_at(tokens, at).to_owned());
                    }
                    if path.len() > 1 && !is_in_tests(&inner) {
                        let inner = inner.iter().map(|(_, name)| name.clone()).collect();
                        file.paths.push((*line, inner, path));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        file
    }

    /// Parses the `use` declaration at a position, and adds its imports. Returns the position after
    /// the declaration; `None` if the tokens are not a complete declaration.
    fn parse_declaration(
        &mut self,
        tokens: &[Token<'_>],
        at: usize,
        line: usize,
        inner: &[(usize, String)],
    ) -> Option<usize> {
        let is_public = {
            let before = tokens.get(..at)?.iter().rev().map(|(_, token)| *token);
            let mut statement = before.take_while(|token| !matches!(*token, ";" | "{" | "}"));
            statement.any(|token| token == "pub")
        };
        let mut names = Vec::new();
        let end = parse_use_tree(tokens, at + 1, &mut Vec::new(), &mut names)?;
        if token_at(tokens, end) != ";" {
            return None;
        }
        for (path, name) in names {
            if inner.is_empty() {
                self.imports.push(Import {
                    line,
                    path,
                    name,
                    is_public,
                });
            } else if !is_in_tests(inner) {
                let inner = inner.iter().map(|(_, name)| name.clone()).collect();
                self.paths.push((line, inner, path));
            }
        }
        Some(end)
    }
}

fn is_in_tests(inner: &[(usize, String)]) -> bool {
    inner.iter().any(|(_, name)| name == "tests")
}

/// Parses a tree of a `use` declaration, and adds pairs of path and name. Returns the position
/// after the tree; `None` if the tokens are not a tree.
fn parse_use_tree(
    tokens: &[Token<'_>],
    mut at: usize,
    prefix: &mut Vec<String>,
    into: &mut Vec<(Vec<String>, String)>,
) -> Option<usize> {
    let depth = prefix.len();
    loop {
        match token_at(tokens, at) {
            "{" => {
                at += 1;
                while token_at(tokens, at) != "}" {
                    at = parse_use_tree(tokens, at, prefix, into)?;
                    if token_at(tokens, at) == "," {
                        at += 1;
                    }
                }
                at += 1;
                break;
            }
            "::" if prefix.is_empty() => at += 1,
            name if name == "*" || name.starts_with(is_word_char) => {
                prefix.push(name.to_owned());
                at += 1;
                if token_at(tokens, at) == "::" {
                    at += 1;
                    continue;
                }
                let mut path = prefix.clone();
                path.pop_if(|last| last == "self");
                let mut alias = path.last()?.clone();
                if token_at(tokens, at) == "as" {
                    token_at(tokens, at + 1).clone_into(&mut alias);
                    at += 2;
                }
                into.push((path, alias));
                break;
            }
            _ => return None,
        }
    }
    prefix.truncate(depth);
    Some(at)
}
