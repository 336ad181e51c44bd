//! The engine of `leptos-assistant`: what an agent says, what a person decides, and what follows from both.
//!
//! This crate has no DOM, no clock, no randomness and no I/O. Everything from outside comes in as
//! a value, everything that must happen outside goes out as one, so that the whole loop can be
//! run, copied, crashed and restored natively in a test.
//!
//! * [`event`] is the one vocabulary inside: events, messages, run input.
//! * [`protocol`] has the protocols that agents speak.
//! * [`wire`] decodes bytes into that vocabulary and encodes it again; protocols live there.
//! * [`conversation`] is the tree of messages and the reducer that applies events to it.
//! * [`action`] is what the page offers: definitions, registry, argument validation, policy.
//! * [`observe`] tells observers, each apart from the others.
//! * [`records`] writes and reads records of messages and calls for other systems.
//! * [`replay`] plays recorded streams into a conversation, for tools and tests.
//! * [`session`] owns a conversation and decides what happens next.
//! * [`text`] reads what agents write: markdown as it streams, tool calls in it, and addresses.

pub mod action;
pub mod conversation;
pub mod event;
mod id;
pub mod observe;
mod order;
pub mod protocol;
#[cfg(feature = "records")]
pub mod records;
pub mod replay;
pub mod session;
pub mod text;
pub mod wire;
