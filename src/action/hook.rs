//! Registering actions and context for as long as a component lives.

use std::rc::Rc;

use assistant_core::{
    action::{ActionSpec, RegistrationId},
    event::ContextItem,
    session::{Input, Refusal},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{ToolAction, ToolContext, handler::Handler};
use crate::{
    assistant::{Assistant, assistant_or_complain},
    render::{self, ActionCode},
    ui::console_error,
};

/// Lets the assistant call an action as long as the component lives.
///
/// The newest registration of a name is in force; when it goes, the one before it is again. While
/// its `enabled` is false the action is not registered at all. When the component goes, its
/// running handlers are dropped and their calls answered as cancelled, unless the action is
/// [`ToolAction::detached`]; its cards become default cards.
///
/// Without an `<AssistantProvider>` above, one error is written to the console and nothing is
/// registered.
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
pub fn use_assistant_action(action: ToolAction) {
    let Some(assistant) = assistant_or_complain("use_assistant_action") else {
        return;
    };
    let (enabled, parameters) = (action.enabled, action.parameters);
    let offer = Offer::new(assistant, action);
    let rules = move || (enabled.get(), parameters.map(|schema| schema.get()));
    offer.register(untrack(rules));
    let following = offer.clone();
    Effect::new(move |known: Option<Rules>| {
        let now = rules();
        if known.is_some_and(|known| known != now) {
            following.register(now.clone());
        }
        now
    });
    on_cleanup(move || offer.withdraw());
}

/// Whether an action is enabled, and its schema if it has one of its own.
type Rules = (bool, Option<Value>);

/// An action that is registered until it is dropped: for pages that register by hand instead of
/// from a component.
#[derive(Debug)]
#[must_use = "dropping it unregisters the action"]
pub struct ActionGuard(Offer);

impl Drop for ActionGuard {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}

impl Assistant {
    /// Registers an action until the guard is dropped. Signals of the action are read once.
    ///
    /// # Errors
    ///
    /// When its name is none that providers accept.
    pub fn register(&self, action: ToolAction) -> Result<ActionGuard, Refusal> {
        let rules = (
            action.enabled.get_untracked(),
            action.parameters.map(|schema| schema.get_untracked()),
        );
        let offer = Offer::new(self.clone(), action);
        offer.try_register(rules)?;
        Ok(ActionGuard(offer))
    }
}

/// One registration: what the session is told, and the code behind it.
#[derive(Clone, Debug)]
struct Offer {
    assistant: Assistant,
    id: RegistrationId,
    spec: ActionSpec,
}

impl Offer {
    fn new(assistant: Assistant, action: ToolAction) -> Self {
        let id = RegistrationId(assistant.runtime().number());
        let code = ActionCode {
            handler: action.handler.map(|handler| bound(handler, &assistant)),
            approval: action.rule,
            denial: action.denial,
        };
        assistant.runtime().set_code(id, code);
        assistant.calls().set(id, action.renderers);
        Self {
            assistant,
            id,
            spec: action.spec,
        }
    }

    fn try_register(&self, (enabled, parameters): Rules) -> Result<(), Refusal> {
        let input = if enabled {
            let mut spec = self.spec.clone();
            if let Some(parameters) = parameters {
                spec.parameters = parameters;
            }
            Input::Register {
                id: self.id,
                spec: Box::new(spec),
            }
        } else {
            self.assistant.cards().dispose(self.id);
            Input::Unregister { id: self.id }
        };
        self.assistant.dispatch(input)?;
        self.renderers_changed();
        Ok(())
    }

    fn register(&self, rules: Rules) {
        if let Err(refusal) = self.try_register(rules) {
            console_error(&refusal.to_string());
        }
    }

    /// Cards first: what they read may go right after.
    fn withdraw(&self) {
        self.assistant.cards().dispose(self.id);
        // An unregistration is never refused.
        let _ = self.assistant.dispatch(Input::Unregister { id: self.id });
        self.assistant.runtime().drop_code(self.id);
        self.assistant.calls().remove(self.id);
        self.renderers_changed();
    }

    fn renderers_changed(&self) {
        self.assistant
            .view()
            .renderers
            .update(|count| *count = count.wrapping_add(1));
    }
}

/// A handler with what it may know of the assistant, which it does not keep.
fn bound(handler: Handler, assistant: &Assistant) -> render::Handler {
    let assistant = assistant.weak();
    Rc::new(move |invocation, cancellation| {
        let args = invocation.args.clone();
        let context = ToolContext::new(assistant.clone(), invocation, cancellation);
        handler(args, context)
    })
}

/// Tells the agent something about the page as long as the component lives; it goes along with
/// every run, under `context`.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_assistant_context;
///
/// #[component]
/// fn Page() -> impl IntoView {
///     let selected = RwSignal::new("atlas".to_owned());
///     use_assistant_context("The selected project", selected);
/// }
/// ```
pub fn use_assistant_context(description: impl Into<String>, value: impl Into<Signal<String>>) {
    let Some(assistant) = assistant_or_complain("use_assistant_context") else {
        return;
    };
    let owner = assistant.runtime().number();
    let description = description.into();
    let value: Signal<String> = value.into();
    let tell = {
        let assistant = assistant.clone();
        move |value: String| {
            let item = ContextItem {
                description: description.clone(),
                value,
            };
            // Context is never refused.
            let _ = assistant.dispatch(Input::SetContext {
                owner,
                item: Some(item),
            });
        }
    };
    tell(value.get_untracked());
    Effect::new(move |_| tell(value.get()));
    on_cleanup(move || {
        let _ = assistant.dispatch(Input::SetContext { owner, item: None });
    });
}
