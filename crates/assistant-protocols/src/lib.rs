//! The protocols of agents: framing, and one module for each protocol.
//!
//! A protocol decodes the bytes of a response to events ([`assistant_core::event`]) and encodes the
//! request of a run. A protocol does no I/O and does not depend on other protocols; [`adapt`] sets
//! the session options that a protocol requires.

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
pub use protocol::{Needs, Protocol, Request, adapt};
#[cfg(feature = "ui-stream")]
pub use ui_stream::UiStream;
