//! The context of a running handler, which `npm/context.js` passes to the page's function.

use std::{cell::RefCell, rc::Rc};

use futures_channel::oneshot;
use futures_util::{
    FutureExt,
    future::{Either, Shared, select},
};
use leptos_assistant::{ConfirmOptions, ToolContext, ToolError};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::{
    json::{self, TooDeep},
    state,
};

/// A future that resolves when the handler has ended or was cancelled.
type HandlerEnd = Shared<oneshot::Receiver<()>>;

/// A guard that exists while a handler is running. Dropping the guard aborts the handler's signal,
/// and ends the work that the handler has begun through its context.
pub(crate) struct RunningHandler {
    context: ToolContext,
    abort: Rc<RefCell<Option<js_sys::Function>>>,
    end: HandlerEnd,
    /// The sender of `end`, which resolves when the sender is dropped.
    _sender: oneshot::Sender<()>,
}

impl RunningHandler {
    pub(crate) fn begin(context: ToolContext) -> Self {
        let (sender, receiver) = oneshot::channel();
        Self {
            context,
            abort: Rc::default(),
            end: receiver.shared(),
            _sender: sender,
        }
    }

    pub(crate) fn context(&self) -> JsValue {
        let context = CallContext {
            context: self.context.clone(),
            abort: Rc::clone(&self.abort),
            end: self.end.clone(),
        };
        Context(Box::new(context)).into()
    }

    /// Ends the handler's remaining work without aborting the signal, because the handler has
    /// returned.
    pub(crate) fn end(self) {
        self.abort.take();
    }
}

impl Drop for RunningHandler {
    fn drop(&mut self) {
        if let Some(abort) = self.abort.take() {
            // The result is ignored, since the wrapped function never throws.
            let _ = abort.call0(&JsValue::UNDEFINED);
        }
    }
}

/// The methods of a handler's context, whose implementation is in the second part of the module.
trait ContextObject {
    fn facts(&self) -> Value;
    fn on_abort(&self, abort: js_sys::Function);
    fn progress(&self, fraction: Option<f64>, text: String);
    fn preliminary(&self, value: &str) -> Result<(), TooDeep>;
    fn stop_loop(&self);
    fn history(&self) -> Value;
    fn tool_history(&self) -> Value;
    fn execute(&self, name: String, args: &str) -> js_sys::Promise;
    fn ask(&self, question: &str, schema: Option<String>) -> js_sys::Promise;
    fn confirm(&self, title: String, text: String, danger: bool) -> js_sys::Promise;
    fn until_registered(&self, name: String) -> js_sys::Promise;
}

/// The context of a handler, as an object for JavaScript. Values are JSON text.
#[wasm_bindgen]
pub struct Context(Box<dyn ContextObject>);

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl Context {
    /// Returns the properties that do not change during the call, as a JSON object.
    pub fn facts(&self) -> String {
        self.0.facts().to_string()
    }

    /// Sets the function that aborts the signal of the handler.
    #[wasm_bindgen(js_name = onAbort)]
    pub fn on_abort(&self, abort: js_sys::Function) {
        self.0.on_abort(abort);
    }

    /// Reports the progress of the call: a fraction from 0 to 1, if known, and a text.
    pub fn progress(&self, fraction: Option<f64>, text: String) {
        self.0.progress(fraction, text);
    }

    /// Shows a preliminary result of the call. Fails if the value is nested too deeply.
    pub fn preliminary(&self, value: &str) -> Result<(), JsError> {
        Ok(self.0.preliminary(value)?)
    }

    /// Ends the agent loop after this call.
    #[wasm_bindgen(js_name = stopLoop)]
    pub fn stop_loop(&self) {
        self.0.stop_loop();
    }

    /// Returns the messages of the displayed branch, as a JSON list.
    pub fn history(&self) -> String {
        self.0.history().to_string()
    }

    /// Returns the history of the conversation's calls, as JSON.
    #[wasm_bindgen(js_name = toolHistory)]
    pub fn tool_history(&self) -> String {
        self.0.tool_history().to_string()
    }

    /// Calls another action. The promise resolves to the result as JSON.
    pub fn execute(&self, name: String, args: &str) -> js_sys::Promise {
        self.0.execute(name, args)
    }

    /// Asks the user in the card of the call, with a form if a schema is given. The promise
    /// resolves to the answer as JSON.
    pub fn ask(&self, question: &str, schema: Option<String>) -> js_sys::Promise {
        self.0.ask(question, schema)
    }

    /// Asks the user in a dialog. The promise resolves to `true` or `false` as JSON.
    pub fn confirm(&self, title: String, text: String, danger: bool) -> js_sys::Promise {
        self.0.confirm(title, text, danger)
    }

    /// Returns a promise that resolves once an action with this name is registered.
    #[wasm_bindgen(js_name = untilRegistered)]
    pub fn until_registered(&self, name: String) -> js_sys::Promise {
        self.0.until_registered(name)
    }
}

