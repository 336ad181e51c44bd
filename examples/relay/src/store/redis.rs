//! A store of runs in Redis Streams, for several relays behind one address.
//!
//! Each run is a hash and a stream. The ids in the stream are the positions of the events. Scripts
//! make the changes, so that these are atomic, and publish them to the other relays. A relay renews
//! its lease; other relays end the runs of a relay whose lease is missing for some time.

mod listen;
mod scripts;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    hash::{BuildHasher, RandomState},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redis::{
    Client, Cmd, Connection, ErrorKind, FromRedisValue, IntoConnectionInfo, RedisError,
    ServerErrorKind, ToRedisArgs,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Page, PageSize, RunKey, RunState, Store, StoreError, StoredRun};
use crate::{Changes, Limits};

/// The key of the hash that maps open runs to the relays that created them. All keys have the same
/// hash tag in braces, so that the keys of a script are in one slot of a cluster. Clients cannot
/// choose the slot.
const OPEN: &str = "{relay}:open";

/// A store of runs in Redis Streams.
pub struct RedisStore {
    client: Client,
    link: Mutex<Link>,
    /// The time after which a command without a reply fails.
    reply: Duration,
    /// The unique name of this relay.
    relay: String,
    /// The duration of leases.
    lease: Duration,
    /// The relays whose leases are missing, each with the time at which the lease was first
    /// missing.
    missing: Mutex<HashMap<String, Instant>>,
    /// The time for which an ended run is stored, in milliseconds.
    kept_for: u64,
    /// The time after which a run is removed even if no relay has closed it, in milliseconds.
    lifetime: u64,
}

/// The connection of a store to its server.
#[derive(Default)]
struct Link {
    /// `None` before the first command and after a failure.
    connection: Option<Connection>,
    /// The time at which a command last failed without a reply.
    timed_out_at: Option<Instant>,
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the address, which may contain a password.
        f.debug_struct("RedisStore")
            .field("relay", &self.relay)
            .finish_non_exhaustive()
    }
}

impl RedisStore {
    /// Connects to a server, and listens for changes by other relays, which are reported to
    /// `changes`.
    ///
    /// # Errors
    ///
    /// Fails if the address is invalid or the server cannot be reached.
    pub fn open(url: &str, limits: &Limits, changes: &Arc<Changes>) -> Result<Self, StoreError> {
        let info = url.into_connection_info()?;
        // Otherwise a new connection sends `CLIENT SETINFO`, and a server that does not answer delays
        // it once more for each reply.
        let settings = info.redis_settings().clone().set_skip_set_lib_name();
        let client = Client::open(info.set_redis_settings(settings))?;
        let kept_for = to_milliseconds(limits.kept_for);
        let store = Self {
            link: Mutex::default(),
            reply: limits.reply,
            relay: unique_name(),
            lease: limits.lease,
            missing: Mutex::default(),
            kept_for,
            lifetime: kept_for + to_milliseconds(limits.run_time),
            client: client.clone(),
        };
        store.renew_lease()?;
        listen::spawn_listener(client, Arc::downgrade(changes), limits.reply);
        Ok(store)
    }

    /// Renews the lease of this relay.
    fn renew_lease(&self) -> Result<(), StoreError> {
        let mut set = redis::cmd("SET");
        let lasting = to_milliseconds(self.lease);
        self.query(
            set.arg(lease_key(&self.relay))
                .arg(1)
                .arg("PX")
                .arg(lasting),
        )
    }

    /// Returns the given relays that have ended: their leases have been missing for the duration of
    /// a lease. Until then a relay that could not reach the server can renew its lease.
    fn find_ended_relays(&self, relays: HashSet<String>) -> Result<HashSet<String>, StoreError> {
        let mut missing = HashMap::new();
        for relay in relays {
            if !self.query::<bool>(redis::cmd("EXISTS").arg(lease_key(&relay)))? {
                let since = self.missing().get(&relay).copied();
                missing.insert(relay, since.unwrap_or_else(Instant::now));
            }
        }
        self.missing().clone_from(&missing);
        missing.retain(|_, since| since.elapsed() >= self.lease);
        Ok(missing.into_keys().collect())
    }

