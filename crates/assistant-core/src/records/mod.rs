//! Converts changes of messages and calls to records for other systems: plain JSON that a host can
//! forward over any socket, store in a table, or receive from a server that runs the loop itself.
//!
//! * [`CallRecord`] is a call as it is stored with a message: `{id, name, arguments, result,
//!   timestamp}`, in a list of calls in progress or of finished calls.
//! * [`ConvUpdate`] and [`ToolUpdate`] describe a change. [`Recorder`] writes them from a session;
//!   [`Input::Update`](crate::session::Input::Update) applies them, in any order, and runs nothing.

mod call;
mod recorder;

pub use crate::conversation::update::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate, Update};
pub use call::{CallRecord, CallRecords};
pub use recorder::Recorder;
