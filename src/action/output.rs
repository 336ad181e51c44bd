//! Converts the return values of synchronous and asynchronous handlers, which may be plain values,
//! JSON values or results with errors.

use std::{
    any::Any,
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    future::{Future, ready},
};

use assistant_core::action::ToolError;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::Value;

/// A return value of a handler: text, numbers, `bool`, `()`, lists and maps, [`Value`], [`Json`]
/// around a value that implements `Serialize`, or a `Result` that contains such a value. The error
/// is a [`ToolError`] or any type that implements `Display`, such as an error of any crate, a boxed
/// error or a text.
///
/// ```
/// use leptos_assistant::{Json, ToolAction};
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// let time = ToolAction::new("time", "The time").handler(|| "12:00");
/// let weather = ToolAction::new("weather", "The weather").handler(|| Json(Weather { celsius: 21.5 }));
/// let parse = ToolAction::new("parse", "Reads a number").handler(|text: String| async move {
///     Ok::<_, std::num::ParseFloatError>(text.parse::<f64>()?)
/// });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a handler can give back",
    note = "wrap what implements `Serialize` in `leptos_assistant::Json`, or give back a `Result`"
)]
pub trait IntoToolResult {
    /// Converts the return value to the value that is sent to the agent.
    ///
    /// # Errors
    ///
    /// Fails with the error of the handler, or if the value cannot be serialized.
    fn into_tool_result(self) -> Result<Value, ToolError>;
}

/// A wrapper for any value that can be serialized as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Json<T>(
    /// The value.
    pub T,
);

/// Takes the content of `value` if it has the type `U`, so that JSON values are not serialized
/// again. If the content has a different type, leaves it unchanged and returns `None`.
pub(super) fn downcast<T: 'static, U: 'static>(value: &mut Option<T>) -> Option<U> {
    (value as &mut dyn Any)
        .downcast_mut::<Option<U>>()
        .and_then(Option::take)
}

fn serialize_output<T: Serialize + 'static>(value: T) -> Result<Value, ToolError> {
    let mut value = Some(value);
    if let Some(value) = downcast(&mut value) {
        return Ok(value);
    }
    Ok(serde_json::to_value(value)?)
}

impl<T: Serialize + 'static> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<Value, ToolError> {
        serialize_output(self.0)
    }
}

impl<T: Serialize + 'static, E: Into<ToolError>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<Value, ToolError> {
        serialize_output(self.map_err(E::into)?)
    }
}

macro_rules! plain {
    ($([$($of:ident)?] $value:ty),* $(,)?) => {$(
        impl<$($of: Serialize + 'static)?> IntoToolResult for $value {
            fn into_tool_result(self) -> Result<Value, ToolError> {
                serialize_output(self)
            }
        }
    )*};
}

plain!(
    [] (), [] bool, [] Value,
    [] i8, [] i16, [] i32, [] i64, [] isize,
    [] u8, [] u16, [] u32, [] u64, [] usize,
    [] f32, [] f64,
    [] String, [] &'static str, [] Cow<'static, str>,
    [T] Vec<T>, [T] Option<T>, [T] HashMap<String, T>, [T] BTreeMap<String, T>,
);

/// The type of `Marker` for synchronous handlers.
#[doc(hidden)]
#[derive(Debug)]
pub struct Now;

/// The type of `Marker` for asynchronous handlers.
#[doc(hidden)]
#[derive(Debug)]
pub struct Later;

/// A handler's return value, or a future of the return value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a handler can give back",
    note = "wrap what implements `Serialize` in `leptos_assistant::Json`, or give back a `Result`"
)]
pub trait HandlerOutput<Marker> {
    fn into_result_future(self) -> LocalBoxFuture<'static, Result<Value, ToolError>>;
}

impl<R: IntoToolResult> HandlerOutput<Now> for R {
    fn into_result_future(self) -> LocalBoxFuture<'static, Result<Value, ToolError>> {
        Box::pin(ready(self.into_tool_result()))
    }
}

impl<F> HandlerOutput<Later> for F
where
    F: Future + 'static,
    F::Output: IntoToolResult,
{
    fn into_result_future(self) -> LocalBoxFuture<'static, Result<Value, ToolError>> {
        Box::pin(async move { self.await.into_tool_result() })
    }
}
