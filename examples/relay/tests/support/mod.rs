//! Stores, agents and relays for tests.

mod agent;
mod redis_server;
mod test_relay;
mod wire;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use relay::{
    Changes, Limits,
    store::{RedisStore, RunKey, SqliteStore, Store},
};
use tokio::time;

pub(crate) use agent::TestAgent;
pub(crate) use redis_server::RedisServer;
pub(crate) use test_relay::{TestRelay, types_of};

/// Declares a test of each store: a module with a test for `SQLite` and one for Redis.
macro_rules! test_of_stores {
    ($name:ident, $body:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "bodies that use nothing of their module")]
            use super::*;

            #[test]
            fn in_sqlite() {
                $crate::support::Place::sqlite().check($body);
            }

            #[test]
            #[cfg_attr(not(redis_server), ignore = "redis-server is not installed")]
            fn in_redis() {
                $crate::support::Place::redis().check($body);
            }
        }
    };
}

/// A folder that is removed at the end of a test.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("relay-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The place of the runs of a test, whose store can be opened several times.
#[derive(Debug)]
pub(crate) enum Place {
    Sqlite(Folder),
    Redis(RedisServer),
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(Folder::new())
    }

    pub(crate) fn redis() -> Self {
        Self::Redis(RedisServer::start())
    }

    /// Calls the body of a test.
    pub(crate) fn check(self, body: impl FnOnce(&Self)) {
        body(&self);
    }

    /// Opens the store, as a relay does when it starts, with leases that are valid for a short time.
    pub(crate) fn open(&self) -> Arc<dyn Store> {
        let limits = Limits {
            lease: SHORT_LEASE,
            ..Limits::default()
        };
        self.open_with(&limits, &Arc::default())
    }

    pub(crate) fn open_with(&self, limits: &Limits, changes: &Arc<Changes>) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(folder) => {
                Arc::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap())
            }
            Self::Redis(server) => {
                Arc::new(RedisStore::open(&server.url(), limits, changes).unwrap())
            }
        }
    }

    /// Returns the server of a place in Redis.
    pub(crate) fn server(&self) -> &RedisServer {
        match self {
            Self::Redis(server) => server,
            Self::Sqlite(_) => panic!("the runs are in a file"),
        }
    }

    /// Lets the lease of a relay that has ended run out.
    pub(crate) fn expire_leases(&self) {
        if let Self::Redis(server) = self {
            server.expire_leases();
        }
    }
}

pub(crate) fn key(run: &str) -> RunKey {
    RunKey {
        thread: "thread".to_owned(),
        run: run.to_owned(),
    }
}

/// The duration of a lease that a test waits for.
pub(crate) const SHORT_LEASE: Duration = Duration::from_millis(200);

/// The time after which a test that still waits fails.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs an asynchronous test.
pub(crate) fn in_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let ended = runtime
        .unwrap()
        .block_on(async { time::timeout(DEADLINE, test).await });
    ended.expect("the test waits for nothing");
}
