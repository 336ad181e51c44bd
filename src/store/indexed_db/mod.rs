//! Stores conversations in the browser's `IndexedDB`, with `web-sys`.
//!
//! The database has five object stores: `records` and `journal` by conversation and name, `threads`
//! (list entries and writers), `labels` (titles and deletions by the user), and `fences` (writers
//! that were taken over). A batch is one transaction that reads nothing (see `batch`). Two unique
//! keys decide whether the batch is written: the claim in the journal, and the fence of a writer
//! that was taken over.
//!
//! If requests fail after `commit()` was called, Firefox considers only the last request: a
//! transaction in which an earlier request failed is completed. So `commit()` is called only if the
//! last request is the only request that may fail, or if all requests that may fail have ended.
//! Otherwise the transaction commits automatically.

mod approvals;
mod batch;
mod request;

use std::{
    cell::RefCell,
    collections::HashSet,
    mem,
    rc::{Rc, Weak},
};

use futures_util::future::FutureExt as _;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{
    IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode,
};

pub use self::approvals::IndexedDbApprovals;

use self::{
    batch::PiecewiseWrite,
    request::{
        TransactionEnd, begin_transaction, convert_error, object_store, open_database,
        wait_for_result,
    },
};
use super::{
    Batch, Label, Record, Store, StoreError, StoreErrorKind, StoreFuture, StoredThread, ThreadInfo,
};
use crate::ui::PageLifecycle;

/// The version of the database. Version 1 had no index of the fences.
const DATABASE_VERSION: u32 = 2;
const RECORDS: &str = "records";
const JOURNAL: &str = "journal";
const THREADS: &str = "threads";
const LABELS: &str = "labels";
const FENCES: &str = "fences";
const ALL_STORES: [&str; 5] = [RECORDS, JOURNAL, THREADS, LABELS, FENCES];
/// The time for which fences are kept, in milliseconds.
const FENCE_LIFETIME_MS: i64 = 30 * 24 * 3_600_000;

/// A store in the browser's `IndexedDB`, which all tabs of an origin share. Clones share a
/// connection.
///
/// ```no_run
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     AssistantProvider, ChatWindow, agent::HttpAgent, store::IndexedDbStore,
/// };
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent") store=IndexedDbStore::new("orders")>
///             <ChatWindow />
///         </AssistantProvider>
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct IndexedDbStore(Rc<Connection>);

#[derive(Debug)]
struct Connection {
    name: String,
    stores: &'static [&'static str],
    database: RefCell<Option<IdbDatabase>>,
    /// The conversations that this connection has taken.
    written: RefCell<HashSet<String>>,
    /// The conversations that an earlier connection has taken. A check before the next write
    /// verifies that these conversations still exist.
    unverified: RefCell<HashSet<String>>,
    /// The last batch that is written in pieces.
    pieces: RefCell<Weak<PiecewiseWrite>>,
    leaving: RefCell<Option<PageLifecycle>>,
}

impl IndexedDbStore {
    /// Creates a store in the database with this name, which is created on first use. Applications
    /// of one origin that must not share conversations must use different names.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(Rc::new(Connection::new(name.into(), &ALL_STORES)))
    }
}

