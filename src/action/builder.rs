//! Builds actions. The module `approval` sets the approval rules of an action, and the module
//! `execution` sets its execution options.

use std::marker::PhantomData;

use assistant_core::action::ActionSpec;
use leptos::prelude::*;
use serde_json::Value;

use super::{IntoHandler, ToolCallView, handler::Handler};
use crate::{
    assistant::{CallRenderers, erase_call_renderer},
    render::{ApprovalRule, DenialResult, PermissionRule, PreviewFn, SanitizeFn},
};

/// An action, with its description for the agent, its handler, its renderer, and its approval rule.
///
/// ```
/// use leptos_assistant::{ToolAction, Approval, ToolError};
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// struct Args {
///     city: String,
/// }
///
/// let action = ToolAction::new("get_weather", "Look up the weather of a city")
///     .parameters(json!({
///         "type": "object",
///         "properties": {"city": {"type": "string"}},
///         "required": ["city"]
///     }))
///     .approval(Approval::Always)
///     .handler(|args: Args| async move { Ok::<_, ToolError>(format!("Sunny in {}", args.city)) });
/// ```
///
/// `Args` is the type of the arguments that renderers and rules receive if they are set after
/// [`Self::handler`].
pub struct ToolAction<Args = Value> {
    pub(super) spec: ActionSpec,
    pub(super) parameters: Option<Signal<Value>>,
    pub(super) description: Option<Signal<String>>,
    pub(super) enabled: Signal<bool>,
    pub(super) handler: Option<Handler>,
    pub(super) rule: Option<ApprovalRule>,
    pub(super) preview: Option<PreviewFn>,
    pub(super) permission: Option<PermissionRule>,
    pub(super) sanitize: Option<SanitizeFn>,
    pub(super) denial: Option<DenialResult>,
    pub(super) renderers: CallRenderers,
    args: PhantomData<fn() -> Args>,
}

impl ToolAction {
    /// Creates an action with a unique name and a description for the model. The name consists of
    /// at most 128 letters, digits, `_`, `-` and `.`.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::from_definition(ActionSpec::new(name, description))
    }

    /// Creates an action from a definition, such as one that
    /// [`assistant_core::action::definitions_from_json`] parses from a plain tool list.
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, definitions_from_json};
    /// use serde_json::json;
    ///
    /// let list = [json!({"name": "open_cart", "description": "Shows the cart"})];
    /// let (specs, refused) = definitions_from_json(&list);
    /// assert!(refused.is_empty());
    /// let actions = specs.into_iter().map(ToolAction::from_definition);
    /// ```
    #[must_use]
    pub fn from_definition(spec: ActionSpec) -> Self {
        Self {
            spec,
            parameters: None,
            description: None,
            enabled: true.into(),
            handler: None,
            rule: None,
            preview: None,
            permission: None,
            sanitize: None,
            denial: None,
            renderers: CallRenderers::default(),
            args: PhantomData,
        }
    }
}

impl<Args> ToolAction<Args> {
    /// Changes the type of the arguments for the renderers and rules that are set after this
    /// method.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Place {
    ///     city: String,
    /// }
    ///
    /// // The agent runs the action, so no handler sets the type of the arguments.
    /// let action = ToolAction::new("get_weather", "Looks up the weather")
    ///     .render_only()
    ///     .args::<Place>()
    ///     .render(|call| move || call.args().map(|place| place.city));
    /// ```
    #[must_use]
    pub fn args<T>(self) -> ToolAction<T> {
        ToolAction {
            spec: self.spec,
            parameters: self.parameters,
            description: self.description,
            enabled: self.enabled,
            handler: self.handler,
            rule: self.rule,
            preview: self.preview,
            permission: self.permission,
            sanitize: self.sanitize,
            denial: self.denial,
            renderers: self.renderers,
            args: PhantomData,
        }
    }

