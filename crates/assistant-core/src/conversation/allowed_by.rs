//! The reason why a call may start, for records and observers.

use super::Decider;

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action requires no approval.
    Policy,
    /// A rule of the action permitted the call.
    Rule,
    /// The user approved the call in answer to the page's question.
    Person {
        /// True if the user changed the agent's arguments.
        edited: bool,
    },
    /// The user approved the call in answer to the agent's question.
    PersonToAgent,
    /// The application's code approved the call.
    Application {
        /// True if the decision replaced the agent's arguments.
        edited: bool,
    },
    /// The application's code approved the call in answer to the agent's question.
    ApplicationToAgent,
    /// A remembered approval applied.
    Earlier {
        /// The id of that approval.
        id: String,
        /// The decider who gave that approval.
        by: Decider,
    },
}
