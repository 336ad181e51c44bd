//! Passes announcements from the components of a chat window to the announcer of the window.

use leptos::prelude::*;

use crate::ui::LabelName;

/// The newest announcement that a component of the surrounding window has requested.
#[derive(Clone, Copy)]
pub(super) struct RequestedAnnouncement(RwSignal<Option<LabelName>>);

impl RequestedAnnouncement {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Requests the announcement of a label.
    pub(super) fn announce(self, label: LabelName) {
        // The result is ignored, because the call fails only if the window was disposed.
        let _ = self.0.try_set(Some(label));
    }

    /// Returns the label of the newest requested announcement. Returns `None` before the first
    /// announcement. In a reactive closure, the label is tracked; a repeated announcement runs the
    /// closure again.
    pub(super) fn newest_label(self) -> Option<LabelName> {
        self.0.try_get().flatten()
    }
}
