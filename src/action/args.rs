//! Reads the arguments of a call for its renderer, as typed values and while the arguments stream
//! in.

use assistant_core::conversation::{Status, ToolCall};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolCallView;

impl<T> ToolCallView<T> {
    /// Returns the argument with this name as soon as the argument is complete. With
    /// [`stream_args`](super::ToolAction::stream_args), arguments arrive one by one, in the order
    /// in which the agent writes them. Returns `None` if the argument is incomplete, is missing, or
    /// does not have the type `R`.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolCallView;
    ///
    /// fn heading(call: ToolCallView) -> impl IntoView {
    ///     view! { <h3>{move || call.arg::<String>("title").unwrap_or_else(|| "…".into())}</h3> }
    /// }
    /// ```
    #[must_use]
    pub fn arg<R: DeserializeOwned>(&self, name: &str) -> Option<R> {
        let value = self.read_args(|call, args| {
            let is_complete = call.has_whole_arg(name);
            is_complete.then(|| args.get(name).cloned()).flatten()
        });
        deserialize_value(value)
    }

    /// Reads the arguments that the renderer may use now. After the arguments are complete, all of
    /// them are available. Before that, the partial arguments are available if the action streams
    /// its arguments. Returns `None` if no arguments are available.
    fn read_args<R>(&self, read: impl FnOnce(&ToolCall, &Value) -> Option<R>) -> Option<R> {
        let is_pending = self.status() == Status::Pending;
        if is_pending && !self.streams_args {
            return None;
        }
        let value = self.read(|call| match is_pending {
            true => read(call, call.partial_args()?),
            false => read(call, call.effective_args()?),
        });
        value.flatten()
    }
}

impl<T: DeserializeOwned> ToolCallView<T> {
    /// Returns the arguments, or `None` if they are incomplete or do not have the type `T`. If the
    /// action streams the arguments ([`super::ToolAction::stream_args`]), returns the arguments
    /// parsed so far, including partial texts. If an incomplete argument does not have its type
    /// yet, only the complete arguments are returned. With optional fields (`Option`,
    /// `#[serde(default)]`), the arguments can be parsed from the start; [`Self::arg`] reads a
    /// single argument.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     euros: f64,
    /// }
    ///
    /// fn card(call: ToolCallView<Refund>) -> impl IntoView {
    ///     move || call.args().map(|refund| format!("{} €", refund.euros))
    /// }
    /// ```
    #[must_use]
    pub fn args(&self) -> Option<T> {
        let visible_args = self.read_args(|_, args| Some(args.clone()))?;
        if let Ok(args) = serde_json::from_value(visible_args) {
            return Some(args);
        }
        deserialize_value(self.read_args(complete_args))
    }
}

/// Returns the arguments that are complete while others are still streaming. Returns `None` if all
/// arguments are complete.
fn complete_args(call: &ToolCall, args: &Value) -> Option<Value> {
    let args = args.as_object().filter(|_| call.args().is_none())?;
    let fields = args.iter().filter(|(name, _)| call.has_whole_arg(name));
    Some(Value::Object(
        fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    ))
}

/// Deserializes a value. Returns `None` if there is no value, or if the value does not have the
/// type `R`.
pub(super) fn deserialize_value<R: DeserializeOwned>(value: Option<Value>) -> Option<R> {
    serde_json::from_value(value?).ok()
}
