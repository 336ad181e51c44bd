//! The exported methods of a chat for `npm/handle.js`, and their implementation in the second part
//! of the module ([`part`](crate::part)). Values are JSON text.

use assistant_core::json::form;
use leptos::prelude::*;
use leptos_assistant::{
    Assistant, InterruptTarget, PartTarget, ToolCallView, ToolTarget, action::ContextValue,
    use_assistant_context,
};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::{
    Chat, Registration,
    action::{self, PageFunctions},
    approvals,
    audit::{self, Audit},
    commands,
    commands::Args,
    drawing::DrawFunction,
    function::PageFunction,
    json,
    observers::{self, create_owner},
    part::{Api, Guard},
    state,
    views::DrawnView,
    window::WindowHandles,
};

#[wasm_bindgen]
impl Chat {
    /// Registers an action until it is unregistered or the chat is unmounted. `definition` is JSON;
    /// `functions` contains the functions of the action, as wrapped by `npm/action.js`. Integers
    /// that JavaScript would round are passed separately if `exact_numbers` is true, and rejected
    /// otherwise.
    ///
    /// # Errors
    ///
    /// Fails if model providers do not accept the name, the schema is not valid JSON, or the chat
    /// is not loaded yet or has stopped permanently.
    #[wasm_bindgen(js_name = registerAction)]
    pub fn register_action(
        &self,
        definition: &str,
        functions: JsValue,
        exact_numbers: bool,
    ) -> Result<Registration, JsError> {
        let guard = self
            .api()?
            .register_action(definition, functions, exact_numbers)?;
        Ok(self.store_guard(guard))
    }

    /// Provides context to the agent. The function returns the current value of the context.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = registerContext)]
    pub fn register_context(
        &self,
        description: String,
        value: js_sys::Function,
    ) -> Result<Registration, JsError> {
        let guard = self.api()?.register_context(description, value);
        Ok(self.store_guard(guard))
    }

    /// Calls a method of the handle by its name in camel case, with a JSON list of arguments, and
    /// returns the result as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the method fails, or the chat is not loaded yet or has stopped permanently.
    pub fn call(&self, name: &str, args: &str) -> Result<String, JsError> {
        self.api()?.call(name, args)
    }

    /// Calls an action as an agent does. The promise resolves to the result as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    pub fn execute(&self, name: String, args: &str) -> Result<js_sys::Promise, JsError> {
        Ok(self.api()?.execute(name, args))
    }

    /// Calls the listener with the value of a named part of the state, now and after each change.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    pub fn watch(&self, name: String, listener: js_sys::Function) -> Result<Registration, JsError> {
        let guard = self.api()?.watch(name, listener);
        Ok(self.store_guard(guard))
    }

    /// Calls the listener for each event of a kind.
    ///
    /// # Errors
    ///
    /// Fails for an unknown kind, or if the chat is not loaded yet or has stopped permanently.
    pub fn observe(&self, kind: &str, listener: js_sys::Function) -> Result<Registration, JsError> {
        let guard = self.api()?.observe(kind, listener)?;
        Ok(self.store_guard(guard))
    }

    /// Registers a function of the page, wrapped by `npm/render.js`, that draws the views of a
    /// kind: `tools`, `interrupts`, or the parts `text`, `reasoning`, `file` and `data`; any other
    /// kind selects unknown parts. A target restricts tools to a name, interrupts to a reason, and
    /// data to a type.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    pub fn render(
        &self,
        kind: &str,
        target: Option<String>,
        draw: js_sys::Function,
    ) -> Result<Registration, JsError> {
        let guard = self.api()?.render(kind, target, draw);
        Ok(self.store_guard(guard))
    }

    /// Sets a rule that can end the agent loop. `npm/foreign.js` wraps the function of the page. A
    /// rule that fails ends the loop.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = setStopRule)]
    pub fn set_stop_rule(&self, name: String, rule: js_sys::Function) -> Result<(), JsError> {
        self.api()?.set_stop_rule(name, rule);
        Ok(())
    }

    /// Searches the stored conversations. The listener receives the id of each match, and null at
    /// the end.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = searchConversations)]
    pub fn search_conversations(
        &self,
        words: String,
        listener: js_sys::Function,
    ) -> Result<Registration, JsError> {
        let guard = self.api()?.search_conversations(words, listener);
        Ok(self.store_guard(guard))
    }

    /// Sets the permission rule for all actions. `npm/foreign.js` wraps the function of the page.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = setPermission)]
    pub fn set_permission(
        &self,
        rule: js_sys::Function,
        exact_numbers: bool,
    ) -> Result<(), JsError> {
        self.api()?.set_permission(rule, exact_numbers);
        Ok(())
    }

    /// Sets the prices of tokens. The rule returns the price of token usage in millionths of the
    /// currency, or null for an unknown price. `npm/foreign.js` wraps the function of the page.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = setPrices)]
    pub fn set_prices(&self, currency: String, rule: js_sys::Function) -> Result<(), JsError> {
        self.api()?.set_prices(currency, rule);
        Ok(())
    }

    /// Persists approvals in a store of the page: an object with the functions `load`, `change`,
    /// `swap` and `onChange`, as wrapped by `npm/approvals.js`. Changes by other writers are read
    /// until the returned registration is removed.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = persistApprovals)]
    pub fn persist_approvals(&self, store: &JsValue) -> Result<Registration, JsError> {
        let guard = self.api()?.persist_approvals(store);
        Ok(self.store_guard(guard))
    }

    /// Starts the audit, and passes each record to the listener. `redact` returns the record with
    /// the texts to store.
    ///
    /// # Errors
    ///
    /// Fails if the chat is not loaded yet, or has stopped permanently.
    #[wasm_bindgen(js_name = startAudit)]
    pub fn start_audit(
        &self,
        redact: Option<js_sys::Function>,
        listener: js_sys::Function,
    ) -> Result<Audit, JsError> {
        Ok(self.api()?.start_audit(redact, listener))
    }
}

