//! Defines the scope in which an action permits approvals to be remembered.

/// The widest scope in which an approval of an action may be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembering {
    /// Approvals are never remembered: the user is asked each time.
    Never,
    /// An approval covers only the arguments that were approved.
    SameArguments,
    /// An approval may cover all calls with the same values in these fields.
    SameFields(Vec<String>),
    /// An approval may cover any arguments.
    AnyArguments,
}
