//! Makes the requests of a batch in one transaction.
//!
//! Thousands of requests take long, so the requests of a large batch are made in pieces, between
//! which the page handles input. The transaction stays open because the requests of a piece are
//! made in the event of the last request of the previous piece. If a piece fails, nothing of the
//! batch is written.
//!
//! On unload of the page, the browser aborts a transaction for which further requests are to be
//! made. Therefore, if the page is hidden or unloaded, this page aborts the transaction and makes
//! all requests at once in a new transaction. This page does the same if this connection begins
//! another transaction, which must follow the batch.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
    rc::Rc,
};

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{IdbDatabase, IdbRequest, IdbTransaction, IdbTransactionMode};

use super::{
    Connection, FENCES, JOURNAL, RECORDS, THREADS, ThreadRow, add_entry, add_signature,
    check_request, commit_early, failure_ignoring_listener,
    request::{TransactionEnd, is_key_taken, object_store},
};
use crate::{
    store::{Batch, StoreError, StoreErrorKind},
    ui::{PageLifecycle, is_hidden},
};

/// The maximum number of records in a piece.
const MAX_PIECE_RECORDS: usize = 64;
/// The total length of texts at which a piece ends, in bytes.
const MAX_PIECE_BYTES: usize = 256 * 1024;

/// A batch whose requests have been made, or are being made.
pub(super) struct BatchWrite {
    end: TransactionEnd,
    fence: IdbRequest,
    claim: Option<IdbRequest>,
    pieces: Option<Rc<PiecewiseWrite>>,
}

impl BatchWrite {
    pub(super) async fn wait(mut self) -> Result<(), StoreError> {
        let pieces = self.pieces.take();
        let outcome = self.wait_for_transaction().await;
        // After an abort by this page, all requests were made again in a new transaction.
        let restarted_write = pieces.and_then(|pieces| pieces.again.take());
        match restarted_write {
            Some(write) => write?.wait_for_transaction().await,
            None => outcome,
        }
    }

    async fn wait_for_transaction(self) -> Result<(), StoreError> {
        let end = self.end.wait().await;
        // The requests are checked even if the transaction completed, because some browsers ignore
        // failed requests.
        if is_key_taken(&self.fence) {
            let message = "another tab has this conversation now";
            return Err(StoreError::new(StoreErrorKind::TakenOver, message));
        }
        if self.claim.as_ref().is_some_and(is_key_taken) {
            let message = "it was started before";
            return Err(StoreError::new(StoreErrorKind::Claimed, message));
        }
        end
    }
}

/// A batch whose requests are made in pieces.
pub(super) struct PiecewiseWrite {
    inner: Rc<Connection>,
    database: IdbDatabase,
    transaction: IdbTransaction,
    batch: Rc<Batch>,
    /// The number of records whose requests have been made.
    made: Cell<usize>,
    /// The write in a new transaction, in which all requests were made at once.
    again: RefCell<Option<Result<BatchWrite, StoreError>>>,
}

impl Connection {
    /// Makes the requests of a batch. If the batch is small or the page is hidden, makes all
    /// requests at once. Otherwise makes the requests of the first piece, and the other pieces
    /// follow.
    pub(super) fn write_batch(
        self: &Rc<Self>,
        database: &IdbDatabase,
        batch: &Rc<Batch>,
    ) -> Result<BatchWrite, StoreError> {
        self.watch_page_lifecycle();
        if end_of_piece(batch, 0) == record_count(batch) || is_hidden() {
            return self.write_at_once(database, batch);
        }
        let transaction = self.begin_batch_transaction(database, batch.claim.is_some())?;
        let end = TransactionEnd::observe(&transaction);
        let fence = sign_batch(&transaction, batch)?;
        let claim = add_to_journal(&transaction, batch)?;
        let pieces = Rc::new(PiecewiseWrite {
            inner: Rc::clone(self),
            database: database.clone(),
            transaction,
            batch: Rc::clone(batch),
            made: Cell::new(0),
            again: RefCell::default(),
        });
        pieces.request_next_piece()?;
        self.pieces.replace(Rc::downgrade(&pieces));
        Ok(BatchWrite {
            end,
            fence,
            claim,
            pieces: Some(pieces),
        })
    }

