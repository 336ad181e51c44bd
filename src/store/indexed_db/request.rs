//! Converts requests and transactions of `IndexedDB` to futures.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    DomException, Event, IdbDatabase, IdbFactory, IdbIndexParameters, IdbObjectStore, IdbRequest,
    IdbTransaction, IdbTransactionMode,
};

use super::{
    super::{StoreError, StoreErrorKind},
    FENCES,
};
use crate::ui::{browser, sleep};

/// The timeout for opening a database, in milliseconds. The timeout is needed because the browser
/// waits for tabs that hold an older version of the database open.
const OPEN_TIMEOUT_MS: u64 = 3_000;

/// The outcome of a request as a future, which the first event of the request resolves.
struct RequestOutcome<T> {
    receiver: oneshot::Receiver<T>,
    sender: Rc<RefCell<Option<oneshot::Sender<T>>>>,
    /// A function that receives an outcome after the future was dropped.
    late: fn(T),
}

impl<T: 'static> RequestOutcome<T> {
    fn new(late: fn(T)) -> Self {
        let (sender, receiver) = oneshot::channel();
        Self {
            receiver,
            sender: Rc::new(RefCell::new(Some(sender))),
            late,
        }
    }

    /// Returns an event listener that resolves the future with an outcome read from the event's
    /// target.
    ///
    /// The browser owns the listener: it may call the listener late, and frees the listener with
    /// the request. The listener refers to the sender only, since a reference to the request would
    /// leak the request.
    fn listener(&self, outcome: fn(&JsValue) -> T) -> Function {
        let (sender, late_handler) = (Rc::clone(&self.sender), self.late);
        let listener = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let sender = sender.borrow_mut().take();
            let target = event.current_target().map(JsValue::from);
            if let Some(sender) = sender
                && let Err(late_outcome) = sender.send(outcome(&target.unwrap_or_default()))
            {
                late_handler(late_outcome);
            }
        });
        listener.into_js_value().unchecked_into()
    }

    async fn wait(&mut self) -> Option<T> {
        (&mut self.receiver).await.ok()
    }
}

/// Converts an exception from the browser to a store error.
pub(super) fn convert_error(error: &JsValue) -> StoreError {
    let Some(error) = error.dyn_ref::<DomException>() else {
        return StoreError::new(StoreErrorKind::Failed, "the browser's database failed");
    };
    let kind = match error.name().as_str() {
        "QuotaExceededError" => StoreErrorKind::Full,
        "VersionError" => StoreErrorKind::Newer,
        "SecurityError" => StoreErrorKind::Unavailable,
        "ConstraintError" => StoreErrorKind::Claimed,
        _ => StoreErrorKind::Failed,
    };
    let message = error.message();
    StoreError::new(
        kind,
        if message.is_empty() {
            error.name()
        } else {
            message
        },
    )
}

fn idb_factory() -> Result<IdbFactory, StoreError> {
    let factory = browser().and_then(|window| window.indexed_db().ok().flatten());
    let message = "the browser lets this page keep nothing";
    factory.ok_or_else(|| StoreError::new(StoreErrorKind::Unavailable, message))
}

/// Opens a database. If the database is new or of an older version, creates the missing object
/// stores. Fails if the database does not open within [`OPEN_TIMEOUT_MS`].
pub(super) async fn open_database(
    name: &str,
    version: u32,
    stores: &'static [&'static str],
) -> Result<IdbDatabase, StoreError> {
    let open_request = idb_factory()?.open_with_u32(name, version);
    let request = open_request.map_err(|error| convert_error(&error))?;
    let on_upgrade = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        let request = event.current_target().map(JsValue::from);
        if let Ok(database) = opened_database(&request.unwrap_or_default()) {
            create_object_stores(&database, stores);
        }
    });
    // The browser owns the listener, so that a late upgrade creates the object stores as well.
    request.set_onupgradeneeded(Some(on_upgrade.into_js_value().unchecked_ref()));
    let mut open_outcome = RequestOutcome::new(close_late_database);
    request.set_onsuccess(Some(&open_outcome.listener(opened_database)));
    request.set_onerror(Some(
        &open_outcome.listener(|request| Err(request_error(request))),
    ));
    let timeout = Box::pin(sleep(Duration::from_millis(OPEN_TIMEOUT_MS)));
    let blocked_error = || {
        let message =
            "the browser's database does not open; another tab may hold an older version of it";
        StoreError::new(StoreErrorKind::Blocked, message)
    };
    match select(Box::pin(open_outcome.wait()), timeout).await {
        Either::Left((outcome, _)) => outcome.unwrap_or_else(|| Err(blocked_error())),
        Either::Right(_) => Err(blocked_error()),
    }
}

/// Closes a database that was opened after the timeout.
fn close_late_database(late: Result<IdbDatabase, StoreError>) {
    if let Ok(database) = late {
        database.close();
    }
}

