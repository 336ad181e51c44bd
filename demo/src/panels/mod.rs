//! Renders the panels of the page. A panel registers its actions while it is mounted.

mod activity;
mod approvals;
mod branches;
mod conditions;
mod deploy;
mod environments;
mod projects;
mod search;
mod sources;
mod stages;

pub(crate) use activity::Activity;
pub(crate) use approvals::Approvals;
pub(crate) use branches::Branches;
pub(crate) use conditions::Conditions;
pub(crate) use environments::Environments;
pub(crate) use projects::Projects;
pub(crate) use search::SearchSection;
pub(crate) use sources::Sources;