/// The implementation of the context of a running call.
struct CallContext {
    context: ToolContext,
    abort: Rc<RefCell<Option<js_sys::Function>>>,
    end: HandlerEnd,
}

impl ContextObject for CallContext {
    fn facts(&self) -> Value {
        let context = &self.context;
        let id_or_null = |id: Option<&str>| id.map_or(Value::Null, Value::from);
        let parent_id = context.parent_message_id();
        json!({
            "callId": context.call_id(),
            "call": context.call_key().number(),
            "messageId": id_or_null(context.message_id().map(|id| id.as_str())),
            "parentMessageId": id_or_null(parent_id.as_ref().map(|id| id.as_str())),
            "clientId": context.client_id(),
            "iteration": context.iteration(),
        })
    }

    fn on_abort(&self, abort: js_sys::Function) {
        self.abort.replace(Some(abort));
    }

    fn progress(&self, fraction: Option<f64>, text: String) {
        self.context.progress(fraction, text);
    }

    fn preliminary(&self, value: &str) -> Result<(), TooDeep> {
        self.context.preliminary(json::parse(value)?);
        Ok(())
    }

    fn stop_loop(&self) {
        self.context.stop_loop();
    }

    fn history(&self) -> Value {
        let messages = self.context.with_conversation(state::messages_to_json);
        messages.unwrap_or_else(|| json!([]))
    }

    fn tool_history(&self) -> Value {
        state::history_to_json(&self.context.tool_history())
    }

    fn execute(&self, name: String, args: &str) -> js_sys::Promise {
        let (context, args) = (self.context.clone(), parse(args));
        self.run_as_promise(async move { context.execute(&name, args?).await })
    }

    fn ask(&self, question: &str, schema: Option<String>) -> js_sys::Promise {
        let (context, question) = (self.context.clone(), parse(question));
        let schema = schema.as_deref().map(parse);
        self.run_as_promise(async move {
            match schema {
                Some(schema) => context.ask_with(question?, schema?).await,
                None => context.ask(question?).await,
            }
        })
    }

    fn confirm(&self, title: String, text: String, danger: bool) -> js_sys::Promise {
        let context = self.context.clone();
        let mut options = ConfirmOptions::new(title).text(text);
        options.danger = danger;
        self.run_as_promise(async move { Ok(context.confirm(options).await.into()) })
    }

    fn until_registered(&self, name: String) -> js_sys::Promise {
        let context = self.context.clone();
        self.run_as_promise(
            async move { context.until_registered(&name).await.map(|()| Value::Null) },
        )
    }
}

impl CallContext {
    /// Runs a future, and returns a promise for its result. The future is dropped, and the promise
    /// is rejected, when the handler ends.
    fn run_as_promise(
        &self,
        work: impl Future<Output = Result<Value, ToolError>> + 'static,
    ) -> js_sys::Promise {
        let end = self.end.clone();
        future_to_promise(async move {
            let outcome = match select(work.boxed_local(), end).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(_) => Err(ToolError::new("The call is over")),
            };
            match outcome {
                Ok(value) => Ok(value.to_string().into()),
                Err(error) => Err(JsError::new(error.message()).into()),
            }
        })
    }
}

/// Parses a value for a method whose errors the handler receives.
fn parse(text: &str) -> Result<Value, ToolError> {
    json::parse(text).map_err(|error| ToolError::new(error.to_string()))
}
