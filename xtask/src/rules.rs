//! Compares the rules in `docs/rules.md` with their citations. Each rule is one sentence, with one
//! example and one link to a test that exists; each citation names a rule, and code cites each
//! rule.
//!
//! Comments in code cite a rule by its quoted heading, pages by a link to the heading.

use std::collections::BTreeSet;
use std::path::Path;

use crate::blocks::Block;
use crate::claims::test_definition;
use crate::fault::Fault;
use crate::project::{Outcome, Project, read_text};
use crate::prose::{FileKind, collect_prose_files, file_kind, prose_blocks};
use crate::test_names::test_functions;

const PAGE: &str = "docs/rules.md";

/// Fails with a list of the faults of the page, of citations without a rule, and of rules without a
/// citation.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let page = read_text(&project.root.join(PAGE))?;
    let (rules, mut faults) = parse_rules(&page);
    for rule in &rules {
        let read = |path: &str| read_text(&project.root.join("docs").join(path)).ok();
        faults.extend(test_fault(rule, read));
    }
    let mut cited = BTreeSet::new();
    for file in collect_prose_files(project)? {
        let name = file.strip_prefix(&project.root).unwrap_or(&file);
        if let Some(kind) = file_kind(name) {
            let text = read_text(&file)?;
            faults.extend(citation_faults(&rules, name, kind, &text, &mut cited));
        }
    }
    faults.extend(uncited_faults(&rules, &cited));
    if faults.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Err(format!("rules and their citations:\n{}", lines.join("\n")))
}

/// A section of the page.
#[derive(Debug, PartialEq, Eq)]
struct Rule<'a> {
    /// The heading in lower case.
    name: String,
    line: usize,
    /// The name and the path of the linked test.
    test: Option<(&'a str, &'a str)>,
}

/// Returns the rules of the page, and the faults of their form.
fn parse_rules(page: &str) -> (Vec<Rule<'_>>, Vec<Fault>) {
    let (mut rules, mut faults) = (Vec::new(), Vec::new());
    let mut lines = page.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let Some(heading) = line.strip_prefix("## ") else {
            continue;
        };
        let mut items: Vec<Vec<&str>> = vec![Vec::new()];
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("## ")) {
            if line.is_empty() || line.starts_with("- ") {
                items.push(Vec::new());
            }
            if let Some(item) = items.last_mut().filter(|_| !line.is_empty()) {
                item.push(line);
            }
        }
        items.retain(|item| !item.is_empty());
        let name = heading.to_lowercase();
        let mut fault = |what: String| faults.push(page_fault(at + 1, &name, &what));
        let test = parse_items(&items, &mut fault);
        if rules.iter().any(|rule: &Rule<'_>| rule.name == name) {
            fault("its name is used twice".to_owned());
        }
        let line = at + 1;
        rules.push(Rule { name, line, test });
    }
    (rules, faults)
}

/// Checks the paragraphs and list items of a rule, each given by its lines. Returns the linked
/// test.
fn parse_items<'a>(
    items: &[Vec<&'a str>],
    fault: &mut impl FnMut(String),
) -> Option<(&'a str, &'a str)> {
    let (mut sentences, mut examples, mut tests) = (0, Vec::new(), Vec::new());
    for item in items {
        let text = item.join(" ");
        let first = item.first().copied().unwrap_or_default();
        if let Some(example) = text.strip_prefix("- Example: ") {
            examples.push(count_sentences(example));
        } else if first.starts_with("- Test: ") {
            tests.push(parse_test_link(item));
        } else if text.starts_with("- ") {
            fault(format!(
                "move this to the doc comment of the code, or to the guide: {text}"
            ));
        } else {
            sentences += count_sentences(&text);
        }
    }
    if sentences != 1 {
        fault(format!("a rule is one sentence, not {sentences}"));
    }
    match examples.as_slice() {
        [1] => {}
        [_] => fault("its example is one sentence".to_owned()),
        _ => fault(format!("a rule has one example, not {}", examples.len())),
    }
    match tests.as_slice() {
        [Some(test)] => return Some(*test),
        [None] => fault("its test is one link: [name](path)".to_owned()),
        _ => fault(format!("a rule has one test, not {}", tests.len())),
    }
    None
}

/// Returns the name and the path of a test, if an item is one link.
fn parse_test_link<'a>(item: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let [line] = item else {
        return None;
    };
    let link = line.strip_prefix("- Test: [")?.strip_suffix(')')?;
    let (name, path) = link.split_once("](")?;
    (!path.contains(['(', ')', '['])).then_some((name, path))
}

/// Counts the sentences of a text. The contents of code spans and quotes do not count.
fn count_sentences(text: &str) -> usize {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"']) {
        let (before, quoted) = rest.split_at(at);
        plain.push_str(before);
        plain.push('_');
        let mark = quoted.get(..1).unwrap_or_default();
        let body = quoted.get(1..).unwrap_or_default();
        rest = body.split_once(mark).map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let ends_sentence = |word: &str| word.trim_end_matches(')').ends_with(['.', '?', '!']);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let ends = words.iter().filter(|word| ends_sentence(word)).count();
    let is_open = words.last().is_some_and(|word| !ends_sentence(word));
    ends + usize::from(is_open)
}

