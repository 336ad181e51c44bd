//! A text in pieces becomes the blocks that it becomes as a whole.

use super::support::streamed;
use assistant_core::text::markdown::parse;
use proptest::prelude::*;

/// Pieces of markup, whole and half.
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

/// Whether an empty list item stands right before a definition. `pulldown-cmark` 0.13 still
/// remembers that item behind the definition, so what follows depends on where reading began.
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
    fn pieces_become_what_the_whole_becomes(text in text(), pieces in prop::collection::vec(1_usize..12, 1..8)) {
        let pieces = streamed(&text, &pieces).0;
        if !remembers_an_item(&text) {
            prop_assert_eq!(pieces, parse(&text));
        }
    }

    #[test]
    fn any_text_can_come(text in "\\PC*|[\\s\\S]{0,200}|[-*>`~\\[\\]()!<|#^:&\n\t\r 1a.]{0,120}", pieces in prop::collection::vec(1_usize..12, 1..4)) {
        let pieces = streamed(&text, &pieces).0;
        if !remembers_an_item(&text) {
            prop_assert_eq!(pieces, parse(&text));
        }
    }
}
