//! Checks that identifiers and the names of files do not contain coined words.

use std::path::Path;

use crate::fault::{Fault, check_files};
use crate::project::{Outcome, Project};
use crate::source::{Token, is_word_char, tokens};

const FOLDERS: [&str; 8] = [
    "bench", "crates", "demo", "e2e", "examples", "src", "tests", "xtask",
];
const ENDINGS: [&str; 3] = ["rs", "mjs", "js"];

/// The words that no identifier and no file name contains, each with the words to use instead.
/// Words that are adjacent in a name are separated by a space.
const WORDS: [(&str, &str); 32] = [
    ("aloud", "announced"),
    ("anew", "again"),
    ("anybody", "the user"),
    ("deed", "action"),
    ("deeds", "actions"),
    ("departed", "detached, removed"),
    ("doubt", "unknown outcome"),
    ("doubts", "unknown outcomes"),
    ("gate", "interrupt"),
    ("gated", "interrupted, asked"),
    ("gates", "interrupts"),
    ("gone", "removed, closed, missing"),
    ("happening", "event, transition"),
    ("happenings", "events, transitions"),
    ("heard", "announced, observed, received"),
    ("hears", "observes, receives"),
    ("judge", "check"),
    ("judgement", "check"),
    ("judgment", "check"),
    ("keeper", "store, owner"),
    ("keepers", "stores, owners"),
    ("left to agent", "delegated"),
    ("may have run", "unknown outcome"),
    ("mend", "repair"),
    ("mended", "repaired"),
    ("mends", "repairs"),
    ("nobody", "no observer"),
    ("said", "the kind of text: message, question, announced"),
    ("somebody", "the user"),
    ("telling", "description, summary"),
    ("told", "the content: result, sent, notified"),
    ("whoever", "the caller, the user"),
];

/// The words that are not identifiers by themselves, each with the words to use instead. A test may
/// have them in its name.
const WHOLE: [(&str, &str); 2] = [
    ("asks", "a condition (is_asked), the question"),
    ("seen", "the content: ids, states, count"),
];

/// Checks the names and identifiers of Rust files and scripts. Fails with a list of the faults.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    check_files(
        project,
        "coined words in names",
        (&FOLDERS, &ENDINGS),
        find_faults,
    )
}