impl Connection {
    fn new(name: String, stores: &'static [&'static str]) -> Self {
        Self {
            name,
            stores,
            database: RefCell::default(),
            written: RefCell::default(),
            unverified: RefCell::default(),
            pieces: RefCell::default(),
            leaving: RefCell::default(),
        }
    }

    fn current_database(&self) -> Option<IdbDatabase> {
        self.database.borrow().clone()
    }

    async fn get_or_open_database(self: Rc<Self>) -> Result<IdbDatabase, StoreError> {
        if let Some(database) = self.current_database() {
            return Ok(database);
        }
        let database = open_database(&self.name, DATABASE_VERSION, self.stores).await?;
        if let Some(current_database) = self.current_database() {
            database.close();
            return Ok(current_database);
        }
        self.close_on_request(&database);
        *self.database.borrow_mut() = Some(database.clone());
        Ok(database)
    }

    /// Drops a lost connection, and marks its conversations for a check, because the database may
    /// be deleted as well.
    fn forget_connection(&self) {
        self.database.borrow_mut().take();
        let thread_ids = mem::take(&mut *self.written.borrow_mut());
        self.unverified.borrow_mut().extend(thread_ids);
    }

    /// Fails with [`StoreErrorKind::Forgotten`] if a conversation that an earlier connection has
    /// taken was deleted, because the unsaved changes alone are not the complete conversation.
    async fn check_existence(
        &self,
        database: &IdbDatabase,
        thread: &str,
    ) -> Result<(), StoreError> {
        if !self.unverified.borrow().contains(thread) {
            return Ok(());
        }
        let mode = IdbTransactionMode::Readonly;
        let transaction = self.begin_transaction(database, &[THREADS], mode, false)?;
        let row = object_store(&transaction, THREADS)?.get(&JsValue::from_str(thread));
        let row = wait_for_result(row).await?;
        self.unverified.borrow_mut().remove(thread);
        if row.is_undefined() {
            let message = "the browser has deleted what was stored";
            return Err(StoreError::new(StoreErrorKind::Forgotten, message));
        }
        Ok(())
    }

    /// Closes the connection if another tab upgrades or deletes the database, or if the browser
    /// closes the database. The next use opens the database again.
    fn close_on_request(self: &Rc<Self>, database: &IdbDatabase) {
        let (weak_connection, closed_database) = (Rc::downgrade(self), database.clone());
        let on_close = Closure::<dyn FnMut()>::new(move || {
            closed_database.close();
            if let Some(connection) = weak_connection.upgrade() {
                connection.forget_connection();
            }
        });
        // The listener is never freed, because the store lives as long as the page.
        let on_close = on_close.into_js_value();
        database.set_onversionchange(Some(on_close.unchecked_ref()));
        database.set_onclose(Some(on_close.unchecked_ref()));
    }

    /// Begins a transaction that follows all batches of this connection: if a batch is being
    /// written in pieces, its remaining requests are made first. Fails, and drops the connection,
    /// if the browser has closed the connection without an event.
    fn begin_transaction(
        &self,
        database: &IdbDatabase,
        stores: &[&str],
        mode: IdbTransactionMode,
        strict: bool,
    ) -> Result<IdbTransaction, StoreError> {
        self.make_requests_at_once();
        let transaction = begin_transaction(database, stores, mode, strict);
        if transaction.is_err() {
            self.forget_connection();
        }
        transaction
    }

    async fn load(self: Rc<Self>, thread_id: String) -> Result<Option<StoredThread>, StoreError> {
        let database = Rc::clone(&self).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readonly;
        let transaction = self.begin_transaction(&database, &[RECORDS, JOURNAL], mode, false)?;
        let range = thread_key_range(&thread_id)?;
        let records = object_store(&transaction, RECORDS)?.get_all_with_key(&range);
        let journal = object_store(&transaction, JOURNAL)?.get_all_with_key(&range);
        let records = parse_records(&wait_for_result(records).await?)?;
        let journal = parse_records(&wait_for_result(journal).await?)?;
        Ok((!records.is_empty()).then_some(StoredThread { records, journal }))
    }

    async fn take(self: Rc<Self>, thread_id: String, writer: String) -> Result<(), StoreError> {
        let database = Rc::clone(&self).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readwrite;
        let transaction = self.begin_transaction(&database, &[THREADS, FENCES], mode, true)?;
        let end = TransactionEnd::observe(&transaction);
        let threads = object_store(&transaction, THREADS)?;
        let id = JsValue::from_str(&thread_id);
        let row = ThreadRow::from_value(&wait_for_result(threads.get(&id)).await?);
        let fences = object_store(&transaction, FENCES)?;
        if let Some(previous_writer) = row
            .writer
            .filter(|previous_writer| *previous_writer != writer)
        {
            fence_off(&fences, &thread_id, &previous_writer)?;
        }
        let expiry = format!("{:015}", crate::ui::now() - FENCE_LIFETIME_MS);
        let (lower_bound, upper_bound) = (
            string_pair(&thread_id, ""),
            string_pair(&thread_id, &expiry),
        );
        let expired_fences = IdbKeyRange::bound(&lower_bound, &upper_bound)
            .map_err(|error| convert_error(&error))?;
        check_request(fences.delete(&expired_fences))?;
        let row = ThreadRow {
            writer: Some(writer),
            ..row
        };
        check_request(threads.put_with_key(&row.to_value(), &id))?;
        end.wait().await?;
        self.unverified.borrow_mut().remove(&thread_id);
        self.written.borrow_mut().insert(thread_id);
        Ok(())
    }

    async fn threads(self: Rc<Self>) -> Result<Vec<ThreadInfo>, StoreError> {
        let database = Rc::clone(&self).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readonly;
        let transaction = self.begin_transaction(&database, &[THREADS, LABELS], mode, false)?;
        let rows = object_store(&transaction, THREADS)?.get_all();
        let labels = object_store(&transaction, LABELS)?.get_all();
        let (rows, labels) = (wait_for_result(rows).await?, wait_for_result(labels).await?);
        let labels = parse_records(&labels)?;
        let info = |row: JsValue| {
            let info = ThreadInfo::from_text(&ThreadRow::from_value(&row).info?)?;
            let label = labels.iter().find(|label| label.name == info.id);
            let label = label.map(|label| Label::from_text(&label.text));
            Some(info.labelled(label.unwrap_or_default()))
        };
        Ok(Array::from(&rows).iter().filter_map(info).collect())
    }

    async fn label(self: Rc<Self>, thread_id: String, text: String) -> Result<(), StoreError> {
        let database = Rc::clone(&self).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readwrite;
        let transaction = self.begin_transaction(&database, &[LABELS], mode, false)?;
        let end = TransactionEnd::observe(&transaction);
        let (value, key) = (
            string_pair(&thread_id, &text),
            JsValue::from_str(&thread_id),
        );
        check_request(object_store(&transaction, LABELS)?.put_with_key(&value, &key))?;
        end.wait().await
    }

    async fn remove(self: Rc<Self>, thread_id: String) -> Result<(), StoreError> {
        let database = Rc::clone(&self).get_or_open_database().await?;
        let transaction =
            self.begin_transaction(&database, &ALL_STORES, IdbTransactionMode::Readwrite, false)?;
        let end = TransactionEnd::observe(&transaction);
        let id = JsValue::from_str(&thread_id);
        let threads = object_store(&transaction, THREADS)?;
        // Fences off the writer, so that a tab with the open conversation does not write the data
        // again.
        if let Some(writer) =
            ThreadRow::from_value(&wait_for_result(threads.get(&id)).await?).writer
        {
            fence_off(&object_store(&transaction, FENCES)?, &thread_id, &writer)?;
        }
        check_request(threads.delete(&id))?;
        check_request(object_store(&transaction, LABELS)?.delete(&id))?;
        let range = thread_key_range(&thread_id)?;
        check_request(object_store(&transaction, RECORDS)?.delete(&range))?;
        check_request(object_store(&transaction, JOURNAL)?.delete(&range))?;
        end.wait().await
    }
}

