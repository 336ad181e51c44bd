//! Provides tools for the tests of this workspace: [`replay`] applies recorded streams, or
//! operations on branches, to a conversation.

pub mod replay;
