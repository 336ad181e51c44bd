//! Converts changes to messages and calls into records for other systems: plain JSON that a host
//! can forward over any socket, store in a table, or receive from a server that runs the loop
//! itself.
//!
//! * [`CallRecord`] is a call as it is stored with a message: `{id, name, arguments, result,
//!   timestamp}`, in a list of calls in progress or of finished calls.
//! * [`ConvUpdate`] and [`ToolUpdate`] describe a change. [`Recorder`] creates these updates from
//!   the changes in a session; [`Input::Update`](crate::session::Input::Update) applies updates in
//!   any order, without running calls.

mod call;
mod recorder;

pub use crate::conversation::update::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate, Update};
pub use call::{CallRecord, CallRecords};
pub use recorder::Recorder;
