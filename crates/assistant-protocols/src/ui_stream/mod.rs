//! Implements the AI SDK's UI message stream, version 1.
//!
//! [`Reader`] decodes the bytes of a response to events, [`TextReader`] does the same for servers
//! that answer with plain text, and [`Decoder`] takes single chunks. Requests are encoded by
//! [`request_body`] from the history in the form of the AI SDK ([`ui_history`]).
//!
//! Each step of an answer becomes a separate message. A chunk for which the reference client ends
//! the whole stream (an unknown chunk, a delta without a start) is dropped with a diagnostic, and
//! the stream continues.
//!
//! * `decoder` reads chunks and, with `ending`, determines the end of the run; `answer` contains
//!   the state of the answer; `blocks`, `parts`, `tools` and `outcomes` read the chunks of each
//!   kind.
//! * `history` writes the conversation in the form of the AI SDK.
//! * `request` encodes requests; `resubmit` determines when a request is sent automatically.

mod answer;
mod block;
mod blocks;
mod chunk;
mod decoder;
mod ending;
mod history;
mod outcomes;
mod parts;
mod protocol;
mod reader;
mod request;
mod resubmit;
mod tools;

pub use decoder::{Decoder, ResponseParams};
pub use history::{ui_history, ui_messages};
pub use protocol::UiStream;
pub use reader::{Reader, TextReader};
pub use request::{request_body, resume_path};
pub use resubmit::{is_complete_with_approvals, is_complete_with_tool_calls};
