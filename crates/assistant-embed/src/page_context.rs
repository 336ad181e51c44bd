//! Context of the page for the agent.

use leptos::prelude::*;
use leptos_assistant::{Assistant, action::ContextValue, use_assistant_context};
use serde_json::Value;

use crate::function::PageFunction;

/// The marker of values that functions of the page return.
struct ByPage;

impl ContextValue<ByPage> for PageFunction {
    /// Returns the current value; the wrapper of the function has reported a failure.
    fn read(&self) -> Result<Option<Value>, serde_json::Error> {
        Ok(self.current())
    }
}

/// Provides context as long as the owner lives.
pub(crate) fn register(chat: &Assistant, description: String, value: PageFunction) -> Owner {
    let owner = Owner::new();
    owner.with(|| {
        provide_context(chat.clone());
        use_assistant_context::<ByPage>(description, value);
    });
    owner
}
