//! Requests and transactions of `IndexedDB` as futures.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    DomException, IdbDatabase, IdbFactory, IdbIndexParameters, IdbObjectStore, IdbOpenDbRequest,
    IdbRequest, IdbTransaction, IdbTransactionMode,
};

use super::{
    super::{StoreError, StoreErrorKind},
    FENCES,
};
use crate::ui::{browser, sleep};

/// The longest time that the browser may take to open a database, in milliseconds: it waits for tabs that hold
/// an older version and do not let go of it.
const OPENING_MS: u64 = 3_000;

/// What comes of something once.
struct Once<T> {
    receiver: oneshot::Receiver<T>,
    sender: Rc<RefCell<Option<oneshot::Sender<T>>>>,
    /// Kept until it has come.
    closures: Vec<Closure<dyn FnMut()>>,
}

impl<T: 'static> Once<T> {
    fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        Self {
            receiver,
            sender: Rc::new(RefCell::new(Some(sender))),
            closures: Vec::new(),
        }
    }

    /// A function for an event that leads to this.
    fn on(&mut self, outcome: impl Fn() -> T + 'static) -> Function {
        let sender = Rc::clone(&self.sender);
        let closure = Closure::<dyn FnMut()>::new(move || {
            if let Some(sender) = sender.borrow_mut().take() {
                // Nobody waits any more for what was given up.
                let _ = sender.send(outcome());
            }
        });
        let function = closure.as_ref().unchecked_ref::<Function>().clone();
        self.closures.push(closure);
        function
    }

    async fn come(self) -> Option<T> {
        let outcome = self.receiver.await.ok();
        drop(self.closures);
        outcome
    }
}

/// An error of the browser, in our words.
pub(super) fn error_of(error: &JsValue) -> StoreError {
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

fn factory() -> Result<IdbFactory, StoreError> {
    let found = browser().and_then(|window| window.indexed_db().ok().flatten());
    let missing = "the browser lets this page keep nothing";
    found.ok_or_else(|| StoreError::new(StoreErrorKind::Unavailable, missing))
}

/// Opens a database, with these object stores in it.
pub(super) async fn open(
    name: &str,
    version: u32,
    stores: &'static [&'static str],
) -> Result<IdbDatabase, StoreError> {
    let opening = factory()?.open_with_u32(name, version);
    let request = opening.map_err(|error| error_of(&error))?;
    let mut once = Once::new();
    let upgraded = request.clone();
    let upgrade = Closure::once(move || {
        if let Ok(database) = database_of(&upgraded) {
            make(&database, stores);
        }
    });
    request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
    let opened = request.clone();
    request.set_onsuccess(Some(&once.on(move || database_of(&opened))));
    let failed = request.clone();
    request.set_onerror(Some(&once.on(move || Err(failure(&failed)))));
    let patience = Box::pin(sleep(Duration::from_millis(OPENING_MS)));
    let blocked = || {
        let message = "another tab holds the stored conversations and does not let go of them";
        StoreError::new(StoreErrorKind::Blocked, message)
    };
    match select(Box::pin(once.come()), patience).await {
        Either::Left((outcome, _)) => outcome.unwrap_or_else(|| Err(blocked())),
        Either::Right(_) => {
            // It may come anyway, and nobody waits for it any more.
            close_when_opened(&request);
            Err(blocked())
        }
    }
}

/// Makes what a database lacks. Whoever uses what cannot be made is told that it is not there.
fn make(database: &IdbDatabase, stores: &[&str]) {
    for store in stores {
        let known = database.object_store_names().contains(store);
        // Fences of before are of tabs that this version has just shut out.
        if known && *store == FENCES {
            let _ = database.delete_object_store(store);
        } else if known {
            continue;
        }
        let made = database.create_object_store(store);
        if let (Ok(fences), FENCES) = (made, *store) {
            let unique = IdbIndexParameters::new();
            unique.set_unique(true);
            // By the value itself.
            let _ = fences.create_index_with_str_and_optional_parameters("writer", "", &unique);
        }
    }
}

