//! Registers the assistants of this page by number. The number is a reference that is `Copy` and
//! may outlive the assistant.

use std::cell::{Cell, RefCell};

use super::{Assistant, WeakAssistant};

thread_local! {
    static ALIVE: RefCell<Vec<(u32, WeakAssistant)>> = const { RefCell::new(Vec::new()) };
    static NEWEST: Cell<u32> = const { Cell::new(0) };
}

/// The number of an assistant, which is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AssistantId(u32);

impl AssistantId {
    /// Returns the assistant if it still exists; `None` on a thread that did not create the
    /// assistant.
    pub(crate) fn assistant(self) -> Option<Assistant> {
        ALIVE.with_borrow(|alive| {
            let found = alive.iter().find(|(id, _)| *id == self.0)?;
            found.1.upgrade()
        })
    }
}

/// The entry of an assistant in the registry. Dropping the entry removes the assistant from the
/// registry.
pub(super) struct AssistantRegistration(u32);

impl AssistantRegistration {
    pub(super) fn new() -> Self {
        let id = NEWEST.get().wrapping_add(1);
        NEWEST.set(id);
        Self(id)
    }

    pub(super) const fn id(&self) -> AssistantId {
        AssistantId(self.0)
    }

    pub(super) fn register(&self, assistant: WeakAssistant) {
        ALIVE.with_borrow_mut(|alive| alive.push((self.0, assistant)));
    }
}

impl Drop for AssistantRegistration {
    fn drop(&mut self) {
        // The registry does not exist any more while the thread is ending.
        let _ = ALIVE.try_with(|alive| alive.borrow_mut().retain(|(id, _)| *id != self.0));
    }
}
