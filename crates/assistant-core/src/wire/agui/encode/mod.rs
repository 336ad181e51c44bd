//! Encoding of events, messages and run input to AG-UI 1.0 JSON.
//!
//! The output always follows the exact protocol (rule "tolerant in, strict out"): absent fields are
//! omitted, never `null`; unknown fields are left out of requests. Field order is the reference
//! client's.

mod event;
mod input;
mod message;
mod write;

pub use event::{event_to_value, event_type, interrupt_to_value, usage_to_value};
pub use input::{run_input, run_input_text};
pub use message::{content_part_to_value, content_to_value, message_to_value};
