//! Defines the actions of components, and registers them with [`use_assistant_action`] and related
//! functions.

mod answer;
mod approval;
mod args;
mod ask;
mod builder;
mod closure;
mod context;
mod decision;
mod describe;
mod discover;
mod execution;
mod handler;
mod hook;
mod limits;
#[cfg(test)]
mod mistyped_args;
mod outcome;
mod output;
mod page_context;
mod preview;
mod renderer;
#[cfg(feature = "schemars")]
mod schema;
mod scope;

pub use approval::Approval;
pub use builder::ToolAction;
pub use closure::{Applies, ArgsFn, DenialFn, Never};
pub use context::ToolContext;
pub use decision::ApprovalTakes;
pub use discover::list_tools_action;
pub use handler::IntoHandler;
pub use hook::{ActionGuard, use_assistant_action};
pub use output::{IntoToolResult, Json, Later, Now};
pub use page_context::{ByClosure, BySignal, ByValue, ContextValue, use_assistant_context};

pub use assistant_core::{
    action::{
        ActionFingerprint, ActionSpec, ArgMaximum, Availability, CallLimits, Execution,
        GrantBounds, InvalidAction, OfferFilter, Policy, Remember, RememberScope,
        RememberedApproval, RememberedArgs, Remembering, ResultEncoding, ToolError, ToolInfo,
        definitions_from_json,
    },
    session::{ActionDecision, DecisionKind, RequestedAction},
};

pub use crate::{
    assistant::{RendererGuard, ToolCallView, use_tool_renderer},
    render::{Cancellation, Description, Risk, ToolTarget},
    view::ConfirmOptions,
};
