//! Implements the protocols of agents: the framing of responses, and one module for each protocol.
//!
//! A protocol decodes the bytes of a response into events ([`assistant_core::event`]) and encodes
//! the request for a run. A protocol does no I/O and does not depend on other protocols.
//! [`Protocol::traits`] returns the traits of the protocol's agents, on which a session depends.

pub mod agui;
#[cfg(feature = "completions")]
pub mod completions;
mod cursor;
mod frames;
mod protocol;
pub mod sse;
pub mod stream;
#[cfg(feature = "ui-stream")]
pub mod ui_stream;

pub use agui::AgUi;
#[cfg(feature = "completions")]
pub use completions::Completions;
pub use frames::{Decode, FrameReader};
pub use protocol::{Protocol, Request};
#[cfg(feature = "ui-stream")]
pub use ui_stream::UiStream;
