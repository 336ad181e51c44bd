//! Splits text into words: every word and every run of blanks becomes a chunk.

use super::Chunk;

pub(super) fn split_words(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut out = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        match chunk {
            Chunk::Text(text) => push_words(&text, &mut out),
            Chunk::Tool(_) => out.push(chunk),
        }
    }
    out
}

fn push_words(mut text: &str, out: &mut Vec<Chunk>) {
    while let Some(first) = text.chars().next() {
        let blank = first.is_whitespace();
        let end = text.find(|c: char| c.is_whitespace() != blank);
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        out.push(Chunk::Text(word.to_owned()));
        text = rest;
    }
}
