//! What the page offers to an agent.

pub mod schema;
