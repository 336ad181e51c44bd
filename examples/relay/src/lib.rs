//! A relay in front of an AG-UI agent. It stores the events of each run, and serves them again from
//! any position, so that a run outlives its connection and its page. `README.md` specifies the
//! endpoints.

mod access;
mod agent;
mod changes;
mod limits;
mod relay;
mod replay;
mod routes;
mod run;
pub mod store;

pub use access::Users;
pub use agent::Agent;
pub use changes::Changes;
pub use limits::Limits;
pub use relay::Relay;
pub use routes::serve;
