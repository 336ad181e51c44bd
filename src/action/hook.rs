//! Registering actions and context for as long as a component lives.

use assistant_core::{action::RegistrationId, event::ContextItem, session::Input};
use leptos::prelude::*;

use super::Action;
use crate::{assistant::Assistant, runtime};

/// Lets the assistant call an action as long as the component lives.
///
/// The newest registration of a name is in force; when it goes, the one before it is again. While
/// its `enabled` is false the action is not registered at all. When the component goes, its
/// running handlers are dropped and their calls answered as cancelled, unless the action is
/// [`Action::detached`]; its cards become default cards.
///
/// Without an `<AssistantProvider>` above, one error is written to the console and nothing is
/// registered.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{Action, ToolError, use_assistant_action};
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
///         Action::new("add_project", "Add a project to the list")
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
pub fn use_assistant_action(action: Action) {
    let Some(assistant) = assistant_or_complain("use_assistant_action") else {
        return;
    };
    let Action {
        spec,
        parameters,
        enabled,
        code,
    } = action;
    let id = RegistrationId(assistant.runtime().number());
    assistant.runtime().set_code(id, code);
    let register = {
        let assistant = assistant.clone();
        move |enabled: bool, parameters: Option<serde_json::Value>| {
            let input = if enabled {
                let mut spec = spec.clone();
                if let Some(parameters) = parameters {
                    spec.parameters = parameters;
                }
                Input::Register {
                    id,
                    spec: Box::new(spec),
                }
            } else {
                Input::Unregister { id }
            };
            if let Err(refusal) = assistant.dispatch(input) {
                runtime::console_error(&refusal.to_string());
            }
            assistant
                .runtime()
                .view
                .renderers
                .update(|count| *count = count.wrapping_add(1));
        }
    };
    register(
        enabled.get_untracked(),
        parameters.map(|schema| schema.get_untracked()),
    );
    Effect::new(move |known: Option<(bool, Option<serde_json::Value>)>| {
        let now = (enabled.get(), parameters.map(|schema| schema.get()));
        if known.is_some_and(|known| known != now) {
            register(now.0, now.1.clone());
        }
        now
    });
    on_cleanup(move || {
        assistant.runtime().cards.dispose(id);
        // An unregistration is never refused.
        let _ = assistant.dispatch(Input::Unregister { id });
        assistant.runtime().drop_code(id);
        assistant
            .runtime()
            .view
            .renderers
            .update(|count| *count = count.wrapping_add(1));
    });
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

/// The assistant above, or an error for the programmer (decision D16).
fn assistant_or_complain(hook: &str) -> Option<Assistant> {
    let assistant = use_context::<Assistant>();
    if assistant.is_none() && cfg!(feature = "csr") {
        runtime::console_error(&format!(
            "{hook} was called outside of <AssistantProvider>: nothing is registered"
        ));
    }
    assistant
}
