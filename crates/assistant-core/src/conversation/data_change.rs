//! Defines the changes to the data of a call that are not transitions to another state.

use serde_json::Value;

use super::{
    AllowedEarlier, AwaitedPreview, CallApproval, Check, Decider, Decision, Fingerprint,
    Permission, UseCountState, state::State,
};
use crate::action::RegistrationId;

/// A change to the data in a call's state. It has no effect if the state does not contain the data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CallDataChange {
    /// The call was checked. `None` discards the check.
    Checked(Option<Box<Check>>),
    /// A registration with the same rules as the previous registration takes over the call.
    TakenOver(Option<RegistrationId>),
    /// The page asks the user about the call as shown on the card.
    Asked { shown: Option<Fingerprint> },
    /// The agent asks the user about the call as shown on the card.
    AskedByAgent {
        interrupt: String,
        shown: Option<Fingerprint>,
    },
    /// The question and the answer of a stored call were read.
    #[cfg(feature = "ui-stream")]
    Approval(Option<CallApproval>),
    /// The decision about the call, without the decider and the fingerprint that
    /// [`Self::DecidedAsShown`] records. The change is applied if an equal call was denied before,
    /// when a denied call ends, and if a callout contains a decision.
    Decision(Decision),
    /// The user or the application decided about the call as it was shown on the card.
    DecidedAsShown {
        decision: Decision,
        by: Option<Decider>,
        shown: Option<Fingerprint>,
    },
    /// An equal call was denied in the same turn.
    DeniedBefore,
    /// The user edited the arguments. `None` discards the edit.
    Edited(Option<Value>),
    /// The application sanitized the arguments. `None` discards the sanitized arguments.
    Cleaned(Option<Value>),
    /// A rule of the application permits the call with this fingerprint without asking the user.
    /// `None` withdraws the permission.
    Cleared(Option<Fingerprint>),
    /// A remembered approval permits the call's start. `None` withdraws the permission.
    AllowedEarlier(Option<AllowedEarlier>),
    /// The state of counting the use of the remembered approval changed.
    UseCounted(UseCountState),
    /// The application permits the call's start, or was asked for this permission.
    Permission(Permission),
    /// A preview was requested.
    PreviewAwaited(AwaitedPreview),
    /// The preview arrived. `Err` contains the reason why no preview could be created.
    Previewed(Result<Value, String>),
    /// An edit made the preview outdated, so the user is asked again.
    PreviewOutdated,
    /// The call changed after the user was asked about it or after it was decided.
    Changed,
    /// The user must be asked on this page before the call starts.
    MustBeAsked,
    /// The journal contains the end of the call's last start, so the outcome is known.
    OutcomeKnown,
}

impl State {
    pub(super) fn apply_data_change(&mut self, change: CallDataChange) {
        match (&change, self.history_mut()) {
            (CallDataChange::Changed | CallDataChange::PreviewOutdated, Some(history)) => {
                history.changed = true;
            }
            (CallDataChange::MustBeAsked, Some(history)) => history.must_be_asked = true,
            (CallDataChange::OutcomeKnown, Some(history)) => history.unknown_outcome = false,
            (CallDataChange::DecidedAsShown { .. }, Some(_)) => self.record_answer(),
            _ => {}
        }
        match (change, &mut *self) {
            (CallDataChange::Permission(permission), Self::Allowed(clearance)) => {
                clearance.permission = permission;
            }
            (CallDataChange::TakenOver(registration), state) => state.take_over(registration),
            (CallDataChange::PreviewAwaited(awaited), Self::Asked(question)) => {
                question.awaited = Some(Box::new(awaited));
            }
            (change, state) => state.apply_review_change(change),
        }
    }

    /// Binds the check of a call to another registration. The permission that the earlier
    /// registration gave is dropped.
    fn take_over(&mut self, registration: Option<RegistrationId>) {
        if let Self::Allowed(clearance) = self {
            clearance.permission = Permission::Unasked;
        }
        let check = self.review_mut().and_then(|review| review.check.as_mut());
        if let Some(check) = check {
            check.registration = registration;
        }
    }

    /// Records that the question was answered, so that the call counts as unchanged. If the agent
    /// asked the question, a requirement to ask the user on this page remains.
    fn record_answer(&mut self) {
        let approval = self.review().and_then(|review| review.approval.as_ref());
        let was_asked_by_agent = approval.is_some_and(|asked| asked.interrupt_id.is_some());
        if let Some(history) = self.history_mut() {
            history.changed = false;
            history.must_be_asked &= was_asked_by_agent;
        }
    }

    fn apply_review_change(&mut self, change: CallDataChange) {
        let Some(review) = self.review_mut() else {
            return;
        };
        match change {
            CallDataChange::Checked(check) => review.check = check,
            CallDataChange::Asked { shown } => {
                review.approval = Some(CallApproval {
                    shown,
                    ..CallApproval::default()
                });
            }
            CallDataChange::AskedByAgent { interrupt, shown } => {
                review.approval = Some(CallApproval {
                    interrupt_id: Some(interrupt),
                    shown,
                    ..CallApproval::default()
                });
            }
            #[cfg(feature = "ui-stream")]
            CallDataChange::Approval(approval) => review.approval = approval,
            CallDataChange::Decision(decision) => {
                review.approval.get_or_insert_default().decision = Some(decision);
            }
            CallDataChange::DecidedAsShown {
                decision,
                by,
                shown,
            } => {
                let approval = review.approval.get_or_insert_default();
                approval.decision = Some(decision);
                approval.by = by;
                approval.shown = shown;
            }
            CallDataChange::DeniedBefore => review.denied_before = true,
            CallDataChange::Edited(args) => review.edited_args = args,
            CallDataChange::Cleaned(args) => review.clean_args = args,
            CallDataChange::Cleared(fingerprint) => review.cleared = fingerprint,
            CallDataChange::AllowedEarlier(approval) => review.allowed_earlier = approval,
            CallDataChange::UseCounted(count) => {
                if let Some(approval) = &mut review.allowed_earlier {
                    approval.count = count;
                }
            }
            CallDataChange::Previewed(outcome) => review.preview = Some(outcome),
            CallDataChange::PreviewOutdated => review.preview = None,
            CallDataChange::Permission(_)
            | CallDataChange::PreviewAwaited(_)
            | CallDataChange::Changed
            | CallDataChange::MustBeAsked
            | CallDataChange::OutcomeKnown
            | CallDataChange::TakenOver(_) => {}
        }
    }
}
