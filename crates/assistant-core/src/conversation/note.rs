//! Defines notes: changes of a call that do not change its state.

use serde_json::Value;

use super::{
    AllowedEarlier, AwaitedPreview, CallApproval, Check, Decider, Decision, Fingerprint,
    Permission, UseCountState, state::State,
};
use crate::action::RegistrationId;

/// A change of the review or the history in a call's state. A state without the changed field
/// ignores the change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Note {
    /// The call was checked; `None` voids the check.
    Checked(Option<Box<Check>>),
    /// Another registration with the same rules takes over the call.
    TakenOver(Option<RegistrationId>),
    /// The page asks the user about the call as it is shown on the card.
    Asked { shown: Option<Fingerprint> },
    /// The agent asks about the call as it is shown on the card.
    AskedByAgent {
        interrupt: String,
        shown: Option<Fingerprint>,
    },
    /// The question and the answer of a stored call were read.
    #[cfg(feature = "ui-stream")]
    Approval(Option<CallApproval>),
    /// The call was decided without an answer on its card (see [`Self::DecidedAsShown`]): an equal
    /// call was denied before, the call ends as denied, or a callout states the decision.
    Decision(Decision),
    /// The user or the application decided about the call as it was shown on the card.
    DecidedAsShown {
        decision: Decision,
        by: Option<Decider>,
        shown: Option<Fingerprint>,
    },
    /// An equal call was denied in the same turn.
    DeniedBefore,
    /// The user edited the arguments, or an edit is void.
    Edited(Option<Value>),
    /// The application sanitized the arguments, or the sanitized arguments are void.
    Cleaned(Option<Value>),
    /// A rule of the application permits this version of the call without asking the user, or the
    /// permission is void.
    Cleared(Option<Fingerprint>),
    /// A remembered approval permits the call's start, or no longer permits it.
    AllowedEarlier(Option<AllowedEarlier>),
    /// The use of the remembered approval is counted.
    UseCounted(UseCountState),
    /// The application permits the call's start, or was asked whether it does.
    Permission(Permission),
    /// A preview was requested.
    PreviewAwaited(AwaitedPreview),
    /// The preview arrived. `Err` contains the reason why it could not be made.
    Previewed(Result<Value, String>),
    /// The preview is outdated by an edit, so the user is asked again.
    PreviewOutdated,
    /// The call changed after it was asked about or decided.
    Changed,
    /// The user must be asked on this page before the call starts.
    MustBeAsked,
    /// The journal contains the end of the call's last start.
    OutcomeKnown,
}

impl State {
    pub(super) fn apply_note(&mut self, note: Note) {
        match (&note, self.history_mut()) {
            (Note::Changed | Note::PreviewOutdated, Some(history)) => history.changed = true,
            (Note::MustBeAsked, Some(history)) => history.must_be_asked = true,
            (Note::OutcomeKnown, Some(history)) => history.unknown_outcome = false,
            (Note::DecidedAsShown { .. }, Some(_)) => self.record_answer(),
            _ => {}
        }
        match (note, &mut *self) {
            (Note::Permission(permission), Self::Allowed(clearance)) => {
                clearance.permission = permission;
            }
            (Note::PreviewAwaited(awaited), Self::Asked(question)) => {
                question.awaited = Some(awaited);
            }
            (note, state) => state.apply_review_note(note),
        }
    }

    /// Records that the question was answered: the call counts as unchanged. The user must still be
    /// asked on this page if the answer was for the agent.
    fn record_answer(&mut self) {
        let approval = self.review().and_then(|review| review.approval.as_ref());
        let was_asked_by_agent = approval.is_some_and(|asked| asked.interrupt_id.is_some());
        if let Some(history) = self.history_mut() {
            history.changed = false;
            history.must_be_asked &= was_asked_by_agent;
        }
    }

    fn apply_review_note(&mut self, note: Note) {
        let Some(review) = self.review_mut() else {
            return;
        };
        match note {
            Note::Checked(check) => review.check = check,
            Note::TakenOver(registration) => {
                if let Some(check) = &mut review.check {
                    check.registration = registration;
                }
            }
            Note::Asked { shown } => {
                review.approval = Some(CallApproval {
                    shown,
                    ..CallApproval::default()
                });
            }
            Note::AskedByAgent { interrupt, shown } => {
                review.approval = Some(CallApproval {
                    interrupt_id: Some(interrupt),
                    shown,
                    ..CallApproval::default()
                });
            }
            #[cfg(feature = "ui-stream")]
            Note::Approval(approval) => review.approval = approval,
            Note::Decision(decision) => {
                review.approval.get_or_insert_default().decision = Some(decision);
            }
            Note::DecidedAsShown {
                decision,
                by,
                shown,
            } => {
                let approval = review.approval.get_or_insert_default();
                approval.decision = Some(decision);
                approval.by = by;
                approval.shown = shown;
            }
            Note::DeniedBefore => review.denied_before = true,
            Note::Edited(args) => review.edited_args = args,
            Note::Cleaned(args) => review.clean_args = args,
            Note::Cleared(fingerprint) => review.cleared = fingerprint,
            Note::AllowedEarlier(approval) => review.allowed_earlier = approval,
            Note::UseCounted(count) => {
                if let Some(approval) = &mut review.allowed_earlier {
                    approval.count = count;
                }
            }
            Note::Previewed(outcome) => review.preview = Some(outcome),
            Note::PreviewOutdated => review.preview = None,
            Note::Permission(_)
            | Note::PreviewAwaited(_)
            | Note::Changed
            | Note::MustBeAsked
            | Note::OutcomeKnown => {}
        }
    }
}
