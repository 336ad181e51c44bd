//! Converts messages, content, interrupts and usage to and from the JSON form of stored
//! conversations. The field names are those of AG-UI 1.0.
//!
//! In stored data, unknown fields of messages and calls are preserved, so that data from newer
//! versions is not lost.

mod interrupt;
mod legacy;
mod read;
mod usage;
mod write;

pub use interrupt::{interrupt, interrupt_from_value, interrupt_to_value};
pub use legacy::{drop_null, objects, upgrade_parts};
pub use read::{
    content, content_from_value, content_part_from_value, from_store, message, message_from_value,
};
pub use usage::{usage, usage_from_value, usage_to_value};
pub use write::{
    content_part_to_value, content_to_value, message_to_value, message_to_wire_value, write_content,
};
