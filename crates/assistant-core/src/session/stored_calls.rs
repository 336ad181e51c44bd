//! Decides whether a call may start without a confirmed journal entry.

use super::Session;
use crate::conversation::CallKey;

/// The calls that were passed, or may have been passed, to a store. Another page may restore and
/// start these calls.
///
/// A host that cannot write to its store answers [`Effect::Commit`](super::Effect::Commit) with
/// `Ok` only if [`Self::may_start`] permits it. A call that was never passed to a store exists in
/// this page only, so the session itself ensures that it starts once (rule "failure of a store").
///
/// The calls of a session must be added ([`Self::of`], [`Self::add`])
///
/// * when the session was restored or imported,
/// * after a batch was passed to the store, unless the store reported that nothing of the batch was
///   written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredCalls {
    /// The number of the newest call. Keys are assigned sequentially.
    newest: u64,
}

/// The result of writing the claim for a call's start, in one batch with the conversation of the
/// call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The journal contains the claim.
    Written,
    /// The journal had an earlier claim, or another page owns the conversation.
    Refused,
    /// The claim was not written, or the result is unknown.
    Failed,
}

impl StoredCalls {
    /// Creates the set of all calls that a session has had so far.
    #[must_use]
    pub const fn of(session: &Session) -> Self {
        Self {
            newest: session.conversation.last_key(),
        }
    }

    /// Adds the calls of another set.
    pub fn add(&mut self, others: Self) {
        self.newest = self.newest.max(others.newest);
    }

    /// Returns true if another page may have read the call from the store.
    #[must_use]
    pub const fn contains(self, call: CallKey) -> bool {
        call.number() <= self.newest
    }

    /// Returns true if a call may start after this outcome of its claim. `self` must contain the
    /// calls of earlier batches only.
    ///
    /// A call that no earlier batch contains may start although its claim failed: another page can
    /// read the call only from the failed batch, which contains the claim as well.
    #[must_use]
    pub const fn may_start(self, call: CallKey, claim: ClaimOutcome) -> bool {
        match claim {
            ClaimOutcome::Written => true,
            ClaimOutcome::Refused => false,
            ClaimOutcome::Failed => !self.contains(call),
        }
    }
}
