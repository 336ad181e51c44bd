//! Records for other systems: what happens to messages and calls, as plain JSON that a host can
//! forward over any socket, keep in a table, or receive from a server that runs the loop itself.
//!
//! * [`CallRecord`] is one call as it is kept with a message: `{id, name, arguments, result,
//!   timestamp}`, in a list of those under way and a list of those that are over.
//! * [`ConvUpdate`] and [`ToolUpdate`] say what changed. [`Recorder`] writes them from a session;
//!   [`Input::Update`](crate::session::Input::Update) takes them in, and nothing runs here then.

mod call;
mod json;
mod recorder;
mod update;

pub use call::{CallRecord, CallRecords};
pub use recorder::Recorder;
pub use update::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate, Update};