fn find_faults(file: &Path, text: &str) -> Vec<Fault> {
    let is_rust = file.extension().is_some_and(|ending| ending == "rs");
    let found = if is_rust {
        tokens(text)
    } else {
        script_identifiers(text)
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.replace(['-', '.'], "_");
    let names = std::iter::once((1, stem.as_str())).chain(found);
    let faults = names.filter_map(|(line, name)| {
        let (word, better) = coined_word(name)?;
        Some(Fault {
            file: file.to_owned(),
            line,
            what: format!("\"{word}\" in `{name}`: use {better}"),
        })
    });
    faults.collect()
}

/// Returns the coined word that an identifier contains, and the words to use instead.
fn coined_word(name: &str) -> Option<(&'static str, &'static str)> {
    let text = format!(" {} ", words(name).join(" "));
    let is_in_name = |word: &str| text.contains(&format!(" {word} "));
    let mut whole = WHOLE.iter().filter(|(word, _)| text.trim() == *word);
    let mut parts = WORDS.iter().filter(|(word, _)| is_in_name(word));
    whole.next().or_else(|| parts.next()).copied()
}

/// Splits an identifier at `_`, `$` and the beginnings of capitalized words. The words are
/// returned in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = '_';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let begins = c.is_uppercase()
            && (!before.is_uppercase() || rest.peek().is_some_and(|next| next.is_lowercase()));
        if (begins || matches!(c, '_' | '$')) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !matches!(c, '_' | '$') {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns the identifiers of a script with their lines, without those in comments, strings and
/// regular expressions. The code between `${` and `}` of a template is included.
fn script_identifiers(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    // The open braces inside of each `${`, innermost last.
    let mut depths: Vec<usize> = Vec::new();
    let mut before = "";
    while let Some(next) = rest.chars().next() {
        let ends_code = next == '}' && depths.last() == Some(&0);
        let len = match next {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' | '\'' => literal_len(rest, next),
            '/' if begins_expression(before) => regex_len(rest),
            '`' => template_len(rest, &mut depths),
            '}' if ends_code => {
                depths.pop();
                template_len(rest, &mut depths)
            }
            _ if is_name_char(next) => rest.find(|c| !is_name_char(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (piece, after) = rest.split_at(len);
        let is_comment = piece.starts_with("//") || piece.starts_with("/*");
        if is_name_char(next) {
            found.push((line, piece));
        } else if let Some(depth) = depths.last_mut().filter(|_| !ends_code) {
            match next {
                '{' => *depth += 1,
                '}' => *depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if !is_comment && !next.is_whitespace() {
            before = piece;
        }
        line += piece.matches('\n').count();
        rest = after;
    }
    found
}

fn is_name_char(c: char) -> bool {
    is_word_char(c) || c == '$'
}

/// Returns true if a `/` after this token begins a regular expression. After a value it is a
/// division.
fn begins_expression(before: &str) -> bool {
    let is_open = before.ends_with([
        '(', ',', '=', ':', '[', '!', '&', '|', '?', '{', ';', '>', '+',
    ]) || before.ends_with("${");
    is_open || matches!(before, "" | "return" | "typeof")
}

/// Returns the length of the string that a text begins with, which ends with its line.
fn literal_len(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            c if c == mark => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the regular expression that a text begins with.
fn regex_len(text: &str) -> usize {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            '\n' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the text of a template that begins with a backtick or with the `}` of a
/// `${`. If the text ends with a `${`, the code after it is added to the open ones.
fn template_len(text: &str, depths: &mut Vec<usize>) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return at + 1,
            '$' if text.get(at + 1..).is_some_and(|rest| rest.starts_with('{')) => {
                depths.push(0);
                return at + 2;
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::format_by_line;

    fn found(file: &str, text: &str) -> Vec<String> {
        format_by_line(&find_faults(Path::new(file), text))
    }

    #[test]
    fn identifiers_are_split_into_words() {
        assert_eq!(words("is_left_toAgent"), ["is", "left", "to", "agent"]);
        assert_eq!(words("HTTPServer2"), ["http", "server2"]);
        assert_eq!(words("MAX_ROWS"), ["max", "rows"]);
        assert_eq!(words("$said"), ["said"]);
        assert_eq!(words("_"), [""; 0]);
    }

    #[test]
    fn coined_words_are_found_in_rust_names() {
        let text = "let said = 1;\nfn is_left_to_agent() {}\nstruct Departed;\n\
                    let untold = \"told\"; // gone\nfn a_policy_that_asks() {}\nlet asks = r#\"said\"#;\n";
        assert_eq!(
            found("src/a.rs", text),
            [
                "1: \"said\" in `said`: use the kind of text: message, question, announced",
                "2: \"left to agent\" in `is_left_to_agent`: use delegated",
                "3: \"departed\" in `Departed`: use detached, removed",
                "6: \"asks\" in `asks`: use a condition (is_asked), the question",
            ]
        );
    }

    #[test]
    fn coined_words_are_found_in_the_names_of_files() {
        let fault = "1: \"gated\" in `gated_calls`: use interrupted, asked";
        assert_eq!(found("src/gated_calls.rs", ""), [fault]);
        assert_eq!(found("e2e/gated-calls.mjs", ""), [fault]);
        assert_eq!(found("src/navigated/calls.rs", ""), [""; 0]);
    }

    #[test]
    fn coined_words_are_found_in_scripts_outside_of_strings() {
        let text = "// told\nconst a = \"said\" + 'told' + /said[/]told/.source;\n\
                    const b = `said ${told(`heard ${{ gone }}`)} said`;\n/* heard\n */ let wasHeard = 4 / 2 / 1;\n";
        assert_eq!(
            found("e2e/a.mjs", text),
            [
                "3: \"told\" in `told`: use the content: result, sent, notified",
                "3: \"gone\" in `gone`: use removed, closed, missing",
                "5: \"heard\" in `wasHeard`: use announced, observed, received",
            ]
        );
        assert_eq!(found("e2e/a.mjs", "const foretold = `\\`told`;\n"), [""; 0]);
    }
}
