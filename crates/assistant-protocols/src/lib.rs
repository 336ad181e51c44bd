//! The protocols of agents: framing, and one module for each protocol.
//!
//! A protocol decodes the bytes of a response into events ([`assistant_core::event`]) and encodes
//! the request of a run. A protocol does no I/O and does not depend on other protocols;
//! [`Protocol::traits`] returns the traits of its agents that a session depends on.

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
