//! Reads and writes objects with known fields.
//!
//! [`Fields`] takes the known fields from an object and reports the other fields. [`Writer`] writes
//! an object without absent fields. Both are used for stored data and by protocols.

mod context;
mod object;
mod reader;
mod writer;

pub use context::{Context, Fault, Path, Read};
pub use object::EventObject;
pub use reader::{Fields, text, word};
pub use writer::Writer;
