//! From a typed async function to a handler of JSON values.

use std::{future::Future, rc::Rc};

use assistant_core::action::{ToolError, ToolOutcome};
use futures_util::future::LocalBoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::ToolContext;

/// A handler of JSON values.
pub(crate) type Handler =
    Rc<dyn Fn(Value, ToolContext) -> LocalBoxFuture<'static, Result<ToolOutcome, ToolError>>>;

/// A function that can be a handler: `Fn(Args) -> Future` or `Fn(Args, ToolContext) -> Future`,
/// whose output is `Result<impl Serialize, ToolError>`.
pub trait IntoHandler<Marker> {
    #[doc(hidden)]
    fn into_handler(self) -> Handler;
}

impl<F, T, Fut, R> IntoHandler<(T, R)> for F
where
    F: Fn(T) -> Fut + 'static,
    T: DeserializeOwned + 'static,
    Fut: Future<Output = Result<R, ToolError>> + 'static,
    R: Serialize + 'static,
{
    fn into_handler(self) -> Handler {
        IntoHandler::<(T, ToolContext, R)>::into_handler(move |args, _: ToolContext| self(args))
    }
}

impl<F, T, Fut, R> IntoHandler<(T, ToolContext, R)> for F
where
    F: Fn(T, ToolContext) -> Fut + 'static,
    T: DeserializeOwned + 'static,
    Fut: Future<Output = Result<R, ToolError>> + 'static,
    R: Serialize + 'static,
{
    fn into_handler(self) -> Handler {
        Rc::new(move |value, context| {
            let stop = context.clone();
            let work = typed_args(value).map(|args| self(args, context));
            Box::pin(async move {
                let result = work?.await?;
                let value = serde_json::to_value(result)?;
                Ok(if stop.stops_loop() {
                    ToolOutcome::StopLoop(value)
                } else {
                    ToolOutcome::Continue(value)
                })
            })
        })
    }
}

/// Reads arguments into the type that a handler wants. The error names the field (rule "typed arguments").
fn typed_args<T: DeserializeOwned>(value: Value) -> Result<T, ToolError> {
    serde_json::from_value(value.clone()).map_err(|error| {
        let error = error.to_string();
        let message = match culprit::<T>(&value, &error) {
            Some(field) => format!("Invalid arguments: {field}: {error}"),
            None => format!("Invalid arguments: {error}"),
        };
        ToolError::new(message).error_type("invalid_arguments")
    })
}

/// serde says what is wrong but not where: it is the field without which the error is another.
fn culprit<T: DeserializeOwned>(value: &Value, error: &str) -> Option<String> {
    let object = value.as_object()?;
    let without = |key: &String| {
        let mut rest = object.clone();
        rest.shift_remove(key);
        serde_json::from_value::<T>(Value::Object(rest))
            .err()
            .map(|error| error.to_string())
    };
    object
        .keys()
        .find(|key| without(key).as_deref() != Some(error))
        .cloned()
}
