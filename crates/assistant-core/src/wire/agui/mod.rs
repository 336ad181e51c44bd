//! AG-UI 1.0: decoding and encoding between JSON and the event model of [`crate::event`].
//!
//! A frame passes five stages, each usable on its own: [`Compat`] rewrites retired shapes,
//! [`decode_event`] reads the known fields and removes the others, [`Expander`] turns chunks into
//! explicit events, [`Joiner`] joins characters that were split across deltas, [`Verifier`] checks
//! the order. [`Decoder`] combines them, and [`Reader`] reads a whole response from bytes to events
//! and end. Encoding is a set of functions: [`run_input`], [`message_to_value`],
//! [`event_to_value`].
//!
//! Framing is in [`super::sse`]; events are applied in [`crate::conversation`].

mod compat;
mod context;
mod decode;
mod decoder;
mod encode;
mod expand;
mod fields;
mod join;
mod message;
mod object;
mod patch;
mod protocol;
mod reader;
mod run;
mod surrogates;
mod verify;

pub use super::stream::{End, Ending, Sink};
pub use crate::wire::fault::{Notes, ProtocolError};
pub use compat::Compat;
pub use decode::decode_event;
pub use decoder::{Decoder, DecoderOptions};
pub use encode::{
    content_part_to_value, content_to_value, event_to_value, event_type, interrupt_to_value,
    message_to_value, run_input, run_input_text, usage_to_value,
};
pub use expand::Expander;
pub use join::Joiner;
pub use message::{content_from_value, content_part_from_value, message_from_value};
pub use object::EventObject;
pub use protocol::AgUi;
pub use reader::Reader;
pub use run::{interrupt_from_value, resume_entry_from_value, usage_from_value};
pub use surrogates::SplitPair;
pub use verify::{Checked, Verifier};

/// The version of the protocol that this module implements.
pub const PROTOCOL_VERSION: &str = "1.0";
