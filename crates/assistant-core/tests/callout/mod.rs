//! Tool calls written as callouts: vectors, rules, writer, limits.

mod limits;
mod random;
mod reopened;
mod rules;
mod session;
mod vectors;
mod writer;

use assistant_core::text::callout::{Callout, CalloutOptions, Chunk, Parser};
use proptest::test_runner::Config;
use serde_json::Value;

/// Joins adjacent texts.
fn joined(chunks: impl IntoIterator<Item = Chunk>) -> Vec<Chunk> {
    let mut out: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match (out.last_mut(), chunk) {
            (Some(Chunk::Text(before)), Chunk::Text(text)) => before.push_str(&text),
            (_, chunk) => out.push(chunk),
        }
    }
    out
}

/// Parses a text in pieces.
fn read_pieces<'a>(
    pieces: impl IntoIterator<Item = &'a str>,
    options: CalloutOptions,
) -> Vec<Chunk> {
    let mut parser = Parser::new(options);
    let mut chunks = Vec::new();
    for piece in pieces {
        chunks.extend(parser.push(piece));
    }
    chunks.extend(parser.finish());
    joined(chunks)
}

/// Splits a text at the given positions, which wrap around.
fn cut<'a>(text: &'a str, places: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<usize> = places
        .iter()
        .map(|place| boundary(text, place % (text.len() + 1)))
        .collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut start = 0;
    for place in places {
        let (piece, after) = rest.split_at(place - start);
        pieces.push(piece);
        (rest, start) = (after, place);
    }
    pieces.push(rest);
    pieces
}

fn json(chunks: &[Chunk]) -> Value {
    chunks.iter().map(Chunk::to_json).collect()
}

/// Returns the calls of a text.
fn calls(text: &str) -> Vec<Callout> {
    read_pieces([text], CalloutOptions::default())
        .into_iter()
        .filter_map(|chunk| match chunk {
            Chunk::Tool(call) => Some(*call),
            Chunk::Text(_) => None,
        })
        .collect()
}

/// Returns the concatenated source of all chunks.
fn source(chunks: &[Chunk]) -> String {
    chunks.iter().map(Chunk::source).collect()
}

/// Returns the last character boundary up to this position.
fn boundary(text: &str, place: usize) -> usize {
    (0..=place)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Sets the number of random cases, unless `PROPTEST_CASES` does.
fn cases(count: u32) -> Config {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = Config::default();
    Config {
        cases: if asked { config.cases } else { count },
        failure_persistence: None,
        ..config
    }
}
