//! Parsing time is proportional to the text, for any input.

use std::time::{Duration, Instant};

use super::support::streamed;
use assistant_core::text::markdown::{Kind, Markdown, Node, parse, repair};

/// Texts that grow with `n`, of similar lengths.
fn texts(n: usize) -> Vec<(&'static str, String)> {
    let lines = |line: &str, n: usize| line.repeat(n);
    let mut numbered = String::new();
    let mut table = String::from("| a | b |\n|---|---|\n");
    let mut nested = String::new();
    let mut references = String::new();
    for i in 0..n / 20 {
        numbered += &format!("{i}. item **bold** {i}\n");
        table += &format!("| {i} | `cell` |\n");
        references += &format!("Some [label {i}] here.\n\n");
    }
    for i in 0..n / 20 {
        references += &format!("[label {i}]: /{i}\n");
    }
    for i in 0..(n as f64).sqrt() as usize {
        nested += &format!("{}- a\n", "  ".repeat(i));
    }
    vec![
        ("words", lines("word **bold** and `code` ", n / 24)),
        ("one line", lines("a", n)),
        (
            "code",
            lines("```rust\n", 1) + &lines("let x = 1;\n", n / 11),
        ),
        ("indented code", lines("    let x = 1;\n", n / 15)),
        ("paragraphs", lines("A paragraph of text.\n\n", n / 22)),
        ("list", numbered),
        ("table", table),
        ("references", references),
        ("quotes", lines("> ", n / 2)),
        ("quoted lines", lines("> > > a\n", n / 8)),
        ("lazy quotes", lines("> ", n / 4) + &lines("\na", n / 4)),
        ("lists in a line", lines("- ", n / 2)),
        ("nested lists", nested.clone()),
        ("lazy lists", nested + &lines("a\n", n / 4)),
        ("brackets", lines("[", n)),
        ("images", lines("![", n / 2)),
        ("links", lines("[a](", n / 4)),
        ("link labels", lines("[a][", n / 4)),
        ("footnotes", lines("[^", n / 2)),
        ("stars", lines("*a ", n / 3)),
        (
            "stars and bars",
            lines("*a _b ", n / 12) + &lines("c* d_ ", n / 12),
        ),
        ("closing stars", lines("a** ", n / 4)),
        ("ticks", lines("`", n)),
        (
            "ticks apart",
            (1..(n as f64 * 2.0).sqrt() as usize)
                .map(|i| "`".repeat(i) + " ")
                .collect(),
        ),
        ("angles", lines("<", n)),
        ("tags", lines("<a ", n / 3)),
        ("comments", lines("<!-- ", n / 5)),
        ("comment blocks", lines("<!--\n", n / 5)),
        ("tildes", lines("~~a ", n / 4)),
        ("pipes", lines("|", n)),
        ("rows", lines("|a\n", n / 3)),
        ("addresses", lines("https://a.b ", n / 12)),
        ("half addresses", lines("www.", n / 4)),
        ("at signs", lines("a@", n / 2)),
        ("definitions", lines("[a]: b\n", n / 7)),
        ("half definitions", lines("[a]: \"\n", n / 7)),
        ("fences", lines("```\n~~~\n", n / 8)),
        ("backslashes", lines("\\", n)),
        ("blank lines", lines("- a\n\n\n", n / 6)),
        ("entities", lines("&amp", n / 4)),
    ]
}

#[test]
fn parsing_work_is_linear_in_the_text() {
    for n in [8_000, 32_000] {
        for (name, text) in texts(n) {
            let (_, work) = streamed(&text, &[800]);
            let times = work as f64 / text.len() as f64;
            assert!(
                times < 12.0,
                "{name}: each of {n} bytes is read {times} times"
            );
        }
    }
}

#[test]
fn small_pieces_are_parsed_a_bounded_number_of_times() {
    for (name, text) in texts(4_000) {
        let (_, work) = streamed(&text, &[6]);
        let times = work as f64 / text.len() as f64;
        assert!(times < 72.0, "{name}: each byte is read {times} times");
    }
}

#[test]
fn long_runs_of_marks_have_bounded_work_per_call() {
    for mark in [
        "|", "<", "[", "*", "_", "`", "> ", "- ", "> \n", "- \n", "|a\n",
    ] {
        let text = mark.repeat(300_000 / mark.len());
        let (mut markdown, mut before) = (Markdown::new(), 0);
        for end in (2_000..text.len()).step_by(2_000) {
            let _ = markdown.advance(text.get(..end).unwrap(), true);
            let work = markdown.work() - std::mem::replace(&mut before, markdown.work());
            assert!(work <= 4 * 65_536, "{mark:?}: a call reads {work} bytes");
        }
        let _ = markdown.advance(&text, false);
        let times = markdown.work() as f64 / text.len() as f64;
        assert!(times < 8.0, "{mark:?}: each byte is read {times} times");
    }
}

