//! The names of the fields in `extra` for data that exists only in messages and calls of the AI
//! SDK.
//!
//! Fields whose names begin with `#` are stored, and never sent.

/// The object in `extra` that contains these fields.
pub const NOTES: &str = "ui";
/// The field that marks a call of a dynamic tool.
pub const DYNAMIC: &str = "#dynamic";
/// The field with the id that the agent gave a call, if another call of the conversation already
/// had that id.
pub const WIRE_ID: &str = "#id";
/// The field that marks a call whose arguments are shown as raw text.
pub const AS_TEXT: &str = "#text";
/// The field that marks a call whose arguments were received in pieces.
pub const IN_PIECES: &str = "#raw";
