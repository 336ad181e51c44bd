//! The scope in which an action permits approvals to be remembered.

/// The widest scope in which an approval of an action may be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembering {
    /// None: the user is asked each time.
    Never,
    /// Only the arguments that were approved.
    SameArguments,
    /// All calls with the same values in these fields.
    SameFields(Vec<String>),
    /// Any arguments.
    AnyArguments,
}
