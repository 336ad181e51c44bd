//! Test utilities for applications: an agent with predefined answers, mounting of components, the
//! registered actions, checks that a schema fits a type, a clock that a test controls, and
//! decisions by scripted events.
//!
//! The feature `testing` enables this module, in the `[dev-dependencies]` of an application:
//! `leptos-assistant = { version = "0.1", features = ["testing"] }`.

#[cfg(feature = "records")]
mod call_state;
mod clock;
mod mock_agent;
mod mount;
mod registrations;
mod schema_fit;
mod scripted_events;
mod views;

#[cfg(feature = "records")]
pub use call_state::update_state;
pub use clock::FakeClock;
pub use mock_agent::MockAgent;
pub use mount::{Mounted, mount, settle, until};
pub use registrations::registrations;
pub use schema_fit::{assert_schema_fits, schema_misfits};
pub use scripted_events::{ScriptedEvents, accept_scripted_events};
pub use views::{call_view, part_handle};
