//! Random text: nothing panics, nothing is lost, and the split has no effect.
//!
//! Use `PROPTEST_CASES=100000` for a longer search.

use assistant_core::text::callout::{CalloutOptions, Chunk, parse};
use proptest::prelude::*;

use super::{cases, cut, read_pieces, source};

/// Fragments of callouts, fences and YAML, and of other text.
const PIECES: [&str; 66] = [
    ">",
    "> ",
    ">  ",
    "> > ",
    " ",
    "  ",
    "   ",
    "    ",
    "\n",
    "\n",
    "\n",
    "\n> ",
    "\n> ",
    "\n>",
    "\r\n",
    "\r",
    "\t",
    "[",
    "[!tool",
    "[!tool]",
    "[!TOOL a]",
    "[!tool a b]",
    "> [!tool]\n",
    "> [!tool a c]\n",
    "> [!tool name=\"x y\" id='z']\n",
    "[!tools]",
    "]",
    "=",
    "\"",
    "'",
    "```",
    "~~~",
    "````",
    "``` tool",
    "```tool a b\n",
    "\n```\n",
    "- ",
    "1. ",
    "*",
    "a",
    "input:",
    "output: ",
    "state: output-available",
    "error: no",
    "id: tool-call-2",
    "{",
    "}",
    ",",
    ":",
    ": ",
    "|\n>   ",
    "&a ",
    "*a",
    "!!int 1",
    "!x ",
    "? ",
    "---\n> ",
    "#",
    "%",
    "é",
    "\u{1f408}",
    "\u{feff}",
    "\0",
    "null",
    "0x1f",
    ".inf",
];

pub(super) fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES.as_slice()).prop_map(str::to_owned);
    let piece = prop_oneof![9 => pieces, 1 => any::<String>()];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = CalloutOptions> {
    (
        any::<bool>(),
        prop_oneof![9 => Just(1 << 18), 1 => 10_usize..80],
    )
        .prop_map(|(fences, max_block)| {
            let options = CalloutOptions::default().with_max_block(max_block);
            match fences {
                true => options.with_fences(),
                false => options,
            }
        })
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn split_input_parses_like_the_whole(
        text in text(),
        places in prop::collection::vec(any::<usize>(), 0..12),
        options in options(),
    ) {
        let whole = read_pieces([&*text], options);
        prop_assert_eq!(source(&whole), &*text);
        let pieces = read_pieces(cut(&text, &places), options);
        prop_assert_eq!(&pieces, &whole);
        let singles: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(read_pieces(singles.iter().map(String::as_str), options), whole);
    }

    #[test]
    fn adjacent_text_chunks_alternate_between_words_and_blanks(text in text()) {
        let chunks = parse(&text);
        prop_assert_eq!(source(&chunks), text);
        let is_blank = |chunk: &Chunk| match chunk {
            Chunk::Text(text) => Some(text.chars().all(char::is_whitespace)),
            Chunk::Tool(_) => None,
        };
        for pair in chunks.windows(2) {
            prop_assert!(is_blank(&pair[0]) != is_blank(&pair[1]) || is_blank(&pair[0]).is_none());
        }
    }
}
