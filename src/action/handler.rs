//! Converts typed functions into handlers that receive and return JSON values.

use std::{any::TypeId, rc::Rc};

use assistant_core::action::{ToolError, ToolOutcome};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    ToolContext,
    output::{HandlerOutput, downcast},
};

/// A type-erased handler. It receives its arguments as JSON.
pub(crate) type Handler =
    Rc<dyn Fn(Value, ToolContext) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>>>;

/// The error type of a result for arguments that the handler cannot deserialize.
pub(super) const INVALID_ARGUMENTS: &str = "invalid_arguments";

/// A function that can be used as a handler. The function is synchronous or `async`, and takes no
/// arguments, the call's arguments, a [`ToolContext`], or both. Its return types are described at
/// [`IntoToolResult`](super::IntoToolResult). The compiler infers `Marker`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler of an action",
    label = "not a handler",
    note = "a handler is `|| …`, `|args: Args| …`, `|context: ToolContext| …` or `|args: Args, context: ToolContext| …`, \
            `async` or not, where `Args: DeserializeOwned`",
    note = "it gives back a plain value, a type of yours as `Json(value)`, or a `Result` whose error is a `ToolError` or can \
            be printed"
)]
pub trait IntoHandler<Marker> {
    /// The type of the call's arguments.
    type Args;
    #[doc(hidden)]
    fn into_handler(self) -> Handler;
}

impl<F, O, M> IntoHandler<(O, M)> for F
where
    F: Fn() -> O + 'static,
    O: HandlerOutput<M>,
{
    type Args = Value;

    fn into_handler(self) -> Handler {
        Rc::new(move |_, context| await_outcome(self().into_result_future(), context))
    }
}

impl<F, T, O, M> IntoHandler<(T, O, M)> for F
where
    F: Fn(T) -> O + 'static,
    T: DeserializeOwned + 'static,
    O: HandlerOutput<M>,
{
    type Args = T;

    fn into_handler(self) -> Handler {
        Rc::new(move |value, context| match deserialize_args(value) {
            Ok(args) => await_outcome(self(args).into_result_future(), context),
            Err(error) => failed_future(error),
        })
    }
}

/// The type of `Marker` for handlers that take only a [`ToolContext`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ContextAlone;

impl<F, O, M> IntoHandler<(ContextAlone, O, M)> for F
where
    F: Fn(ToolContext) -> O + 'static,
    O: HandlerOutput<M>,
{
    type Args = Value;

    fn into_handler(self) -> Handler {
        Rc::new(move |_, context| {
            await_outcome(self(context.clone()).into_result_future(), context)
        })
    }
}

impl<F, T, O, M> IntoHandler<(T, ToolContext, O, M)> for F
where
    F: Fn(T, ToolContext) -> O + 'static,
    T: DeserializeOwned + 'static,
    O: HandlerOutput<M>,
{
    type Args = T;

    fn into_handler(self) -> Handler {
        Rc::new(move |value, context| match deserialize_args(value) {
            Ok(args) => await_outcome(self(args, context.clone()).into_result_future(), context),
            Err(error) => failed_future(error),
        })
    }
}

fn failed_future(error: ToolError) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>> {
    Box::pin(async move { Err(error) })
}

/// Awaits a handler's result, and then checks if the handler has stopped the loop of runs.
fn await_outcome(
    work: LocalBoxFuture<'static, Result<Value, ToolError>>,
    context: ToolContext,
) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>> {
    Box::pin(async move {
        let value = work.await?;
        Ok(match context.should_stop_loop() {
            true => ToolOutcome::StopLoop(value),
            false => ToolOutcome::Continue(value),
        })
    })
}

/// Deserializes the arguments of a call. The error contains the name of the invalid field (rule
/// "typed arguments").
fn deserialize_args<T: DeserializeOwned + 'static>(value: Value) -> Result<T, ToolError> {
    // If the handler has no parameters, `T` is `()`, and the arguments are ignored.
    if let Some(args) = downcast(&mut Some(())) {
        return Ok(args);
    }
    // The value is returned without deserialization if `T` is `Value`. The condition is constant,
    // so that handlers that take a `Value` link no deserializer.
    if TypeId::of::<T>() == TypeId::of::<Value>() {
        let args = downcast(&mut Some(value));
        return args.ok_or_else(|| ToolError::new("Invalid arguments"));
    }
    serde_json::from_value(value.clone()).map_err(|error| {
        let error = error.to_string();
        let message = match find_invalid_field::<T>(&value, &error) {
            Some(field) => format!("Invalid arguments: {field}: {error}"),
            None => format!("Invalid arguments: {error}"),
        };
        ToolError::new(message).error_type(INVALID_ARGUMENTS)
    })
}

/// Finds the name of the field that causes an error, because serde does not report the name. The
/// field is the first one whose removal changes the error. Returns `None` if there is no such
/// field.
fn find_invalid_field<T: DeserializeOwned>(value: &Value, error: &str) -> Option<String> {
    let object = value.as_object()?;
    let error_without = |key: &String| {
        let mut rest = object.clone();
        rest.shift_remove(key);
        serde_json::from_value::<T>(Value::Object(rest))
            .err()
            .map(|error| error.to_string())
    };
    object
        .keys()
        .find(|key| error_without(key).as_deref() != Some(error))
        .cloned()
}
