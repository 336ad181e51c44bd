//! Parses and writes tool calls as callouts in markdown (`> [!tool search call_1]`).
//!
//! [`parse`] parses a whole text, and [`Parser`] parses a text that is being streamed. Both find
//! the same calls and the same text, regardless of how the text is split. A callout that breaks the
//! rules remains text, so parsing never fails. [`create_stream_chunks`] converts chunks to stream
//! events, and [`write()`] writes a call as a callout. Parsing a callout never runs a tool.
//!
//! ```
//! use assistant_core::text::callout::{Chunk, parse};
//!
//! let chunks = parse("Looking.\n\n> [!tool search call_1]\n> input:\n>   query: cats\n");
//! let Some(Chunk::Tool(call)) = chunks.get(2) else { unreachable!() };
//! assert_eq!((call.name(), call.id()), ("search", "call_1"));
//! assert_eq!(call.input(), Some(&serde_json::json!({"query": "cats"})));
//! ```

mod body;
mod chunk;
mod fence;
mod header;
mod line;
mod options;
mod parser;
mod scalar;
mod stream;
mod write;
mod yaml;

pub use chunk::{Callout, CalloutState, Chunk};
pub use options::CalloutOptions;
pub use parser::{Parser, Pending};
pub use stream::{StreamChunk, Usage, create_stream_chunks};
pub use write::{Unwritable, write};

/// Parses markdown into chunks in document order, with text split into words.
#[must_use]
pub fn parse(markdown: &str) -> Vec<Chunk> {
    split_words(parse_with(markdown, CalloutOptions::default()))
}

/// Parses markdown with the given [`CalloutOptions`]. The text between two calls is a single chunk.
#[must_use]
pub fn parse_with(markdown: &str, options: CalloutOptions) -> Vec<Chunk> {
    let mut parser = Parser::new(options);
    let mut chunks = parser.push(markdown);
    for chunk in parser.finish() {
        chunk::append_chunk(&mut chunks, chunk);
    }
    chunks
}

/// Splits text into words: every word and every run of blanks becomes a chunk.
fn split_words(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut words = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        match chunk {
            Chunk::Text(text) => push_words(&text, &mut words),
            Chunk::Tool(_) => words.push(chunk),
        }
    }
    words
}

fn push_words(mut text: &str, out: &mut Vec<Chunk>) {
    while let Some(first) = text.chars().next() {
        let is_blank = first.is_whitespace();
        let end = text.find(|c: char| c.is_whitespace() != is_blank);
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        out.push(Chunk::Text(word.to_owned()));
        text = rest;
    }
}
