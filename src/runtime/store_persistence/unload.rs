//! Copies unwritten changes to the session storage when the page is unloaded.
//!
//! While a page is unloaded, the browser aborts a write that waits for an earlier write. Therefore
//! the next page of the tab repeats these writes with the writer id of the previous page, before
//! the next page becomes the writer. The store refuses them if another tab has become the writer.

use std::{cell::RefCell, rc::Rc};

use assistant_core::session::StoredCalls;
use serde_json::{Value, json};

use super::{
    StorePersistence, open::parse_stored_thread, save::build_batch, tab, thread::TabThread,
};
use crate::{
    store::{Batch, Record, StoreError, StoreErrorKind, StoreFuture, StoredThread, ThreadInfo},
    ui::now,
};

/// The maximum total length of the names and texts of a copy, in bytes.
const MAX_COPY_BYTES: usize = 1024 * 1024;
/// The maximum age of the writer of a copy, in milliseconds. A store may forget after a month that
/// another tab has replaced the writer.
const MAX_WRITER_AGE_MS: i64 = 14 * 24 * 3_600_000;

/// The batches that the store has received and not yet answered, in the order of the writes.
#[derive(Default)]
pub(super) struct PendingWrites {
    next_number: u64,
    /// The batches with their numbers. A batch is `None` if it is too large for a copy.
    batches: Vec<(u64, Option<Batch>)>,
}

/// A write that the store has not answered. Dropping it ends the write.
struct PendingWrite {
    number: u64,
    writes: Rc<RefCell<PendingWrites>>,
}

impl PendingWrite {
    fn begin(writes: &Rc<RefCell<PendingWrites>>, batch: &Batch) -> Self {
        let mut list = writes.borrow_mut();
        let number = list.next_number;
        list.next_number = number.wrapping_add(1);
        let is_small = byte_length(batch) <= MAX_COPY_BYTES;
        list.batches.push((number, is_small.then(|| batch.clone())));
        drop(list);
        let writes = Rc::clone(writes);
        Self { number, writes }
    }
}

impl Drop for PendingWrite {
    fn drop(&mut self) {
        let mut writes = self.writes.borrow_mut();
        writes.batches.retain(|(number, _)| *number != self.number);
    }
}

/// The copy of a page's unwritten changes.
struct UnloadCopy {
    /// True if the store has registered the writer. False if the store has received nothing of the
    /// conversation.
    is_registered: bool,
    batches: Vec<Batch>,
}

impl UnloadCopy {
    /// Returns true if the batches contain a complete conversation. They do not if the store had the
    /// conversation, and has lost it.
    fn is_complete(&self) -> bool {
        let records = self.batches.iter().flat_map(|batch| batch.put.clone());
        let thread = StoredThread::new(records.collect(), Vec::new());
        parse_stored_thread(&thread).is_ok()
    }

    fn to_text(&self) -> String {
        let batches: Vec<Value> = self.batches.iter().map(batch_to_value).collect();
        json!({ "isRegistered": self.is_registered, "batches": batches }).to_string()
    }

    /// Parses the output of [`Self::to_text`]. Returns `None` for any other text, and for a copy
    /// whose writer is old.
    fn from_text(text: &str, thread_id: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let batches = value.get("batches")?.as_array()?.iter();
        let batches: Option<Vec<Batch>> = batches
            .map(|batch| batch_from_value(batch, thread_id))
            .collect();
        let batches = batches?;
        let is_recent = batches.iter().all(|batch| is_recent(&batch.writer));
        let is_registered = value.get("isRegistered")?.as_bool()?;
        is_recent.then_some(Self {
            is_registered,
            batches,
        })
    }
}

impl StorePersistence {
    /// Gives a batch to the store. Until the returned future ends or is dropped, the batch is copied
    /// if the page is unloaded.
    pub(super) fn begin_write(&self, batch: Batch) -> StoreFuture<()> {
        let pending_write = PendingWrite::begin(&self.pending_writes, &batch);
        let write = self.store.write(batch);
        Box::pin(async move {
            let outcome = write.await;
            drop(pending_write);
            outcome
        })
    }

    /// Copies the changes of this tab's conversation that the store has not written, because the
    /// page is unloaded. Removes an older copy.
    pub(super) fn copy_unwritten_changes(&self) {
        let thread = self.thread();
        if !self.owns_thread() || thread.is_apart.get() {
            return;
        }
        let copy = self.unwritten_changes(&thread);
        let copy = copy.filter(|copy| {
            let bytes: usize = copy.batches.iter().map(byte_length).sum();
            !copy.batches.is_empty() && bytes <= MAX_COPY_BYTES
        });
        let text = copy.as_ref().map(UnloadCopy::to_text);
        tab::store_unload_copy(&*self.store, &thread.id, text.as_deref());
        let Some(copy) = copy else { return };
        if !copy.is_registered {
            // The next page finds a conversation that is not in the store only by its id.
            self.remember_in_tab(&thread.id);
        }
        let runtime = self.runtime.upgrade();
        if let Some(calls) = runtime.and_then(|runtime| runtime.read(StoredCalls::of)) {
            thread.add_stored_calls(calls);
        }
    }

