//! The state of a relay's runs, and access to its store.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::{sync::watch, task::spawn_blocking, time};

use crate::{
    Agent, Changes, Limits, Users,
    changes::Change,
    store::{RunKey, Store, StoreError},
};

/// The interval at which a store that cannot be reached is called again.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// The interval at which old runs are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The error message of a run whose events cannot be stored.
pub(crate) const NOT_STORED: &str = "The relay cannot store the run. Its disk may be full.";

/// A relay in front of an agent.
#[derive(Debug)]
pub struct Relay {
    pub(crate) agent: Agent,
    pub(crate) users: Users,
    pub(crate) limits: Limits,
    store: Arc<dyn Store>,
    changes: Arc<Changes>,
    runs: Mutex<Runs>,
}

/// The state of runs that is not in the store.
#[derive(Debug, Default)]
struct Runs {
    /// The runs whose agent may send further events, with their owners.
    open: HashMap<RunKey, String>,
    /// The end events that could not be stored, by run.
    unstored: HashMap<RunKey, String>,
}

/// The result of reserving a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reservation {
    Free,
    Exists,
    TooMany,
    TooManyOfUser,
}

impl Relay {
    /// Creates a relay, and starts the tasks that renew its lease and remove old runs. Runs that an
    /// earlier relay left open end with an error.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub async fn start(
        agent: Agent,
        users: Users,
        store: Arc<dyn Store>,
        changes: Arc<Changes>,
        limits: Limits,
    ) -> Result<Arc<Self>, StoreError> {
        let relay = Arc::new(Self {
            agent,
            users,
            limits,
            store,
            changes,
            runs: Mutex::default(),
        });
        relay.end_runs_without_agent().await?;
        tokio::spawn(renew_lease(Arc::downgrade(&relay)));
        tokio::spawn(sweep(Arc::downgrade(&relay)));
        Ok(relay)
    }

    /// Calls the store on a thread that may block, and returns its result.
    pub(crate) async fn with_store<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = Arc::clone(&self.store);
        let called = spawn_blocking(move || call(&*store)).await;
        called.unwrap_or_else(|error| Err(StoreError::new(&error)))
    }

    /// Calls the store, and retries for [`Limits::outage`] while the store cannot be reached. A
    /// retried call may take effect more than once.
    pub(crate) async fn with_reachable_store<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Clone + Send + 'static,
    ) -> Result<T, StoreError> {
        let until = Instant::now() + self.limits.outage;
        loop {
            match self.with_store(call.clone()).await {
                Err(error) if error.is_temporary() && Instant::now() < until => {
                    time::sleep(RETRY_INTERVAL).await;
                }
                result => return result,
            }
        }
    }

    /// Returns a receiver of the changes of a run.
    pub(crate) fn watch(&self, key: &RunKey) -> watch::Receiver<Change> {
        self.changes.watch(key)
    }

    /// Reserves a run, so that a repeated request does not start it twice. With a result other than
    /// [`Reservation::Free`], the run is not reserved.
    pub(crate) fn reserve(&self, key: &RunKey, owner: &str) -> Reservation {
        let mut runs = self.runs();
        if runs.open.contains_key(key) {
            return Reservation::Exists;
        }
        if runs.open.len() >= self.limits.open_runs {
            return Reservation::TooMany;
        }
        let of_user = runs.open.values().filter(|other| *other == owner).count();
        if self.users.have_run_limit() && of_user >= self.limits.open_runs_of_user {
            return Reservation::TooManyOfUser;
        }
        runs.open.insert(key.clone(), owner.to_owned());
        Reservation::Free
    }

    /// Returns true if the agent of a run may send further events to this relay.
    fn is_open(&self, key: &RunKey) -> bool {
        self.runs().open.contains_key(key)
    }

    /// Returns the end event that could not be stored for a run, if any.
    pub(crate) fn unstored_end(&self, key: &RunKey) -> Option<String> {
        self.runs().unstored.get(key).cloned()
    }

    /// Releases a run whose agent sends no further events.
    pub(crate) fn release(&self, key: &RunKey) {
        self.runs().open.remove(key);
    }

    /// Removes a run that its agent has not started, and releases the run even if the store fails.
    pub(crate) async fn remove(&self, key: &RunKey) {
        let removed = {
            let key = key.clone();
            self.with_store(move |store| store.remove(&key))
        };
        log_failure(removed.await);
        self.release(key);
        self.changes.report(key, false);
    }

    /// Stores the event at a position of a run before any page receives it, so that the event
    /// survives a restart. Returns false if the run has ended: it was stopped, or the event could
    /// not be stored. In the second case the run fails, because a page must not act on an event
    /// that would be lost with the relay.
    pub(crate) async fn append(
        &self,
        key: &RunKey,
        position: usize,
        event: String,
        is_end: bool,
    ) -> bool {
        let written = {
            let (key, event) = (key.clone(), Arc::<str>::from(event));
            self.with_reachable_store(move |store| store.append(&key, position, &event, is_end))
        };
        match written.await {
            Ok(is_open) => {
                if is_open {
                    self.changes.report(key, false);
                }
                is_open
            }
            Err(error) => {
                log_failure(Err(error));
                self.end(key, NOT_STORED).await;
                false
            }
        }
    }

    /// Ends a run, and adds an error with this message unless its last event is an end. If the
    /// store fails, the error is stored later.
    pub(crate) async fn end(&self, key: &RunKey, message: &str) {
        let error = json!({"type": "RUN_ERROR", "message": message}).to_string();
        let closed = {
            let (key, error) = (key.clone(), error.clone());
            self.with_store(move |store| store.close(&key, &error))
        };
        let closed = closed.await;
        let mut runs = self.runs();
        match &closed {
            Ok(()) => drop(runs.unstored.remove(key)),
            // The store is tried again with each renewal of the lease.
            Err(_) => drop(runs.unstored.entry(key.clone()).or_insert(error)),
        }
        runs.open.remove(key);
        drop(runs);
        self.changes.report(key, true);
        log_failure(closed);
    }

    /// Ends the runs that are open in the store, but have no agent: those of relays that have
    /// ended, and those whose creation or removal failed midway. Stores the end events that could
    /// not be stored before.
    async fn end_runs_without_agent(&self) -> Result<(), StoreError> {
        // A run that is open now and released meanwhile may begin again under the same ids.
        let open: HashSet<RunKey> = self.runs().open.keys().cloned().collect();
        let own = self.with_store(|store| store.closable_runs()).await?;
        let unstored: Vec<RunKey> = self.runs().unstored.keys().cloned().collect();
        for key in own.iter().chain(&unstored) {
            if open.contains(key) || self.is_open(key) {
                continue;
            }
            match self.unstored_end(key) {
                Some(error) => self.store_end(key, error).await,
                None => self.end(key, "The relay was restarted.").await,
            }
        }
        Ok(())
    }

    /// Tries again to store an end event that could not be stored before. If the store fails, the
    /// event is kept for the next attempt.
    async fn store_end(&self, key: &RunKey, error: String) {
        let stored = {
            let key = key.clone();
            self.with_store(move |store| store.close(&key, &error))
        };
        if stored.await.is_ok() {
            self.runs().unstored.remove(key);
        }
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Renews the lease of a relay, and ends runs without an agent, until the relay is dropped.
async fn renew_lease(relay: Weak<Relay>) {
    while let Some(relay) = relay.upgrade() {
        log_failure(relay.end_runs_without_agent().await);
        let pause = relay.limits.lease / 3;
        drop(relay);
        time::sleep(pause).await;
    }
}

/// Removes old runs from the store, and runs without readers from the notifications, until the
/// relay is dropped.
async fn sweep(relay: Weak<Relay>) {
    while let Some(relay) = relay.upgrade() {
        relay.changes.sweep();
        let kept_for = relay.limits.kept_for;
        log_failure(relay.with_store(move |store| store.expire(kept_for)).await);
        drop(relay);
        time::sleep(SWEEP_INTERVAL).await;
    }
}

/// Prints the error of a store to standard error, if there is one.
#[allow(clippy::print_stderr, reason = "the log of a server")]
pub(crate) fn log_failure(result: Result<(), StoreError>) {
    if let Err(error) = result {
        eprintln!("The store of the relay failed: {error}");
    }
}
