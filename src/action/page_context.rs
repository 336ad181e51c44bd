//! Provides the context of components to the agent.

use std::cell::Cell;

use assistant_core::{event::ContextItem, session::Input};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::scope::ComponentScope;
use crate::{assistant::assistant_or_log_error, ui::console_error};

/// A value for [`use_assistant_context`]: text, a JSON value, a signal, or a closure whose result
/// can be serialized as JSON. Text is sent unchanged; any other value is sent as JSON (rule
/// "context"). The compiler infers `Marker`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to an agent as context",
    label = "not a signal, a closure, text or a JSON value",
    note = "a signal or a closure is read whenever a run opens: `move || …`; what it gives implements `Serialize`",
    note = "what never changes is text, or `serde_json::json!(…)`"
)]
pub trait ContextValue<Marker>: 'static {
    /// Returns the current value. Returns `None` if the value is a signal that was disposed.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be serialized as JSON.
    fn read(&self) -> Result<Option<Value>, serde_json::Error>;
}

/// The type of `Marker` for closures that return a `T`.
#[derive(Debug)]
pub struct ByClosure<T>(std::marker::PhantomData<T>);

/// The type of `Marker` for signals, whose values are read when a run opens.
#[derive(Debug)]
pub struct BySignal;

/// The type of `Marker` for values that do not change.
#[derive(Debug)]
pub struct ByValue;

impl<F, T> ContextValue<ByClosure<T>> for F
where
    F: Fn() -> T + 'static,
    T: Serialize + 'static,
{
    fn read(&self) -> Result<Option<Value>, serde_json::Error> {
        serde_json::to_value(untrack(self)).map(Some)
    }
}

impl<S> ContextValue<BySignal> for S
where
    S: WithUntracked + 'static,
    S::Value: Serialize,
{
    fn read(&self) -> Result<Option<Value>, serde_json::Error> {
        self.try_with_untracked(|value| serde_json::to_value(value))
            .transpose()
    }
}

macro_rules! by_value {
    ($($text:ty),*) => {$(
        impl ContextValue<ByValue> for $text {
            fn read(&self) -> Result<Option<Value>, serde_json::Error> {
                serde_json::to_value(self).map(Some)
            }
        }
    )*};
}

by_value!(String, &'static str, Value);

/// Provides context to the agent as long as the component is mounted. The context is sent with
/// every run in the field `context`. The value is read when a run opens, after changes that clicks
/// and handlers make to the page have settled. Text is sent unchanged; other values are sent as
/// JSON.
///
/// If a value cannot be serialized as JSON, it is omitted and an error is logged to the console.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_assistant_context;
/// use serde_json::json;
///
/// #[component]
/// fn Page() -> impl IntoView {
///     let selected = RwSignal::new("atlas".to_owned());
///     let open = RwSignal::new(3);
///     use_assistant_context("The selected project", selected);
///     use_assistant_context("Its issues", move || json!({"open": open.get()}));
/// }
/// ```
pub fn use_assistant_context<Marker>(
    description: impl Into<String>,
    value: impl ContextValue<Marker>,
) {
    share_context(description.into(), Box::new(move || value.read()));
}

type ReadContextFn = Box<dyn Fn() -> Result<Option<Value>, serde_json::Error>>;

fn share_context(description: String, read: ReadContextFn) {
    let Some(assistant) = assistant_or_log_error("use_assistant_context") else {
        return;
    };
    let owner = assistant.runtime().next_number();
    let has_warned = Cell::new(false);
    let weak_runtime = assistant.runtime().weak();
    let scope = ComponentScope::current();
    assistant.runtime().add_source(owner, move || {
        let Some(runtime) = weak_runtime.upgrade() else {
            return;
        };
        let value = scope.run_in_scope(&read).unwrap_or_else(|error| {
            if !has_warned.replace(true) {
                let message = format!("use_assistant_context: \"{description}\": {error}");
                console_error(&message);
            }
            None
        });
        let item = value.map(|value| {
            let text = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            ContextItem::new(description.clone(), text)
        });
        // The result is ignored, because the session never refuses this input.
        let _ = runtime.dispatch(Input::SetContext { owner, item });
    });
    on_cleanup(move || {
        assistant.runtime().remove_source(owner);
        let _ = assistant.dispatch(Input::SetContext { owner, item: None });
    });
}
