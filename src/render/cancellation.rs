//! Notifies the handler of a call that the call was cancelled.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_channel::oneshot;
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, Shared},
};

/// A token that signals the cancellation of a call.
#[derive(Clone)]
pub struct Cancellation {
    cancelled: Rc<Cell<bool>>,
    sender: Rc<RefCell<Option<oneshot::Sender<()>>>>,
    receiver: Shared<LocalBoxFuture<'static, ()>>,
}

impl Default for Cancellation {
    fn default() -> Self {
        let (sender, receiver) = oneshot::channel::<()>();
        let receiver = receiver.map(|_| ()).boxed_local().shared();
        Self {
            cancelled: Rc::default(),
            sender: Rc::new(RefCell::new(Some(sender))),
            receiver,
        }
    }
}

impl Cancellation {
    /// Returns true if the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }

    /// Waits until the call is cancelled. If the call is never cancelled, the future never
    /// resolves.
    pub async fn cancelled(&self) {
        self.receiver.clone().await;
        if !self.is_cancelled() {
            std::future::pending::<()>().await;
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.set(true);
        if let Some(sender) = self.sender.borrow_mut().take() {
            // Sending fails only if the receiver was dropped.
            let _ = sender.send(());
        }
    }
}

impl std::fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancellation")
            .field("cancelled", &self.cancelled)
            .finish_non_exhaustive()
    }
}
