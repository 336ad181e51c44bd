//! What tests of an application need: an agent that says what a test wants and remembers what it
//! was asked, and a place to mount components.
//!
//! Behind the feature `testing`, for the `[dev-dependencies]` of an application:
//! `leptos-assistant = { version = "0.1", features = ["testing"] }`.

mod mock_agent;
mod mount;

pub use mock_agent::MockAgent;
pub use mount::{Mounted, mount, settle, until};
