//! Checks the wording of comments, docs and messages: doc comments begin with a statement, and
//! listed phrases are not used.

use std::path::{Path, PathBuf};

use crate::blocks::{
    Block, page_paragraphs, rust_comments, rust_messages, rust_strings, script_comments,
    style_comments,
};
use crate::fault::Fault;
use crate::project::{Outcome, Project, read_text};
use crate::source::collect_files;

const FOLDERS: [&str; 11] = [
    "bench", "crates", "demo", "docs", "e2e", "examples", "fixtures", "src", "style", "tests",
    "xtask",
];
const ENDINGS: [&str; 6] = ["rs", "mjs", "js", "ts", "css", "md"];
/// The pages outside of `docs/`. Other Markdown files are data.
const PAGES: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
];

/// The folders of Rust files whose string literals are checked as well: labels, and messages for
/// the application, the agent and the user. In other Rust files only the messages of assertions
/// and panics are checked, because tests contain strings of agents and users.
const STRING_FOLDERS: [&str; 7] = [
    "src",
    "crates/assistant-core/src",
    "crates/assistant-embed/src",
    "crates/assistant-protocols/src",
    "crates/assistant-split/src",
    "demo/src",
    "examples",
];

/// The words with which a question begins. A doc comment must not begin with one.
const QUESTIONS: [&str; 9] = [
    "how", "what", "when", "where", "whether", "which", "who", "whose", "why",
];

/// The phrases that are not used in comments, docs and messages, each with the words to use
/// instead.
pub(crate) const PHRASES: [(&str, &str); 43] = [
    ("whoever", "the caller, the user"),
    ("nobody", "no observer, not … the user"),
    ("somebody", "the caller, the user"),
    ("anybody", "the user"),
    ("everybody", "every user"),
    ("anew", "again"),
    ("becomes of", "the result of"),
    ("became of", "the result of"),
    ("comes of", "the result of"),
    ("came of", "the result of"),
    ("made of it", "checked, parsed"),
    ("mend", "repair"),
    ("mends", "repairs"),
    ("mended", "repaired"),
    ("is none of", "is not one of"),
    ("there is none of", "is missing, is not one of"),
    ("in the place of", "instead of, replaces"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("going on", "continuing"),
    ("went on", "continued"),
    ("gone on", "continued"),
    ("reads on", "continues, resumes"),
    ("read on with", "resumed by"),
    ("stands in", "is in"),
    ("stands behind", "follows"),
    ("stands beside", "is next to"),
    ("stands for", "represents"),
    ("stand in", "are in"),
    ("stand for", "represent"),
    ("who listens", "assistive technology"),
    ("in doubt", "with an unknown outcome"),
    ("said aloud", "announced"),
    ("stands still", "is paused, does not move"),
    ("stands outside", "is used outside"),
    ("stands there", "is shown"),
    ("is told", "is notified, receives"),
    ("are told", "are notified, receive"),
    ("was told", "was notified, received"),
    ("not told", "not notified, does not receive"),
    ("may have run", "has an unknown outcome"),
    ("left to the page", "handed off to the page"),
    ("load it again", "reload it"),
];

/// The permitted uses of phrases: the end of the file's path, the phrase, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    ("docs/rules.md", "go on", "quotes a message of the user"),
    (
        "agui/verify/rules.rs",
        "whoever",
        "is a message of the reference client",
    ),
];

/// Checks all comments and pages. Fails with a list of the faults, and of the exceptions that are
/// not used.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let (mut faults, mut used) = (Vec::new(), Vec::new());
    for file in collect_prose_files(project)? {
        let name = file.strip_prefix(&project.root).unwrap_or(&file);
        if let Some(kind) = file_kind(name) {
            faults.extend(find_faults(name, kind, &read_text(&file)?, &mut used));
        }
    }
    let mut lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let unused = EXCEPTIONS
        .iter()
        .filter(|exception| !used.contains(exception));
    lines.extend(unused.map(|(file, phrase, _)| format!("{file}: unused exception: {phrase}")));
    if lines.is_empty() {
        return Ok(());
    }
    Err(format!(
        "wording of comments, docs and messages:\n{}",
        lines.join("\n")
    ))
}

/// Returns the files whose comments or paragraphs are checked, sorted. Some have no kind.
pub(crate) fn collect_prose_files(project: &Project) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect_files(&project.root.join(folder), &ENDINGS, &mut files)?;
    }
    files.extend(PAGES.map(|page| project.root.join(page)));
    files.sort();
    files.dedup();
    Ok(files)
}

/// The kind of a file with prose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileKind {
    Rust,
    Script,
    Style,
    Page,
}

