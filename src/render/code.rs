//! Defines the code of actions: the handler, and the functions that run before the handler or for a
//! denied call.

use std::rc::Rc;

use assistant_core::{
    action::{ToolError, ToolOutcome},
    session::Invocation,
};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::Cancellation;

pub(crate) type InvocationHandler =
    Rc<dyn Fn(Invocation, Cancellation) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>>>;
pub(crate) type ApprovalRule = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, bool>>;
pub(crate) type PermissionRule = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, Result<(), String>>>;
pub(crate) type PreviewFn = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, Result<Value, String>>>;
pub(crate) type SanitizeFn = Rc<dyn Fn(&Value) -> Option<Value>>;
pub(crate) type DenialResult = Rc<dyn Fn(&Value, Option<&str>) -> Option<Value>>;

#[derive(Default)]
pub(crate) struct ActionCode {
    pub(crate) handler: Option<InvocationHandler>,
    /// The rule that determines whether the user is asked for approval.
    pub(crate) approval: Option<ApprovalRule>,
    /// The function that previews the change that a call would make.
    pub(crate) preview: Option<PreviewFn>,
    /// The application's permission rule for starting a call.
    pub(crate) permission: Option<PermissionRule>,
    pub(crate) sanitize: Option<SanitizeFn>,
    /// The function that builds the result that the agent receives for a denied call.
    pub(crate) denial: Option<DenialResult>,
}
