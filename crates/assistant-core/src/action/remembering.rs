//! The limit that an action sets for remembering approvals.

/// The limit that an action sets for remembering an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembering {
    /// Nothing: a person is asked each time.
    Never,
    /// It is remembered for the arguments that were approved, and for no others.
    SameArguments,
    /// It may be remembered for all calls whose arguments of these names are the same.
    SameFields(Vec<String>),
    /// It may be remembered for any arguments.
    AnyArguments,
}
