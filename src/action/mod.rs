//! What a component lets an assistant do: [`use_assistant_action`] and what goes with it.

mod builder;
mod context;
mod decision;
mod handler;
mod hook;
mod view;

pub use builder::{Action, Approval};
pub use context::ToolContext;
pub use decision::ApprovalTakes;
pub use handler::IntoHandler;
pub use hook::{ActionGuard, use_assistant_action, use_assistant_context};
pub use view::ToolCallView;

pub use crate::{render::Cancellation, view::ConfirmOptions};
