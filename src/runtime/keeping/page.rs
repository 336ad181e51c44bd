//! Persistence when the page is unloaded or hidden.

use super::{
    Keeping,
    tab::{self, Leaving},
};

impl Keeping {
    /// Writes unsaved changes when the page is unloaded or hidden, and queues for the lock while it
    /// is visible.
    pub(super) fn follow_page(&self) {
        let me = self.me.clone();
        let leaving = Leaving::listen(move |page_goes| {
            if let Some(keeping) = me.upgrade() {
                if page_goes && keeping.is_here() {
                    tab::leave_mark(&*keeping.store, &keeping.thread().id);
                }
                keeping.save_now(page_goes);
                keeping.wait_in_line(&keeping.thread());
            }
        });
        self.leaving.replace(leaving);
    }
}
