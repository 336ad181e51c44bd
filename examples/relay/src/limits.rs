//! The limits of a relay.

use std::time::Duration;

/// The limits of requests and runs.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum size of a request, in bytes.
    pub request: usize,
    /// The maximum length of the id of a thread or a run, in bytes.
    pub id: usize,
    /// The maximum size of an event, in bytes.
    pub event: usize,
    /// The maximum size of all events of a run together, in bytes. Each event counts for at least
    /// 100.
    pub run: usize,
    /// The maximum number of runs that are open at the same time.
    pub open_runs: usize,
    /// The maximum number of runs of one user that are open at the same time. Users without
    /// credentials cannot be told apart, so [`Users::Anonymous`](crate::Users::Anonymous) has no
    /// such limit.
    pub open_runs_of_user: usize,
    /// The time limit for the agent's response to a request. After this time, the run is refused.
    pub answer_time: Duration,
    /// The time after which an open run is ended with an error.
    pub run_time: Duration,
    /// The time for which a run is stored after its end.
    pub kept_for: Duration,
    /// The time after which a command of Redis without a reply fails.
    pub reply: Duration,
    /// The time for which calls to a store that cannot be reached are retried.
    pub outage: Duration,
    /// The time for which a lease is valid. If another relay's lease is missing for this time, the
    /// relay counts as ended.
    pub lease: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: 32 * 1024 * 1024,
            id: 200,
            event: 4 * 1024 * 1024,
            run: 64 * 1024 * 1024,
            open_runs: 200,
            open_runs_of_user: 20,
            answer_time: Duration::from_secs(5 * 60),
            run_time: Duration::from_secs(60 * 60),
            kept_for: Duration::from_secs(24 * 60 * 60),
            reply: Duration::from_secs(5),
            outage: Duration::from_secs(60),
            lease: Duration::from_secs(10),
        }
    }
}
