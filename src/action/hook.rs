//! Registers actions until a component is unmounted or a guard is dropped.

use std::{
    rc::Rc,
    sync::{Arc, Mutex},
};

use assistant_core::{
    action::{ActionSpec, Availability, RegistrationId},
    session::{Input, Refusal},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{
    ToolAction, ToolContext,
    handler::{Handler, INVALID_ARGUMENTS},
    scope::ComponentScope,
};
use crate::{
    assistant::{Assistant, assistant_or_log_error},
    render::{self, ActionCode},
    ui::{console_error, effect, spawn_local, wait_for_pending_work},
};

/// Registers an action as long as the component is mounted.
///
/// The newest registration of a name answers calls. When this registration is removed, the previous
/// registration answers calls again. While `enabled` is false, the action is not offered and none
/// of its calls starts, but running calls continue. Signals are read when a run opens, so that the
/// agent receives their current values. When the component is unmounted, its running handlers are
/// dropped and their calls are cancelled, unless the action is [`ToolAction::detached`]. The
/// action's cards become default cards.
///
/// Without a surrounding `<AssistantProvider>`, an error is logged to the console and the action is
/// not registered.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolAction, ToolError, use_assistant_action};
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// struct Args {
///     name: String,
/// }
///
/// #[component]
/// fn Projects() -> impl IntoView {
///     let projects = RwSignal::new(vec!["atlas".to_owned()]);
///     use_assistant_action(
///         ToolAction::new("add_project", "Add a project to the list")
///             .parameters(json!({
///                 "type": "object",
///                 "properties": {"name": {"type": "string"}},
///                 "required": ["name"]
///             }))
///             .handler(move |args: Args| async move {
///                 projects.update(|list| list.push(args.name));
///                 Ok::<_, ToolError>(projects.with(Vec::len))
///             }),
///     );
///     view! { <p>{move || projects.with(Vec::len)}</p> }
/// }
/// ```
pub fn use_assistant_action<Args>(action: ToolAction<Args>) {
    register_in_component(action.args());
}

fn register_in_component(action: ToolAction) {
    let hook = format!("use_assistant_action({})", action.spec.name());
    let Some(assistant) = assistant_or_log_error(&hook) else {
        return;
    };
    let registration = ActionRegistration::new(assistant, action);
    registration.register();
    let tracked_registration = registration.clone();
    effect(move |_| {
        tracked_registration.signals.track();
        tracked_registration.register();
    });
    on_cleanup(move || registration.unregister());
}

/// A guard for an action that is registered outside of components ([`Assistant::register`]).
/// Dropping the guard unregisters the action.
#[derive(Debug)]
#[must_use = "dropping it unregisters the action"]
pub struct ActionGuard(ActionRegistration);

impl Drop for ActionGuard {
    fn drop(&mut self) {
        self.0.unregister();
    }
}

/// Registers actions outside of components.
impl Assistant {
    /// Registers an action until the guard is dropped. The signals of the action are read when a
    /// run opens.
    ///
    /// ```
    /// use leptos_assistant::{Assistant, Refusal, ToolAction};
    ///
    /// # fn example(assistant: &Assistant) -> Result<(), Refusal> {
    /// let guard = assistant.register(ToolAction::new("time", "The time").handler(|| "12:00"))?;
    /// // … as long as it is offered …
    /// drop(guard);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if model providers do not accept the action's name, or if the schema is not valid or
    /// does not describe an object.
    pub fn register<Args>(&self, action: ToolAction<Args>) -> Result<ActionGuard, Refusal> {
        let registration = ActionRegistration::new(self.clone(), action.args());
        let outcome = registration.try_register();
        // The guard is created before the outcome is checked, because dropping the guard removes
        // the code and the renderers of an action that the session refused.
        let guard = ActionGuard(registration);
        outcome.map(|()| guard)
    }
}

/// The values that an action's signals have at one time.
#[derive(Clone, PartialEq)]
struct SignalValues {
    enabled: bool,
    description: Option<String>,
    parameters: Option<Value>,
}

/// The signals that an action reads.
#[derive(Clone, Copy)]
struct ActionSignals {
    enabled: Signal<bool>,
    description: Option<Signal<String>>,
    parameters: Option<Signal<Value>>,
}

impl ActionSignals {
    /// Returns the current values of the signals. For a disposed signal, returns the last known
    /// value.
    fn current_values(self, known: Option<&SignalValues>) -> SignalValues {
        let description = self
            .description
            .and_then(|description| description.try_get_untracked());
        let parameters = self
            .parameters
            .and_then(|parameters| parameters.try_get_untracked());
        SignalValues {
            enabled: self
                .enabled
                .try_get_untracked()
                .unwrap_or_else(|| known.is_none_or(|known| known.enabled)),
            description: description.or_else(|| known?.description.clone()),
            parameters: parameters.or_else(|| known?.parameters.clone()),
        }
    }

    /// Tracks the signals. Disposed signals are ignored; `Signal::track` would panic.
    fn track(self) {
        self.enabled.try_with(|_| ());
        self.description.map(|text| text.try_with(|_| ()));
        self.parameters.map(|schema| schema.try_with(|_| ()));
    }
}

/// A registered action, with its definition and its signals.
#[derive(Clone)]
struct ActionRegistration {
    assistant: Assistant,
    id: RegistrationId,
    spec: ActionSpec,
    signals: ActionSignals,
    known: Arc<Mutex<ReportedState>>,
}

/// The state of a registration that was last reported to the session and to the console.
#[derive(Default)]
struct ReportedState {
    /// The values of the signals that the session received last.
    rules: Option<SignalValues>,
    /// The last schema that the session accepted.
    schema: Option<Value>,
    /// The last warning that was logged.
    complaint: String,
}

impl std::fmt::Debug for ActionRegistration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ActionRegistration")
            .field(&self.spec.name())
            .finish()
    }
}

