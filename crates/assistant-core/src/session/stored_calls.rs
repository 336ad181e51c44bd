//! Decides whether a call may start whose claim no journal has confirmed.

use super::Session;
use crate::conversation::CallKey;

/// The calls that a store was given, or may have been given: another page may restore and start them.
///
/// A host that cannot write to its store answers [`Effect::Commit`](super::Effect::Commit) with `Ok` only
/// where [`Self::may_start`] says so. A call that no store was given is known to this page alone, so
/// that the session is enough to start it once (rule "when a store fails").
///
/// Add the calls of a session
///
/// * when it was restored or imported,
/// * after a batch was handed to the store, unless the store said that nothing of it was written.
///
/// ```
/// use assistant_core::session::{ClaimOutcome, Session, SessionOptions, StoredCalls};
///
/// let session = Session::new("order-17", SessionOptions::default());
/// let mut stored = StoredCalls::default();
/// stored.add(StoredCalls::of(&session));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredCalls {
    /// The number of the newest of them. Keys are minted one after the other.
    newest: u64,
}

/// The outcome of writing the claim of a start, in one batch with the conversation that has the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The journal has it.
    Written,
    /// The journal had one before, or another page owns the conversation.
    Refused,
    /// It was not written, or it is not known whether it was.
    Failed,
}

impl StoredCalls {
    /// Returns all calls that a session has had.
    #[must_use]
    pub const fn of(session: &Session) -> Self {
        Self {
            newest: session.conversation.last_key(),
        }
    }

    /// Adds others to these.
    pub fn add(&mut self, others: Self) {
        self.newest = self.newest.max(others.newest);
    }

    /// Returns whether another page may know a call.
    #[must_use]
    pub const fn contains(self, call: CallKey) -> bool {
        call.number() <= self.newest
    }

    /// Returns whether a call may start after its claim came to this, if these are the calls that were
    /// stored before.
    ///
    /// A claim that failed lets a call start that was in no batch before: if the batch comes to be
    /// written after all, whoever reads the call in it reads its claim, too.
    #[must_use]
    pub const fn may_start(self, call: CallKey, claim: ClaimOutcome) -> bool {
        match claim {
            ClaimOutcome::Written => true,
            ClaimOutcome::Refused => false,
            ClaimOutcome::Failed => !self.contains(call),
        }
    }
}
