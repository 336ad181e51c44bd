//! What a component lets an assistant do: [`use_assistant_action`] and what goes with it.

mod builder;
mod context;
mod decision;
mod handler;
mod hook;
mod view;

pub use builder::{Action, Approval};
pub use context::{Cancellation, ConfirmOptions, ToolContext};
pub use decision::ApprovalTakes;
pub use handler::IntoHandler;
pub use hook::{ActionGuard, use_assistant_action, use_assistant_context};
pub use view::ToolCallView;

pub(crate) use builder::{ActionCode, Renderer};
pub(crate) use context::ConfirmRequest;
pub(crate) use decision::Gate;
pub(crate) use hook::assistant_or_complain;
