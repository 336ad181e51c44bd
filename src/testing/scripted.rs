//! Decisions by the events that a test makes.

use crate::ui::scripted;

/// Accepts events that a script makes as a user's until it is dropped: see
/// [`accept_scripted_events`].
#[derive(Debug)]
#[must_use = "dropping it refuses them again at once"]
pub struct ScriptedEvents(());

/// Lets the clicks, keys and choices that a test makes decide: approve, allow for later, answer. What
/// a view of a call or a question is told outside of an event counts, too.
///
/// An application has no such way: there, only events that a user causes count
/// ([`Event.isTrusted`](https://developer.mozilla.org/en-US/docs/Web/API/Event/isTrusted)), and a
/// script that calls `button.click()` approves nothing. [`Mounted::click`](super::Mounted::click)
/// needs it not.
///
/// ```
/// # use leptos_assistant::testing::Mounted;
/// # fn test(page: &Mounted) {
/// use leptos_assistant::testing::accept_scripted_events;
///
/// let _scripted = accept_scripted_events();
/// page.find(".la-approval-yes").expect("it asks").click();
/// # }
/// ```
pub fn accept_scripted_events() -> ScriptedEvents {
    scripted::accept();
    ScriptedEvents(())
}

impl Drop for ScriptedEvents {
    fn drop(&mut self) {
        scripted::refuse();
    }
}