/// Returns a fault if the linked test of a rule does not exist. `read` returns the text of a file,
/// whose path is relative to the page.
fn test_fault(rule: &Rule<'_>, read: impl Fn(&str) -> Option<String>) -> Option<Fault> {
    let (name, path) = rule.test?;
    let text = read(path).unwrap_or_default();
    let exists = if path.ends_with(".rs") {
        let name = name.replace('_', " ");
        test_functions(&text).iter().any(|(_, test)| *test == name)
    } else {
        text.contains(&test_definition(name, path))
    };
    let what = format!("its test is not there: {name} in {path}");
    (!exists).then(|| page_fault(rule.line, &rule.name, &what))
}

/// Returns the faults of the citations in a file. Adds the names of the rules that a comment cites.
fn citation_faults(
    rules: &[Rule<'_>],
    file: &Path,
    kind: FileKind,
    text: &str,
    cited: &mut BTreeSet<String>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |line: usize, what: String| {
        let file = file.to_owned();
        faults.push(Fault { file, line, what });
    };
    for block in prose_blocks(kind, text) {
        for (line, name) in quoted_rules(&block) {
            let name = name.to_lowercase();
            if !rules.iter().any(|rule| rule.name == name) {
                fault(line, format!("{PAGE} has no rule \"{name}\""));
            } else if matches!(kind, FileKind::Page) {
                fault(line, format!("link to the rule \"{name}\""));
            } else {
                cited.insert(name);
            }
        }
        for (line, anchor) in linked_rules(&block) {
            if !rules
                .iter()
                .any(|rule| heading_anchor(&rule.name) == anchor)
            {
                fault(line, format!("{PAGE} has no heading #{anchor}"));
            }
        }
    }
    faults
}

fn uncited_faults(rules: &[Rule<'_>], cited: &BTreeSet<String>) -> Vec<Fault> {
    let uncited = rules.iter().filter(|rule| !cited.contains(&rule.name));
    let what = "no comment cites it: cite it in the code that implements it";
    uncited
        .map(|rule| page_fault(rule.line, &rule.name, what))
        .collect()
}

fn page_fault(line: usize, name: &str, what: &str) -> Fault {
    Fault {
        file: PAGE.into(),
        line,
        what: format!("rule \"{name}\": {what}"),
    }
}

/// Returns the names that follow the word "rule" or "rules" in quotes, with their lines. Several
/// names are separated by commas or by "and".
fn quoted_rules(block: &Block<'_>) -> Vec<(usize, String)> {
    let prose = block.without_code();
    let (mut text, mut starts) = (String::new(), Vec::new());
    for (at, line) in prose.lines().enumerate() {
        let number = block.lines.get(at).map_or(0, |(number, _)| *number);
        for word in line.split_whitespace() {
            starts.push((text.len(), number));
            text.push_str(word);
            text.push(' ');
        }
    }
    let line_at = |at: usize| {
        let after = starts.partition_point(|(start, _)| *start <= at);
        after.checked_sub(1).and_then(|word| starts.get(word))
    };
    let mut found = Vec::new();
    for (at, mark) in text.match_indices(" \"") {
        let before = text.get(..at).unwrap_or_default();
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        if !["rule", "rules"].contains(&word.to_lowercase().as_str()) {
            continue;
        }
        let mut rest = text.get(at + mark.len()..).unwrap_or_default();
        while let Some((name, after)) = rest.split_once('"') {
            let start = text.len() - rest.len();
            found.push((line_at(start).map_or(0, |(_, line)| *line), name.to_owned()));
            let separators = [", \"", " and \"", ", and \""];
            let mut next = separators.iter().filter_map(|one| after.strip_prefix(one));
            let Some(next) = next.next() else {
                break;
            };
            rest = next;
        }
    }
    found
}

/// Returns the anchors of links to the page, with their lines.
fn linked_rules<'a>(block: &Block<'a>) -> Vec<(usize, &'a str)> {
    let lines = block.lines.iter().flat_map(|(number, line)| {
        let anchors = line.split("rules.md#").skip(1);
        anchors.map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '-');
            (
                *number,
                rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest),
            )
        })
    });
    lines.collect()
}

