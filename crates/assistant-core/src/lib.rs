//! The engine of `leptos-assistant`: agent events, user decisions, and the transitions that follow
//! from both.
//!
//! This crate has no DOM, no clock, no randomness and no I/O. All input comes in as values and all
//! effects go out as values, so that the whole loop can be run, copied, crashed and restored
//! natively in a test. The agent protocols are in the crate `assistant-protocols`.
//!
//! * [`event`] is the internal data model: events, messages, run input.
//! * [`json`] parses, changes and compares JSON, and contains the JSON form of messages.
//! * [`conversation`] is the tree of messages and the reducer that applies events to it.
//! * [`action`] contains the actions of the page: definitions, registry, argument validation,
//!   policy.
//! * [`limits`] lists the limits on the input from agents.
//! * [`loop_events`] reports the loop of runs and tool calls to observers.
//! * [`observe`] notifies observers, isolated from each other.
//! * [`order`] sorts items with little code.
//! * [`records`] writes and reads records of messages and calls for other systems.
//! * [`session`] owns a conversation and determines its next steps.
//! * [`text`] parses the text from agents: streamed markdown, tool calls in text, and addresses.

pub mod action;
pub mod conversation;
pub mod event;
mod id;
pub mod json;
pub mod limits;
pub mod loop_events;
pub mod observe;
pub mod order;
#[cfg(feature = "records")]
pub mod records;
#[cfg(feature = "replay")]
#[doc(hidden)]
pub mod replay;
pub mod session;
pub mod text;
