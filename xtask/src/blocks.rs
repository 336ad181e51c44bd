//! Extracts blocks of prose: the comments and string literals of Rust code, the comments of scripts
//! and style sheets, and the paragraphs of pages.
//!
//! Rust is parsed with the tokenizer of `source`, scripts line by line (a comment after code is
//! ignored), pages by paragraphs. Code spans, code blocks, and links with their texts are not
//! prose.

use crate::source::{Token, assertion_messages, comments, strings};

/// Adjacent comment lines, or a paragraph of a page, without comment marks.
#[derive(Debug, Default)]
pub(crate) struct Block<'a> {
    pub(crate) lines: Vec<(usize, &'a str)>,
    /// True if the first sentence of the block describes an item or a file.
    pub(crate) is_doc: bool,
}

impl Block<'_> {
    /// Returns the text of the block, line by line. Each code span and each link is replaced by a
    /// mark, and each line of a code block by an empty line.
    pub(crate) fn without_code(&self) -> String {
        let mut text = String::new();
        let mut in_code = false;
        for (_, line) in &self.lines {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            if !in_code && !fence {
                text.push_str(line);
            }
            text.push('\n');
        }
        let mut prose = String::new();
        let mut rest = text.as_str();
        while let Some(next) = rest.chars().next() {
            let skipped = match next {
                '`' => code_span_len(rest),
                '[' => link_len(rest),
                _ => None,
            };
            let (piece, after) = rest.split_at(skipped.unwrap_or(next.len_utf8()));
            if skipped.is_some() {
                prose.push('`');
                prose.extend(piece.chars().filter(|c| *c == '\n'));
            } else {
                prose.push_str(piece);
            }
            rest = after;
        }
        prose
    }
}

/// Returns the comments of Rust code. Adjacent line comments of the same kind form one block.
pub(crate) fn rust_comments(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut last = (0, "");
    for (line, comment) in comments(text) {
        let mark = comment_mark(comment);
        if mark.starts_with("/*") {
            let lines = comment
                .trim_start_matches(mark)
                .trim_end_matches("*/")
                .lines();
            let lines = lines
                .enumerate()
                .map(|(at, text)| (line + at, strip_stars(text)));
            blocks.push(Block {
                lines: lines.collect(),
                is_doc: mark != "/*",
            });
            last = (0, "");
            continue;
        }
        let content = (line, comment.strip_prefix(mark).unwrap_or_default());
        match blocks.last_mut().filter(|_| last == (line - 1, mark)) {
            Some(block) => block.lines.push(content),
            None => blocks.push(Block {
                lines: vec![content],
                is_doc: mark != "//",
            }),
        }
        last = (line, mark);
    }
    blocks
}

/// Returns the string literals of Rust code as one block each.
pub(crate) fn rust_strings(text: &str) -> Vec<Block<'_>> {
    string_blocks(strings(text))
}

/// Returns the messages of assertions and panics in Rust code as one block each.
pub(crate) fn rust_messages(text: &str) -> Vec<Block<'_>> {
    string_blocks(assertion_messages(text))
}

/// Returns string literals as one block each, without the `\` at the ends of lines.
fn string_blocks(literals: Vec<Token<'_>>) -> Vec<Block<'_>> {
    let blocks = literals.into_iter().map(|(line, literal)| {
        let literal = literal.trim_start_matches('r').trim_start_matches('#');
        let lines = literal.lines().enumerate();
        let lines = lines.map(|(at, text)| (line + at, text.trim_end_matches('\\')));
        Block {
            lines: lines.collect(),
            is_doc: false,
        }
    });
    blocks.collect()
}

/// Returns the mark with which a comment begins. A comment with four slashes is not a doc comment.
fn comment_mark(comment: &str) -> &'static str {
    match comment {
        _ if comment.starts_with("////") => "//",
        _ if comment.starts_with("///") => "///",
        _ if comment.starts_with("//!") => "//!",
        _ if comment.starts_with("//") => "//",
        _ if comment.starts_with("/**") && !comment.starts_with("/**/") => "/**",
        _ if comment.starts_with("/*!") => "/*!",
        _ => "/*",
    }
}

