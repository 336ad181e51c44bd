//! Counts the uses of remembered approvals. A call that starts under an approval with limited uses
//! takes a use before it starts, by compare-and-set if several tabs share the approval (rule
//! "remembered approvals").
//!
//! `limits` calls this right before a start, and `start` verifies that the use was taken.

use super::{Cx, Effect, Session, Swap, Ticket, shown_call::fingerprint_call};
use crate::{
    action::{Registration, RememberScope, RememberedApproval},
    conversation::{CallKey, Change, Note, ToolCall, UseCountState},
};

/// The state of the use by which a call may start.
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
    before: RememberedApproval,
}

impl Session {
    /// Takes a use of the remembered approval that permitted a call, if the approval has limited
    /// uses. The host counts a use that other tabs share.
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
        let about = fingerprint_call(call, Some(&entry.spec));
        let at = (self.thread_id.as_str(), cx.now);
        let args = call.effective_args();
        let known = self.remembered.get(&earlier.id);
        let holds =
            known.filter(|one| args.is_some_and(|args| one.is_valid_for(&entry.spec, args, at)));
        let Some(approval) = holds else {
            return UseStatus::Void;
        };
        if approval.uses.is_none() {
            return UseStatus::Free;
        }
        match earlier.count {
            UseCountState::Taken(taken) if taken == about => return UseStatus::Free,
            UseCountState::Asked(_, asked) if asked == about => return UseStatus::Awaited,
            _ => {}
        }
        // One use of an approval is counted at a time: a host without storage compares nothing, and
        // would count the same use for two calls.
        let mut pending = self.pending_uses.iter();
        if pending.any(|one| one.before.id == approval.id) {
            return UseStatus::Awaited;
        }
        if !approval.has_uses_left() {
            return UseStatus::Void;
        }
        let (before, after) = (approval.clone(), approval.with_use_counted());
        if before.scope == RememberScope::Session {
            // It is not shared with other tabs.
            self.remembered.record_uses(&before.id, after.used);
            self.record_use_count(key, UseCountState::Taken(about));
            cx.push_change(Change::Remembered);
            return UseStatus::Free;
        }
        let ticket = Ticket(self.next_number());
        self.record_use_count(key, UseCountState::Asked(ticket, about));
        let call = *key;
        self.pending_uses.push(PendingUse {
            ticket,
            call,
            before: before.clone(),
        });
        cx.push_effect(Effect::SwapApproval {
            ticket,
            before: Box::new(before),
            after: Box::new(after),
        });
        UseStatus::Awaited
    }

    /// Handles the result of the host's compare-and-set.
    pub(super) fn handle_approval_swap(
        &mut self,
        ticket: Ticket,
        outcome: Swap<RememberedApproval>,
        cx: &mut Cx<'_>,
    ) {
        let mut pending = self.pending_uses.iter();
        let Some(place) = pending.position(|one| one.ticket == ticket) else {
            return;
        };
        let PendingUse { call, before, .. } = self.pending_uses.remove(place);
        cx.push_change(Change::Remembered);
        let waits = self.pending_use_fingerprint(&call, ticket);
        match outcome {
            Swap::Done => {
                self.remembered
                    .record_uses(&before.id, before.with_use_counted().used);
                if let Some(about) = waits {
                    self.record_use_count(&call, UseCountState::Taken(about));
                }
            }
            // Another tab was first: a remaining use is tried again.
            Swap::Found(Some(now)) if now.used > before.used && now.is_same_grant(&before) => {
                self.remembered.record_uses(&before.id, now.used);
                if waits.is_some() {
                    self.record_use_count(&call, UseCountState::No);
                }
            }
            Swap::Found(_) => {
                // It was revoked, or is not the approval given here.
                self.remembered.remove(&before.id);
                self.ask_about_calls_allowed_by(&before.id, cx);
            }
            Swap::Failed(message) => {
                cx.warn("approval-not-counted", message);
                if waits.is_some() {
                    self.recheck_call(&call, true, cx);
                }
            }
        }
    }

    /// Returns true if a remembered approval permits a call as it is now. If the approval has
    /// limited uses, a use must have been taken for exactly this version of the call.
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
        let at = (self.thread_id.as_str(), now);
        let counted = |one: &RememberedApproval| {
            let Some(earlier) = call.allowed_earlier() else {
                return false;
            };
            let about = fingerprint_call(call, Some(&entry.spec));
            earlier.id == one.id && earlier.count == UseCountState::Taken(about)
        };
        let mut all = self.remembered.list().iter();
        all.any(|one| {
            one.is_valid_for(&entry.spec, args, at) && (one.uses.is_none() || counted(one))
        })
    }

    fn record_use_count(&mut self, key: &CallKey, count: UseCountState) {
        self.conversation.apply_note(key, Note::UseCounted(count));
    }

    /// Returns the fingerprint that a call had when its use was requested with this ticket; `None`
    /// if the call no longer waits for the use.
    fn pending_use_fingerprint(
        &self,
        key: &CallKey,
        ticket: Ticket,
    ) -> Option<crate::conversation::Fingerprint> {
        match &self.conversation.call(key)?.allowed_earlier()?.count {
            UseCountState::Asked(asked, about) if *asked == ticket => Some(about.clone()),
            _ => None,
        }
    }
}
