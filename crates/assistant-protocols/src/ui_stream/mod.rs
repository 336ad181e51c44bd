//! Implements the AI SDK's UI message stream, version 1.
//!
//! [`Reader`] decodes the bytes of a response into events, [`TextReader`] decodes responses of
//! servers that respond with plain text, and [`Decoder`] decodes single chunks. [`request_body`]
//! encodes requests from the history in the format of the AI SDK ([`ui_history`]).
//!
//! Each step of an answer becomes a separate message. The reference client ends the whole stream
//! for some invalid chunks, such as an unknown chunk or a delta without a start. This module drops
//! such a chunk with a diagnostic and continues the stream.
//!
//! * `decoder` reads chunks and, with `ending`, determines the end of the run; `answer` contains
//!   the state of the answer; `blocks`, `parts`, `tools` and `outcomes` read the chunks of each
//!   kind.
//! * `history` encodes the conversation in the format of the AI SDK.
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
