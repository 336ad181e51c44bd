//! Tool calls written as callouts in markdown (`> [!tool search call_1]`).
//!
//! [`parse`] reads a whole text, [`Parser`] one that is still being written; both give the same
//! chunks, however the text was split. A callout that breaks the rules stays the text that it is,
//! so nothing is lost and nothing fails. [`create_stream_chunks`] makes stream events of chunks,
//! [`write()`] makes a callout of a call. What happens to a call is decided elsewhere: reading one
//! runs nothing.
//!
//! ```
//! use assistant_core::text::callout::{Chunk, parse};
//!
//! let chunks = parse("Looking.\n\n> [!tool search call_1]\n> input:\n>   query: cats\n");
//! let Some(Chunk::Tool(call)) = chunks.get(2) else { unreachable!() };
//! assert_eq!((call.name.as_str(), call.id.as_str()), ("search", "call_1"));
//! assert_eq!(call.input, Some(serde_json::json!({"query": "cats"})));
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
mod words;
mod write;
mod yaml;

pub use chunk::{Callout, CalloutState, Chunk};
pub use options::CalloutOptions;
pub use parser::{Parser, Pending};
pub use stream::{StreamChunk, Usage, create_stream_chunks};
pub use write::{Unwritable, write};

/// The chunks of a text, in document order; its text word by word.
#[must_use]
pub fn parse(markdown: &str) -> Vec<Chunk> {
    words::split(parse_with(markdown, CalloutOptions::default()))
}

/// The chunks of a text under other [`CalloutOptions`]; text between two calls is one chunk.
#[must_use]
pub fn parse_with(markdown: &str, options: CalloutOptions) -> Vec<Chunk> {
    let mut parser = Parser::new(options);
    let mut chunks = parser.push(markdown);
    for chunk in parser.finish() {
        chunk::append(&mut chunks, chunk);
    }
    chunks
}

/// The examples of the guide compile.
#[cfg(doctest)]
#[doc = include_str!("../../../../../docs/callouts.md")]
struct Guide;
