//! Defines, registers and checks the actions that the page offers to an agent.
//!
//! All types in this module are plain data. Handlers, renderers and rules belong to the host, which
//! finds them by [`RegistrationId`] when its implementation of [`crate::session::Host`] is called.

mod bounds;
mod decider;
mod definition;
mod fingerprint;
mod limit;
mod offer;
mod outcome;
mod registry;
mod remember;
pub mod schema;

pub use bounds::{ArgMaximum, GrantBounds, Remembering};
pub use decider::Decider;
pub use definition::{
    ActionSpec, Availability, Execution, InvalidAction, Policy, ResultEncoding,
    definitions_from_json,
};
pub use fingerprint::ActionFingerprint;
pub use limit::CallLimits;
pub use offer::{OfferFilter, ToolInfo};
pub use outcome::{ToolError, ToolOutcome};
pub use registry::{Registration, RegistrationId, Registry};
pub(crate) use remember::ApprovalList;
pub use remember::{Remember, RememberScope, RememberedApproval, RememberedArgs};
