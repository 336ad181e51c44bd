//! An action with its code, as a component writes it down.

use std::{
    future::{Future, ready},
    marker::PhantomData,
    rc::Rc,
};

use assistant_core::action::{ActionSpec, Availability, Execution, Policy, ResultEncoding};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{IntoHandler, ToolCallView, handler::Handler, renderer::renderer};
use crate::render::{CallRenderers, Denial, Rule};

/// Whether a person is asked before an action runs.
pub enum Approval {
    /// Never.
    Never,
    /// Each time.
    Always,
    /// When the rule says so, by the validated arguments.
    When(Box<dyn Fn(Value) -> LocalBoxFuture<'static, bool>>),
}

impl Approval {
    /// Asks when the rule says so.
    ///
    /// ```
    /// use leptos_assistant::Approval;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Transfer {
    ///     amount: f64,
    /// }
    ///
    /// let above_100 = Approval::when(|transfer: &Transfer| transfer.amount > 100.0);
    /// ```
    ///
    /// Arguments that are not of the rule's type are asked about.
    pub fn when<T: DeserializeOwned + 'static>(rule: impl Fn(&T) -> bool + 'static) -> Self {
        Self::When(Box::new(move |args| {
            let ask = serde_json::from_value(args).map_or(true, |args| rule(&args));
            Box::pin(ready(ask))
        }))
    }

    /// Asks when the rule says so, which may take its time.
    pub fn when_async<T, F>(rule: impl Fn(T) -> F + 'static) -> Self
    where
        T: DeserializeOwned + 'static,
        F: Future<Output = bool> + 'static,
    {
        Self::When(Box::new(move |args| match serde_json::from_value(args) {
            Ok(args) => Box::pin(rule(args)),
            Err(_) => Box::pin(ready(true)),
        }))
    }
}

/// An action: what the agent is told, the code that runs, the view that shows it, and whether a
/// person is asked.
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
/// `Args` is the type of its arguments: renderers and rules that come after [`Self::handler`] are
/// given it.
pub struct ToolAction<Args = Value> {
    pub(super) spec: ActionSpec,
    pub(super) parameters: Option<Signal<Value>>,
    pub(super) description: Option<Signal<String>>,
    pub(super) enabled: Signal<bool>,
    pub(super) handler: Option<Handler>,
    pub(super) rule: Option<Rule>,
    pub(super) denial: Option<Denial>,
    pub(super) renderers: CallRenderers<ToolCallView>,
    args: PhantomData<fn() -> Args>,
}

/// The name that [`ToolAction`] had: Leptos has an `Action` of its own.
#[deprecated(note = "renamed to `ToolAction`")]
pub type Action<Args = Value> = ToolAction<Args>;

impl ToolAction {
    /// An action with its unique name (letters, digits, `_`, `-`, `.`; at most 128) and what it
    /// does, for the model.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::from_definition(ActionSpec::new(name, description))
    }

    /// An action from a definition, as [`assistant_core::action::definitions_from_json`] reads
    /// them from a plain tool list.
    #[must_use]
    pub fn from_definition(spec: ActionSpec) -> Self {
        Self {
            spec,
            parameters: None,
            description: None,
            enabled: true.into(),
            handler: None,
            rule: None,
            denial: None,
            renderers: CallRenderers::default(),
            args: PhantomData,
        }
    }
}

impl<Args> ToolAction<Args> {
    /// The same action with arguments of another type.
    #[must_use]
    pub fn args<T>(self) -> ToolAction<T> {
        ToolAction {
            spec: self.spec,
            parameters: self.parameters,
            description: self.description,
            enabled: self.enabled,
            handler: self.handler,
            rule: self.rule,
            denial: self.denial,
            renderers: self.renderers,
            args: PhantomData,
        }
    }

    /// What it does, as something that changes: a signal or a closure, read when a run opens.
    #[must_use]
    pub fn description<M>(mut self, text: impl IntoReactiveValue<Signal<String>, M>) -> Self {
        self.description = Some(text.into_reactive_value());
        self
    }

    /// JSON Schema of the arguments, as a value, a signal or a closure, read when a run opens.
    /// Without it there are none.
    #[must_use]
    pub fn parameters<M>(mut self, schema: impl IntoReactiveValue<Signal<Value>, M>) -> Self {
        self.parameters = Some(schema.into_reactive_value());
        self
    }

    /// Offered and started only while this is true: a value, a signal or a closure. What runs
    /// already goes on, and cards stay.
    #[must_use]
    pub fn enabled<M>(mut self, enabled: impl IntoReactiveValue<Signal<bool>, M>) -> Self {
        self.enabled = enabled.into_reactive_value();
        self
    }

    /// What runs: a function of nothing, of the arguments, or of them and a
    /// [`ToolContext`](super::ToolContext), `async` or not. See [`IntoHandler`].
    #[must_use]
    pub fn handler<Marker, H: IntoHandler<Marker>>(mut self, handler: H) -> ToolAction<H::Args> {
        self.spec.has_handler = true;
        self.handler = Some(handler.into_handler());
        self.args()
    }

