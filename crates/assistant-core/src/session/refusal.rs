//! Defines the reasons for the refusal of an input, with messages for the user.

use std::fmt;

use crate::{
    action::{InvalidAction, schema::Violation},
    conversation::TreeError,
};

/// The reason for the refusal of an input.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The message is empty.
    EmptyMessage,
    /// A run or a handler is in progress.
    Busy,
    /// Calls wait for a decision.
    ApprovalsPending,
    /// The agent waits for an answer.
    InterruptsPending,
    /// The decision was already made, or was not requested.
    AlreadyResolved,
    /// The call has changed since the user saw it.
    Changed,
    /// The decision was made before the question was shown long enough, or before it was shown to
    /// its end.
    TooEarly,
    /// The decision came from a script, not from the user.
    Scripted,
    /// The application's code decided about an action that only the user may approve.
    OnlyUser,
    /// The approval cannot be remembered, so the user is asked about each call.
    NotRemembered,
    /// The action of the call is not registered.
    NotRegistered,
    /// The tree of messages does not permit the change.
    Tree(TreeError),
    /// The interrupt has expired and can only be cancelled.
    Expired,
    /// The edited arguments violate the schema.
    InvalidEdit(Vec<Violation>),
    /// The application rejects part of the edited arguments.
    Unclean,
    /// The agent runs the call, and accepts no edited arguments.
    NoEdits,
    /// The agent asks about several actions, and requires a decision for each of them.
    EachAction {
        /// The number of actions.
        actions: usize,
        /// The number of decisions.
        decisions: usize,
    },
    /// The agent does not accept this kind of decision about an action.
    DecisionNotAllowed {
        /// The position of the action in the list of the agent, starting at 1.
        action: usize,
    },
    /// The input refers to something that does not exist: a run to retry or continue, work to stop,
    /// an approval, or an interrupt.
    NothingToDo,
    /// The action cannot be registered.
    InvalidAction(InvalidAction),
    /// The stored conversation is invalid.
    InvalidSnapshot(String),
    /// The conversation is open in another tab and read-only in this tab.
    Elsewhere,
    /// The update belongs to another conversation.
    OtherConversation,
    /// The assistant has ended, because its provider was removed.
    Ended,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyMessage => f.write_str("There is nothing to send."),
            Self::Busy => f.write_str("The assistant is working. Try again when it has finished."),
            Self::ApprovalsPending => f.write_str("Approve or deny the request above to continue."),
            Self::InterruptsPending => f.write_str("Answer the question above to continue."),
            Self::AlreadyResolved => f.write_str("You already decided this."),
            Self::Changed => f.write_str("The details changed. Check them again."),
            Self::TooEarly => f.write_str("Scroll to the end to approve."),
            Self::Scripted => f.write_str("Only the user can decide this, by a click or a key."),
            Self::OnlyUser => f.write_str("Only the user can approve this action."),
            Self::NotRemembered => f.write_str("You'll be asked every time."),
            Self::NotRegistered => f.write_str("The action is not on this page."),
            Self::Tree(error) => error.fmt(f),
            Self::Expired => {
                f.write_str("Time is up. This can no longer be answered. Cancel it to continue.")
            }
            Self::InvalidEdit(violations) => {
                f.write_str("Some of these values are not valid:")?;
                violations
                    .iter()
                    .try_for_each(|v| write!(f, " {}: {};", v.path, v.message))
            }
            Self::Unclean => f.write_str("Some of these values aren't allowed here."),
            Self::NoEdits => f.write_str("These values can't be changed."),
            Self::EachAction { actions, decisions } => write!(
                f,
                "Decide about each action: {actions} are asked about, and there are {decisions} decisions."
            ),
            Self::DecisionNotAllowed { action } => {
                write!(
                    f,
                    "The assistant does not take this decision about action {action}."
                )
            }
            Self::NothingToDo => f.write_str("There is nothing to continue."),
            Self::InvalidAction(error) => error.fmt(f),
            Self::InvalidSnapshot(error) => {
                write!(f, "This saved conversation couldn't be opened: {error}")
            }
            Self::Elsewhere => f.write_str("This conversation is open in another tab."),
            Self::OtherConversation => f.write_str("The update belongs to another conversation."),
            Self::Ended => f.write_str("The assistant has ended."),
        }
    }
}

impl std::error::Error for Refusal {}
