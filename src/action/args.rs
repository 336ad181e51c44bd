//! The arguments of a call as its renderer reads them: typed, and while they stream in.

use assistant_core::conversation::{Status, ToolCall};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolCallView;

impl<T> ToolCallView<T> {
    /// One argument, by its name, as soon as it is complete: with
    /// [`stream_args`](super::ToolAction::stream_args) they come one by one, in whatever order the
    /// agent writes them. `None` if it is of another type.
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
        let value = self.args_as(|call, args| {
            let whole = call.has_whole_arg(name);
            whole.then(|| args.get(name).cloned()).flatten()
        });
        from_value(value)
    }

    /// The arguments as far as they may be seen now.
    fn args_as<R>(&self, read: impl FnOnce(&ToolCall, &Value) -> Option<R>) -> Option<R> {
        let pending = self.status() == Status::Pending;
        if pending && !self.streams_args {
            return None;
        }
        let found = self.read(|call| match pending {
            true => read(call, call.partial_args()?),
            false => read(call, call.effective_args()?),
        });
        found.flatten()
    }
}

impl<T: DeserializeOwned> ToolCallView<T> {
    /// The arguments. Absent while the call is pending, unless the action streams them
    /// ([`super::ToolAction::stream_args`]): then the best reading so far, texts as far as they go; or
    /// else the arguments that are complete, if what has come of another is not of its type yet.
    /// Fields that can be left out (`Option`, `#[serde(default)]`) let it be read from the first on;
    /// [`Self::arg`] reads one of them.
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
        let best = self.args_as(|_, args| Some(args.clone()))?;
        if let Ok(args) = serde_json::from_value(best) {
            return Some(args);
        }
        from_value(self.args_as(whole_args))
    }
}

/// The arguments that are complete, while others are still being written.
fn whole_args(call: &ToolCall, args: &Value) -> Option<Value> {
    let args = args.as_object().filter(|_| call.args().is_none())?;
    let whole = args.iter().filter(|(name, _)| call.has_whole_arg(name));
    Some(Value::Object(
        whole
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    ))
}

/// Reads a value as a type; none where it is of another one.
pub(super) fn from_value<R: DeserializeOwned>(value: Option<Value>) -> Option<R> {
    serde_json::from_value(value?).ok()
}
