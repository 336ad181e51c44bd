//! Provides context of the page to the agent.

use leptos::prelude::*;
use leptos_assistant::{Assistant, action::ContextValue, use_assistant_context};
use serde_json::Value;

use crate::function::PageFunction;

/// The marker type for context values that a function of the page returns.
struct ByPage;

impl ContextValue<ByPage> for PageFunction {
    /// Returns the function's current value; `None` if the function has failed, which its wrapper
    /// has reported.
    fn read(&self) -> Result<Option<Value>, serde_json::Error> {
        Ok(self.call_without_args())
    }
}

/// Provides context to the agent until the returned owner is dropped.
pub(crate) fn register_context(
    chat: &Assistant,
    description: String,
    value: PageFunction,
) -> Owner {
    let owner = Owner::new();
    owner.with(|| {
        provide_context(chat.clone());
        use_assistant_context::<ByPage>(description, value);
    });
    owner
}
