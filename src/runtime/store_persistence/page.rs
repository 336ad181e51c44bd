//! Responds to unload and visibility of the page: writes changes, and queues for the lock.

use super::{StorePersistence, tab};
use crate::ui::PageLifecycle;

impl StorePersistence {
    /// Listens for unload and visibility of the page: writes unsaved changes, marks this tab as the
    /// owner on unload, and queues for the lock only while the page is visible.
    pub(super) fn watch_page_lifecycle(&self) {
        let me = self.me.clone();
        let leaving = PageLifecycle::listen(move |page_goes| {
            if let Some(persistence) = me.upgrade() {
                if page_goes && persistence.owns_thread() {
                    tab::mark_owner(&*persistence.store, &persistence.thread().id);
                }
                persistence.save_now(page_goes);
                persistence.queue_for_lock(&persistence.thread());
            }
        });
        self.leaving.replace(leaving);
    }
}
