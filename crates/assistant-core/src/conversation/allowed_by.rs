//! The reason why a call may start, for records and observers.

use super::Decider;

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action requires no approval.
    Policy,
    /// The rule of the action let it pass.
    Rule,
    /// A person who was asked.
    Person {
        /// With other arguments than the agent's.
        edited: bool,
    },
    /// A person who was asked by the agent: it says nothing to the page.
    PersonToAgent,
    /// The application, by its own code.
    Application {
        /// True if it put other arguments in place of the agent's.
        edited: bool,
    },
    /// The application, which the agent asked: it says nothing to the page.
    ApplicationToAgent,
    /// An approval that was given earlier.
    Earlier {
        /// The id of that approval.
        id: String,
        /// The one who gave it.
        by: Decider,
    },
}
