//! Support for tests in which scripted events count as the user's decisions.

use crate::ui::scripted;

/// A guard that makes scripted events count as the user's decisions until the guard is dropped: see
/// [`accept_scripted_events`].
#[derive(Debug)]
#[must_use = "dropping it refuses them again at once"]
pub struct ScriptedEvents(());

/// Makes scripted clicks, keys and choices count as the user's decisions, until the guard is
/// dropped. Decisions that a test makes through the view of a call or a question also count, even
/// outside of an event.
///
/// In an application, only events that a user causes count
/// ([`Event.isTrusted`](https://developer.mozilla.org/en-US/docs/Web/API/Event/isTrusted)), and a
/// script that calls `button.click()` approves nothing. [`Mounted::click`](super::Mounted::click)
/// does not need this guard.
///
/// ```
/// # use leptos_assistant::testing::Mounted;
/// # fn test(page: &Mounted) {
/// use leptos_assistant::testing::accept_scripted_events;
///
/// let _guard = accept_scripted_events();
/// page.find(".la-approval-approve").expect("it asks").click();
/// # }
/// ```
pub fn accept_scripted_events() -> ScriptedEvents {
    scripted::begin_accepting();
    ScriptedEvents(())
}

impl Drop for ScriptedEvents {
    fn drop(&mut self) {
        scripted::end_accepting();
    }
}
