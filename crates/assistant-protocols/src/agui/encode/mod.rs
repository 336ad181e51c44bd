//! Encodes events and run input to AG-UI 1.0 JSON.
//!
//! The output follows the specification exactly (rule "tolerant in, strict out"): absent fields are
//! omitted instead of set to `null`, and requests contain no unknown fields. The order of the
//! fields is that of the reference client.

mod event;
mod input;

pub use event::{event_to_value, event_type};
pub use input::{run_input, run_input_text};
