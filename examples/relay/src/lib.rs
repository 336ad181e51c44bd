//! A relay in front of an AG-UI agent: it stores the events of each run, and serves them again after
//! any event, so that a run outlives its connection and its page. The contract is in `README.md`.

mod access;
mod agent;
mod changes;
mod limits;
mod relay;
mod replay;
mod routes;
mod run;
pub mod store;

pub use agent::Agent;
pub use changes::Changes;
pub use limits::Limits;
pub use relay::Relay;
pub use routes::serve;
