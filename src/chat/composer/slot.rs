//! Gives the other parts of a window access to its composer.

use leptos::prelude::*;

use super::context::SharedComposer;

/// The composer of the surrounding window, if one is mounted.
#[derive(Clone, Copy)]
pub(in crate::chat) struct ComposerSlot(RwSignal<Option<SharedComposer>>);

impl ComposerSlot {
    pub(in crate::chat) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Returns the composer; `None` if none is mounted. Tracked.
    pub(in crate::chat) fn get(self) -> Option<SharedComposer> {
        self.0.try_get().flatten()
    }

    /// Registers a composer until its scope is disposed.
    pub(super) fn register(self, composer: &SharedComposer) {
        self.0.set(Some(composer.clone()));
        on_cleanup(move || {
            // The window may be disposed as a whole.
            let _ = self.0.try_set(None);
        });
    }
}