    /// Listens for unloading and hiding of the page. At either event, all requests of a batch that
    /// is being written in pieces are made at once, even if another listener of the same event has
    /// begun to write the batch.
    fn watch_page_lifecycle(self: &Rc<Self>) {
        if self.leaving.borrow().is_some() {
            return;
        }
        let weak_connection = Rc::downgrade(self);
        let listener = PageLifecycle::listen(move |is_unloading| {
            if let Some(connection) = weak_connection
                .upgrade()
                .filter(|_| is_unloading || is_hidden())
            {
                connection.make_requests_at_once();
            }
        });
        self.leaving.replace(listener);
    }

    /// Makes at once, in a new transaction, all requests of a batch that is being written in
    /// pieces. Does nothing if there is no such batch.
    pub(super) fn make_requests_at_once(&self) {
        let pieces = self.pieces.take().upgrade();
        pieces.inspect(|pieces| pieces.restart_at_once());
    }

    /// Makes all requests of a batch at once, in a new transaction.
    fn write_at_once(
        &self,
        database: &IdbDatabase,
        batch: &Batch,
    ) -> Result<BatchWrite, StoreError> {
        let transaction = self.begin_batch_transaction(database, batch.claim.is_some())?;
        let end = TransactionEnd::observe(&transaction);
        let may_commit_early = batch.claim.is_none() && batch.add.is_empty();
        let early_fence = (!may_commit_early).then(|| sign_batch(&transaction, batch));
        let early_fence = early_fence.transpose()?;
        let claim = add_to_journal(&transaction, batch)?;
        change_records(&transaction, batch, 0..record_count(batch))?;
        put_info(&transaction, batch)?;
        let fence = match early_fence {
            Some(fence) => fence,
            None => sign_batch(&transaction, batch)?,
        };
        if may_commit_early {
            // Commits early, because the page may be unloaded before the events of these requests
            // fire.
            commit_early(&transaction);
        }
        Ok(BatchWrite {
            end,
            fence,
            claim,
            pieces: None,
        })
    }

    fn begin_batch_transaction(
        &self,
        database: &IdbDatabase,
        is_strict: bool,
    ) -> Result<IdbTransaction, StoreError> {
        let stores = [RECORDS, JOURNAL, THREADS, FENCES];
        self.begin_transaction(database, &stores, IdbTransactionMode::Readwrite, is_strict)
    }
}

impl PiecewiseWrite {
    /// Makes the requests of the next piece, and of the following piece once these requests are
    /// done. After the last piece, puts the list entry and commits the transaction.
    fn request_next_piece(self: &Rc<Self>) -> Result<(), StoreError> {
        let (start, batch) = (self.made.get(), &self.batch);
        let end = end_of_piece(batch, start);
        let last_request = change_records(&self.transaction, batch, start..end)?;
        self.made.set(end);
        let Some(last_request) = last_request.filter(|_| end < record_count(batch)) else {
            put_info(&self.transaction, batch)?;
            // Commits early, because the requests that may fail have ended, and the page may be
            // unloaded before the events of the other requests fire.
            commit_early(&self.transaction);
            return Ok(());
        };
        let weak_pieces = Rc::downgrade(self);
        let on_success = Closure::once_into_js(move || {
            if let Some(pieces) = weak_pieces.upgrade()
                && pieces.request_next_piece().is_err()
            {
                // Aborting fails only if the transaction was already aborted, which its events
                // report.
                let _ = pieces.transaction.abort();
            }
        });
        last_request.set_onsuccess(Some(on_success.unchecked_ref()));
        Ok(())
    }

