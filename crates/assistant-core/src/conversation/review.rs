//! The review of a call: the questions about the call, the decisions, and the arguments.
//!
//! A review is part of a state ([`super::state::State`]), and is dropped with the state unless the
//! transition moves it to the next state. Therefore, an approval applies only to the call that the
//! user approved.

use serde_json::Value;

use super::{AllowedEarlier, CallApproval, Check, Decider, Fingerprint};
use crate::{action::Remember, id::Ticket};

/// The questions and answers about a call, and the data on which the decisions are based.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Review {
    /// The result of the check on which the permission to start is based, if the call was checked.
    pub(crate) check: Option<Box<Check>>,
    /// The question to the user, and the answer.
    pub(crate) approval: Option<CallApproval>,
    /// The remembered approval under which the call starts.
    pub(crate) allowed_earlier: Option<AllowedEarlier>,
    /// True if an equal call was denied in the same turn.
    pub(crate) denied_before: bool,
    /// The arguments after the user edited them.
    pub(crate) edited_args: Option<Value>,
    /// The arguments after the application sanitized them.
    pub(crate) clean_args: Option<Value>,
    /// The action's preview of the changes, or the reason why no preview could be created.
    pub(crate) preview: Option<Result<Value, String>>,
    /// The fingerprint of the call that a rule of the application permitted without asking the
    /// user.
    pub(crate) cleared: Option<Fingerprint>,
    /// The history of the call, which each state passes on.
    pub(crate) history: History,
}

impl Review {
    /// Returns the review for a new check of the call. The review keeps the history, and whether
    /// the page must ask the user again. The page must ask again if the page had asked before, or
    /// if a question of the agent was answered.
    pub(super) fn into_voided(self) -> Box<Self> {
        let was_asked =
            |approval: CallApproval| approval.interrupt_id.is_none() || approval.decision.is_some();
        let must_ask_again = self.approval.is_some_and(was_asked);
        Box::new(Self {
            approval: must_ask_again.then(CallApproval::default),
            history: self.history,
            ..Self::default()
        })
    }

    /// Returns the review of a call whose interrupt ended without a result. The review keeps the
    /// question, the decision, the changed arguments and the history.
    pub(super) fn into_uninterrupted(self) -> Box<Self> {
        Box::new(Self {
            approval: self.approval,
            edited_args: self.edited_args,
            clean_args: self.clean_args,
            history: self.history,
            ..Self::default()
        })
    }

    /// Returns the review without the check, for a call that this page no longer runs.
    pub(super) fn without_check(mut self: Box<Self>) -> Box<Self> {
        self.check = None;
        self
    }

    /// Returns true if the review contains a decision.
    pub(super) fn is_decided(&self) -> bool {
        let approval = self.approval.as_ref();
        approval.is_some_and(|approval| approval.decision.is_some())
    }
}

/// A question to the user about a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UserQuestion {
    pub(crate) review: Box<Review>,
    /// The preview for which the question waits, if any.
    pub(crate) awaited: Option<Box<AwaitedPreview>>,
}

impl UserQuestion {
    pub(super) const fn new(review: Box<Review>) -> Self {
        Self {
            review,
            awaited: None,
        }
    }

    /// Returns true if the user has approved the call and a new preview was requested for
    /// comparison.
    pub(crate) fn is_approved(&self) -> bool {
        let preview = self.awaited.as_ref();
        preview.is_some_and(|preview| preview.approved.is_some())
    }
}

/// A request for a preview from an action.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AwaitedPreview {
    pub(crate) ticket: Ticket,
    /// The user's approval of the previous preview, if any.
    pub(crate) approved: Option<PreviewApproval>,
}

/// An approval that is valid only if the new preview equals the previous preview.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PreviewApproval {
    pub(crate) to_remember: Option<Remember>,
    pub(crate) by: Option<Decider>,
}

/// The review of a call that may start, and the state of the application's permission.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clearance {
    pub(crate) review: Box<Review>,
    pub(crate) permission: Permission,
}

impl Clearance {
    pub(super) const fn new(review: Box<Review>) -> Self {
        let permission = Permission::Unasked;
        Self { review, permission }
    }
}

/// The state of the application's permission for a call to start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Permission {
    /// The application was not asked.
    Unasked,
    /// The application was asked about the call with this fingerprint, and has not answered yet.
    Asked(Ticket, Fingerprint),
    /// The application permitted the call with this fingerprint.
    Given(Fingerprint),
}

/// The history of a call, which each state passes on to the next state.
///
/// The history must be preserved, because a journal accepts each claim only once, and because a
/// reason to ask the user again remains valid in all later states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct History {
    /// The number of times that the call's handler was started.
    pub(crate) starts: u32,
    /// The number of claims that did not lead to a start and that the journal may contain.
    pub(crate) void_starts: u32,
    /// True if the call's handler was started before a reload, so that the outcome of that start is
    /// unknown.
    pub(crate) unknown_outcome: bool,
    /// True if the call has changed since the user was asked about it or since it was decided.
    pub(crate) changed: bool,
    /// True if the user must be asked on this page before the call starts, for example because the
    /// call was imported.
    pub(crate) must_be_asked: bool,
    /// True if the call was read from a store, so that its action may have changed.
    pub(crate) is_stored: bool,
}
