//! The names of the fields in `extra` that store what only the AI SDK's messages and calls have.
//!
//! Fields whose names begin with `#` are stored, and never sent.

/// The object in `extra` that contains these fields.
pub const NOTES: &str = "ui";
/// Marks a call of a dynamic tool.
pub const DYNAMIC: &str = "#dynamic";
/// The agent's id of a call, if the agent had used that id for another call before.
pub const WIRE_ID: &str = "#id";
/// Marks a call whose arguments are shown as raw text.
pub const AS_TEXT: &str = "#text";
/// Marks a call whose arguments were received in pieces.
pub const IN_PIECES: &str = "#raw";
