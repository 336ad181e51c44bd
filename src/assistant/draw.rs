//! Registers renderers that do not belong to an action: for calls, parts and interrupts.

use assistant_core::action::RegistrationId;
use leptos::prelude::*;

use super::{
    Assistant, InterruptView, PartHandle, ToolCallView, assistant_or_log_error,
    renderers::{TargetedRenderer, erase_call_renderer, erase_renderer},
};
use crate::render::{InterruptTarget, PartTarget, ToolTarget};

/// A guard for a registered renderer. Dropping the guard removes the renderer.
#[derive(Debug)]
#[must_use = "dropping it takes the renderer back"]
pub struct RendererGuard {
    assistant: Assistant,
    id: RegistrationId,
    draws_parts: bool,
}

impl Drop for RendererGuard {
    /// Removes the renderer. The renderer's mounted cards are disposed first, because signals that
    /// the cards read may be disposed right afterwards.
    fn drop(&mut self) {
        self.assistant.cards().remove_all_of(self.id);
        self.assistant.renderers().remove(self.id);
        self.assistant.notify_renderer_change(self.draws_parts);
    }
}

/// Methods that register renderers.
impl Assistant {
    /// Registers a renderer for the calls of one tool or of all tools, until the guard is dropped.
    pub fn render_tools<T: 'static, V: IntoView + 'static>(
        &self,
        target: impl Into<ToolTarget>,
        render: impl Fn(ToolCallView<T>) -> V + 'static,
    ) -> RendererGuard {
        self.add_renderer(TargetedRenderer::Tool(
            target.into(),
            erase_call_renderer(render),
        ))
    }

    /// Registers a renderer for parts of messages until the guard is dropped.
    pub fn render_parts<V: IntoView + 'static>(
        &self,
        target: impl Into<PartTarget>,
        render: impl Fn(PartHandle) -> V + 'static,
    ) -> RendererGuard {
        self.add_renderer(TargetedRenderer::Part(
            target.into(),
            erase_renderer(render),
        ))
    }

    /// Registers a renderer for interrupts of one reason, or for all interrupts, until the guard is
    /// dropped. See [`use_interrupt_renderer`].
    pub fn render_interrupts<V: IntoView + 'static>(
        &self,
        target: impl Into<InterruptTarget>,
        render: impl Fn(InterruptView) -> V + 'static,
    ) -> RendererGuard {
        self.add_renderer(TargetedRenderer::Interrupt(
            target.into(),
            erase_renderer(render),
        ))
    }

    /// Registers a renderer until the guard is dropped.
    fn add_renderer(&self, targeted_renderer: TargetedRenderer) -> RendererGuard {
        let id = RegistrationId::new(self.runtime().next_number());
        let draws_parts = matches!(targeted_renderer, TargetedRenderer::Part(..));
        self.renderers().add(id, targeted_renderer);
        self.notify_renderer_change(draws_parts);
        RendererGuard {
            assistant: self.clone(),
            id,
            draws_parts,
        }
    }

    /// Notifies the views of parts if `of_parts` is true, or else the views of calls and
    /// interrupts, that a renderer was added or removed.
    fn notify_renderer_change(&self, of_parts: bool) {
        if of_parts {
            self.renderers().notify_part_views();
        } else {
            self.notify_renderers_changed();
        }
    }
}

/// Registers a renderer for the calls of a tool as long as the component lives, regardless of what
/// runs the tool and whether its action is registered. The renderer also applies to the agent's own
/// tools, to actions that were unmounted with their route, and to conversations that were reopened.
///
/// An action's own renderer takes precedence, then the newest renderer for the tool's name, then
/// the newest renderer for all tools ([`ToolTarget::All`]). The renderer receives arguments while
/// they stream in. If an agent reports the result of a call that this page would run, the call is
/// shown in the built-in card.
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
    let Some(assistant) = assistant_or_log_error("use_tool_renderer") else {
        return;
    };
    let guard = assistant.render_tools(target, render);
    on_cleanup(move || drop(guard));
}

/// Registers a renderer for parts of messages as long as the component lives.
///
/// The newest renderer for a kind of part is used; a renderer for one type of data takes precedence
/// over a renderer for all data. When the component is unmounted, the views of its renderer are
/// removed and the default views replace them. A renderer that returns an `Err` shows an error,
/// with the default view below the error.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_part_renderer;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Weather {
///     city: String,
///     degrees: f64,
/// }
///
/// #[component]
/// fn Page() -> impl IntoView {
///     use_part_renderer("weather", |part| {
///         move || {
///             part.data::<Weather>()
///                 .map(|w| view! { <p>{w.city} ": " {w.degrees} " °C"</p> })
///         }
///     });
/// }
/// ```
pub fn use_part_renderer<V: IntoView + 'static>(
    target: impl Into<PartTarget>,
    render: impl Fn(PartHandle) -> V + 'static,
) {
    let Some(assistant) = assistant_or_log_error("use_part_renderer") else {
        return;
    };
    let guard = assistant.render_parts(target, render);
    on_cleanup(move || drop(guard));
}

/// Registers a renderer for interrupts as long as the component lives: for one reason, or for all
/// reasons ([`InterruptTarget::All`]). The newest renderer for a reason is used.
///
/// The view replaces the built-in question in the inbox of the chat, and is shown once, however
/// many windows there are. An interrupt that requests the approval of a call is shown in the
/// approval card instead. If the renderer draws nothing, or its component is unmounted, the
/// built-in question is shown.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{InterruptView, use_interrupt_renderer};
/// use serde_json::json;
///
/// fn seat(question: InterruptView) -> impl IntoView {
///     let disabled = move || (!question.can_answer()).then_some("true");
///     let choose = move |_| drop(question.answer(json!({"seat": "12A"})));
///     view! {
///         <p>{question.message()}</p>
///         <button aria-disabled=disabled on:click=choose>
///             "12A"
///         </button>
///         <button on:click=move |_| drop(question.give_up())>"No seat"</button>
///     }
/// }
///
/// #[component]
/// fn Flight() -> impl IntoView {
///     use_interrupt_renderer("choose_seat", seat);
/// }
/// ```
pub fn use_interrupt_renderer<V: IntoView + 'static>(
    target: impl Into<InterruptTarget>,
    render: impl Fn(InterruptView) -> V + 'static,
) {
    let Some(assistant) = assistant_or_log_error("use_interrupt_renderer") else {
        return;
    };
    let guard = assistant.render_interrupts(target, render);
    on_cleanup(move || drop(guard));
}
