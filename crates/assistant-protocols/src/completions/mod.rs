//! Implements chat completions with streaming, as defined by `OpenAI` and supported by many
//! servers: Ollama, llama.cpp, vLLM and most gateways.
//!
//! [`Reader`] decodes the bytes of a response into events, and [`request_body`] encodes a run's
//! input as the body of a request. A model endpoint runs no tools and stores no history: the
//! session runs the tools, and every request contains the whole conversation.
//!
//! Servers differ in how they send tool calls, reasoning and errors. `docs/protocols.md` lists the
//! supported forms; invalid data is dropped with a diagnostic.
//!
//! * `decoder` reads chunks and determines the end of the run; `calls` assembles calls from pieces.
//! * `request` encodes requests.

mod calls;
mod decoder;
mod protocol;
mod reader;
mod request;

pub use decoder::{Decoder, ResponseParams};
pub use protocol::Completions;
pub use reader::Reader;
pub use request::{RequestOptions, request_body};
