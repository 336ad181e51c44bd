//! What agents write: markdown as it streams, and tool calls written as callouts in it.
//!
//! Both read text on from where they stopped and never keep a copy of it; neither knows a screen
//! nor a session.

#[cfg(feature = "markdown")]
pub mod markdown;
