//! Calls functions of the page that `npm/foreign.js` has wrapped. The wrapped functions take and
//! return JSON text, and never throw.

use leptos_assistant::ToolError;
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::{json, numbers};

/// A function of the page.
#[derive(Clone)]
pub(crate) struct PageFunction {
    function: SendWrapper<js_sys::Function>,
    /// True if the integers that JavaScript would round are passed to the function separately, as
    /// text.
    exact_numbers: bool,
}

impl PageFunction {
    pub(crate) fn new(function: js_sys::Function, exact_numbers: bool) -> Self {
        Self {
            function: SendWrapper::new(function),
            exact_numbers,
        }
    }

    /// Calls a function without arguments, and returns its value. Returns `None` if the function
    /// fails or if the value has another type. The wrapper of the function reports the failure.
    pub(crate) fn call_without_args<T: DeserializeOwned>(&self) -> Option<T> {
        let answer = self.function.call0(&JsValue::UNDEFINED).ok();
        serde_json::from_value(parse_answer(answer).ok()?).ok()
    }

    /// Calls a synchronous function with the arguments of a call and `extra`, another JSON value,
    /// and returns its result.
    pub(crate) fn call_sync(&self, args: &Value, extra: &Value) -> Result<Value, ToolError> {
        parse_answer(Some(self.call(args, &extra.to_string().into())?))
    }

    /// Calls an asynchronous function with the arguments of a call, and returns its result. Never
    /// resolves if the chat has stopped.
    pub(crate) async fn call_async(&self, args: &Value) -> Result<Value, ToolError> {
        crate::wait_if_stopped().await;
        self.call_async_with(args, JsValue::UNDEFINED).await
    }

    /// Calls an asynchronous function with the arguments of a call and `extra`, a JavaScript value
    /// that is passed without conversion. Returns the result of the function.
    pub(crate) async fn call_async_with(
        &self,
        args: &Value,
        extra: JsValue,
    ) -> Result<Value, ToolError> {
        let promise = self.call(args, &extra)?.dyn_into::<js_sys::Promise>();
        let answer = match promise {
            Ok(promise) => JsFuture::from(promise).await.ok(),
            Err(_) => None,
        };
        parse_answer(answer)
    }

    fn call(&self, args: &Value, extra: &JsValue) -> Result<JsValue, ToolError> {
        let exact_integers = numbers::rounded_integers(args);
        if let Some((_, digits)) = exact_integers.first().filter(|_| !self.exact_numbers) {
            return Err(ToolError::new(format!(
                "The number {digits} is too large to be passed on exactly. Nothing was run."
            )));
        }
        let (args, exact_integers) = (
            args.to_string().into(),
            numbers::into_json(exact_integers).to_string(),
        );
        let answer = self
            .function
            .call3(&JsValue::UNDEFINED, &args, &exact_integers.into(), extra);
        answer.map_err(|_| ToolError::new("The handler failed"))
    }
}

/// Parses the result of a wrapped function like [`answer_text`]. A result that is nested too deeply
/// is a failure as well.
pub(crate) fn parse_answer(answer: Option<JsValue>) -> Result<Value, ToolError> {
    let text = answer_text(answer)?;
    json::parse(&text).map_err(|_| ToolError::new("The handler's result is no JSON"))
}

/// Returns the text in the result of a wrapped function: `[true, JSON]`, or `[false, reason]` for a
/// failure. `None` and any other result are also failures. Reading the text runs no code of the
/// page.
pub(crate) fn answer_text(answer: Option<JsValue>) -> Result<String, ToolError> {
    let pair = answer.and_then(|answer| answer.dyn_into::<js_sys::Array>().ok());
    let Some(pair) = pair else {
        return Err(ToolError::new("The handler failed"));
    };
    let text = pair.get(1).as_string().unwrap_or_default();
    match pair.get(0).is_truthy() {
        true => Ok(text),
        false => Err(ToolError::new(text)),
    }
}
