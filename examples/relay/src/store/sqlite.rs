//! A store of runs in an `SQLite` file, for one relay.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, params};

use super::{Page, PageSize, RunKey, RunState, Store, StoreError, StoredRun};

/// The statements that create the tables. Times are in milliseconds. `ended_at` is null while the
/// run's last event is not an end.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS runs (
        id INTEGER PRIMARY KEY,
        thread TEXT NOT NULL,
        run TEXT NOT NULL,
        owner TEXT NOT NULL,
        ended_at INTEGER,
        UNIQUE (thread, run)
    );
    CREATE TABLE IF NOT EXISTS events (
        run INTEGER NOT NULL,
        position INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;";

/// The time to wait for another process to release the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The settings of the connection. The file belongs to one process, which therefore needs no shared
/// memory. An existing file is read without writing, so that a relay starts although the disk is
/// full.
const SETTINGS: &str = "
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;";

/// A store of runs in an `SQLite` file.
#[derive(Debug)]
pub struct SqliteStore {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    connection: Connection,
    /// The ids of the runs that this process has created and not closed.
    open: HashSet<i64>,
}

impl SqliteStore {
    /// Opens a file, and creates it if it does not exist. A damaged file is renamed, and a new one
    /// is created.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, for example while another relay uses it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = match connect(path) {
            Err(error) if is_damage(&error) => {
                rename_damaged_file(path).map_err(|error| StoreError::new(&error))?;
                connect(path)?
            }
            opened => opened?,
        };
        let open = HashSet::new();
        Ok(Self {
            inner: Mutex::new(Inner { connection, open }),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for SqliteStore {
    fn create(&self, key: &RunKey, owner: &str) -> Result<bool, StoreError> {
        let mut inner = self.inner();
        let Inner { connection, open } = &mut *inner;
        let added = connection.execute(
            "INSERT INTO runs (thread, run, owner) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![key.thread, key.run, owner],
        )?;
        if added == 0 {
            return Ok(false);
        }
        open.insert(connection.last_insert_rowid());
        Ok(true)
    }

    fn append(
        &self,
        key: &RunKey,
        position: usize,
        event: &str,
        is_end: bool,
    ) -> Result<bool, StoreError> {
        let mut inner = self.inner();
        let Inner { connection, open } = &mut *inner;
        let Some(id) = find_run_id(connection, key)?.filter(|id| open.contains(id)) else {
            return Ok(false);
        };
        let transaction = connection.transaction()?;
        let next = count_events(&transaction, id)?;
        if position == next {
            add_event(&transaction, id, event, is_end)?;
        }
        transaction.commit()?;
        Ok(position <= next)
    }

    fn close(&self, key: &RunKey, error: &str) -> Result<(), StoreError> {
        let mut inner = self.inner();
        let Inner { connection, open } = &mut *inner;
        let Some(id) = find_run_id(connection, key)? else {
            return Ok(());
        };
        open.remove(&id);
        let transaction = connection.transaction()?;
        let has_ended: bool = transaction
            .prepare_cached("SELECT ended_at IS NOT NULL FROM runs WHERE id = ?1")?
            .query_row([id], |row| row.get(0))?;
        if !has_ended {
            add_event(&transaction, id, error, true)?;
        }
        Ok(transaction.commit()?)
    }

    fn remove(&self, key: &RunKey) -> Result<(), StoreError> {
        let mut inner = self.inner();
        let Inner { connection, open } = &mut *inner;
        let Some(id) = find_run_id(connection, key)? else {
            return Ok(());
        };
        open.remove(&id);
        let transaction = connection.transaction()?;
        transaction.execute("DELETE FROM events WHERE run = ?1", [id])?;
        transaction.execute("DELETE FROM runs WHERE id = ?1", [id])?;
        Ok(transaction.commit()?)
    }

    fn run(&self, key: &RunKey) -> Result<Option<StoredRun>, StoreError> {
        let inner = self.inner();
        let Some(id) = find_run_id(&inner.connection, key)? else {
            return Ok(None);
        };
        let owner = inner
            .connection
            .prepare_cached("SELECT owner FROM runs WHERE id = ?1")?
            .query_row([id], |row| row.get(0))?;
        Ok(Some(StoredRun {
            owner,
            events: count_events(&inner.connection, id)?,
            state: inner.state(id)?,
        }))
    }

    fn page(&self, key: &RunKey, from: usize, max: PageSize) -> Result<Option<Page>, StoreError> {
        let inner = self.inner();
        let connection = &inner.connection;
        let Some(id) = find_run_id(connection, key)? else {
            return Ok(None);
        };
        let mut select = connection.prepare_cached(
            "SELECT data FROM events WHERE run = ?1 AND position >= ?2 ORDER BY position LIMIT ?3",
        )?;
        let mut rows = select.query(params![id, from, max.events])?;
        let (mut events, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let event: String = row.get(0)?;
            bytes += event.len();
            if bytes > max.bytes && !events.is_empty() {
                break;
            }
            events.push(event);
        }
        Ok(Some(Page {
            is_last: from + events.len() >= count_events(connection, id)?,
            events,
            state: inner.state(id)?,
        }))
    }

    fn closable_runs(&self) -> Result<Vec<RunKey>, StoreError> {
        let inner = self.inner();
        let mut select = inner
            .connection
            .prepare_cached("SELECT thread, run FROM runs WHERE ended_at IS NULL")?;
        let runs = select.query_map([], |row| {
            let (thread, run) = (row.get(0)?, row.get(1)?);
            Ok(RunKey { thread, run })
        })?;
        Ok(runs.collect::<Result<_, _>>()?)
    }

    fn expire(&self, age: Duration) -> Result<(), StoreError> {
        let before = now_ms().saturating_sub(age.as_millis().try_into().unwrap_or(i64::MAX));
        let mut inner = self.inner();
        let Inner { connection, open } = &mut *inner;
        let transaction = connection.transaction()?;
        let old: Vec<i64> = transaction
            .prepare_cached("SELECT id FROM runs WHERE ended_at <= ?1")?
            .query_map([before], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for id in old.iter().filter(|id| !open.contains(id)) {
            transaction.execute("DELETE FROM events WHERE run = ?1", [id])?;
            transaction.execute("DELETE FROM runs WHERE id = ?1", [id])?;
        }
        Ok(transaction.commit()?)
    }
}

impl Inner {
    fn state(&self, id: i64) -> rusqlite::Result<RunState> {
        let has_ended: bool = self
            .connection
            .prepare_cached("SELECT ended_at IS NOT NULL FROM runs WHERE id = ?1")?
            .query_row([id], |row| row.get(0))?;
        Ok(match (has_ended, self.open.contains(&id)) {
            (false, _) => RunState::Open,
            (true, true) => RunState::Ended,
            (true, false) => RunState::Closed,
        })
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Renames a damaged file and its write-ahead log, which belong together.
fn rename_damaged_file(path: &Path) -> std::io::Result<()> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let broken = format!(".broken-{}", now_ms());
    fs::rename(path, with(&broken))?;
    match fs::rename(with("-wal"), with(&format!("{broken}-wal"))) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn find_run_id(connection: &Connection, key: &RunKey) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM runs WHERE thread = ?1 AND run = ?2")?
        .query_row([&key.thread, &key.run], |row| row.get(0))
        .optional()
}

/// Returns the number of a run's events.
fn count_events(connection: &Connection, id: i64) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("SELECT coalesce(max(position) + 1, 0) FROM events WHERE run = ?1")?
        .query_row([id], |row| row.get(0))
}

/// Adds an event to a run, and sets `ended_at` if the event is an end, otherwise clears it.
fn add_event(
    transaction: &Transaction<'_>,
    id: i64,
    event: &str,
    is_end: bool,
) -> Result<(), StoreError> {
    let position = count_events(transaction, id)?;
    transaction
        .prepare_cached("INSERT INTO events (run, position, data) VALUES (?1, ?2, ?3)")?
        .execute(params![id, position, event])?;
    let ended_at = is_end.then(now_ms);
    transaction
        .prepare_cached("UPDATE runs SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NOT ?2")?
        .execute(params![id, ended_at])?;
    Ok(())
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_millis().try_into().unwrap_or(i64::MAX))
}