impl ActionRegistration {
    fn new(assistant: Assistant, action: ToolAction) -> Self {
        let runtime = assistant.runtime();
        let id = RegistrationId::new(runtime.next_number());
        let code = ActionCode {
            handler: action
                .handler
                .map(|handler| bind_handler(handler, &assistant, &action.spec)),
            approval: action.rule,
            preview: action.preview,
            permission: action.permission,
            sanitize: action.sanitize,
            denial: action.denial,
        };
        let scope = ComponentScope::current();
        runtime.set_code(id, scope.wrap_code(code));
        assistant.renderers().set_action(id, action.renderers);
        let registration = Self {
            assistant: assistant.clone(),
            id,
            spec: action.spec,
            signals: ActionSignals {
                enabled: action.enabled,
                description: action.description,
                parameters: action.parameters,
            },
            known: Arc::default(),
        };
        let source = registration.clone();
        runtime.add_source(id.get(), move || scope.run_in_scope(|| source.register()));
        registration.warn_about_duplicate();
        registration
    }

    /// Registers the action in the session, or updates the registration if the values of the
    /// action's signals have changed. If the new schema is invalid, the other values are updated
    /// and the refusal is returned.
    fn try_register(&self) -> Result<(), Refusal> {
        let Ok(mut reported_state) = self.known.lock() else {
            return Ok(());
        };
        let values = self.signals.current_values(reported_state.rules.as_ref());
        if reported_state.rules.as_ref() == Some(&values) {
            return Ok(());
        }
        reported_state.rules = Some(values.clone());
        let previous_schema = reported_state.schema.clone();
        drop(reported_state);
        let mut spec = self.spec.clone().with_enabled(values.enabled);
        if let Some(parameters) = values.parameters {
            spec = spec.with_parameters(parameters);
        }
        if let Some(description) = values.description {
            spec = spec.with_description(description);
        }
        let (outcome, schema) = match (self.register_spec(spec.clone()), previous_schema) {
            // If the new schema is invalid, the previous schema is registered, so that the other
            // values are updated.
            (Err(refusal), Some(previous_schema)) if previous_schema != *spec.parameters() => {
                spec = spec.with_parameters(previous_schema.clone());
                (
                    self.register_spec(spec).and(Err(refusal)),
                    Some(previous_schema),
                )
            }
            (outcome, previous_schema) => {
                let accepted_schema = outcome.is_ok().then(|| spec.parameters().clone());
                (outcome, accepted_schema.or(previous_schema))
            }
        };
        if let Ok(mut reported_state) = self.known.lock() {
            reported_state.schema = schema;
        }
        self.assistant.notify_renderers_changed();
        outcome
    }