/// Returns the comments of a script. A comment is a doc comment if it begins with `/**`, or if it
/// is the first comment, before all code.
pub(crate) fn script_comments(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut in_lines, mut in_comment, mut after_code) = (false, false, false);
    for (at, source) in text.lines().enumerate() {
        let (line, source) = (at + 1, source.trim());
        let was_in_lines = std::mem::take(&mut in_lines);
        if !in_comment && source.starts_with("//") {
            in_lines = true;
            let content = (line, source.trim_start_matches('/'));
            match blocks.last_mut().filter(|_| was_in_lines) {
                Some(block) => block.lines.push(content),
                None => {
                    let is_doc = !after_code && blocks.is_empty();
                    blocks.push(Block {
                        lines: vec![content],
                        is_doc,
                    });
                }
            }
            continue;
        }
        if !in_comment && source.starts_with("/*") {
            in_comment = true;
            let is_doc = source.starts_with("/**");
            blocks.push(Block {
                lines: Vec::new(),
                is_doc,
            });
        }
        if in_comment {
            in_comment = !source.contains("*/");
            let text = source.split("*/").next().unwrap_or_default();
            if let Some(block) = blocks.last_mut() {
                block
                    .lines
                    .push((line, strip_stars(text.trim_start_matches("/*"))));
            }
        } else {
            after_code |= !source.is_empty() && !source.starts_with("#!");
        }
    }
    blocks
}

/// Returns the comments of a style sheet. Each comment is a doc comment of the rule or declaration
/// that follows.
pub(crate) fn style_comments(text: &str) -> Vec<Block<'_>> {
    let mut blocks = script_comments(text);
    for block in &mut blocks {
        block.is_doc = true;
    }
    blocks
}

/// Returns a line of a `/* */` comment without leading stars.
fn strip_stars(line: &str) -> &str {
    line.trim_start().trim_start_matches('*')
}

/// Returns the paragraphs of a page, without code blocks. Some may be empty.
pub(crate) fn page_paragraphs(text: &str) -> Vec<Block<'_>> {
    let mut blocks = vec![Block::default()];
    let mut in_code = false;
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        if in_code || fence || line.trim().is_empty() {
            blocks.push(Block::default());
        } else if let Some(block) = blocks.last_mut() {
            block.lines.push((at + 1, line));
        }
    }
    blocks
}

/// Returns the length of the code span that a text begins with, if any.
fn code_span_len(text: &str) -> Option<usize> {
    let marks = text.len() - text.trim_start_matches('`').len();
    let (mark, body) = text.split_at(marks);
    Some(marks + body.find(mark)? + marks)
}

/// Returns the length of the inline link `[text](target)` that a text begins with, if any.
fn link_len(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => {
                let target = text.get(at + 1..)?.strip_prefix('(')?;
                return Some(at + 2 + target.find(')')? + 1);
            }
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for each block the number of its first line, and true if it is a doc comment.
    fn starts(blocks: &[Block<'_>]) -> Vec<(usize, bool)> {
        let first = blocks
            .iter()
            .filter_map(|block| Some((block.lines.first()?.0, block.is_doc)));
        first.collect()
    }

    #[test]
    fn lines_of_one_comment_form_one_block() {
        let text =
            "//! A.\n//! B.\n\n/// C.\n/// D.\nfn a() {} // E\n// F\n//// G\n/** H\n * I */\n";
        let blocks = rust_comments(text);
        assert_eq!(
            starts(&blocks),
            [(1, true), (4, true), (6, false), (9, true)]
        );
        let prose = blocks.last().map(Block::without_code);
        assert_eq!(prose.as_deref(), Some("H\n I \n"));
    }

    #[test]
    fn the_first_comment_of_a_script_is_its_doc_comment() {
        let text =
            "#!/usr/bin/env node\n// A\n// B\n\n// C\nlet d; // E\n/** F */\n/* G\n * H\n */\n";
        assert_eq!(
            starts(&script_comments(text)),
            [(2, true), (5, false), (7, true), (8, false)]
        );
        assert_eq!(starts(&script_comments("let a;\n// B\n")), [(2, false)]);
    }

    #[test]
    fn code_and_links_are_not_prose() {
        let blocks = page_paragraphs("A `b\nc` d [e [f]](g) [h].\n\n```text\ni\n```\nj\n");
        assert_eq!(starts(&blocks), [(1, false), (7, false)]);
        let prose: Vec<String> = blocks.iter().map(Block::without_code).collect();
        assert_eq!(prose.concat(), "A `\n d ` [h].\nj\n");
    }
}
