//! Drawing the calls of tools, whoever runs them and for however long.

use std::sync::Arc;

use assistant_core::action::RegistrationId;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

use super::ToolCallView;
use crate::{
    assistant::{Assistant, assistant_or_complain},
    render::{Renderer, ToolTarget},
};

/// A renderer of tools that is in force until it is dropped.
#[derive(Debug)]
#[must_use = "dropping it takes the renderer back"]
pub struct ToolRendererGuard {
    assistant: Assistant,
    id: RegistrationId,
}

impl Drop for ToolRendererGuard {
    /// What was drawn goes first: what it reads may go right after.
    fn drop(&mut self) {
        self.assistant.cards().dispose(self.id);
        self.assistant.calls().remove(self.id);
        self.assistant.view().renderers_changed();
    }
}

pub(super) fn renderer<T: 'static, V: IntoView + 'static>(
    render: impl Fn(ToolCallView<T>) -> V + 'static,
) -> Renderer<ToolCallView> {
    let render = move |call: ToolCallView| render(call.cast()).into_any();
    Arc::new(SendWrapper::new(Box::new(render)))
}

impl Assistant {
    /// Draws the calls of a tool, or of all tools, until the guard is dropped.
    pub fn render_tools<T: 'static, V: IntoView + 'static>(
        &self,
        target: impl Into<ToolTarget>,
        render: impl Fn(ToolCallView<T>) -> V + 'static,
    ) -> ToolRendererGuard {
        self.draw_tools(target.into(), renderer(render))
    }

    fn draw_tools(&self, target: ToolTarget, render: Renderer<ToolCallView>) -> ToolRendererGuard {
        let id = RegistrationId(self.runtime().number());
        self.calls().draw(id, target, render);
        self.view().renderers_changed();
        ToolRendererGuard {
            assistant: self.clone(),
            id,
        }
    }
}

/// Draws the calls of a tool as long as the component lives, whoever runs the tool and whether its
/// action is on the page or not: calls of the agent's own tools, of actions that went with their
/// route, and of conversations that were opened again.
///
/// An action's own renderer goes first; then the newest renderer of the tool's name; then the newest
/// for all tools ([`ToolTarget::All`]). What it draws sees arguments while they stream in. What this
/// page would run, and an agent only says was done, has the built-in card.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolCallView, ToolTarget, use_tool_renderer};
/// use serde_json::Value;
///
/// #[component]
/// fn App() -> impl IntoView {
///     use_tool_renderer("get_weather", |call: ToolCallView<Value>| {
///         view! { <p>{move || call.result_value().map(|weather| weather["sky"].to_string())}</p> }
///     });
///     use_tool_renderer(ToolTarget::All, |call: ToolCallView<Value>| {
///         view! { <p>{move || format!("{}: {}", call.name(), call.status().as_str())}</p> }
///     });
/// }
/// ```
pub fn use_tool_renderer<T: 'static, V: IntoView + 'static>(
    target: impl Into<ToolTarget>,
    render: impl Fn(ToolCallView<T>) -> V + 'static,
) {
    let Some(assistant) = assistant_or_complain("use_tool_renderer") else {
        return;
    };
    let guard = assistant.render_tools(target, render);
    on_cleanup(move || drop(guard));
}