impl Store for IndexedDbStore {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        Rc::clone(&self.0).load(thread_id.to_owned()).boxed_local()
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        let (thread_id, writer) = (thread_id.to_owned(), writer.to_owned());
        Rc::clone(&self.0).take(thread_id, writer).boxed_local()
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        let (connection, batch) = (Rc::clone(&self.0), Rc::new(batch));
        let first_attempt = connection
            .current_database()
            .map(|database| connection.write_batch(&database, &batch));
        async move {
            let batch_write = match first_attempt {
                Some(Ok(batch_write)) => batch_write,
                // The connection may be lost, so the write is retried once over a new connection.
                Some(Err(_)) | None => {
                    let database = Rc::clone(&connection).get_or_open_database().await?;
                    connection
                        .check_existence(&database, &batch.thread_id)
                        .await?;
                    connection.write_batch(&database, &batch)?
                }
            };
            batch_write.wait().await
        }
        .boxed_local()
    }

    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        Rc::clone(&self.0).threads().boxed_local()
    }

    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        let write = Rc::clone(&self.0).label(thread_id.to_owned(), label.to_text());
        write.boxed_local()
    }

    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        Rc::clone(&self.0)
            .remove(thread_id.to_owned())
            .boxed_local()
    }

    fn shared_as(&self) -> Option<String> {
        Some(self.0.name.clone())
    }
}

