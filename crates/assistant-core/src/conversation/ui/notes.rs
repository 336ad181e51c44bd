//! The names of the fields in `extra` that store data from the AI SDK.
//!
//! Fields whose names begin with `#` are stored but never sent.

/// The field in `extra` that contains the object with the fields of the AI SDK.
pub const NOTES: &str = "ui";
/// The field that marks a call of a dynamic tool.
pub const DYNAMIC: &str = "#dynamic";
/// The field with the call's id as assigned by the agent, if another call in the conversation
/// already had this id.
pub const WIRE_ID: &str = "#id";
/// The field that marks a call whose arguments are shown as raw text.
pub const AS_TEXT: &str = "#text";
/// The field that marks a call whose arguments were received in pieces.
pub const IN_PIECES: &str = "#raw";
