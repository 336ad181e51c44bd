//! The changes that a conversation reports to views, stores and observers.

use super::{CallKey, MessageId};

/// A change. It contains only the place; readers look up the new state there.
///
/// Every mutation of a conversation reports its changes: a reader that applies them to its earlier
/// view has the same view as after reading everything again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of shown messages.
    Path,
    /// A message was added to the tree, on any branch.
    MessageAdded(MessageId),
    /// A message has another parent or other siblings.
    MessageMoved(MessageId),
    /// A message was removed from the tree.
    MessageRemoved(MessageId),
    /// A part appeared at the end of a message.
    PartAdded {
        /// The message.
        message: MessageId,
        /// The part's place in it.
        part: usize,
    },
    /// A text part grew, or was completed.
    PartGrew {
        /// The message.
        message: MessageId,
        /// The part's place in it.
        part: usize,
    },
    /// All parts of a message may have changed.
    Message(MessageId),
    /// Something about a call: arguments, phase, progress, result.
    Call(CallKey),
    /// The shared state.
    State,
    /// The run: started, ended, waiting.
    Run,
    /// The steps that the agent reports.
    Steps,
    /// The set of definitions that is offered to the agent.
    Registry,
    /// Open interrupts.
    Interrupts,
    /// Messages of the user that are not sent yet.
    Queue,
    /// The remembered approvals.
    Remembered,
    /// Notices.
    Notices,
    /// Another conversation replaced this one.
    Thread,
}
