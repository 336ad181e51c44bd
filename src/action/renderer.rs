//! Drawing the calls of tools, whoever runs them and for however long.

use std::sync::Arc;

use assistant_core::action::RegistrationId;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

use super::ToolCallView;
use crate::{
    assistant::{Assistant, assistant_or_complain},
    render::{CallRenderers, CallWords, Found, Renderer, ToolTarget},
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
        self.assistant.calls().tools.remove(self.id);
        self.assistant.renderers_changed();
    }
}

pub(super) fn renderer<T: 'static, V: IntoView + 'static>(
    render: impl Fn(ToolCallView<T>) -> V + 'static,
) -> Renderer<ToolCallView> {
    let render = move |call: ToolCallView| render(call.cast()).into_any();
    Arc::new(SendWrapper::new(Box::new(render)))
}

/// Picks one of the renderers of an action.
type Find = fn(&CallRenderers<ToolCallView>) -> Option<&Renderer<ToolCallView>>;

/// Who draws something of a call.
pub(crate) struct Drawer {
    pub(crate) id: RegistrationId,
    pub(crate) renderer: Renderer<ToolCallView>,
    /// Whether it sees arguments while they stream in.
    pub(crate) streams_args: bool,
    /// Whether it draws the calls of all tools.
    pub(crate) is_general: bool,
}

impl Assistant {
    /// Which action draws something for calls of a name: the one in force, or else the newest one
    /// that has a renderer, so that cards stay while their action is disabled.
    fn action_drawing(&self, name: &str, find: Find) -> Option<Drawer> {
        self.actions_of(name).into_iter().find_map(|id| {
            let renderers = self.calls().get(id)?;
            Some(Drawer {
                id,
                renderer: find(&renderers)?.clone(),
                streams_args: renderers.streams_args,
                is_general: false,
            })
        })
    }

    /// The actions of a name: first the one in force, then all from the newest.
    fn actions_of(&self, name: &str) -> Vec<RegistrationId> {
        let ids = self.read(|session| {
            let registry = session.registry();
            let all = registry
                .in_force(name)
                .into_iter()
                .chain(registry.named(name));
            all.map(|entry| entry.id).collect()
        });
        ids.unwrap_or_default()
    }

    /// What the action of a name says of its calls.
    pub(crate) fn words_of(&self, name: &str) -> Option<CallWords> {
        let first = self.actions_of(name).into_iter().next()?;
        Some(self.calls().get(first)?.words)
    }

    /// Who draws the page's question whether a call of this name may run.
    pub(crate) fn approval_of(&self, name: &str) -> Option<Drawer> {
        self.action_drawing(name, |renderers| renderers.approval.as_ref())
    }

    /// Who draws the card of a call: its action, or else whoever draws tools.
    pub(crate) fn card_of(&self, name: &str) -> Option<Drawer> {
        let own = self.action_drawing(name, |renderers| renderers.card.as_ref());
        own.or_else(|| {
            let Found {
                id,
                renderer,
                is_general,
            } = self.calls().tools.find(name)?;
            Some(Drawer {
                id,
                renderer,
                streams_args: true,
                is_general,
            })
        })
    }

    /// Draws the calls of a tool, or of all tools, until the guard is dropped.
    ///
    /// ```
    /// use leptos_assistant::{Assistant, ToolCallView, ToolTarget};
    ///
    /// # fn example(assistant: &Assistant) {
    /// let guard = assistant.render_tools(ToolTarget::All, |call: ToolCallView| call.name());
    /// # drop(guard);
    /// # }
    /// ```
    pub fn render_tools<T: 'static, V: IntoView + 'static>(
        &self,
        target: impl Into<ToolTarget>,
        render: impl Fn(ToolCallView<T>) -> V + 'static,
    ) -> ToolRendererGuard {
        self.draw_tools(target.into(), renderer(render))
    }

    fn draw_tools(&self, target: ToolTarget, render: Renderer<ToolCallView>) -> ToolRendererGuard {
        let id = RegistrationId(self.runtime().number());
        self.calls().tools.add(id, target.name(), render);
        self.renderers_changed();
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