    /// Returns `None` if there is no copy to make, or if a batch is too large.
    fn unwritten_changes(&self, thread: &TabThread) -> Option<UnloadCopy> {
        let is_registered = thread.taken.get();
        let batches = match is_registered {
            true => {
                let writes = self.pending_writes.borrow();
                let batches = writes.batches.iter().map(|(_, batch)| batch.clone());
                let batches: Option<Vec<Batch>> = batches.collect();
                let is_of_thread = |batch: &Batch| {
                    batch.thread_id == thread.id && batch.writer == *thread.writer.borrow()
                };
                batches?.into_iter().filter(is_of_thread).collect()
            }
            false if self.has_changes(thread) && self.opens_after_reload(thread) => {
                vec![self.whole_thread(thread)?]
            }
            false => return None,
        };
        Some(UnloadCopy {
            is_registered,
            batches,
        })
    }

    /// Returns true if a page of the same tab opens this conversation, and not one that the
    /// application has named.
    fn opens_after_reload(&self, thread: &TabThread) -> bool {
        let named_thread = self.named_thread.as_ref();
        named_thread.is_none_or(|named_thread| *named_thread == thread.id)
    }

    /// Returns a batch with the complete conversation and its unsaved journal entries.
    fn whole_thread(&self, thread: &TabThread) -> Option<Batch> {
        let runtime = self.runtime.upgrade()?;
        let batch = runtime.read(|session| {
            let is_current = session.thread_id() == thread.id && !session.is_following();
            is_current.then(|| {
                let mut changes = self.unsaved.borrow().to_whole_thread();
                build_batch(session, thread, &mut changes)
            })
        });
        batch.flatten()
    }

    /// Removes the copy of this tab's conversation, because the page is not unloaded, or because
    /// the page has become the writer.
    pub(super) fn discard_unload_copy(&self, thread: &TabThread) {
        if !thread.is_apart.get() {
            tab::store_unload_copy(&*self.store, &thread.id, None);
        }
    }

    /// Repeats the writes that the previous page of this tab has copied. This page must own the
    /// conversation, and must not be its writer yet. The copy stays until this page is the writer,
    /// so that it is not lost if this page ends first: repeating the writes twice has no further
    /// effect.
    ///
    /// # Errors
    ///
    /// Fails if the store does not work. Writes that the store refuses are dropped.
    pub(super) async fn write_unload_copy(&self, thread: &TabThread) -> Result<(), StoreError> {
        let text = tab::unload_copy(&*self.store, &thread.id);
        let copy = text.and_then(|text| UnloadCopy::from_text(&text, &thread.id));
        let Some(copy) = copy else { return Ok(()) };
        let stored_thread = self.with_timeout(self.store.load(&thread.id)).await?;
        let is_applicable = match stored_thread {
            Some(_) => copy.is_registered,
            None => copy.is_complete(),
        };
        if !is_applicable {
            return Ok(());
        }
        if let Some(batch) = copy.batches.first().filter(|_| !copy.is_registered) {
            let registration = self.store.take(&thread.id, &batch.writer);
            self.with_timeout(registration).await?;
        }
        for batch in copy.batches {
            match self.with_timeout(self.store.write(batch)).await {
                Ok(()) => {}
                Err(error) if is_refusal(error.kind) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Returns true if a store that works has refused a batch.
const fn is_refusal(kind: StoreErrorKind) -> bool {
    matches!(
        kind,
        StoreErrorKind::TakenOver | StoreErrorKind::Claimed | StoreErrorKind::Full
    )
}

/// Returns true if the writer was created recently. The id of a writer begins with its time.
fn is_recent(writer: &str) -> bool {
    let created_at = writer.split('-').next().and_then(|time| time.parse().ok());
    created_at.is_some_and(|created_at: i64| now().saturating_sub(created_at) < MAX_WRITER_AGE_MS)
}

/// Returns the total length of the names and texts of a batch, in bytes.
fn byte_length(batch: &Batch) -> usize {
    let records = batch.put.iter().chain(&batch.add);
    let records = records.map(|record| record.name.len().saturating_add(record.text.len()));
    let removed = batch.remove.iter().map(String::len);
    records.chain(removed).fold(0, usize::saturating_add)
}

/// Serializes a batch without its claim, because the call of the claim has not started.
fn batch_to_value(batch: &Batch) -> Value {
    let records = |records: &[Record]| -> Vec<Value> {
        let records = records.iter();
        records
            .map(|record| json!([record.name, record.text]))
            .collect()
    };
    json!({
        "writer": batch.writer,
        "put": records(&batch.put),
        "remove": batch.remove,
        "add": records(&batch.add),
        "info": batch.info.as_ref().map(ThreadInfo::to_text),
    })
}

fn batch_from_value(value: &Value, thread_id: &str) -> Option<Batch> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let record = |value: &Value| Some(Record::new(text(value.get(0)?)?, text(value.get(1)?)?));
    let records = |name: &str| -> Option<Vec<Record>> {
        let records = value.get(name)?.as_array()?;
        records.iter().map(record).collect()
    };
    let info = value.get("info")?.as_str();
    let info = info.and_then(ThreadInfo::from_text);
    let mut batch = Batch::new(thread_id, text(value.get("writer")?)?);
    batch.put = records("put")?;
    batch.add = records("add")?;
    batch.remove = value
        .get("remove")?
        .as_array()?
        .iter()
        .map(text)
        .collect::<Option<_>>()?;
    batch.info = info.filter(|info| info.id == thread_id);
    Some(batch)
}
