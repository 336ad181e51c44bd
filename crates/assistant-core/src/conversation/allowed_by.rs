//! The reason why a call may start, for records and observers.

use super::Decider;

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action requires no approval.
    Policy,
    /// A rule of the action permitted it.
    Rule,
    /// The user, whom the page asked.
    Person {
        /// True if the user changed the agent's arguments.
        edited: bool,
    },
    /// The user, whom the agent asked.
    PersonToAgent,
    /// The application, by its own code.
    Application {
        /// True if the decision replaced the agent's arguments.
        edited: bool,
    },
    /// The application, which the agent asked.
    ApplicationToAgent,
    /// A remembered approval.
    Earlier {
        /// The id of that approval.
        id: String,
        /// The decider who gave it.
        by: Decider,
    },
}
