//! Responds to unloading and visibility changes of the page: writes changes, and queues for the
//! lock.

use super::{StorePersistence, tab};
use crate::ui::PageLifecycle;

impl StorePersistence {
    /// Listens for unloading and visibility changes of the page: writes unsaved changes, marks this
    /// tab as the owner on unload, and queues for the lock only while the page is visible.
    pub(super) fn watch_page_lifecycle(&self) {
        let weak_persistence = self.me.clone();
        let listener = PageLifecycle::listen(move |is_unloading| {
            if let Some(persistence) = weak_persistence.upgrade() {
                if is_unloading && persistence.owns_thread() {
                    tab::mark_owner(&*persistence.store, &persistence.thread().id);
                }
                persistence.save_now(is_unloading);
                persistence.queue_for_lock(&persistence.thread());
            }
        });
        self.leaving.replace(listener);
    }
}