    fn register_spec(&self, spec: ActionSpec) -> Result<(), Refusal> {
        self.assistant.dispatch(Input::Register {
            id: self.id,
            spec: Box::new(spec),
        })
    }

    /// Logs a warning if several registrations with this name could run, because only the newest of
    /// them runs. A short overlap, such as during navigation, is ignored.
    fn warn_about_duplicate(&self) {
        if !self.spec.has_handler() {
            return;
        }
        let (assistant, name) = (self.assistant.weak(), self.spec.name().to_owned());
        spawn_local(async move {
            wait_for_pending_work().await;
            let Some(assistant) = assistant.upgrade() else {
                return;
            };
            let runnable_count = assistant.read(|session| {
                let registrations = session.registry().named(&name);
                registrations
                    .filter(|entry| can_run_here(entry.spec()))
                    .count()
            });
            if runnable_count > Some(1) {
                let problem = "it is registered more than once: the newest is active, and the one \
                             before when it goes";
                assistant.runtime().warn_once(&name, problem, "");
            }
        });
    }

    fn register(&self) {
        let Err(refusal) = self.try_register() else {
            return;
        };
        let message = refusal.to_string();
        if let Ok(mut reported_state) = self.known.lock()
            && reported_state.complaint != message
        {
            console_error(&message);
            reported_state.complaint = message;
        }
    }

    /// Removes the registration. The action's cards are disposed first, because the signals that
    /// the cards read may be disposed afterwards.
    fn unregister(&self) {
        self.assistant.runtime().remove_source(self.id.get());
        self.assistant.cards().remove_all_of(self.id);
        // The result is ignored, because the session never refuses this input.
        let _ = self.assistant.dispatch(Input::Unregister { id: self.id });
        self.assistant.runtime().remove_code(self.id);
        self.assistant.renderers().remove_action(self.id);
        self.assistant.notify_renderers_changed();
    }
}

/// Returns true if an action is enabled, is offered, and has a handler.
fn can_run_here(spec: &ActionSpec) -> bool {
    spec.is_enabled() && spec.has_handler() && spec.availability() == Availability::Offered
}

/// Binds a handler to a weak reference to the assistant. The bound handler warns if the schema
/// accepts arguments that the handler cannot deserialize.
fn bind_handler(
    handler: Handler,
    assistant: &Assistant,
    spec: &ActionSpec,
) -> render::InvocationHandler {
    let assistant = assistant.weak();
    let validated_name = spec.validates().then(|| spec.name().to_owned());
    Rc::new(move |invocation, cancellation| {
        let args = invocation.args().clone();
        let context = ToolContext::new(assistant.clone(), invocation, cancellation);
        let result = handler(args, context);
        let (assistant, validated_name) = (assistant.clone(), validated_name.clone());
        Box::pin(async move {
            let outcome = result.await;
            if let (Err(error), Some(name), Some(assistant)) =
                (&outcome, validated_name, assistant.upgrade())
                && error.is_of_type(INVALID_ARGUMENTS)
            {
                let problem = "its schema allows what its handler cannot read";
                let details = format!(". {}. See testing::assert_schema_fits", error.message());
                assistant.runtime().warn_once(&name, problem, &details);
            }
            outcome
        })
    })
}