fn close_when_opened(request: &IdbOpenDbRequest) {
    let late = request.clone();
    let close = Closure::once_into_js(move || {
        if let Ok(database) = database_of(&late) {
            database.close();
        }
    });
    request.set_onupgradeneeded(None);
    request.set_onsuccess(Some(close.unchecked_ref()));
    request.set_onerror(None);
}

fn database_of(request: &IdbOpenDbRequest) -> Result<IdbDatabase, StoreError> {
    let result = request.result().map_err(|error| error_of(&error))?;
    result.dyn_into().map_err(|other| error_of(&other))
}

/// Why a request failed.
fn failure(request: &IdbRequest) -> StoreError {
    match request.error() {
        Ok(Some(error)) => error_of(&error),
        Ok(None) => error_of(&JsValue::NULL),
        Err(error) => error_of(&error),
    }
}

/// Returns whether a request failed because there was something at its key.
pub(super) fn met_another(request: &IdbRequest) -> bool {
    let error = request.error().ok().flatten();
    error.is_some_and(|error| error.name() == "ConstraintError")
}

/// Begins a transaction. A strict one is on the disk when it has come to its end.
pub(super) fn begin(
    database: &IdbDatabase,
    stores: &[&str],
    mode: IdbTransactionMode,
    strict: bool,
) -> Result<IdbTransaction, StoreError> {
    let names: js_sys::Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
    let begun = match strict {
        // web-sys has no form with the third argument.
        true => begin_strictly(database, &names, mode),
        false => database.transaction_with_str_sequence_and_mode(&names, mode),
    };
    begun.map_err(|error| error_of(&error))
}

fn begin_strictly(
    database: &IdbDatabase,
    names: &JsValue,
    mode: IdbTransactionMode,
) -> Result<IdbTransaction, JsValue> {
    let begin = js_sys::Reflect::get(database, &"transaction".into())?;
    let begin: Function = begin.dyn_into()?;
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"durability".into(), &"strict".into())?;
    let begun = begin.call3(database, names, &mode.into(), &options)?;
    begun.dyn_into()
}

pub(super) fn store(
    transaction: &IdbTransaction,
    name: &str,
) -> Result<IdbObjectStore, StoreError> {
    let store = transaction.object_store(name);
    store.map_err(|error| error_of(&error))
}

/// The result of a request.
pub(super) async fn result(request: Result<IdbRequest, JsValue>) -> Result<JsValue, StoreError> {
    let request = request.map_err(|error| error_of(&error))?;
    let mut once = Once::new();
    let done = request.clone();
    let read = move || done.result().map_err(|error| error_of(&error));
    request.set_onsuccess(Some(&once.on(read)));
    let failed = request.clone();
    request.set_onerror(Some(&once.on(move || Err(failure(&failed)))));
    let gone = || error_of(&JsValue::NULL);
    once.come().await.unwrap_or_else(|| Err(gone()))
}

/// The end of a transaction, once it has come.
pub(super) struct End(Once<Result<(), StoreError>>);

impl End {
    /// Follows a transaction from now on.
    pub(super) fn of(transaction: &IdbTransaction) -> Self {
        let mut once = Once::new();
        transaction.set_oncomplete(Some(&once.on(|| Ok(()))));
        let aborted = transaction.clone();
        let why = move || {
            let error = aborted.error();
            Err(error.map_or_else(|| error_of(&JsValue::NULL), |error| error_of(&error)))
        };
        transaction.set_onabort(Some(&once.on(why)));
        Self(once)
    }

    pub(super) async fn come(self) -> Result<(), StoreError> {
        let gone = || Err(error_of(&JsValue::NULL));
        self.0.come().await.unwrap_or_else(gone)
    }
}
