//! Encodes events and run input to AG-UI 1.0 JSON.
//!
//! The output always follows the exact protocol (rule "tolerant in, strict out"): absent fields are
//! omitted, never `null`; unknown fields are left out of requests. The fields have the order of the
//! reference client.

mod event;
mod input;

pub use event::{event_to_value, event_type};
pub use input::{run_input, run_input_text};
