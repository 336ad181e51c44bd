//! Chat completions, streamed, as `OpenAI` defined them and many servers speak them: Ollama,
//! llama.cpp, vLLM and most gateways.
//!
//! [`Reader`] is the way from the bytes of a response to events, [`request_body`] the way from a
//! run's input to the body of a request. A model endpoint runs no tools and keeps no history: the
//! loop is the session's, and every request carries the whole conversation.
//!
//! Servers differ in how they send tool calls, what the model thought, and errors. What is read is
//! listed in the guide (`docs/protocols.md`); what cannot be read is dropped with a diagnostic.
//!
//! * `decoder` reads chunks and says how the run ended; `calls` puts the pieces of calls together.
//! * `request` is about what goes out.

mod calls;
mod decoder;
mod protocol;
mod reader;
mod request;

pub use decoder::{Decoder, Start};
pub use protocol::Completions;
pub use reader::Reader;
pub use request::{RequestOptions, request_body};
