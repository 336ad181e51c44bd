//! Retries a run that failed because the browser was offline, once the browser is online again
//! (rule "offline").

use assistant_core::session::{NoticeAction, NoticeKind};
use leptos::prelude::{on_cleanup, window_event_listener_untyped};

use super::Assistant;
use crate::ui::in_browser;

impl Assistant {
    /// Listens for `online` events until the owner is disposed. At such an event, retries a run
    /// that failed because the browser was offline, as the button Retry of the notice does. Nothing
    /// is retried if the notice was removed: the user has dismissed the notice, sent another
    /// message, or pressed the button.
    pub(crate) fn retry_when_online(&self) {
        if !in_browser() {
            return;
        }
        // The browser frees a removed listener late, so it must not keep the assistant.
        let assistant = self.weak();
        let listens = window_event_listener_untyped("online", move |_| {
            let Some(assistant) = assistant.upgrade() else {
                return;
            };
            let waits = assistant.runtime().read(|session| {
                session.notices().iter().any(|notice| {
                    let retries = notice.action() == Some(NoticeAction::Retry);
                    retries && notice.kind() == NoticeKind::Offline
                })
            });
            if waits == Some(true) {
                // Refused only if the notice no longer applies.
                let _ = assistant.retry();
            }
        });
        on_cleanup(move || listens.remove());
    }
}