/// Adds an entry to the journal. The request fails if the journal already contains an entry with
/// this name.
fn add_entry(
    journal: &IdbObjectStore,
    thread: &str,
    entry: &Record,
) -> Result<IdbRequest, StoreError> {
    let (key, value) = (
        string_pair(thread, &entry.name),
        string_pair(&entry.name, &entry.text),
    );
    check_request(journal.add_with_key(&value, &key))
}

/// Signs a batch with its writer. The request fails if that writer is fenced off.
///
/// The signature has the same value as the fence of the writer, and the index permits each value
/// only once.
fn add_signature(
    fences: &IdbObjectStore,
    thread: &str,
    writer: &str,
) -> Result<IdbRequest, StoreError> {
    check_request(fences.put_with_key(&string_pair(thread, writer), &signature_key(thread, writer)))
}

/// Prevents a writer from signing further batches.
fn fence_off(fences: &IdbObjectStore, thread: &str, writer: &str) -> Result<(), StoreError> {
    check_request(fences.delete(&signature_key(thread, writer)))?;
    let fence = string_pair(thread, writer);
    check_request(fences.put_with_key(&fence, &fence)).map(drop)
}

/// Returns the key of a writer's signature, which sorts after the key of the writer's fence.
fn signature_key(thread: &str, writer: &str) -> JsValue {
    Array::of3(&thread.into(), &writer.into(), &"signed".into()).into()
}

/// Returns an error listener that ignores a failed request: the existing entry stays, and the
/// transaction continues.
fn failure_ignoring_listener() -> js_sys::Function {
    let ignore_failure = |event: web_sys::Event| {
        event.prevent_default();
        event.stop_propagation();
    };
    Closure::once_into_js(ignore_failure).unchecked_into()
}

fn commit_early(transaction: &IdbTransaction) {
    // Older browsers have no function `commit`, and commit the transaction automatically.
    let commit = js_sys::Reflect::get(transaction, &"commit".into());
    if let Ok(Ok(commit)) = commit.map(JsCast::dyn_into::<js_sys::Function>) {
        // The call fails only if the transaction is over, which its events report.
        let _ = commit.call0(transaction);
    }
}

#[derive(Default)]
struct ThreadRow {
    info: Option<String>,
    writer: Option<String>,
}

impl ThreadRow {
    fn from_value(value: &JsValue) -> Self {
        let Some(row) = value.dyn_ref::<Array>() else {
            return Self::default();
        };
        Self {
            info: row.get(0).as_string(),
            writer: row.get(1).as_string(),
        }
    }

    fn to_value(&self) -> JsValue {
        let convert = |text: &Option<String>| text.as_deref().map(JsValue::from_str);
        let convert_or_null = |text| convert(text).unwrap_or(JsValue::NULL);
        Array::of2(&convert_or_null(&self.info), &convert_or_null(&self.writer)).into()
    }
}

/// Returns two strings as an array that is a key or a value.
fn string_pair(first: &str, second: &str) -> JsValue {
    Array::of2(&first.into(), &second.into()).into()
}

/// Returns the range of all keys of a conversation. The upper bound is an array, because arrays
/// sort after all strings.
fn thread_key_range(thread: &str) -> Result<JsValue, StoreError> {
    let lower_bound = Array::of1(&thread.into());
    let upper_bound = Array::of2(&thread.into(), &Array::new());
    let range = IdbKeyRange::bound(&lower_bound, &upper_bound);
    range
        .map(JsValue::from)
        .map_err(|error| convert_error(&error))
}

fn check_request(request: Result<IdbRequest, JsValue>) -> Result<IdbRequest, StoreError> {
    request.map_err(|error| convert_error(&error))
}

fn parse_records(values: &JsValue) -> Result<Vec<Record>, StoreError> {
    let parse = |value: JsValue| {
        let value = value.dyn_into::<Array>().ok()?;
        Some(Record {
            name: value.get(0).as_string()?,
            text: value.get(1).as_string()?,
        })
    };
    let records: Option<Vec<Record>> = Array::from(values).iter().map(parse).collect();
    let corrupt_error = || {
        let message = "the store holds something that was not written by this program";
        StoreError::new(StoreErrorKind::Corrupt, message)
    };
    records.ok_or_else(corrupt_error)
}