#[test]
fn late_definitions_are_looked_up_a_bounded_number_of_times() {
    let labels: String = (0..200).map(|n| format!("[l{n}] ")).collect();
    let mut text = (labels + "\n\n").repeat(40);
    for n in 0..200 {
        text += &format!("[l{n}]: /{n}\n\nA paragraph that nobody reads.\n\n");
    }
    let (blocks, work) = streamed(&text, &[100]);
    assert!(blocks == parse(&text));
    assert!(
        work < 24 * text.len() as u64,
        "{}",
        work / text.len() as u64
    );
}

#[test]
fn long_texts_in_pieces_parse_like_the_whole() {
    for (name, text) in texts(10_000) {
        assert!(streamed(&text, &[1331]).0 == parse(&text), "{name}");
    }
}

#[test]
fn open_code_is_not_parsed_repeatedly() {
    let text = String::from("```rust\n") + &"let x = 1;\n".repeat(3000);
    let (_, work) = streamed(&text, &[7]);
    assert!(work < 4 * text.len() as u64);
}

#[test]
fn the_depth_of_the_tree_is_bounded() {
    fn depth(nodes: &[Node]) -> usize {
        nodes
            .iter()
            .map(|node| 1 + depth(&node.children))
            .max()
            .unwrap_or(0)
    }
    for text in [
        "> ".repeat(10_000) + "text",
        "- ".repeat(10_000) + "text",
        "*a **b ".repeat(10_000) + &"b** a* ".repeat(10_000),
        "![".repeat(5000) + &"](a)".repeat(5000),
    ] {
        let blocks = parse(&text);
        assert!((1..=66).contains(&depth(&blocks)), "{}", depth(&blocks));
    }
}

#[test]
fn a_hundred_thousand_marks_are_parsed_and_repaired() {
    for mark in [
        "[", "*", "`", "<", "> ", "- ", "![", "[^", "_", "~~", "|", "<!--", "\\",
    ] {
        let text = mark.repeat(100_000);
        let mut markdown = Markdown::new();
        let _ = markdown.advance(&text, true);
        let _ = markdown.advance(&text, false);
        assert!(repair(&text).len() < 4 * text.len(), "{mark}");
    }
}

/// The work inside one call is not counted, so its time is compared with that of plain text of the
/// same length. Quadratic work takes 10,000 times as long.
#[test]
fn marks_that_match_nothing_are_scanned_a_bounded_number_of_times() {
    let time = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed().max(Duration::from_micros(100))
    };
    let plain = "abc ".repeat(16_000);
    let links = "[](".repeat(21_000) + " x";
    let domains = "_www.".repeat(13_000);
    let ratio = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64();
    let repairs = [&plain, &links].map(|text| time(&|| drop(repair(text))));
    let parses = [&plain, &domains].map(|text| time(&|| drop(parse(text))));
    for [plain, marks] in [repairs, parses] {
        assert!(ratio(marks, plain) < 1_000.0, "{marks:?}, plain: {plain:?}");
    }
}

#[test]
fn a_link_target_is_repaired_up_to_the_depth_that_the_parser_reads() {
    let is_link = |nodes: &[Node]| matches!(nodes[0].children[0].kind, Kind::Link { .. });
    for (depth, expected) in [(1, true), (33, true), (34, false)] {
        let open = format!("[a]({}b", "(".repeat(depth));
        let closed = open.clone() + &")".repeat(depth + 1);
        assert_eq!(is_link(&parse(&closed)), expected, "{depth}");
        assert_eq!(is_link(&parse(&repair(&open))), expected, "{depth}");
    }
}

#[test]
fn a_domain_is_a_link_up_to_the_maximum_length() {
    for (length, expected) in [(253, 1), (255, 0)] {
        let domain = "www.".to_owned() + &"ä".repeat(length - 7) + ".de";
        let links = parse(&format!("{domain}/path"))[0]
            .children
            .iter()
            .filter(|node| matches!(node.kind, Kind::Link { .. }))
            .count();
        assert_eq!(links, expected, "{length}");
    }
}
