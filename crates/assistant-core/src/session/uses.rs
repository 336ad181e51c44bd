//! Counts the uses of remembered approvals. A call that starts under an approval with limited uses
//! takes a use before the start, by compare-and-set if several tabs share the approval (rule
//! "remembered approvals").
//!
//! The module `limits` calls `take_use` right before a start, and `start` verifies that the use was
//! taken.

use super::{Cx, Effect, Session, Swap, Ticket};
use crate::{
    action::{Registration, RememberScope, RememberedApproval},
    conversation::{CallDataChange, CallKey, Change, Fingerprint, ToolCall, UseCountState},
};

/// The result of taking a use of a remembered approval for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseStatus {
    /// The call may start: the uses are not limited, or a use was taken.
    Free,
    /// A use is being counted.
    Awaited,
    /// The approval no longer applies.
    Void,
}

/// A use that the host is counting.
#[derive(Debug, Clone)]
pub(super) struct PendingUse {
    ticket: Ticket,
    call: CallKey,
    approval: RememberedApproval,
}

impl Session {
    /// Takes a use of the remembered approval that permitted a call, if the approval has limited
    /// uses. If other tabs share the approval, the host counts the use.
    pub(super) fn take_use(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> UseStatus {
        let call = self.conversation.call(key);
        let Some((call, earlier)) =
            call.and_then(|call| Some((call, call.allowed_earlier().cloned()?)))
        else {
            return UseStatus::Free;
        };
        let Some(entry) = self.registration_for(call) else {
            return UseStatus::Void;
        };
        let fingerprint = Fingerprint::from_call(call, Some(&entry.spec));
        let place_and_time = (self.thread_id.as_str(), cx.now);
        let args = call.effective_args();
        let approval = self.remembered.get(&earlier.id);
        let valid_approval = approval.filter(|approval| {
            args.is_some_and(|args| approval.is_valid_for(&entry.spec, args, place_and_time))
        });
        let Some(approval) = valid_approval else {
            return UseStatus::Void;
        };
        if approval.uses.is_none() {
            return UseStatus::Free;
        }
        match earlier.count {
            UseCountState::Taken(taken) if taken == fingerprint => return UseStatus::Free,
            UseCountState::Asked(_, asked) if asked == fingerprint => return UseStatus::Awaited,
            _ => {}
        }
        // The uses of an approval are counted one at a time, since a host without storage does not
        // compare values and would count the same use for two calls.
        let mut pending_uses = self.pending_uses.iter();
        if pending_uses.any(|pending| pending.approval.id == approval.id) {
            return UseStatus::Awaited;
        }
        if !approval.has_uses_left() {
            return UseStatus::Void;
        }
        let (old_approval, new_approval) = (approval.clone(), approval.with_use_counted());
        if old_approval.scope == RememberScope::Session {
            // An approval for one session is not shared with other tabs, so the session counts the
            // use itself.
            self.remembered
                .record_uses(&old_approval.id, new_approval.used);
            self.record_use_count(key, UseCountState::Taken(fingerprint));
            cx.push_change(Change::Remembered);
            return UseStatus::Free;
        }
        let ticket = Ticket(self.next_number());
        self.record_use_count(key, UseCountState::Asked(ticket, fingerprint));
        let call = *key;
        self.pending_uses.push(PendingUse {
            ticket,
            call,
            approval: old_approval.clone(),
        });
        cx.push_effect(Effect::SwapApproval {
            ticket,
            before: Box::new(old_approval),
            after: Box::new(new_approval),
        });
        UseStatus::Awaited
    }

    /// Handles the result of the host's compare-and-set of a remembered approval.
    pub(super) fn handle_approval_swap(
        &mut self,
        ticket: Ticket,
        outcome: Swap<RememberedApproval>,
        cx: &mut Cx<'_>,
    ) {
        let mut pending_uses = self.pending_uses.iter();
        let Some(index) = pending_uses.position(|pending| pending.ticket == ticket) else {
            return;
        };
        let PendingUse { call, approval, .. } = self.pending_uses.remove(index);
        cx.push_change(Change::Remembered);
        let use_fingerprint = self.pending_use_fingerprint(&call, ticket);
        match outcome {
            Swap::Done => {
                self.remembered
                    .record_uses(&approval.id, approval.with_use_counted().used);
                if let Some(fingerprint) = use_fingerprint {
                    self.record_use_count(&call, UseCountState::Taken(fingerprint));
                }
            }
            // Another tab has counted a use in the meantime. If uses remain, the use for this call
            // is counted later.
            Swap::Found(Some(stored))
                if stored.used > approval.used && stored.is_same_grant(&approval) =>
            {
                self.remembered.record_uses(&approval.id, stored.used);
                if use_fingerprint.is_some() {
                    self.record_use_count(&call, UseCountState::No);
                }
            }
            Swap::Found(_) => {
                // The approval was revoked, or another approval is stored under its id, so the
                // approval is removed.
                self.remembered.remove(&approval.id);
                self.ask_about_calls_allowed_by(&approval.id, cx);
            }
            Swap::Failed(message) => {
                cx.warn("approval-not-counted", message);
                if use_fingerprint.is_some() {
                    self.recheck_call(&call, true, cx);
                }
            }
        }
    }

    /// Returns true if a remembered approval permits the current version of a call. If the approval
    /// has limited uses, a use must have been taken for exactly this version of the call.
    pub(super) fn is_allowed_by_grant(
        &self,
        call: &ToolCall,
        entry: &Registration,
        now: i64,
    ) -> bool {
        let Some(args) = call
            .effective_args()
            .filter(|_| self.options.remember_approvals)
        else {
            return false;
        };
        let place_and_time = (self.thread_id.as_str(), now);
        let is_counted = |approval: &RememberedApproval| {
            let Some(earlier) = call.allowed_earlier() else {
                return false;
            };
            let fingerprint = Fingerprint::from_call(call, Some(&entry.spec));
            earlier.id == approval.id && earlier.count == UseCountState::Taken(fingerprint)
        };
        let mut approvals = self.remembered.list().iter();
        approvals.any(|approval| {
            approval.is_valid_for(&entry.spec, args, place_and_time)
                && (approval.uses.is_none() || is_counted(approval))
        })
    }

    fn record_use_count(&mut self, key: &CallKey, count: UseCountState) {
        self.conversation
            .apply_data_change(key, CallDataChange::UseCounted(count));
    }

    /// Returns the fingerprint that a call had when its use was requested with this ticket. Returns
    /// `None` if the call no longer waits for the use.
    fn pending_use_fingerprint(&self, key: &CallKey, ticket: Ticket) -> Option<Fingerprint> {
        match &self.conversation.call(key)?.allowed_earlier()?.count {
            UseCountState::Asked(asked, fingerprint) if *asked == ticket => {
                Some(fingerprint.clone())
            }
            _ => None,
        }
    }
}