/// Creates missing object stores, and replaces the object store of the fences. A failure is
/// reported only when the object store is used.
fn create_object_stores(database: &IdbDatabase, stores: &[&str]) {
    for store in stores {
        let exists = database.object_store_names().contains(store);
        // Existing fences are deleted, because they belong to tabs whose connections this upgrade
        // has closed.
        if exists && *store == FENCES {
            let _ = database.delete_object_store(store);
        } else if exists {
            continue;
        }
        let result = database.create_object_store(store);
        if let (Ok(fences), FENCES) = (result, *store) {
            let index_options = IdbIndexParameters::new();
            index_options.set_unique(true);
            // The empty key path indexes the value itself.
            let _ =
                fences.create_index_with_str_and_optional_parameters("writer", "", &index_options);
        }
    }
}

fn opened_database(request: &JsValue) -> Result<IdbDatabase, StoreError> {
    let result = request.unchecked_ref::<IdbRequest>().result();
    let result = result.map_err(|error| convert_error(&error))?;
    result.dyn_into().map_err(|other| convert_error(&other))
}

fn request_error(request: &JsValue) -> StoreError {
    match request.unchecked_ref::<IdbRequest>().error() {
        Ok(Some(error)) => convert_error(&error),
        Ok(None) => convert_error(&JsValue::NULL),
        Err(error) => convert_error(&error),
    }
}

/// Returns true if a request failed because its key already exists.
pub(super) fn is_key_taken(request: &IdbRequest) -> bool {
    let error = request.error().ok().flatten();
    error.is_some_and(|error| error.name() == "ConstraintError")
}

/// Begins a transaction. A strict transaction is flushed to disk before it completes.
pub(super) fn begin_transaction(
    database: &IdbDatabase,
    stores: &[&str],
    mode: IdbTransactionMode,
    strict: bool,
) -> Result<IdbTransaction, StoreError> {
    let names: js_sys::Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
    let transaction = match strict {
        // `web-sys` has no function with the third argument, `options`.
        true => begin_strict_transaction(database, &names, mode),
        false => database.transaction_with_str_sequence_and_mode(&names, mode),
    };
    transaction.map_err(|error| convert_error(&error))
}

fn begin_strict_transaction(
    database: &IdbDatabase,
    names: &JsValue,
    mode: IdbTransactionMode,
) -> Result<IdbTransaction, JsValue> {
    let begin_function = js_sys::Reflect::get(database, &"transaction".into())?;
    let begin_function: Function = begin_function.dyn_into()?;
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"durability".into(), &"strict".into())?;
    let transaction = begin_function.call3(database, names, &mode.into(), &options)?;
    transaction.dyn_into()
}

pub(super) fn object_store(
    transaction: &IdbTransaction,
    name: &str,
) -> Result<IdbObjectStore, StoreError> {
    let store = transaction.object_store(name);
    store.map_err(|error| convert_error(&error))
}

/// Waits for the result of a request.
pub(super) async fn wait_for_result(
    request: Result<IdbRequest, JsValue>,
) -> Result<JsValue, StoreError> {
    let request = request.map_err(|error| convert_error(&error))?;
    let mut outcome = RequestOutcome::new(drop);
    let read_result = |request: &JsValue| {
        let request = request.unchecked_ref::<IdbRequest>();
        request.result().map_err(|error| convert_error(&error))
    };
    request.set_onsuccess(Some(&outcome.listener(read_result)));
    request.set_onerror(Some(
        &outcome.listener(|request| Err(request_error(request))),
    ));
    let aborted_error = || convert_error(&JsValue::NULL);
    outcome.wait().await.unwrap_or_else(|| Err(aborted_error()))
}

/// A future that resolves at the end of a transaction. Dropping the future earlier aborts the
/// transaction, for example if only a part of a batch could be submitted.
pub(super) struct TransactionEnd {
    transaction: IdbTransaction,
    ended: RequestOutcome<Result<(), StoreError>>,
    has_ended: bool,
}

impl TransactionEnd {
    /// Creates the future, which observes the transaction from now on.
    pub(super) fn observe(transaction: &IdbTransaction) -> Self {
        let outcome = RequestOutcome::new(drop);
        transaction.set_oncomplete(Some(&outcome.listener(|_| Ok(()))));
        transaction.set_onabort(Some(&outcome.listener(|transaction| {
            let error = transaction.unchecked_ref::<IdbTransaction>().error();
            Err(error.map_or_else(
                || convert_error(&JsValue::NULL),
                |error| convert_error(&error),
            ))
        })));
        Self {
            transaction: transaction.clone(),
            ended: outcome,
            has_ended: false,
        }
    }

    pub(super) async fn wait(mut self) -> Result<(), StoreError> {
        let end = self.ended.wait().await;
        self.has_ended = true;
        end.unwrap_or_else(|| Err(convert_error(&JsValue::NULL)))
    }
}

impl Drop for TransactionEnd {
    fn drop(&mut self) {
        if !self.has_ended {
            // Aborting fails if the transaction is over or can no longer be aborted.
            let _ = self.transaction.abort();
        }
    }
}
