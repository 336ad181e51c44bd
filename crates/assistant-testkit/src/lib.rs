//! Provides tools for the tests of this workspace: [`replay`] of recorded streams into a
//! conversation.

pub mod replay;