    /// Renews the lease, and returns the open runs of this relay and of relays that have ended.
    fn find_closable_runs(&self) -> Result<Vec<RunKey>, StoreError> {
        self.renew_lease()?;
        let open: HashMap<String, String> = self.query(redis::cmd("HGETALL").arg(OPEN))?;
        let others = open.values().filter(|relay| **relay != self.relay);
        let ended = self.find_ended_relays(others.cloned().collect())?;
        let is_own = |relay: &String| *relay == self.relay || ended.contains(relay);
        let own = open.iter().filter(|(_, relay)| is_own(relay));
        Ok(own.filter_map(|(name, _)| parse_run_name(name)).collect())
    }

    fn missing(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a command and returns its reply. After a failure of the connection, the next command
    /// connects again. If a command receives no reply, the commands that waited for the
    /// connection meanwhile fail as well, so that the delays do not add up.
    fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let called = Instant::now();
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let is_late = link.timed_out_at.is_some_and(|since| since > called);
        if link.connection.is_none() && is_late {
            return Err(StoreError::unreachable(&io::Error::from(
                io::ErrorKind::TimedOut,
            )));
        }
        let reply = match link.connection.take() {
            Some(connection) => Ok(connection),
            None => self.connect(),
        }
        .and_then(|mut connection| {
            let reply = command.query(&mut connection);
            if !matches!(&reply, Err(error) if is_broken(error)) {
                link.connection = Some(connection);
            }
            reply
        });
        if matches!(&reply, Err(error) if error.is_timeout()) {
            link.timed_out_at = Some(Instant::now());
        }
        Ok(reply?)
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let connection = self.client.get_connection_with_timeout(self.reply)?;
        connection.set_read_timeout(Some(self.reply))?;
        connection.set_write_timeout(Some(self.reply))?;
        Ok(connection)
    }

    /// Runs a script that changes a run. Returns false if the script has not changed the run.
    fn change_run(
        &self,
        script: &str,
        key: &RunKey,
        arguments: &[&str],
    ) -> Result<bool, StoreError> {
        self.run_script(script, key, arguments)
    }

    /// Runs a script with the keys and the name of a run, and returns the script's result.
    fn run_script<T: FromRedisValue>(
        &self,
        script: &str,
        key: &RunKey,
        arguments: impl ToRedisArgs,
    ) -> Result<T, StoreError> {
        let mut eval = redis::cmd("EVAL");
        eval.arg(script)
            .arg(3)
            .arg(run_key(key))
            .arg(events_key(key));
        eval.arg(OPEN).arg(run_name(key)).arg(&self.relay);
        let times = [self.lifetime, self.kept_for];
        self.query(eval.arg(&times).arg(arguments))
    }
}

impl Store for RedisStore {
    fn create(&self, key: &RunKey, owner: &str) -> Result<bool, StoreError> {
        self.change_run(scripts::CREATE, key, &[owner])
    }

    fn append(
        &self,
        key: &RunKey,
        position: usize,
        event: &str,
        is_end: bool,
    ) -> Result<bool, StoreError> {
        let ended = if is_end { "1" } else { "0" };
        self.change_run(scripts::APPEND, key, &[event, ended, &position.to_string()])
    }

    fn close(&self, key: &RunKey, error: &str) -> Result<(), StoreError> {
        self.change_run(scripts::CLOSE, key, &[error]).map(drop)
    }

    fn remove(&self, key: &RunKey) -> Result<(), StoreError> {
        self.change_run(scripts::REMOVE, key, &[]).map(drop)
    }