    /// How its calls are shown. The function runs once for each card; what it reads from the
    /// [`ToolCallView`] inside closures follows the call. It is given the type of arguments of the
    /// handler before it, or of [`Self::args`].
    #[must_use]
    pub fn render<V>(mut self, render: impl Fn(ToolCallView<Args>) -> V + 'static) -> Self
    where
        Args: 'static,
        V: IntoView + 'static,
    {
        self.renderers.card = Some(renderer(render));
        self
    }

    /// How this page asks whether a call may run, in place of the built-in card. The function calls
    /// [`ToolCallView::approve`] and [`ToolCallView::deny`]; [`ToolCallView::args_value`] is what
    /// would run. The exact arguments stay one click away below it. A decision still counts only for
    /// the call as it was shown, and an approval only once the card was in view to its end and has
    /// stood for half a second ([`ToolCallView::can_approve`]). What the agent asks of its own accord has the built-in
    /// card.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::{ToolAction, Approval, ToolCallView};
    /// use serde_json::Value;
    ///
    /// fn refund(call: ToolCallView<Value>) -> impl IntoView {
    ///     let early = move || (!call.can_approve()).then_some("true");
    ///     view! {
    ///         <p>{move || format!("Refund {}?", call.args_value().unwrap_or_default()["order"])}</p>
    ///         <button aria-disabled=early on:click=move |_| drop(call.approve())>"Refund"</button>
    ///         <button on:click=move |_| drop(call.deny(None))>"Keep"</button>
    ///     }
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refund an order")
    ///     .approval(Approval::Always)
    ///     .render_approval(refund);
    /// ```
    #[must_use]
    pub fn render_approval<V>(mut self, render: impl Fn(ToolCallView<Args>) -> V + 'static) -> Self
    where
        Args: 'static,
        V: IntoView + 'static,
    {
        self.renderers.approval = Some(renderer(render));
        self
    }

    /// What the card asks before a call runs, in the page's words, in place of the description. For
    /// arguments that are not of the action's type, the description stands there. The exact
    /// arguments stay below.
    ///
    /// ```
    /// use leptos_assistant::{Approval, ToolAction};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     order: String,
    ///     euros: f64,
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .handler(|refund: Refund| refund.order)
    ///     .approval(Approval::Always)
    ///     .question(|refund| format!("Pay back {} € for order {}?", refund.euros, refund.order));
    /// ```
    #[must_use]
    pub fn question(mut self, question: impl Fn(&Args) -> String + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
    {
        self.renderers.question = Some(Rc::new(move |args| {
            Some(question(&Args::deserialize(args).ok()?))
        }));
        self
    }

    /// Only shows what the agent does itself: never offered, never run here.
    #[must_use]
    pub fn render_only(mut self) -> Self {
        self.spec.availability = Availability::RenderOnly;
        self
    }

    /// The agent runs it, not the page: what the person decides goes to the agent as the call's
    /// tool message, `approved` or `denied`, and the agent's own result completes the call. For
    /// agents that end their run at such a call and have no approval of their own; a handler is not
    /// run. Together with [`ToolAction::render_only`] it asks about one of the agent's own tools.
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, Approval};
    ///
    /// let action = ToolAction::new("fetch_weather", "Look up the weather of a city")
    ///     .render_only()
    ///     .approval(Approval::Always)
    ///     .run_by_agent();
    /// ```
    #[must_use]
    pub fn run_by_agent(mut self) -> Self {
        self.spec.execution = Execution::Agent;
        self
    }

    /// Lets the renderer see arguments while they stream in, in whatever order they come: all that
    /// can be read so far ([`ToolCallView::args`]), or each once it is complete
    /// ([`ToolCallView::arg`]).
    #[must_use]
    pub fn stream_args(mut self) -> Self {
        self.renderers.streams_args = true;
        self
    }

    /// Whether a person is asked first.
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.rule = None;
        self.spec.approval = match approval {
            Approval::Never => Policy::Never,
            Approval::Always => Policy::Always,
            Approval::When(rule) => {
                self.rule = Some(rule.into());
                Policy::Ask
            }
        };
        self
    }

    /// What the agent is told when a person says no: from the arguments and the reason given. For
    /// arguments that are not of the action's type, it is told the same as without.
    #[must_use]
    pub fn denial<R>(mut self, denial: impl Fn(&Args, Option<&str>) -> R + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
        R: Serialize,
    {
        self.denial = Some(Rc::new(move |args, reason| {
            let args = Args::deserialize(args).ok()?;
            serde_json::to_value(denial(&args, reason)).ok()
        }));
        self
    }

    /// Never runs at the same time as another action.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.spec.exclusive = true;
        self
    }

    /// Runs as soon as its arguments are complete, before the run is over. Only for cheap,
    /// idempotent reads.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.spec.eager = true;
        self
    }

    /// Goes on when its component goes; the handler must capture nothing that the component owns.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.spec.detached = true;
        self
    }

    /// Gives the handler up after some milliseconds; without it, it may take as long as it likes.
    #[must_use]
    pub fn timeout_ms(mut self, ms: u32) -> Self {
        self.spec.timeout_ms = Some(ms);
        self
    }

    /// Sends string results as they are instead of quoted.
    #[must_use]
    pub fn text_result(mut self) -> Self {
        self.spec.encoding = ResultEncoding::Text;
        self
    }

    /// Leaves checking the arguments to the handler.
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.spec.validate = false;
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

impl std::fmt::Debug for Approval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "Never",
            Self::Always => "Always",
            Self::When(_) => "When(..)",
        })
    }
}
