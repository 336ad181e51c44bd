//! Requests previews of a call's changes, which are shown before an approval (rule "preview").
//!
//! The preview is requested from the action when the user is asked, and again when the user
//! approves the call. If the preview has changed by then, the approval is void and the card shows
//! the new preview. The module `prepare` asks the user, and `approve` handles the answers.

use serde_json::Value;

use super::{Cx, Effect, PreviewRequest, Refusal, Session, Ticket};
use crate::{
    action::{Execution, Remember},
    conversation::{AwaitedPreview, CallDataChange, CallKey, PreviewApproval, State, ToolCall},
};

impl Session {
    /// Returns true if a call runs in the page and its action has a preview, which is then part of
    /// the approval.
    pub(super) fn has_preview(&self, key: &CallKey) -> bool {
        let call = self.call_with_registration(key);
        call.is_some_and(|(_, entry)| {
            entry.spec.has_preview && entry.spec.execution == Execution::Client
        })
    }

    /// Requests the preview of a call, if its action has one. `approved` is the user's approval of
    /// the previous preview, if any.
    pub(super) fn request_preview(
        &mut self,
        key: &CallKey,
        approved: Option<PreviewApproval>,
        cx: &mut Cx<'_>,
    ) {
        if !self.has_preview(key) {
            return;
        }
        let ticket = Ticket(self.next_number());
        let Some((call, entry)) = self.call_with_registration(key) else {
            return;
        };
        let Some(args) = call.effective_args().cloned() else {
            return;
        };
        let registration = entry.id;
        self.conversation.apply_data_change(
            key,
            CallDataChange::PreviewAwaited(AwaitedPreview { ticket, approved }),
        );
        cx.push_effect(Effect::Preview(Box::new(PreviewRequest {
            ticket,
            registration,
            args,
        })));
    }

    /// Requests the preview again, and approves the call once the action returns the same preview.
    /// Edited arguments have no preview yet, so the user is asked again.
    pub(super) fn approve_previewed_call(
        &mut self,
        key: &CallKey,
        edited: Option<Value>,
        to_remember: Option<Remember>,
        cx: &mut Cx<'_>,
    ) -> Result<(), Refusal> {
        if self.is_checking_preview(key) {
            return Err(Refusal::AlreadyResolved);
        }
        if let Some(args) = edited {
            self.check_edit(key, &args, cx)?;
            // The user has not seen a preview of the edited arguments, so the user is asked again.
            self.conversation.edit_call(key, |call| {
                call.apply_data_change(CallDataChange::Edited(Some(args)));
                call.apply_data_change(CallDataChange::PreviewOutdated);
            });
            self.request_preview(key, None, cx);
            return Ok(());
        }
        if let Some(remember) = &to_remember {
            self.approval_to_remember(key, remember, None, cx)?;
        }
        self.request_preview(
            key,
            Some(PreviewApproval {
                to_remember,
                by: cx.by,
            }),
            cx,
        );
        Ok(())
    }

    /// Handles the action's response to a request for a preview. Approves the call if the user
    /// approved the same preview, and shows the new preview otherwise.
    pub(super) fn handle_preview(
        &mut self,
        ticket: Ticket,
        outcome: Result<Value, String>,
        cx: &mut Cx<'_>,
    ) {
        let is_asked = |state: &State| match state {
            State::Asked(question) => {
                let preview = question.awaited.as_ref();
                preview.is_some_and(|preview| preview.ticket == ticket)
            }
            _ => false,
        };
        let Some(key) = self.find_open_call_on_any_branch(is_asked) else {
            return;
        };
        let awaited_preview = self
            .conversation
            .edit_call(&key, ToolCall::take_awaited_preview);
        let call = self.conversation.call(&key);
        let (Some(awaited_preview), Some(call)) = (awaited_preview.flatten(), call) else {
            return;
        };
        let is_same = call.preview() == Some(&outcome);
        match awaited_preview.approved {
            Some(PreviewApproval { to_remember, by }) if is_same => {
                cx.by = by;
                // All checks of an approval are repeated. If the approval is refused, the question
                // stays open.
                if let Err(refusal) = self.approve_call(&key, None, to_remember, cx) {
                    cx.refuse(refusal);
                }
            }
            approved => {
                self.conversation.edit_call(&key, |call| {
                    call.apply_data_change(CallDataChange::Previewed(outcome));
                    if approved.is_some() {
                        call.apply_data_change(CallDataChange::Changed);
                    }
                });
            }
        }
    }

    /// Returns true if the user has approved a call and the preview is being requested again.
    #[must_use]
    pub fn is_checking_preview(&self, key: &CallKey) -> bool {
        let state = self.conversation.state_of(key);
        matches!(state, Some(State::Asked(question)) if question.is_approved())
    }
}
