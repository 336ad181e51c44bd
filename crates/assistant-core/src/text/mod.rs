//! Parses and checks text that agents wrote: streamed markdown, tool calls as callouts, addresses,
//! and hidden characters.
//!
//! Text is parsed incrementally without keeping a copy. This module does not depend on a view or a
//! session.

pub mod address;
#[cfg(feature = "callouts")]
pub mod callout;
pub mod confusable;
pub mod hidden;
pub mod host;
#[cfg(feature = "markdown")]
pub mod markdown;
