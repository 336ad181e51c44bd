//! Stores conversations in memory, for tests and for pages that persist nothing.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::future::{FutureExt as _, LocalBoxFuture, ready};

use super::{
    Batch, Label, Record, Store, StoreError, StoreErrorKind, StoreFuture, StoredThread, ThreadInfo,
};

/// A store whose content is lost when the page is unloaded. Clones share their content.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Rc<RefCell<Threads>>);

type Threads = BTreeMap<String, MemoryThread>;

#[derive(Debug, Default)]
struct MemoryThread {
    writer: Option<String>,
    records: BTreeMap<String, String>,
    journal: BTreeMap<String, String>,
    info: Option<ThreadInfo>,
    label: Label,
}

impl MemoryThread {
    fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        if self
            .writer
            .as_ref()
            .is_some_and(|writer| *writer != batch.writer)
        {
            let message = "another tab has this conversation now";
            return Err(StoreError::new(StoreErrorKind::TakenOver, message));
        }
        if let Some(claim) = batch.claim {
            if self.journal.contains_key(&claim.name) {
                let message = "it was started before";
                return Err(StoreError::new(StoreErrorKind::Claimed, message));
            }
            self.journal.insert(claim.name, claim.text);
        }
        self.writer = Some(batch.writer);
        for entry in batch.add {
            self.journal.entry(entry.name).or_insert(entry.text);
        }
        for name in &batch.remove {
            self.records.remove(name);
        }
        let records = batch.put.into_iter();
        self.records
            .extend(records.map(|record| (record.name, record.text)));
        self.info = batch.info.or(self.info.take());
        Ok(())
    }
}

fn to_records(texts: &BTreeMap<String, String>) -> Vec<Record> {
    let to_record = |(name, text): (&String, &String)| Record {
        name: name.clone(),
        text: text.clone(),
    };
    texts.iter().map(to_record).collect()
}

fn ready_future<T: 'static>(
    result: Result<T, StoreError>,
) -> LocalBoxFuture<'static, Result<T, StoreError>> {
    ready(result).boxed_local()
}

impl Store for MemoryStore {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        let threads = self.0.borrow();
        let thread = threads
            .get(thread_id)
            .filter(|thread| !thread.records.is_empty());
        ready_future(Ok(thread.map(|thread| StoredThread {
            records: to_records(&thread.records),
            journal: to_records(&thread.journal),
        })))
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        let mut threads = self.0.borrow_mut();
        let thread = threads.entry(thread_id.to_owned()).or_default();
        thread.writer = Some(writer.to_owned());
        ready_future(Ok(()))
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        let mut threads = self.0.borrow_mut();
        let thread = threads.entry(batch.thread_id.clone()).or_default();
        ready_future(thread.write(batch))
    }

    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        let threads = self.0.borrow();
        let labelled_info =
            |thread: &MemoryThread| Some(thread.info.clone()?.labelled(thread.label.clone()));
        ready_future(Ok(threads.values().filter_map(labelled_info).collect()))
    }

    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        let mut threads = self.0.borrow_mut();
        threads.entry(thread_id.to_owned()).or_default().label = label;
        ready_future(Ok(()))
    }

    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        self.0.borrow_mut().remove(thread_id);
        ready_future(Ok(()))
    }
}