/// Returns the kind of a file, from its path relative to the root; `None` for files that are not
/// checked.
pub(crate) fn file_kind(name: &Path) -> Option<FileKind> {
    match name.extension()?.to_str()? {
        "rs" => Some(FileKind::Rust),
        // `all.css` is generated from the others.
        "css" => (!name.ends_with("all.css")).then_some(FileKind::Style),
        "md" => {
            let of_docs = name.starts_with("docs");
            let is_page = PAGES.iter().any(|page| name.ends_with(page));
            (of_docs || is_page).then_some(FileKind::Page)
        }
        _ => Some(FileKind::Script),
    }
}

type Exception = (&'static str, &'static str, &'static str);

/// Returns the comments or paragraphs of a file.
pub(crate) fn prose_blocks(kind: FileKind, text: &str) -> Vec<Block<'_>> {
    match kind {
        FileKind::Rust => rust_comments(text),
        FileKind::Script => script_comments(text),
        FileKind::Style => style_comments(text),
        FileKind::Page => page_paragraphs(text),
    }
}

fn find_faults(name: &Path, kind: FileKind, text: &str, used: &mut Vec<Exception>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut blocks = prose_blocks(kind, text);
    let is_in_folder = STRING_FOLDERS.iter().any(|folder| name.starts_with(folder));
    if matches!(kind, FileKind::Rust) {
        blocks.extend(if is_in_folder {
            rust_strings(text)
        } else {
            rust_messages(text)
        });
    }
    for block in &blocks {
        let prose = block.without_code();
        let words: Vec<(usize, &str)> = prose
            .lines()
            .enumerate()
            .flat_map(|(at, line)| line.split_whitespace().map(move |word| (at, word)))
            .collect();
        let mut fault = |at: usize, what: String| {
            let line = block.lines.get(at).map_or(0, |(line, _)| *line);
            faults.push(Fault {
                file: name.to_owned(),
                line,
                what,
            });
        };
        if let Some((at, word)) = words.first().filter(|_| block.is_doc)
            && is_question(word)
        {
            fault(
                *at,
                format!("\"{word}\" begins a question: begin with a verb or a noun phrase"),
            );
        }
        for (phrase, better) in PHRASES {
            let mut exceptions = EXCEPTIONS.iter();
            let exception = exceptions.find(|(file, of, _)| *of == phrase && name.ends_with(file));
            for at in phrase_positions(&words, phrase) {
                match exception {
                    Some(exception) => used.push(*exception),
                    None => fault(at, format!("\"{phrase}\": write {better}")),
                }
            }
        }
    }
    faults
}

pub(crate) fn is_question(word: &str) -> bool {
    let word = word.trim_matches(is_punctuation);
    let word = word.split(['\'', '’']).next().unwrap_or_default();
    QUESTIONS
        .iter()
        .any(|question| word.eq_ignore_ascii_case(question))
}

/// Returns the line index of each occurrence of a phrase: the line in which the occurrence begins.
fn phrase_positions(words: &[(usize, &str)], phrase: &str) -> Vec<usize> {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let starts = words.windows(parts.len()).filter(|window| {
        parts.iter().enumerate().all(|(at, part)| {
            let word = window.get(at).map_or("", |(_, word)| word);
            let word = if at == 0 {
                word.trim_start_matches(is_punctuation)
            } else {
                word
            };
            let is_last = at + 1 == parts.len();
            let word = if is_last {
                word.trim_end_matches(is_punctuation)
            } else {
                word
            };
            word.eq_ignore_ascii_case(part)
        })
    });
    starts
        .filter_map(|window| window.first())
        .map(|(at, _)| *at)
        .collect()
}

fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && c != '`'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::format_by_line;

    fn faults(name: &str, text: &str) -> Vec<Fault> {
        let name = Path::new(name);
        file_kind(name).map_or_else(Vec::new, |kind| {
            find_faults(name, kind, text, &mut Vec::new())
        })
    }

    fn lines(name: &str, text: &str) -> Vec<usize> {
        faults(name, text).iter().map(|fault| fault.line).collect()
    }

    fn found(name: &str, text: &str) -> Vec<String> {
        format_by_line(&faults(name, text))
    }

    #[test]
    fn a_doc_comment_does_not_begin_with_a_question() {
        let text = "//! Where it is.\n\n/// What it is.\n/// How it is.\nfn a() {}\n\n/** Whether. */\nfn b() {}\n";
        assert_eq!(lines("src/a.rs", text), [1, 3, 7]);
        let wording = found("src/a.rs", "/// Which one.\nfn a() {}\n/// What's this?");
        assert_eq!(
            wording,
            [
                "1: \"Which\" begins a question: begin with a verb or a noun phrase",
                "3: \"What's\" begins a question: begin with a verb or a noun phrase"
            ]
        );
    }

    #[test]
    fn only_the_first_line_of_a_doc_comment_is_checked_for_questions() {
        let text =
            "/// Returns it.\n/// When it is late, nothing.\nfn a() {}\n// Where the code is.\n";
        assert_eq!(lines("src/a.rs", text), [0_usize; 0]);
        assert_eq!(lines("src/a.rs", "/// `What` is a name.\n"), [0_usize; 0]);
        assert_eq!(lines("src/a.rs", "//// What of it.\n"), [0_usize; 0]);
    }

    #[test]
    fn code_and_strings_are_not_comments() {
        let text = "let a = \"// nobody\"; // whoever\nlet b = r#\"/// What\"#;\n";
        assert_eq!(lines("xtask/src/a.rs", text), [1]);
        let text =
            "/// Runs.\n///\n/// ```\n/// // nobody\n/// ```\n/// And `nobody`, or whoever.\n";
        assert_eq!(lines("src/a.rs", text), [6]);
    }

    #[test]
    fn phrases_are_found_in_the_messages_of_the_library() {
        let text = "let a = \"Nobody can \\\n    go \\\n    on.\";\nlet b = r#\"What is \"told\", \
                    is told.\"#;\nlet c = (\"`nobody`\", '\"', \"What is it?\");\n";
        let expected = [
            "1: \"nobody\": write no observer, not … the user",
            "2: \"go on\": write continue",
            "4: \"is told\": write is notified, receives",
        ];
        assert_eq!(found("src/a.rs", text), expected);
        assert_eq!(found("crates/assistant-core/src/a.rs", text), expected);
        assert_eq!(found("demo/src/a.rs", text), expected);
        assert_eq!(found("tests/a.rs", text), [""; 0]);
    }

    #[test]
    fn phrases_are_found_in_the_messages_of_assertions() {
        let text = "assert!(seen(\"nobody\", 1), /* a, b */ \"it stands in: {}\", a(\"nobody\"));\n\
                    assert_eq!(\n    reply,\n    \"nobody\",\n    r#\"it \"goes on\"\"#\n);\n\
                    assert_ne!([\"a\", \"nobody\"], b, \"whoever\");\n\
                    let c = d.expect(\"somebody\").send(\"go on\");\n\
                    f(\"nobody\", || panic!(\"{c}: nobody\"));\n";
        let expected = [
            "1: \"stands in\": write is in",
            "5: \"goes on\": write continues",
            "7: \"whoever\": write the caller, the user",
            "8: \"somebody\": write the caller, the user",
            "9: \"nobody\": write no observer, not … the user",
        ];
        assert_eq!(found("tests/a.rs", text), expected);
        assert_eq!(found("xtask/src/a.rs", text), expected);
    }

    #[test]
    fn the_first_comment_of_a_script_is_its_doc_comment() {
        let text = "// What it is.\n\n// What it does.\n/** What\n * it is. */\n/**\n * Whose it\n * is.\n */\n";
        assert_eq!(lines("e2e/a.mjs", text), [1, 4, 7]);
        assert_eq!(
            lines("e2e/a.mjs", "import a;\n// What it is.\n"),
            [0_usize; 0]
        );
        let sheet = "/* What it styles. */\na {\n  /* Where it stands. */\n}\n";
        assert_eq!(lines("style/a.css", sheet), [1, 3]);
        assert_eq!(lines("style/all.css", sheet), [0_usize; 0]);
        assert_eq!(
            lines("a.d.ts", "  /** Says\n   * what nobody knows. */\n"),
            [2]
        );
    }

    #[test]
    fn phrases_are_found_across_lines_and_next_to_punctuation() {
        let text = "// The conversation goes\n// on. (Nobody asks.)\n";
        assert_eq!(
            found("src/a.rs", text),
            [
                "2: \"nobody\": write no observer, not … the user",
                "1: \"goes on\": write continues"
            ]
        );
        assert_eq!(
            lines("src/a.rs", "// It goes. On.\n// It amends.\n"),
            [0_usize; 0]
        );
        assert_eq!(lines("src/a.rs", "// It goes\n\n// on.\n"), [0_usize; 0]);
    }

    #[test]
    fn code_and_links_of_pages_are_not_prose() {
        let text = "Call `nobody`, or [nobody [at all]](a.md),\nor nobody.\n\n```text\nnobody\n```\n\nNobody\n";
        assert_eq!(lines("docs/a.md", text), [2, 8]);
        assert_eq!(
            lines("docs/a.md", "What is this? The past goes\n\non.\n"),
            [0_usize; 0]
        );
        assert!(file_kind(Path::new("fixtures/a.md")).is_none());
        assert!(file_kind(Path::new("examples/board/README.md")).is_some());
    }

    #[test]
    fn exceptions_are_no_faults_and_are_counted_as_used() {
        let mut used = Vec::new();
        let text = "The user writes \"go on\".\n";
        let name = Path::new("docs/rules.md");
        assert_eq!(find_faults(name, FileKind::Page, text, &mut used), []);
        assert_eq!(used, EXCEPTIONS[..1]);
    }
}
