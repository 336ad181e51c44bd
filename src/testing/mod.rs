//! What tests of an application need: an agent that says what a test wants and remembers what it
//! was asked, a place to mount components, what is registered, whether a schema fits its type, a clock that a
//! test moves, and decisions by events that a test makes.
//!
//! Behind the feature `testing`, for the `[dev-dependencies]` of an application:
//! `leptos-assistant = { version = "0.1", features = ["testing"] }`.

mod clock;
mod fits;
mod mock_agent;
mod mount;
mod registered;
mod scripted;
mod views;

pub use clock::FakeClock;
pub use fits::{assert_schema_fits, schema_misfits};
pub use mock_agent::MockAgent;
pub use mount::{Mounted, mount, settle, until};
pub use registered::registrations;
pub use scripted::{ScriptedEvents, accept_scripted_events};
pub use views::{call_view, part_handle};
