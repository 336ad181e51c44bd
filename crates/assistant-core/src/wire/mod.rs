//! Wire formats: framing, JSON, and one module for each protocol.
//!
//! A protocol decodes to events ([`crate::event`]) and encodes run input; it does not depend on the
//! session or on other protocols.

pub mod agui;
#[cfg(feature = "completions")]
pub mod completions;
mod cursor;
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
