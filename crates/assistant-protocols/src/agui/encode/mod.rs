//! Encodes events and run input to AG-UI 1.0 JSON.
//!
//! The output follows the specification exactly (rule "tolerant in, strict out"): absent fields are
//! omitted, never `null`, and requests contain no unknown fields. The fields have the same order as
//! those of the reference client.

mod event;
mod input;

pub use event::{event_to_value, event_type};
pub use input::{run_input, run_input_text};
