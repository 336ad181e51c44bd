//! Decodes AG-UI 1.0 JSON into the event model of [`assistant_core::event`], and encodes events and
//! run input.
//!
//! A frame passes through five stages, each of which can be used separately: [`Compat`] rewrites
//! retired events, [`decode_event`] reads the known fields and removes the unknown ones,
//! [`Expander`] turns chunks into explicit events, [`Joiner`] joins surrogate pairs that were split
//! across deltas, and [`Verifier`] checks the order of events. [`Decoder`] combines the stages, and
//! [`Reader`] reads a response from its bytes. [`run_input`] encodes the request for a run, and
//! [`event_to_value`] encodes an event.
//!
//! [`super::sse`] decodes the framing; [`assistant_core::conversation`] applies the events.

mod compat;
mod decode;
mod decoder;
mod encode;
mod expand;
mod join;
mod patch;
mod protocol;
mod run;
mod surrogates;
mod verify;

pub use super::stream::{End, FinishedResponse, Sink};
pub use assistant_core::event::fault::ProtocolError;
pub use compat::Compat;
pub use decode::decode_event;
pub use decoder::{Decoder, DecoderOptions, Reader};
pub use encode::{event_to_value, event_type, run_input, run_input_text};
pub use expand::Expander;
pub use join::Joiner;
pub use protocol::AgUi;
pub use run::resume_entry_from_value;
pub use surrogates::SplitPair;
pub use verify::{Checked, Verifier};

/// The version of the protocol that this module implements.
pub const PROTOCOL_VERSION: &str = "1.0";
