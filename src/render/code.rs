//! The code of actions: what runs, and the rules around it.

use std::rc::Rc;

use assistant_core::{
    action::{ToolError, ToolOutcome},
    session::Invocation,
};
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::Cancellation;

pub(crate) type Handler =
    Rc<dyn Fn(Invocation, Cancellation) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>>>;
pub(crate) type Rule = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, bool>>;
pub(crate) type Permission = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, Result<(), String>>>;
pub(crate) type Preview = Rc<dyn Fn(Value) -> LocalBoxFuture<'static, Result<Value, String>>>;
pub(crate) type Sanitize = Rc<dyn Fn(&Value) -> Option<Value>>;
pub(crate) type Denial = Rc<dyn Fn(&Value, Option<&str>) -> Option<Value>>;

/// The code of an action.
#[derive(Default)]
pub(crate) struct ActionCode {
    pub(crate) handler: Option<Handler>,
    /// Whether a person is asked.
    pub(crate) approval: Option<Rule>,
    /// What a call would change.
    pub(crate) preview: Option<Preview>,
    /// The application's rule whether it may start.
    pub(crate) permission: Option<Permission>,
    /// Cleans arguments.
    pub(crate) sanitize: Option<Sanitize>,
    /// What the agent is told of a denial.
    pub(crate) denial: Option<Denial>,
}
