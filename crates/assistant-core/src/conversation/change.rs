//! The changes that a conversation reports to views, stores and observers.

use super::{CallKey, MessageId};

/// A change. It carries only the place; readers look up the new state there.
///
/// Every mutation of a conversation reports its changes itself: a reader that applies them to its
/// earlier view has the same view as after reading everything again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of messages that is shown.
    Path,
    /// A message joined the tree, on whichever branch.
    MessageAdded(MessageId),
    /// A message has another parent or other siblings.
    MessageMoved(MessageId),
    /// A message left the tree.
    MessageRemoved(MessageId),
    /// A part appeared at the end of a message.
    PartAdded {
        /// The message.
        message: MessageId,
        /// The part's place in it.
        part: usize,
    },
    /// A text part got longer, or was told that it is complete.
    PartGrew {
        /// The message.
        message: MessageId,
        /// The part's place in it.
        part: usize,
    },
    /// All parts of a message may be others now.
    Message(MessageId),
    /// Something about a call: arguments, phase, progress, result.
    Call(CallKey),
    /// The shared state.
    State,
    /// The run: started, ended, waiting.
    Run,
    /// The steps that the agent says it takes.
    Steps,
    /// The set of definitions that the agent is offered.
    Registry,
    /// Open interrupts.
    Interrupts,
    /// Messages of the user that are not sent yet.
    Queue,
    /// The approvals that are remembered.
    Remembered,
    /// Notices.
    Notices,
    /// Another conversation replaced this one.
    Thread,
}
