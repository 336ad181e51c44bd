//! Watches whether the page is unloaded, hidden or visible.

use super::{StorePersistence, tab};
use crate::ui::PageLifecycle;

impl StorePersistence {
    /// Writes unsaved changes when the page is unloaded or hidden, and queues for the lock while it
    /// is visible.
    pub(super) fn watch_page_lifecycle(&self) {
        let me = self.me.clone();
        let leaving = PageLifecycle::listen(move |page_goes| {
            if let Some(persistence) = me.upgrade() {
                if page_goes && persistence.is_here() {
                    tab::mark_owner(&*persistence.store, &persistence.thread().id);
                }
                persistence.save_now(page_goes);
                persistence.queue_for_lock(&persistence.thread());
            }
        });
        self.leaving.replace(leaving);
    }
}
