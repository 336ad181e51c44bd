//! Registers the assistants of this page under numbers. A number is a reference that is `Copy` and
//! may outlive its assistant.

use std::cell::{Cell, RefCell};

use super::{Assistant, WeakAssistant};

thread_local! {
    static ASSISTANTS: RefCell<Vec<(u32, WeakAssistant)>> = const { RefCell::new(Vec::new()) };
    static NEWEST_ID: Cell<u32> = const { Cell::new(0) };
}

/// The number of an assistant, which is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AssistantId(u32);

impl AssistantId {
    /// Returns the assistant if it still exists. Returns `None` on a thread that did not create the
    /// assistant.
    pub(crate) fn assistant(self) -> Option<Assistant> {
        ASSISTANTS.with_borrow(|assistants| {
            let entry = assistants.iter().find(|(id, _)| *id == self.0)?;
            entry.1.upgrade()
        })
    }
}

/// The entry of an assistant in the registry. Dropping the entry removes the assistant from the
/// registry.
pub(super) struct AssistantRegistration(u32);

impl AssistantRegistration {
    pub(super) fn new() -> Self {
        let id = NEWEST_ID.get().wrapping_add(1);
        NEWEST_ID.set(id);
        Self(id)
    }

    pub(super) const fn id(&self) -> AssistantId {
        AssistantId(self.0)
    }

    pub(super) fn register(&self, assistant: WeakAssistant) {
        ASSISTANTS.with_borrow_mut(|assistants| assistants.push((self.0, assistant)));
    }
}

impl Drop for AssistantRegistration {
    fn drop(&mut self) {
        // The error is ignored, because the registry may no longer exist while the thread ends.
        let _ = ASSISTANTS
            .try_with(|assistants| assistants.borrow_mut().retain(|(id, _)| *id != self.0));
    }
}