    /// Sets a description that may change. `text` is a signal or a closure, which is read when a
    /// run opens.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    ///
    /// let project = RwSignal::new("atlas");
    /// let action = ToolAction::new("archive", "")
    ///     .description(move || format!("Archives the project {}", project.get()));
    /// ```
    #[must_use]
    pub fn description<M>(mut self, text: impl IntoReactiveValue<Signal<String>, M>) -> Self {
        self.description = Some(text.into_reactive_value());
        self
    }

    /// Sets the JSON Schema of the arguments. `schema` is a value, a signal or a closure, which is
    /// read when a run opens. Without a schema, the action has no arguments.
    #[must_use]
    pub fn parameters<M>(mut self, schema: impl IntoReactiveValue<Signal<Value>, M>) -> Self {
        self.parameters = Some(schema.into_reactive_value());
        self
    }

    /// Offers and starts the action only while `enabled` is true. `enabled` is a value, a signal or
    /// a closure. While it is false, running calls continue and cards remain.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    ///
    /// let cart = RwSignal::new(Vec::<String>::new());
    /// let action = ToolAction::new("check_out", "Buys what is in the cart")
    ///     .enabled(move || !cart.with(Vec::is_empty))
    ///     .handler(move || cart.set(Vec::new()));
    /// ```
    #[must_use]
    pub fn enabled<M>(mut self, enabled: impl IntoReactiveValue<Signal<bool>, M>) -> Self {
        self.enabled = enabled.into_reactive_value();
        self
    }

    /// Sets the handler. The handler is a synchronous or `async` function that takes no arguments,
    /// the call's arguments, a [`ToolContext`](super::ToolContext), or both. See [`IntoHandler`].
    ///
    /// The handler and the rules of the action have access to the contexts of the component that
    /// registers the action (`use_context`) as long as the component is mounted. The handler and
    /// the rules read signals without tracking them.
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, ToolContext};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Place {
    ///     city: String,
    /// }
    ///
    /// let action = ToolAction::new("get_weather", "Looks up the weather").handler(
    ///     |place: Place, context: ToolContext| async move {
    ///         context.progress(None, "Looking out of the window");
    ///         format!("Sunny in {}", place.city)
    ///     },
    /// );
    /// ```
    #[must_use]
    pub fn handler<Marker, H: IntoHandler<Marker>>(mut self, handler: H) -> ToolAction<H::Args> {
        self.spec = self.spec.with_handler(true);
        self.handler = Some(handler.into_handler());
        self.args()
    }

    /// Sets the renderer of the calls. The function runs once for each card. Values that closures
    /// in the view read from the [`ToolCallView`] are tracked. The arguments have the type that the
    /// preceding handler or [`Self::args`] has set.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Place {
    ///     city: String,
    /// }
    ///
    /// let action = ToolAction::new("get_weather", "Looks up the weather")
    ///     .handler(|place: Place| format!("Sunny in {}", place.city))
    ///     .render(|call| view! { <p>{move || call.args().map(|place| place.city)}</p> });
    /// ```
    #[must_use]
    pub fn render<V>(mut self, render: impl Fn(ToolCallView<Args>) -> V + 'static) -> Self
    where
        Args: 'static,
        V: IntoView + 'static,
    {
        self.renderers.card = Some(erase_call_renderer(render));
        self
    }

    /// Exposes arguments to the renderer while they stream in. The renderer can read all values
    /// that can be parsed so far ([`ToolCallView::args`]), or each argument as soon as it is
    /// complete ([`ToolCallView::arg`]).
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    /// use serde_json::Value;
    ///
    /// let action = ToolAction::new("write_note", "Writes a note")
    ///     .handler(|_: Value| ())
    ///     .stream_args()
    ///     .render(|call| view! { <h3>{move || call.arg::<String>("title")}</h3> });
    /// ```
    #[must_use]
    pub fn stream_args(mut self) -> Self {
        self.renderers.streams_args = true;
        self
    }
}

impl<Args> std::fmt::Debug for ToolAction<Args> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolAction")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
