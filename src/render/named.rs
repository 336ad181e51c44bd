//! Renderers by the name of what they draw: of tools, of interrupts.

use std::cell::RefCell;

use assistant_core::action::RegistrationId;

use super::Renderer;

/// A renderer in force.
pub(crate) struct Found<C> {
    pub(crate) id: RegistrationId,
    pub(crate) renderer: Renderer<C>,
    /// Whether it draws everything, not this name alone.
    pub(crate) is_general: bool,
}

/// Without a name it draws everything that has no renderer of its own.
type Entry<C> = (RegistrationId, Option<String>, Renderer<C>);

/// The renderers of one assistant; they are given a `C`.
pub(crate) struct NamedTable<C>(RefCell<Vec<Entry<C>>>);

impl<C> Default for NamedTable<C> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<C> NamedTable<C> {
    /// Draws what has a name, or everything, from now on.
    pub(crate) fn add(&self, id: RegistrationId, name: Option<String>, renderer: Renderer<C>) {
        self.0.borrow_mut().push((id, name, renderer));
    }

    /// The newest for a name, or else the newest for everything.
    pub(crate) fn find(&self, name: &str) -> Option<Found<C>> {
        let entries = self.0.borrow();
        let newest = |wanted: Option<&str>| {
            let mut newest_first = entries.iter().rev();
            newest_first.find(|entry| entry.1.as_deref() == wanted)
        };
        let (id, of, renderer) = newest(Some(name)).or_else(|| newest(None))?;
        Some(Found {
            id: *id,
            renderer: renderer.clone(),
            is_general: of.is_none(),
        })
    }

    pub(crate) fn remove(&self, id: RegistrationId) {
        // Dropped after the borrow ends: what a renderer holds may come back here.
        let gone: Vec<Entry<C>> = {
            let mut entries = self.0.borrow_mut();
            entries.extract_if(.., |entry| entry.0 == id).collect()
        };
        drop(gone);
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.0.borrow_mut());
        drop(gone);
    }
}
