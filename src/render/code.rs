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
pub(crate) type Denial = Rc<dyn Fn(&Value, Option<&str>) -> Option<Value>>;

/// The code of an action.
#[derive(Default)]
pub(crate) struct ActionCode {
    pub(crate) handler: Option<Handler>,
    /// Whether a person is asked.
    pub(crate) approval: Option<Rule>,
    /// What the agent is told of a denial.
    pub(crate) denial: Option<Denial>,
}
