//! Ends of runs that the store does not take at once.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    time::Duration,
};

use relay::{
    Limits, Users,
    store::{Page, PageSize, RunKey, Store, StoreError, StoredRun},
};

use crate::support::{Place, SHORT_LEASE, TestAgent, TestRelay, in_runtime, types_of};

/// A store that fails to close runs until a run is read for the second time. That read returns the
/// run as it was before its end, after the end was stored.
#[derive(Debug)]
struct LateStore {
    inner: Arc<dyn Store>,
    reads: Mutex<usize>,
    closed: (Sender<()>, Mutex<Receiver<()>>),
}

impl LateStore {
    fn is_second_read(&self) -> bool {
        *self.reads.lock().unwrap() >= 2
    }
}

impl Store for LateStore {
    fn create(&self, key: &RunKey, owner: &str) -> Result<bool, StoreError> {
        self.inner.create(key, owner)
    }

    fn append(
        &self,
        key: &RunKey,
        position: usize,
        event: &str,
        is_end: bool,
    ) -> Result<bool, StoreError> {
        self.inner.append(key, position, event, is_end)
    }

    fn close(&self, key: &RunKey, error: &str) -> Result<(), StoreError> {
        if !self.is_second_read() {
            return Err(rusqlite::Error::InvalidQuery.into());
        }
        self.inner.close(key, error)?;
        self.closed.0.send(()).unwrap();
        Ok(())
    }

    fn remove(&self, key: &RunKey) -> Result<(), StoreError> {
        self.inner.remove(key)
    }

    fn run(&self, key: &RunKey) -> Result<Option<StoredRun>, StoreError> {
        let run = self.inner.run(key);
        *self.reads.lock().unwrap() += 1;
        if self.is_second_read() {
            self.closed.1.lock().unwrap().recv().unwrap();
            // The relay learns that the end is stored.
            std::thread::sleep(SHORT_LEASE);
        }
        run
    }

    fn page(&self, key: &RunKey, from: usize, max: PageSize) -> Result<Option<Page>, StoreError> {
        self.inner.page(key, from, max)
    }

    fn closable_runs(&self) -> Result<Vec<RunKey>, StoreError> {
        self.inner.closable_runs()
    }

    fn expire(&self, age: Duration) -> Result<(), StoreError> {
        self.inner.expire(age)
    }
}

#[test]
fn an_end_that_is_stored_while_its_run_is_read_has_the_id_that_the_page_knows() {
    in_runtime(async {
        let (place, mut agent) = (Place::sqlite(), TestAgent::start().await);
        let limits = Limits {
            lease: SHORT_LEASE,
            ..Limits::default()
        };
        let changes = Arc::default();
        let (closed, is_closed) = mpsc::channel();
        let store = LateStore {
            inner: place.open_with(&limits, &changes),
            reads: Mutex::default(),
            closed: (closed, Mutex::new(is_closed)),
        };
        let users = Users::Credentials;
        let relay = TestRelay::start_on(Arc::new(store), changes, users, &agent.url, limits).await;
        agent.send(r#"{"type":"RUN_STARTED"}"#);
        agent.end();
        let text = relay.post("r").await.text().await.unwrap();
        assert_eq!(types_of(&text), ["RUN_STARTED", "RUN_ERROR"]);
        assert!(text.contains("id: 1\n"), "{text}");
        let text = relay.get("r", Some(0)).await.text().await.unwrap();
        assert_eq!(types_of(&text), ["RUN_ERROR"]);
        assert_eq!(relay.get("r", Some(1)).await.status(), 204);
    });
}