/// Returns the anchor of a heading in lower case.
fn heading_anchor(name: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-'].contains(c);
    name.chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::format_by_line;

    const TWO: &str = "# Rules\n\nHow rules are cited. In comments.\n\n\
        ## Asking first\n\nA handler waits\nfor `a. b`, \"c. d\".\n\n\
        - Example: `a`; no\n  handler ran.\n- Test: [it_asks](../tests/a.rs)\n\n\
        ## One, two\n\nSentence.\n\n- Example: \"x\".\n- Test: [a title](../e2e/specs/a.spec.mjs)\n";

    fn form_faults(section: &str) -> Vec<String> {
        format_by_line(&parse_rules(section).1)
    }

    fn found(file: &str, text: &str) -> (Vec<String>, Vec<String>) {
        let file = Path::new(file);
        let mut cited = BTreeSet::new();
        let (rules, kind) = (parse_rules(TWO).0, file_kind(file).unwrap());
        let faults = citation_faults(&rules, file, kind, text, &mut cited);
        (format_by_line(&faults), cited.into_iter().collect())
    }

    #[test]
    fn a_rule_has_one_sentence_one_example_and_one_test() {
        let (rules, faults) = parse_rules(TWO);
        assert_eq!(faults, []);
        let names: Vec<_> = rules.iter().map(|rule| (rule.line, &*rule.name)).collect();
        assert_eq!(names, [(5, "asking first"), (14, "one, two")]);
        assert_eq!(rules[0].test, Some(("it_asks", "../tests/a.rs")));
        assert_eq!(rules[1].test, Some(("a title", "../e2e/specs/a.spec.mjs")));
    }

    #[test]
    fn missing_and_repeated_parts_of_a_rule_are_faults() {
        assert_eq!(
            form_faults(
                "## A\n\nOne. Two.\n\n- Detail.\n- Example: one. Two.\n- Test: [a](b), [c](d)\n"
            ),
            [
                "1: rule \"a\": move this to the doc comment of the code, or to the guide: - Detail.",
                "1: rule \"a\": a rule is one sentence, not 2",
                "1: rule \"a\": its example is one sentence",
                "1: rule \"a\": its test is one link: [name](path)",
            ]
        );
        assert_eq!(
            form_faults(
                "\n## A\n## A\n\nOne.\n\nTwo\n- Example: a\n- Example: b\n- Test: [a](b)\n- Test: [c](d)\n"
            ),
            [
                "2: rule \"a\": a rule is one sentence, not 0",
                "2: rule \"a\": a rule has one example, not 0",
                "2: rule \"a\": a rule has one test, not 0",
                "3: rule \"a\": a rule is one sentence, not 2",
                "3: rule \"a\": a rule has one example, not 2",
                "3: rule \"a\": a rule has one test, not 2",
                "3: rule \"a\": its name is used twice",
            ]
        );
    }

    #[test]
    fn linked_tests_must_be_tests_of_their_files() {
        let (rules, _) = parse_rules(TWO);
        let faults = |rust: &str, script: &str| {
            let read = |path: &str| match path {
                "../tests/a.rs" => Some(rust.to_owned()),
                path => (!script.is_empty() && path.contains("e2e")).then(|| script.to_owned()),
            };
            let faults = rules.iter().filter_map(|rule| test_fault(rule, read));
            format_by_line(&faults.collect::<Vec<_>>())
        };
        let test = "#[test]\nfn it_asks() {}\n";
        assert_eq!(faults(test, "test(\"a title\", run);"), [""; 0]);
        assert_eq!(
            faults("fn it_asks() {}", ""),
            [
                "5: rule \"asking first\": its test is not there: it_asks in ../tests/a.rs",
                "14: rule \"one, two\": its test is not there: a title in ../e2e/specs/a.spec.mjs",
            ]
        );
    }

    #[test]
    fn citations_in_comments_name_rules_across_lines() {
        let text = "/// Waits (rule \"asking\n/// first\").\nfn a() { b(\"rule \\\"gone\\\"\") }\n\
            // Rules \"one, two\" and \"asking first\",\n// \"gone\": the rule of \"x\", `rule \"y\"`.\n";
        let (faults, cited) = found("src/a.rs", text);
        assert_eq!(faults, ["5: docs/rules.md has no rule \"gone\""]);
        assert_eq!(cited, ["asking first", "one, two"]);
        let (faults, cited) = found("e2e/a.mjs", "// Rule \"Asking first\"\n");
        assert_eq!(
            (faults, cited),
            (Vec::new(), vec!["asking first".to_owned()])
        );
    }

    #[test]
    fn pages_link_to_rules_that_exist() {
        let text =
            "See rule [one](rules.md#one-two), [a](../rules.md#asking).\nRule \"asking first\".\n";
        let (faults, cited) = found("docs/a.md", text);
        assert_eq!(
            faults,
            [
                "2: link to the rule \"asking first\"",
                "1: docs/rules.md has no heading #asking",
            ]
        );
        assert_eq!(cited, [""; 0], "only comments in code count");
    }

    #[test]
    fn each_rule_is_cited() {
        let (rules, _) = parse_rules(TWO);
        let cited = BTreeSet::from(["asking first".to_owned()]);
        assert_eq!(
            format_by_line(&uncited_faults(&rules, &cited)),
            ["14: rule \"one, two\": no comment cites it: cite it in the code that implements it"]
        );
    }

    #[test]
    fn the_rules_of_the_project_have_no_faults() {
        assert_eq!(check(&Project::find().unwrap()), Ok(()));
    }
}
