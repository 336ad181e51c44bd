//! The methods of a chat for `npm/handle.js`: the handle of the assistant, with values as JSON text.

use leptos_assistant::{InterruptTarget, PartTarget, ToolCallView, ToolTarget};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::{
    Chat, Registration, action, audit::Audit, commands, commands::Args, drawing::Drawing,
    function::PageFunction, goes_on, observers, page_context, state, views::DrawnView,
};

#[wasm_bindgen]
impl Chat {
    /// Provides context to the agent, by a function that returns its current value.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = registerContext)]
    pub fn register_context(
        &self,
        description: String,
        value: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let value = PageFunction::new(value, false);
        let owner = page_context::register(&self.assistant, description, value);
        Ok(self.hold(owner))
    }

    /// Calls a method of the handle by its name in camel case, with a JSON list of arguments. Returns
    /// JSON.
    ///
    /// # Errors
    ///
    /// Fails if the method does, or the chat has stopped permanently.
    pub fn call(&self, name: &str, args: &str) -> Result<String, JsError> {
        goes_on()?;
        let args = Args::parse(args);
        let outcome = match self.window.run(name, &args) {
            Some(outcome) => Ok(outcome),
            None => commands::run(&self.assistant, name, &args),
        };
        match outcome {
            Ok(value) => Ok(value.to_string()),
            Err(message) => Err(JsError::new(&message)),
        }
    }

    /// Calls an action as an agent does. The promise is one of JSON.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn execute(&self, name: String, args: &str) -> Result<js_sys::Promise, JsError> {
        goes_on()?;
        let (chat, args) = (self.assistant.clone(), Args::parse(args));
        Ok(future_to_promise(async move {
            match chat.execute(&name, args.into_value()).await {
                Ok(value) => Ok(value.to_string().into()),
                Err(error) => Err(JsError::new(&error.message).into()),
            }
        }))
    }

    /// Calls a function for a part of the state, now and for each change.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn watch(&self, name: String, tell: js_sys::Function) -> Result<Registration, JsError> {
        goes_on()?;
        Ok(self.hold(observers::watch(self.assistant.clone(), name, tell)))
    }

    /// Calls a function for the events of a kind.
    ///
    /// # Errors
    ///
    /// Fails for an unknown kind, or if the chat has stopped permanently.
    pub fn observe(&self, kind: &str, tell: js_sys::Function) -> Result<Registration, JsError> {
        goes_on()?;
        match observers::observe(&self.assistant, kind, tell) {
            Some(owner) => Ok(self.hold(owner)),
            None => Err(JsError::new("There are no such events")),
        }
    }

    /// Draws calls, parts or interrupts by a function of the page, as wrapped by `npm/render.js`. The
    /// target is text: a name, or for parts a kind; without it, all.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn render(
        &self,
        kind: &str,
        target: Option<String>,
        draw: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let draw = Drawing::new(draw);
        let guard = match kind {
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
        };
        Ok(self.hold(guard))
    }

    /// Sets a rule that ends the loop, as wrapped by `npm/foreign.js`. A rule that fails ends it.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setStopRule)]
    pub fn set_stop_rule(&self, name: String, rule: js_sys::Function) -> Result<(), JsError> {
        goes_on()?;
        let rule = PageFunction::new(rule, true);
        self.assistant.set_stop_rule(name, move |summary| {
            let answer = rule.ask_now(&state::summary(summary), &Value::Null);
            answer != Ok(Value::Bool(false))
        });
        Ok(())
    }

    /// Searches the stored conversations. The function is told each id, and null at the end.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = searchConversations)]
    pub fn search_conversations(
        &self,
        words: String,
        tell: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let found = move |id: Option<&str>| {
            let id = Value::from(id).to_string();
            // It never throws.
            let _ = tell.call1(&JsValue::UNDEFINED, &id.into());
        };
        Ok(self.hold(self.assistant.conversations().search(words, found)))
    }

    /// Sets the general permission rule, as wrapped by `npm/foreign.js`.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setPermission)]
    pub fn set_permission(
        &self,
        rule: js_sys::Function,
        exact_numbers: bool,
    ) -> Result<(), JsError> {
        goes_on()?;
        let rule = PageFunction::new(rule, exact_numbers);
        self.assistant
            .set_permission(move |name, args| action::permitted(rule.clone(), args, name.into()));
        Ok(())
    }

    /// Starts audit records. `redact` returns the arguments to record.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = startAudit)]
    pub fn start_audit(
        &self,
        redact: Option<js_sys::Function>,
        tell: js_sys::Function,
    ) -> Result<Audit, JsError> {
        goes_on()?;
        Ok(Audit::start(&self.assistant, redact, tell))
    }
}
