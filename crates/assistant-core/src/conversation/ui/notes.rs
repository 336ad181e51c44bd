//! Names of the notes that the AI SDK's messages and calls leave in `extra`.
//!
//! Names that begin with `#` are internal: they are stored, and never sent.

/// The object in `extra` that contains the notes.
pub const NOTES: &str = "ui";
/// Marks a call of a dynamic tool.
pub const DYNAMIC: &str = "#dynamic";
/// The agent's id of a call, if it had used the id for another call before.
pub const WIRE_ID: &str = "#id";
/// Marks a call whose arguments are shown as raw text.
pub const AS_TEXT: &str = "#text";
/// Marks a call whose arguments came in pieces.
pub const IN_PIECES: &str = "#raw";
