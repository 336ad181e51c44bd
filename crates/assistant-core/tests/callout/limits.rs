//! Callouts beyond the limits of size, depth and aliases stay text.

use std::fmt::Write as _;

use assistant_core::text::callout::{CalloutOptions, Chunk, Parser};

use super::{calls, read_pieces, source};

fn assert_text(text: &str) {
    let chunks = read_pieces([text], CalloutOptions::default());
    assert!(matches!(&*chunks, [Chunk::Text(all)] if all == text));
}

fn with_body(lines: &[&str]) -> String {
    format!("> [!tool t c]\n> {}", lines.join("\n> "))
}

#[test]
fn an_oversized_body_is_emitted_as_text_while_it_streams() {
    let mut parser = Parser::new(CalloutOptions::default());
    assert_eq!(parser.push("> [!tool t c]\n> input: |\n"), []);
    assert!(parser.pending().is_some());
    let line = format!(">   {}\n", "x".repeat(1_000));
    let mut out = 0;
    for _ in 0..1_048 {
        out += source(&parser.push(&line)).len();
        let held = parser.pending().is_some();
        assert_eq!(held, out == 0, "announced until it is too long");
    }
    assert!(
        out > 700 * line.len(),
        "no more than the limit is kept: {out}"
    );
    // The block continues as text until it ends; the next callout is recognized, and its ordinal
    // continues.
    let rest = parser.push("> ```\n> [!tool next]\n.");
    assert!(matches!(&*rest, [.., Chunk::Tool(call), _] if call.id() == "tool-call-2"));
}

#[test]
fn the_block_limit_counts_source_bytes() {
    let options = CalloutOptions::default().with_max_block(40);
    let fits = "> [!tool t c]\n> output: 0123456789012345";
    assert_eq!(fits.len(), 40);
    for text in [fits.to_owned(), format!("{fits}7")] {
        let whole = read_pieces([&*text], options);
        assert_eq!(matches!(&*whole, [Chunk::Tool(_)]), text == fits, "{text}");
        for place in 0..text.len() {
            let (left, right) = text.split_at(place);
            assert_eq!(read_pieces([left, right], options), whole);
        }
    }
}

#[test]
fn an_unterminated_header_is_released_at_the_limit() {
    let mut parser = Parser::new(CalloutOptions::default());
    let mut out = parser.push("> [!tool ");
    for _ in 0..1_000 {
        out.extend(parser.push(&"a".repeat(1_000)));
    }
    assert!(source(&out).len() > 700_000);
}

#[test]
fn too_deeply_nested_bodies_are_text() {
    for depth in [63, 64, 1_000, 100_000] {
        let flow = format!("input: {}{}", "[".repeat(depth), "]".repeat(depth));
        let text = with_body(&[&flow]);
        if depth == 63 {
            assert_eq!(calls(&text).len(), 1);
        } else {
            assert_text(&text);
        }
    }
    let mut block = String::from("input:");
    for level in 1..=300 {
        let _ = write!(block, "\n> {}a:", " ".repeat(level));
    }
    assert_text(&with_body(&[&block]));
    assert_text(&with_body(&[&format!("input: {}x", "- ".repeat(1_000))]));
    assert_text(&with_body(&[&"? ".repeat(1_000)]));
}

#[test]
fn yaml_aliases_are_resolved_but_expansion_attacks_are_text() {
    let shared = with_body(&["input: &a {city: Oslo, days: [1, 2]}", "output: *a"]);
    let call = calls(&shared).remove(0);
    assert_eq!(call.output(), call.input());

    let mut lines = vec!["a0: &a0 [laugh, laugh, laugh]".to_owned()];
    for level in 1..10 {
        let last = format!("*a{}", level - 1);
        lines.push(format!("a{level}: &a{level} [{}]", [&*last; 9].join(", ")));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_text(&with_body(&lines));

    // Increasing depth, one level for each alias.
    let mut lines = vec!["a0: &a0 []".to_owned()];
    for level in 1..70 {
        lines.push(format!("a{level}: &a{level} [*a{}]", level - 1));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_text(&with_body(&lines));
    // A nested value, repeated inside other lists.
    let within = |outer: usize| {
        let value = format!("x: &a {}{}", "[".repeat(30), "]".repeat(30));
        let alias = format!("y: {}*a{}", "[".repeat(outer), "]".repeat(outer));
        with_body(&[&value, &alias])
    };
    assert_eq!(calls(&within(33)).len(), 1);
    assert_text(&within(34));
    assert_text(&with_body(&["input: &a [*a]"]));
    assert_text(&with_body(&["input: *nothing"]));
    assert_text(&with_body(&["input: &k x", "*k : 1"]));
}