/// The implementation of a chat's methods, in the second part of the module.
pub(crate) struct Handle {
    assistant: Assistant,
    window: WindowHandles,
}

impl Handle {
    pub(crate) fn create_api(assistant: Assistant, window: WindowHandles) -> Box<dyn Api> {
        Box::new(Self { assistant, window })
    }
}

impl Api for Handle {
    fn register_action(
        &self,
        definition: &str,
        functions: JsValue,
        exact_numbers: bool,
    ) -> Result<Guard, JsError> {
        let functions = PageFunctions::new(functions, exact_numbers);
        // The owner drops the signals of the action together with its registration.
        let owner = create_owner();
        let action = owner.with(|| action::build_action(definition, &functions))?;
        let guard = self
            .assistant
            .register(action)
            .map_err(|error| JsError::new(&error.to_string()))?;
        Ok(Box::new((guard, owner)))
    }

    fn register_context(&self, description: String, value: js_sys::Function) -> Guard {
        let value = PageFunction::new(value, false);
        let owner = create_owner();
        owner.with(|| {
            provide_context(self.assistant.clone());
            use_assistant_context::<PageValueMarker>(description, value);
        });
        Box::new(owner)
    }

    fn call(&self, name: &str, args: &str) -> Result<String, JsError> {
        let args = Args::parse(args)?;
        let outcome = match self.window.run_method(name, &args) {
            Some(outcome) => Ok(outcome),
            None => commands::run_method(&self.assistant, name, &args),
        };
        match outcome {
            Ok(value) => Ok(value.to_string()),
            Err(message) => Err(JsError::new(&message)),
        }
    }

    fn execute(&self, name: String, args: &str) -> js_sys::Promise {
        let (chat, args) = (self.assistant.clone(), json::parse(args));
        future_to_promise(async move {
            match chat.execute(&name, args.map_err(JsError::from)?).await {
                Ok(value) => Ok(value.to_string().into()),
                Err(error) => Err(JsError::new(error.message()).into()),
            }
        })
    }

    fn watch(&self, name: String, listener: js_sys::Function) -> Guard {
        Box::new(observers::watch(self.assistant.clone(), name, listener))
    }

    fn observe(&self, kind: &str, listener: js_sys::Function) -> Result<Guard, JsError> {
        observers::observe(&self.assistant, kind, listener).ok_or_else(|| {
            JsError::new("There are no such events, or only in leptos-assistant/full")
        })
    }

    fn render(&self, kind: &str, target: Option<String>, draw: js_sys::Function) -> Guard {
        let draw = DrawFunction::new(draw);
        Box::new(match kind {
            "tools" => {
                let target = target.map_or(ToolTarget::All, ToolTarget::Named);
                let draw = move |call: ToolCallView| draw.draw(DrawnView::call(call), false);
                self.assistant.render_tools(target, draw)
            }
            "interrupts" => {
                let target = target.map_or(InterruptTarget::All, InterruptTarget::Reason);
                let draw = move |interrupt| draw.draw(DrawnView::interrupt(interrupt), true);
                self.assistant.render_interrupts(target, draw)
            }
            kind => {
                let target = match (kind, target) {
                    ("text", _) => PartTarget::Text,
                    ("reasoning", _) => PartTarget::Reasoning,
                    ("file", _) => PartTarget::File,
                    ("data", Some(data_type)) => PartTarget::Data(data_type),
                    ("data", None) => PartTarget::AnyData,
                    _ => PartTarget::Unknown,
                };
                let draw = move |part| draw.draw(DrawnView::part(part), false);
                self.assistant.render_parts(target, draw)
            }
        })
    }

    fn set_stop_rule(&self, name: String, rule: js_sys::Function) {
        let rule = PageFunction::new(rule, true);
        self.assistant.set_stop_rule(name, move |summary| {
            let answer = rule.call_sync(&state::summary_to_json(summary), &Value::Null);
            answer != Ok(Value::Bool(false))
        });
    }

    fn search_conversations(&self, words: String, listener: js_sys::Function) -> Guard {
        let on_match = move |id: Option<&str>| {
            let id = Value::from(id).to_string();
            // The result is ignored, since the wrapped listener never throws.
            let _ = listener.call1(&JsValue::UNDEFINED, &id.into());
        };
        Box::new(self.assistant.conversations().search(words, on_match))
    }

    fn set_permission(&self, rule: js_sys::Function, exact_numbers: bool) {
        let rule = PageFunction::new(rule, exact_numbers);
        self.assistant.set_permission(move |name, args| {
            action::check_permission(rule.clone(), args, name.into())
        });
    }

    fn set_prices(&self, currency: String, rule: js_sys::Function) {
        let rule = PageFunction::new(rule, true);
        self.assistant.set_prices(currency, move |usage| {
            let price = rule.call_sync(&form::usage_to_value(usage), &Value::Null);
            price.ok()?.as_u64()
        });
    }

    fn persist_approvals(&self, store: &JsValue) -> Guard {
        approvals::persist_approvals(&self.assistant, store)
    }

    fn start_audit(&self, redact: Option<js_sys::Function>, listener: js_sys::Function) -> Audit {
        audit::start_audit(&self.assistant, redact, listener)
    }
}

/// The marker type for context values that a function of the page returns.
struct PageValueMarker;

impl ContextValue<PageValueMarker> for PageFunction {
    /// Returns the function's current value. Returns `None` if the function fails. The wrapper of
    /// the function reports the failure.
    fn read(&self) -> Result<Option<Value>, serde_json::Error> {
        Ok(self.call_without_args())
    }
}
