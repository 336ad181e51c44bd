//! The renderers of calls: what an action draws, by its registration.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::action::RegistrationId;

use super::Renderer;

/// What an action draws for its calls; the renderers are given a `C`.
pub(crate) struct CallRenderers<C> {
    /// Draws its card.
    pub(crate) card: Option<Renderer<C>>,
    /// Draws the page's question whether a call may run.
    pub(crate) approval: Option<Renderer<C>>,
    /// Whether the card sees arguments while they stream in.
    pub(crate) streams_args: bool,
}

impl<C> Default for CallRenderers<C> {
    fn default() -> Self {
        Self {
            card: None,
            approval: None,
            streams_args: false,
        }
    }
}

impl<C> Clone for CallRenderers<C> {
    fn clone(&self) -> Self {
        Self {
            card: self.card.clone(),
            approval: self.approval.clone(),
            streams_args: self.streams_args,
        }
    }
}

/// The renderers of calls of one assistant.
pub(crate) struct CallTable<C>(RefCell<HashMap<RegistrationId, CallRenderers<C>>>);

impl<C> Default for CallTable<C> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<C> CallTable<C> {
    pub(crate) fn set(&self, id: RegistrationId, renderers: CallRenderers<C>) {
        let old = self.0.borrow_mut().insert(id, renderers);
        drop(old);
    }

    pub(crate) fn get(&self, id: RegistrationId) -> Option<CallRenderers<C>> {
        self.0.borrow().get(&id).cloned()
    }

    pub(crate) fn remove(&self, id: RegistrationId) {
        // Dropped after the borrow ends: what a renderer holds may come back here.
        let gone = self.0.borrow_mut().remove(&id);
        drop(gone);
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.0.borrow_mut());
        drop(gone);
    }
}
