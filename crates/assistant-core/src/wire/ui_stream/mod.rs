//! The AI SDK's UI message stream, version 1.
//!
//! [`Reader`] is the way from the bytes of a response to events, [`TextReader`] the same for servers
//! that answer with plain text; [`Decoder`] takes the chunks alone. What goes out is made by
//! [`request_body`] from a history that a session was told to write
//! ([`Conversation::ui_history`](crate::conversation::Conversation::ui_history)).
//!
//! Each step of an answer becomes a message of its own. Where the reference client ends the whole
//! stream (a chunk that it does not know, a delta without a start), the chunk is dropped with a
//! diagnostic and the stream goes on.
//!
//! * `decoder` takes chunks in and, with `ending`, says how the run ended; `answer` is what it knows
//!   of the answer; `blocks`, `parts`, `tools` and `outcomes` read the chunks of their kind.
//! * `request` and `resubmit` are about what goes out.

mod answer;
mod block;
mod blocks;
mod chunk;
mod decoder;
mod ending;
mod outcomes;
mod partial;
mod parts;
mod protocol;
mod reader;
mod request;
mod resubmit;
mod tools;

pub use decoder::{Decoder, Start};
pub use protocol::UiStream;
pub use reader::{Reader, TextReader};
pub use request::{request_body, resume_path};
pub use resubmit::{is_complete_with_approvals, is_complete_with_tool_calls};

// Notes about a call that are ours: they are kept with it and never sent.

/// Whether a call is a dynamic tool's.
pub(crate) const DYNAMIC: &str = "#dynamic";
/// The id that the agent gave a call, where it had given it to another before.
pub(crate) const WIRE_ID: &str = "#id";
/// Whether the arguments of a call are shown as the text that they are.
pub(crate) const AS_TEXT: &str = "#text";
/// Whether arguments of a call came in pieces.
pub(crate) const IN_PIECES: &str = "#raw";
