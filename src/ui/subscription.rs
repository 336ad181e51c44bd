//! Defines the subscription of an observer, which is the same for every kind of event.

use std::{fmt, rc::Rc};

use assistant_core::observe::{ObserverResult, Observers};
use send_wrapper::SendWrapper;

/// The subscription of an observer. Dropping the subscription unsubscribes the observer, which is
/// not called again.
///
/// An observer may drop its own subscription while it is called, and subscribe other observers,
/// which are called for later events.
#[must_use = "dropping it unsubscribes at once"]
pub struct Subscription(SendWrapper<Unsubscribe>);

/// A closure that is called when this value is dropped, unless the closure is removed before.
struct Unsubscribe(Option<Box<dyn FnOnce()>>);

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

impl Subscription {
    /// Creates a subscription that calls `unsubscribe` when the subscription is dropped, for an
    /// [`ApprovalStore`](crate::ApprovalStore) that reports changes.
    ///
    /// ```
    /// use std::{cell::Cell, rc::Rc};
    ///
    /// use leptos_assistant::Subscription;
    ///
    /// let subscribed = Rc::new(Cell::new(true));
    /// let ended = Rc::clone(&subscribed);
    /// let subscription = Subscription::new(move || ended.set(false));
    /// drop(subscription);
    /// assert!(!subscribed.get());
    /// ```
    pub fn new(unsubscribe: impl FnOnce() + 'static) -> Self {
        let unsubscribe = Unsubscribe(Some(Box::new(unsubscribe)));
        Self(SendWrapper::new(unsubscribe))
    }

    /// Keeps the observer subscribed for the life of the assistant, or of the store that the
    /// observer is subscribed to.
    pub fn forget(self) {
        if let Some(unsubscribe) = self.0.take().0.take() {
            // The closure is leaked, so values that it owns, such as a listener, are not dropped.
            Box::leak(unsubscribe);
        }
    }
}

impl Drop for Unsubscribe {
    fn drop(&mut self) {
        if let Some(unsubscribe) = self.0.take() {
            unsubscribe();
        }
    }
}

/// Adds an observer to a list. The subscription does not keep the list alive.
pub(crate) fn subscribe<T: ?Sized + 'static, R: ObserverResult>(
    observers: &Rc<Observers<T>>,
    observer: impl Fn(&T) -> R + 'static,
) -> Subscription {
    let id = observers.add(observer);
    let observers = Rc::downgrade(observers);
    Subscription::new(move || {
        if let Some(observers) = observers.upgrade() {
            observers.remove(id);
        }
    })
}
