//! Defines the changes that a conversation reports to views, stores and observers.

use super::{CallKey, MessageId};

/// A change of a conversation or its session. A change identifies only the changed item, and
/// readers look up the new state of the item.
///
/// Every mutation of a conversation reports its changes. A reader that applies the changes to an
/// earlier view has the same view as after reading the whole conversation again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of displayed messages changed.
    Path,
    /// A message was added to the tree, on any branch.
    MessageAdded(MessageId),
    /// The parent or the siblings of a message changed.
    MessageMoved(MessageId),
    /// A message was removed from the tree.
    MessageRemoved(MessageId),
    /// A part was added at the end of a message.
    PartAdded {
        /// The id of the message.
        message: MessageId,
        /// The index of the part in the message.
        part: usize,
    },
    /// A text part grew, or was completed.
    PartGrew {
        /// The id of the message.
        message: MessageId,
        /// The index of the part in the message.
        part: usize,
    },
    /// All parts of a message may have changed.
    Message(MessageId),
    /// The arguments, phase, progress or result of a call changed.
    Call(CallKey),
    /// The shared state changed.
    State,
    /// A run started, ended, or began to wait.
    Run,
    /// The list of steps reported by the agent changed.
    Steps,
    /// The list of definitions that are offered to the agent changed.
    Registry,
    /// The open interrupts changed.
    Interrupts,
    /// The queued messages of the user changed.
    Queue,
    /// The remembered approvals changed.
    Remembered,
    /// The notices changed.
    Notices,
    /// The conversation was replaced with another conversation.
    Thread,
}
