//! The changes that a conversation reports to views, stores and observers.

use super::{CallKey, MessageId};

/// A change of a conversation or its session. A change identifies only the changed item; readers
/// look up its new state.
///
/// Every mutation of a conversation reports its changes. A reader that applies them to its earlier
/// view has the same view as after reading the whole conversation again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of shown messages changed.
    Path,
    /// A message was added to the tree, on any branch.
    MessageAdded(MessageId),
    /// A message got another parent or other siblings.
    MessageMoved(MessageId),
    /// A message was removed from the tree.
    MessageRemoved(MessageId),
    /// A part appeared at the end of a message.
    PartAdded {
        /// The message.
        message: MessageId,
        /// The index of the part in the message.
        part: usize,
    },
    /// A text part grew, or was completed.
    PartGrew {
        /// The message.
        message: MessageId,
        /// The index of the part in the message.
        part: usize,
    },
    /// All parts of a message may have changed.
    Message(MessageId),
    /// A call changed: its arguments, phase, progress or result.
    Call(CallKey),
    /// The shared state changed.
    State,
    /// A run started, ended, or began to wait.
    Run,
    /// The list of steps that the agent has reported changed.
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
    /// Another conversation replaced this one.
    Thread,
}
