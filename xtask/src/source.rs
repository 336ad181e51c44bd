//! Finds source files, and tokenizes Rust code to analyze its imports and comments. Macros are not
//! expanded.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use crate::project::Outcome;

/// A token of the code, with its line.
pub(crate) type Token<'a> = (usize, &'a str);

/// The names of folders with build results or installed packages, which are not searched.
const NOT_OURS: [&str; 5] = ["target", "dist", "out", "node_modules", ".venv"];

/// Collects the Rust files of a folder, recursively.
pub(crate) fn collect_rust_files(folder: &Path, into: &mut Vec<PathBuf>) -> Outcome<()> {
    collect_files(folder, &["rs"], into)
}

/// Collects the files of a folder whose extension is in a list, recursively, except in folders with
/// build results and installed packages.
pub(crate) fn collect_files(
    folder: &Path,
    endings: &[&str],
    into: &mut Vec<PathBuf>,
) -> Outcome<()> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is = |names: &[&str], found: Option<&OsStr>| {
            names.iter().any(|name| found == Some(OsStr::new(name)))
        };
        if path.is_dir() {
            if !is(&NOT_OURS, path.file_name()) {
                collect_files(&path, endings, into)?;
            }
        } else if is(endings, path.extension()) {
            into.push(path);
        }
    }
    Ok(())
}

/// Returns the module path of a file: `chat`, `list` for `chat/list.rs`. The file's path is
/// relative to the source folder.
pub(crate) fn module_path(file: &Path) -> Vec<String> {
    let mut names: Vec<String> = file
        .with_extension("")
        .iter()
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

/// Returns the token at a position; empty after the end.
pub(crate) fn token_at<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |(_, token)| token)
}

/// Returns the words, `::` and signs of Rust code with their lines, without comments and strings.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = split_tokens(text);
    found.retain(|(_, token)| {
        let is_word = token.starts_with(is_word_char);
        is_word && !token.contains(['"', '\n']) || "::{},;*".contains(token)
    });
    found
}

/// Returns the comments of Rust code with their lines. Each `//` line is a separate comment.
pub(crate) fn comments(text: &str) -> Vec<Token<'_>> {
    let mut found = split_tokens(text);
    found.retain(|(_, piece)| is_comment(piece));
    found
}

/// Returns the string literals of Rust code with their lines, including their quotes.
pub(crate) fn strings(text: &str) -> Vec<Token<'_>> {
    let mut found = split_tokens(text);
    found.retain(|(_, piece)| is_string(piece));
    found
}

/// Returns the messages of assertions and panics in Rust code with their lines, including their
/// quotes: the string literals after the compared values of an assertion, and those in a `panic!`
/// or an `expect`.
pub(crate) fn assertion_messages(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    // For each open bracket, the number of arguments that precede its message, if it has one.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut before = ("", "");
    for (line, piece) in split_tokens(text) {
        if piece.trim().is_empty() || is_comment(piece) {
            continue;
        }
        match piece {
            "(" | "[" | "{" => open.push(count_before_message(before)),
            ")" | "]" | "}" => {
                open.pop();
            }
            "," => {
                if let Some(Some(count)) = open.last_mut() {
                    *count = count.saturating_sub(1);
                }
            }
            _ => {
                if is_string(piece) && open.last() == Some(&Some(0)) {
                    found.push((line, piece));
                }
            }
        }
        before = (before.1, piece);
    }
    found
}

/// Returns the number of arguments that precede the message in the bracket after two tokens; `None`
/// if the bracket has no message.
fn count_before_message(before: (&str, &str)) -> Option<usize> {
    match before {
        ("assert" | "debug_assert", "!") => Some(1),
        ("assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne", "!") => Some(2),
        ("panic" | "unreachable", "!") | (_, "expect" | "expect_err") => Some(0),
        _ => None,
    }
}

fn is_string(piece: &str) -> bool {
    ["\"", "r\"", "r#"]
        .iter()
        .any(|start| piece.starts_with(start))
}

fn is_comment(piece: &str) -> bool {
    piece.starts_with("//") || piece.starts_with("/*")
}

/// Splits Rust code into comments, strings, words, `::` and single characters, with their lines.
fn split_tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(next) = rest.chars().next() {
        let len = match next {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment_len(rest),
            _ if rest.starts_with("r\"") || rest.starts_with("r#") => raw_string_len(rest),
            '"' => quoted_len(rest, '"').unwrap_or(rest.len()),
            // A lifetime has no closing quote; a character literal has one nearby.
            '\'' => quoted_len(rest, '\'').filter(|len| *len <= 12).unwrap_or(1),
            _ if is_word_char(next) => rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            _ => next.len_utf8(),
        };
        let (piece, after) = rest.split_at(len);
        found.push((line, piece));
        line += piece.matches('\n').count();
        rest = after;
    }
    found
}

pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the block comment that a text begins with, including nested comments.
fn block_comment_len(text: &str) -> usize {
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

/// Returns the length of the raw string that a text begins with; 1 if the text begins with a word
/// instead.
fn raw_string_len(text: &str) -> usize {
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

/// Returns the length of the quoted string that a text begins with, including its quotes; `None` if
/// the string has no closing quote.
fn quoted_len(text: &str, mark: char) -> Option<usize> {
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