    fn run(&self, key: &RunKey) -> Result<Option<StoredRun>, StoreError> {
        let mut fields = redis::cmd("HMGET");
        let fields = fields.arg(run_key(key)).arg(&["owner", "open", "ended"]);
        let (owner, is_open, has_ended): (Option<String>, Option<String>, Option<String>) =
            self.query(fields)?;
        let (Some(owner), Some(is_open), Some(has_ended)) = (owner, is_open, has_ended) else {
            return Ok(None);
        };
        Ok(Some(StoredRun {
            owner,
            events: self.query(redis::cmd("XLEN").arg(events_key(key)))?,
            state: parse_state(&is_open, &has_ended),
        }))
    }

    fn page(&self, key: &RunKey, from: usize, max: PageSize) -> Result<Option<Page>, StoreError> {
        let numbers = [from, max.events, max.bytes].map(|number| number.to_string());
        let read: Vec<String> = self.run_script(scripts::PAGE, key, &numbers)?;
        let mut read = read.into_iter();
        let (Some(is_open), Some(has_ended), Some(count)) = (read.next(), read.next(), read.next())
        else {
            return Ok(None);
        };
        let events: Vec<String> = read.collect();
        Ok(Some(Page {
            is_last: count
                .parse()
                .is_ok_and(|count| from + events.len() >= count),
            events,
            state: parse_state(&is_open, &has_ended),
        }))
    }

    fn closable_runs(&self) -> Result<Vec<RunKey>, StoreError> {
        let found = self.find_closable_runs();
        if found.is_err() {
            // The other relays may not reach the server either.
            self.missing().clear();
        }
        found
    }

    /// Does nothing: Redis removes ended runs when their time to live is over.
    fn expire(&self, _age: Duration) -> Result<(), StoreError> {
        Ok(())
    }
}

impl From<RedisError> for StoreError {
    fn from(error: RedisError) -> Self {
        let is_unreachable = is_broken(&error)
            || matches!(
                error.kind(),
                ErrorKind::Server(
                    ServerErrorKind::BusyLoading
                        | ServerErrorKind::MasterDown
                        | ServerErrorKind::ReadOnly
                )
            );
        match is_unreachable {
            true => Self::unreachable(&error),
            false => Self::new(&error),
        }
    }
}

/// Returns true if the connection cannot be used after an error.
fn is_broken(error: &RedisError) -> bool {
    error.is_io_error() || error.is_unrecoverable_error()
}

fn lease_key(relay: &str) -> String {
    format!("{{relay}}:lease:{relay}")
}

/// Returns the key of a run's hash.
fn run_key(key: &RunKey) -> String {
    format!("{{relay}}:run:{}", digest(run_name(key).as_bytes()))
}

/// Returns the key of the stream of a run's events.
fn events_key(key: &RunKey) -> String {
    format!("{{relay}}:events:{}", digest(run_name(key).as_bytes()))
}

/// Parses the state of a run from the fields of its hash.
fn parse_state(is_open: &str, has_ended: &str) -> RunState {
    match (is_open, has_ended) {
        ("1", "1") => RunState::Ended,
        ("1", _) => RunState::Open,
        _ => RunState::Closed,
    }
}

/// Returns the name of a run in Redis: its ids as a JSON array.
fn run_name(key: &RunKey) -> String {
    json!([key.thread, key.run]).to_string()
}

/// Parses the name of a run in Redis; `None` if the name is invalid.
fn parse_run_name(name: &str) -> Option<RunKey> {
    let (thread, run) = serde_json::from_str(name).ok()?;
    Some(RunKey { thread, run })
}

fn digest(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Returns a name for this relay that no other relay has.
fn unique_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = now.map_or(0, |time| time.as_nanos());
    // Its keys are random for each one.
    let random = RandomState::new().hash_one((std::process::id(), nanos));
    format!("{random:016x}{nanos:x}")
}

fn to_milliseconds(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}
