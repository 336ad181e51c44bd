//! Between bytes and the vocabulary of [`crate::event`]: framing, JSON, and one module for each protocol.
//!
//! A protocol decodes into events and encodes run input; it never knows the session, and the
//! protocols do not know each other.

pub mod agui;
#[cfg(feature = "completions")]
pub mod completions;
pub(crate) mod end_reason;
pub mod fault;
mod frames;
pub mod json;
mod protocol;
pub mod sse;
pub mod stream;
#[cfg(feature = "ui-stream")]
pub mod ui_stream;

pub use frames::{Decode, FrameReader};
pub use protocol::{Needs, Protocol, Request};
