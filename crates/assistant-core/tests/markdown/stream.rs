//! A text in pieces becomes the same blocks as at once.

use super::support::{Shown, streamed};
use assistant_core::text::markdown::{Kind, Markdown, Node, parse};
use proptest::prelude::*;

/// Fragments of markup, complete and partial.
const FRAGMENTS: &[&str] = &[
    "word",
    "two words ",
    " ",
    "  ",
    "   ",
    "    ",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\n\n\n",
    "*",
    "**",
    "***",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "```",
    "\n```\n",
    "\n```rust\n",
    "\n~~~~\n",
    "   ```\n",
    "\n````\n",
    "[",
    "]",
    "(",
    ")",
    "[a]",
    "[a](b)",
    "![a](b \"c\")",
    "[a][b]",
    "[b]",
    "\n[a]: /url\n",
    "\n[b]: <x> 'title'\n",
    "\n[b]: /y\n",
    "\n'title'\n",
    "[^a]",
    "[^1]",
    "\n[^a]: note\n",
    "\n[^1]: \n    note\n",
    "<",
    ">",
    "<b>",
    "</b>",
    "<br>",
    "<div>\n",
    "\n</div>\n",
    "<!--",
    "-->",
    "\n> ",
    "> ",
    "> [!NOTE]\n",
    "\n- ",
    "- ",
    "* ",
    "\n1. ",
    "2) ",
    "\n  - ",
    "\n    - ",
    "[ ] ",
    "[x] ",
    "\n---\n",
    "---",
    "===",
    "\n===\n",
    "-",
    "=",
    "#",
    "# ",
    "\n## ",
    " ##\n",
    "|",
    "| a | b |\n",
    "|---|:-:|\n",
    "\na|b\n-|-\n",
    "\\",
    "\\\n",
    "&amp;",
    "&",
    "https://example.com/a_b",
    "www.example.com",
    "a@example.com",
    "é",
    "漢字",
    "。",
    "🦀",
    "\u{0}",
    ":",
    "!",
    "![",
    "    code\n",
    "\n    code\n",
    "\n\n> [b]: /in\n\n",
    "$",
    "$$",
    "\u{feff}",
    "\u{a0}",
    "1",
    "a.",
    "\n+ ",
];

pub(super) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..40).prop_map(|parts| parts.concat())
}