    /// If some requests were not made yet, aborts the transaction, and makes all requests at once
    /// in a new transaction.
    fn restart_at_once(&self) {
        let has_rest = self.made.get() < record_count(&self.batch);
        // Aborting fails only if the transaction was already aborted, which its events report.
        if has_rest && self.transaction.abort().is_ok() {
            let write = self.inner.write_at_once(&self.database, &self.batch);
            self.made.set(record_count(&self.batch));
            self.again.replace(Some(write));
        }
    }
}

/// Returns the number of records that a batch changes.
const fn record_count(batch: &Batch) -> usize {
    batch.remove.len().saturating_add(batch.put.len())
}

/// Returns the end of the piece that begins with the record `start`: the index after the last
/// record of the piece.
fn end_of_piece(batch: &Batch, start: usize) -> usize {
    let (mut end, mut text_bytes) = (start, 0_usize);
    while end < record_count(batch)
        && end - start < MAX_PIECE_RECORDS
        && text_bytes < MAX_PIECE_BYTES
    {
        let record = end.checked_sub(batch.remove.len());
        let record = record.and_then(|index| batch.put.get(index));
        text_bytes = text_bytes.saturating_add(record.map_or(0, |record| record.text.len()));
        end += 1;
    }
    end
}

/// Signs a batch with its writer. The request fails if that writer is fenced off.
fn sign_batch(transaction: &IdbTransaction, batch: &Batch) -> Result<IdbRequest, StoreError> {
    let fences = object_store(transaction, FENCES)?;
    add_signature(&fences, &batch.thread_id, &batch.writer)
}

/// Adds the journal entries of a batch. Returns the request of the claim, if the batch has a claim.
fn add_to_journal(
    transaction: &IdbTransaction,
    batch: &Batch,
) -> Result<Option<IdbRequest>, StoreError> {
    let (journal, thread) = (
        object_store(transaction, JOURNAL)?,
        batch.thread_id.as_str(),
    );
    let claim = batch.claim.as_ref();
    let claim = claim
        .map(|claim| add_entry(&journal, thread, claim))
        .transpose()?;
    for entry in &batch.add {
        let request = add_entry(&journal, thread, entry)?;
        request.set_onerror(Some(&failure_ignoring_listener()));
    }
    Ok(claim)
}

/// Removes and puts the records in a range of a batch, in which the removed records come before the
/// put records. Returns the last request, or `None` if the range is empty.
fn change_records(
    transaction: &IdbTransaction,
    batch: &Batch,
    range: Range<usize>,
) -> Result<Option<IdbRequest>, StoreError> {
    let records = object_store(transaction, RECORDS)?;
    // A conversation may have thousands of records, so shared values are converted once.
    let (id, mut last_request) = (JsValue::from_str(&batch.thread_id), None);
    let removals = batch.remove.iter().map(|name| (name, None));
    let insertions = batch
        .put
        .iter()
        .map(|record| (&record.name, Some(&record.text)));
    let changes = removals
        .chain(insertions)
        .skip(range.start)
        .take(range.len());
    for (name, text) in changes {
        let name = JsValue::from_str(name);
        let key = Array::of2(&id, &name);
        let request = match text {
            Some(text) => {
                let value = Array::of2(&name, &text.as_str().into());
                records.put_with_key(&value, &key)
            }
            None => records.delete(&key),
        };
        last_request = Some(check_request(request)?);
    }
    Ok(last_request)
}

/// Puts the list entry of a batch, if the batch has a list entry.
fn put_info(transaction: &IdbTransaction, batch: &Batch) -> Result<(), StoreError> {
    let Some(info) = &batch.info else {
        return Ok(());
    };
    let row = ThreadRow {
        info: Some(info.to_text()),
        writer: Some(batch.writer.clone()),
    };
    let threads = object_store(transaction, THREADS)?;
    let id = JsValue::from_str(&batch.thread_id);
    check_request(threads.put_with_key(&row.to_value(), &id)).map(drop)
}
