//! Lists the actions that are registered with an assistant, for assertions.

use assistant_core::action::ActionSpec;

use crate::assistant::Assistant;

/// Returns all actions that components have registered, in order of registration, with their
/// schemas, rules and enabled states. For the actions that the agent was offered in a run, see
/// [`MockAgent::inputs`](super::MockAgent::inputs).
///
/// ```no_run
/// use leptos_assistant::{testing::registrations, use_assistant};
///
/// let assistant = use_assistant().expect("below a provider");
/// let actions = registrations(&assistant);
/// let names = actions.iter().map(|action| action.name());
/// assert!(names.eq(["add_project", "delete_project"]));
/// ```
#[must_use]
pub fn registrations(assistant: &Assistant) -> Vec<ActionSpec> {
    let specs = assistant.read(|session| {
        let entries = session.registry().all();
        entries
            .into_iter()
            .map(|entry| entry.spec().clone())
            .collect()
    });
    specs.unwrap_or_default()
}