/// Returns true if an empty list item directly precedes a definition. `pulldown-cmark` 0.13 still
/// remembers that item after the definition, so the result depends on the start of parsing.
fn remembers_an_item(text: &str) -> bool {
    let lines: Vec<_> = text.split(['\n', '\r']).collect();
    lines.windows(2).any(|pair| {
        let marks = pair[0].trim();
        !marks.is_empty()
            && marks
                .chars()
                .all(|char| " \t>-+*.)[]xX".contains(char) || char.is_ascii_digit())
            && pair[1].contains("]:")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn streamed_markup_parses_like_the_whole(text in text(), pieces in prop::collection::vec(1_usize..12, 1..8)) {
        let pieces = streamed(&text, &pieces).0;
        if !remembers_an_item(&text) {
            prop_assert_eq!(pieces, parse(&text));
        }
    }

    #[test]
    fn streamed_random_text_parses_like_the_whole(text in "\\PC*|[\\s\\S]{0,200}|[-*>`~\\[\\]()!<|#^:&\n\t\r 1a.]{0,120}", pieces in prop::collection::vec(1_usize..12, 1..4)) {
        let pieces = streamed(&text, &pieces).0;
        if !remembers_an_item(&text) {
            prop_assert_eq!(pieces, parse(&text));
        }
    }

    #[test]
    fn a_carriage_return_ends_a_line_like_a_line_feed(text in text(), pieces in prop::collection::vec(1_usize..12, 1..8)) {
        let feeds = text.replace("\r\n", "\n").replace('\r', "\n");
        let returns = feeds.replace('\n', "\r");
        if !remembers_an_item(&text) {
            prop_assert_eq!(parse(&returns), parse(&feeds), "{:?}", feeds);
            prop_assert_eq!(streamed(&returns, &pieces).0, parse(&feeds), "{:?}", feeds);
        }
    }

    #[test]
    fn each_frame_of_a_short_text_equals_a_fresh_parse(text in text(), pieces in prop::collection::vec(1_usize..12, 1..8)) {
        let prose = ["Some ", "words", ", and", " **more", "** of ", "it. ", "e.g.", "w", ".", "a@b", ":"];
        let words = text.len() % prose.len();
        let text = prose.iter().cycle().skip(words).take(30).copied().collect::<String>() + &text;
        let (mut markdown, mut shown) = (Markdown::new(), Shown::default());
        let (mut end, mut pieces) = (0, pieces.iter().cycle());
        while end < text.len().min(500) && !remembers_an_item(&text) {
            end = text.len().min(end + pieces.next().unwrap());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let text = text.get(..end).unwrap();
            shown.take(markdown.advance(text, true));
            let fresh = Markdown::new().advance(text, true).blocks;
            prop_assert_eq!(joined(shown.blocks.clone()), joined(fresh), "{:?}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn long_blocks_are_split_independently_of_the_pieces(
        parts in prop::collection::vec((prop::collection::vec(prop::sample::select(FRAGMENTS), 1..6), 1_usize..80_000), 1..4),
        pieces in prop::collection::vec(3_000_usize..40_000, 1..8),
    ) {
        let parts = parts.iter().map(|(part, length)| {
            let part = part.concat();
            part.repeat(length / part.len().max(1))
        });
        let text: String = parts.collect();
        if !remembers_an_item(&text) {
            prop_assert!(streamed(&text, &pieces).0 == parse(&text));
        }
    }
}

/// Joins adjacent text nodes, since a view shows them as one.
fn joined(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    for mut node in nodes {
        node.children = joined(node.children);
        match (out.last_mut().map(|last| &mut last.kind), &node.kind) {
            (Some(Kind::Text(text)), Kind::Text(more)) => text.push_str(more),
            _ => out.push(node),
        }
    }
    out
}

#[test]
fn long_tables_are_split_and_long_code_is_not() {
    let line = "| a | b |\n".repeat(20_000);
    let blocks = parse(&line);
    assert!((4..8).contains(&blocks.len()), "{}", blocks.len());
    let code = String::from("```\n") + &"code\n".repeat(40_000) + "```\nbehind";
    assert_eq!(parse(&code).len(), 2);
    assert_eq!(streamed(&code, &[9_999]).0, parse(&code));
    // A definition is found at any position.
    let defined = "[a]\n\n".to_owned() + &"[b]: c\n".repeat(30_000) + "[a]: /found\n\nend";
    let first = &parse(&defined)[0].children[0].kind;
    assert!(
        matches!(first, Kind::Link { href, .. } if href == "/found"),
        "{first:?}"
    );
}

/// A list of 64 KB ends where the next line is too long to be shown at once.
#[test]
fn a_split_block_replaces_its_view_before_the_next_is_shown() {
    let text = "![a](b \"c\")\n- ".repeat(4_987) + &"a@example.com".repeat(4_713);
    assert!(streamed(&text, &[3_069]).0 == parse(&text));
}

/// The parser limits the total length of the addresses that it inserts into one text.
#[test]
fn every_reference_of_a_long_text_is_a_link() {
    let definition = format!("[a]: /{}\n\n", "x".repeat(2_000));
    let text = definition + &"word\n\n".repeat(22_000) + &"[a]\n\n".repeat(60);
    let blocks = parse(&text);
    let is_link = |block: &&Node| matches!(block.children[0].kind, Kind::Link { .. });
    assert_eq!(blocks.iter().filter(is_link).count(), 60);
}

#[test]
fn regression_texts_in_pieces_parse_like_the_whole() {
    for text in [
        "    code\n\r<!--<div>\n> \n  - word",
        "  - <b>\n[a]: /url\n<b>\n*\n```rust\n",
    ] {
        for piece in 1..12 {
            assert_eq!(
                streamed(text, &[piece]).0,
                parse(text),
                "{piece} of {text:?}"
            );
        }
    }
}

#[test]
fn a_carriage_return_before_the_open_block_keeps_the_view() {
    let text = "````\n````\n\r</b>[\n[a";
    let (mut markdown, mut shown) = (Markdown::new(), Shown::default());
    for end in 1..=text.len() {
        let text = text.get(..end).unwrap();
        shown.take(markdown.advance(text, true));
        let fresh = Markdown::new().advance(text, true).blocks;
        assert_eq!(joined(shown.blocks.clone()), joined(fresh), "{text:?}");
    }
}
