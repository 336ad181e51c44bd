//! Notifies observers, which are callbacks that receive events and cannot change them.
//!
//! The engine itself calls no observers. A host notifies its observers after each input, and
//! continues regardless of their results (rule "observers").

use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use crate::event::Diagnostic;

/// The return value of an observer: `()`, or a `Result` whose error is the reason for a failure.
pub trait ObserverResult {
    /// Converts the return value into a result, whose error is the reported message.
    ///
    /// # Errors
    ///
    /// Fails if the observer reported a failure.
    fn into_result(self) -> Result<(), String>;
}

impl ObserverResult for () {
    fn into_result(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: fmt::Display> ObserverResult for Result<(), E> {
    fn into_result(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

/// The id of an observer in a list of observers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObserverId(u64);

type Observer<T> = Rc<dyn Fn(&T) -> Result<(), String>>;

/// A list of observers of one type of event, in order of registration.
///
/// ```
/// use assistant_core::observe::Observers;
///
/// let observers = Observers::<str>::default();
/// observers.add(|_: &str| Err("no disk"));
/// observers.add(|what: &str| assert_eq!(what, "started"));
/// assert_eq!(observers.notify("started"), ["no disk"]);
/// ```
pub struct Observers<T: ?Sized> {
    list: RefCell<Vec<(ObserverId, Observer<T>)>>,
    last: Cell<u64>,
}

impl<T: ?Sized> Default for Observers<T> {
    fn default() -> Self {
        Self {
            list: RefCell::default(),
            last: Cell::new(0),
        }
    }
}

impl<T: ?Sized> fmt::Debug for Observers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.list.borrow().len();
        f.debug_tuple("Observers").field(&count).finish()
    }
}

impl<T: ?Sized> Observers<T> {
    /// Adds an observer. An observer that is added during a notification receives only later
    /// notifications.
    pub fn add<R: ObserverResult>(&self, observer: impl Fn(&T) -> R + 'static) -> ObserverId {
        self.last.set(self.last.get() + 1);
        let id = ObserverId(self.last.get());
        let observer: Observer<T> = Rc::new(move |event| observer(event).into_result());
        self.list.borrow_mut().push((id, observer));
        id
    }

    /// Removes an observer and returns true if it was registered. The observer is not called again,
    /// not even by a notification in progress.
    pub fn remove(&self, id: ObserverId) -> bool {
        // The observer is dropped after the borrow ends, since its destructor may access the list.
        let observer = {
            let mut list = self.list.borrow_mut();
            let index = list.iter().position(|(other, _)| *other == id);
            index.map(|index| list.remove(index))
        };
        observer.is_some()
    }

    /// Returns true if there are no observers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// Notifies every observer in order and returns the error messages of those that failed. An
    /// observer may add and remove observers during the notification.
    ///
    /// A panic of an observer counts as a failure on targets where panics unwind. In a browser, a
    /// panic aborts the whole module.
    pub fn notify(&self, event: &T) -> Vec<String> {
        let last_id = ObserverId(self.last.get());
        let mut failures = Vec::new();
        let mut previous_id = ObserverId(0);
        while let Some((id, observer)) = self.next_observer(previous_id, last_id) {
            previous_id = id;
            let result = catch_unwind(AssertUnwindSafe(|| observer(event)));
            match result {
                Ok(Ok(())) => {}
                Ok(Err(message)) => failures.push(message),
                Err(panic) => failures.push(panic_message(panic.as_ref())),
            }
        }
        failures
    }

    /// Returns the first observer whose id is greater than `previous_id` and at most `last_id`.
    /// `last_id` is the id of the last observer that was registered when the notification began.
    fn next_observer(
        &self,
        previous_id: ObserverId,
        last_id: ObserverId,
    ) -> Option<(ObserverId, Observer<T>)> {
        let list = self.list.borrow();
        // The observer is found by a binary search, since the list is sorted by id.
        let index = list.partition_point(|(id, _)| *id <= previous_id);
        let (id, observer) = list.get(index)?;
        (*id <= last_id).then(|| (*id, Rc::clone(observer)))
    }
}

/// Creates the diagnostic with which a host reports the failure of an observer.
#[must_use]
pub fn failed(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new("observer-failed", message)
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("without a message"))
}
