//! Decides whether a call may start without a confirmed journal entry.

use super::Session;
use crate::conversation::CallKey;

/// The calls that were passed, or may have been passed, to a store, and the calls of runs that were
/// stored as open. Another page may restore and start the calls, and resume the runs.
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
    /// The number of the newest run that was stored as open and that another page can resume. The
    /// agent sends the calls of the run to that page as well, even if no store has them.
    newest_resumable_run: u64,
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
    /// Creates the set of all calls that a session has had so far, and of the later calls of its
    /// current run if the agent resumes runs.
    #[must_use]
    pub const fn of(session: &Session) -> Self {
        let agent = &session.options.agent;
        let newest_resumable_run = match session.conversation.runs.current {
            Some(run) if agent.resumes && agent.replays => run,
            // Without a replay by run, a page that resumes the stored run may receive the answer of
            // a later run.
            Some(_) if agent.resumes => u64::MAX,
            _ => 0,
        };
        Self {
            newest: session.conversation.last_key(),
            newest_resumable_run,
        }
    }

    /// Adds the calls of another set.
    pub fn add(&mut self, others: Self) {
        self.newest = self.newest.max(others.newest);
        self.newest_resumable_run = self.newest_resumable_run.max(others.newest_resumable_run);
    }

    /// Returns true if another page may have read the call of a session from the store, or may
    /// receive the call from the agent.
    #[must_use]
    pub fn contains(self, call: CallKey, session: &Session) -> bool {
        let run = session.conversation.call(&call).and_then(|call| call.run);
        call.number() <= self.newest || run.is_some_and(|run| run <= self.newest_resumable_run)
    }

    /// Returns true if a call of a session may start after this outcome of its claim. `self` must
    /// not contain the calls of the batch with the claim.
    ///
    /// A call that no other batch contains may start although its claim failed: another page can
    /// read the call only from the failed batch, which contains the claim as well.
    #[must_use]
    pub fn may_start(self, call: CallKey, claim: ClaimOutcome, session: &Session) -> bool {
        match claim {
            ClaimOutcome::Written => true,
            ClaimOutcome::Refused => false,
            ClaimOutcome::Failed => !self.contains(call, session),
        }
    }
}
