//! Defines the methods of a chat that are in the second part of the module. The page fetches the
//! second part as soon as the first part is compiled.
//!
//! The exported functions are in the first part. They call the second part through these traits,
//! whose implementations are reached only through the split point.

use std::any::Any;

use leptos::wasm_split::{SplitLoaderError, wasm_split};
use leptos_assistant::{Assistant, agent::Agent};
use wasm_bindgen::{JsError, JsValue};

use crate::{agent, audit::Audit, handle::Handle, window::WindowHandles};

/// A guard that removes a registration when it is dropped.
pub(crate) type Guard = Box<dyn Any>;

/// The methods of a chat, which take and return values as JSON text.
pub(crate) trait Api {
    fn register_action(
        &self,
        definition: &str,
        functions: JsValue,
        exact_numbers: bool,
    ) -> Result<Guard, JsError>;
    fn register_context(&self, description: String, value: js_sys::Function) -> Guard;
    fn call(&self, name: &str, args: &str) -> Result<String, JsError>;
    fn execute(&self, name: String, args: &str) -> js_sys::Promise;
    fn watch(&self, name: String, listener: js_sys::Function) -> Guard;
    fn observe(&self, kind: &str, listener: js_sys::Function) -> Result<Guard, JsError>;
    fn render(&self, kind: &str, target: Option<String>, draw: js_sys::Function) -> Guard;
    fn set_stop_rule(&self, name: String, rule: js_sys::Function);
    fn search_conversations(&self, words: String, listener: js_sys::Function) -> Guard;
    fn set_permission(&self, rule: js_sys::Function, exact_numbers: bool);
    fn set_prices(&self, currency: String, rule: js_sys::Function);
    fn persist_approvals(&self, store: &JsValue) -> Guard;
    fn start_audit(&self, redact: Option<js_sys::Function>, listener: js_sys::Function) -> Audit;
}

/// An agent, or the error for a protocol that this module does not contain.
pub(crate) type AgentResult = Result<Box<dyn Agent>, JsError>;

/// The functions that are in the second part of the module and that the first part calls.
#[derive(Clone, Copy)]
pub(crate) struct SecondPart {
    pub(crate) api: fn(Assistant, WindowHandles) -> Box<dyn Api>,
    pub(crate) agent: fn(String, &js_sys::Array, &JsValue) -> AgentResult,
}

/// Returns the functions of the second part. This is the split point: code that only this function
/// reaches is in the second part.
#[wasm_split(conversation, wasm_split_path = leptos::wasm_split, fallible)]
pub(crate) fn load() -> Result<SecondPart, SplitLoaderError> {
    Ok(SecondPart {
        api: Handle::create_api,
        agent: agent::create_agent,
    })
}
