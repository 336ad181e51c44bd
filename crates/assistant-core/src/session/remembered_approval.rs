//! Remembers approvals that let calls start without asking the user (rule "remembered approvals").
//!
//! The module `approve` handles the user's decisions, and `prepare` and `start` look up remembered
//! approvals.

use serde_json::Value;

use super::{Cx, Effect, Refusal, Session};
use crate::{
    action::{GrantBounds, Registration, Remember, RememberScope, RememberedApproval, Remembering},
    conversation::{
        AllowedEarlier, CallKey, Change, Decider, State, StateEvent, ToolCall, UseCountState,
    },
};

impl Session {
    /// Returns the remembered approvals that the user has not revoked, oldest first, including
    /// those of other conversations.
    #[must_use]
    pub fn remembered_approvals(&self) -> &[RememberedApproval] {
        self.remembered.list()
    }

    /// Returns the widest extent in which an approval of this call may be remembered. Returns
    /// [`Remembering::Never`] if the page does not ask about the call, if the options remember no
    /// approvals, or if the call has an unknown outcome.
    #[must_use]
    pub fn remembering(&self, key: &CallKey) -> Remembering {
        let call = self.conversation.call(key);
        let asked_call = call.filter(|call| matches!(call.state(), State::Asked(_)));
        let entry = asked_call.and_then(|call| self.registration_for(call));
        // A call with an unknown outcome might run twice, so the user is asked each time.
        let is_unknown = asked_call.is_some_and(ToolCall::has_unknown_outcome);
        match entry.filter(|_| self.options.remember_approvals) {
            Some(entry) if !is_unknown => entry.spec.remembering.clone(),
            _ => Remembering::Never,
        }
    }

    /// Returns the widest bounds for a remembered approval of this call, as set by the action of
    /// the call. Returns the default bounds if the call has no registered action.
    #[must_use]
    pub fn grant_bounds(&self, key: &CallKey) -> GrantBounds {
        let call = self.call_with_registration(key);
        call.map_or_else(GrantBounds::default, |(_, entry)| {
            entry.spec.grant_bounds.clone()
        })
    }

    /// Builds the approval to remember for a call that the user approves now. Fails with the reason
    /// if no approval can be remembered.
    pub(super) fn approval_to_remember(
        &self,
        key: &CallKey,
        what: &Remember,
        edited: Option<&Value>,
        cx: &mut Cx<'_>,
    ) -> Result<RememberedApproval, Refusal> {
        if self.remembering(key) == Remembering::Never {
            return Err(Refusal::NotRemembered);
        }
        let call = self
            .conversation
            .call(key)
            .ok_or(Refusal::AlreadyResolved)?;
        let entry = self.registration_for(call).ok_or(Refusal::NotRegistered)?;
        let args = edited.or_else(|| call.effective_args());
        let args = args.ok_or(Refusal::NotRemembered)?;
        let decider = cx.by.unwrap_or(Decider::Application);
        let origin = (decider, cx.host.new_id(), self.thread_id.clone(), cx.now);
        RememberedApproval::new(&entry.spec, args, what, origin).ok_or(Refusal::NotRemembered)
    }

    pub(super) fn remember_approval(&mut self, approval: RememberedApproval, cx: &mut Cx<'_>) {
        self.remembered.remove_spent(cx.now);
        self.remembered.add(approval);
        self.store_approvals(cx);
    }

    /// Returns the remembered approval by which a call may start. Returns `None` if no approval
    /// applies or if the options disable remembered approvals.
    pub(super) fn find_earlier_approval(
        &self,
        call: &ToolCall,
        entry: &Registration,
        now: i64,
    ) -> Option<AllowedEarlier> {
        if !self.options.remember_approvals {
            return None;
        }
        let args = call.effective_args()?;
        let place_and_time = (self.thread_id.as_str(), now);
        let approval = self.remembered.find(&entry.spec, args, place_and_time)?;
        Some(AllowedEarlier {
            id: approval.id.clone(),
            at: approval.allowed_at,
            by: approval.by,
            count: UseCountState::No,
        })
    }

    /// Revokes an approval. Calls that the approval permitted and that have not started are checked
    /// again. An unknown id is refused.
    pub(super) fn revoke_approval(&mut self, id: &str, cx: &mut Cx<'_>) {
        if self.remembered.remove(id).is_none() {
            return cx.refuse(Refusal::NothingToDo);
        }
        self.ask_about_calls_allowed_by(id, cx);
        self.store_approvals(cx);
    }

    /// Repeats the checks of the calls that a removed approval permitted and that have not started.
    /// The user is asked unless another approval applies.
    pub(super) fn ask_about_calls_allowed_by(&mut self, id: &str, cx: &mut Cx<'_>) {
        if self.following {
            return;
        }
        let mut keys = self.conversation.active_calls();
        keys.extend(self.direct_call_keys());
        for key in keys {
            let call = self.conversation.call(&key);
            let permitted_call = call.filter(|call| {
                let approval = call.allowed_earlier();
                approval.is_some_and(|approval| approval.id == id)
            });
            match permitted_call.map(ToolCall::state) {
                Some(State::Allowed(_)) => self.void_check(&key),
                Some(State::HandedOff { out: false, .. }) => self.revoke_call_permission(&key),
                _ => continue,
            }
            self.check_call(&key, false, cx);
        }
    }

    /// Withdraws the approval under which a call was to be handed off to the agent.
    fn revoke_call_permission(&mut self, key: &CallKey) {
        self.conversation
            .apply_state_event(key, StateEvent::Revoked);
    }

    /// Asks the user about calls that were to be handed off under an approval that no longer
    /// applies. Calls whose action is missing are answered at once. Returns true if a call waits
    /// for the user.
    pub(super) fn ask_about_lapsed_approvals(&mut self, cx: &mut Cx<'_>) -> bool {
        let has_lapsed = |call: &&ToolCall| {
            let entry = self.registration_for(call);
            matches!(call.state(), State::HandedOff { out: false, .. })
                && call.allowed_earlier().is_some()
                && entry.is_none_or(|entry| !self.is_allowed_by_grant(call, entry, cx.now))
        };
        let keys = self.conversation.active_calls();
        let calls = keys.iter().filter_map(|key| self.conversation.call(key));
        let keys: Vec<CallKey> = calls.filter(has_lapsed).map(ToolCall::key).collect();
        for key in &keys {
            self.revoke_call_permission(key);
            self.check_call(key, true, cx);
            self.advance_call(key, cx);
        }
        let mut calls = keys.iter().filter_map(|key| self.conversation.call(key));
        calls.any(|call| call.state().is_awaited_by_loop())
    }

    /// Applies the changes that another tab made to the stored approvals. Approvals that are no
    /// longer stored are revoked; approvals for this session only are not affected.
    pub(super) fn sync_approvals(&mut self, stored: Vec<RememberedApproval>, cx: &mut Cx<'_>) {
        let outlives_session =
            |approval: &RememberedApproval| approval.scope != RememberScope::Session;
        let is_removed =
            |approval: &&RememberedApproval| stored.iter().all(|other| other.id != approval.id);
        let approvals = self.remembered.list().iter();
        let removed_approvals = approvals
            .filter(|approval| outlives_session(approval))
            .filter(is_removed);
        let removed_ids: Vec<String> = removed_approvals
            .map(|approval| approval.id.clone())
            .collect();
        for id in removed_ids {
            self.remembered.remove(&id);
            self.ask_about_calls_allowed_by(&id, cx);
        }
        for approval in stored.into_iter().filter(outlives_session) {
            match self.remembered.get(&approval.id) {
                Some(_) => self.remembered.record_uses(&approval.id, approval.used),
                None => self.remembered.add(approval),
            }
        }
        cx.push_change(Change::Remembered);
    }

    /// Adds the approvals stored by the host. Approvals that were remembered before the stored
    /// approvals arrived take precedence, and are stored together with them.
    pub(super) fn restore_approvals(&mut self, stored: Vec<RememberedApproval>, cx: &mut Cx<'_>) {
        let newer_approvals = std::mem::take(&mut self.remembered);
        for approval in stored {
            if approval.scope != RememberScope::Session {
                self.remembered.add(approval);
            }
        }
        for approval in newer_approvals.list() {
            let stored_approval = self.remembered.get(&approval.id);
            let use_count = stored_approval.map_or(0, |stored| stored.used);
            self.remembered.add(approval.clone());
            self.remembered.record_uses(&approval.id, use_count);
        }
        let mut newer_approvals = newer_approvals.list().iter();
        match newer_approvals.any(|approval| approval.scope != RememberScope::Session) {
            true => self.store_approvals(cx),
            false => cx.push_change(Change::Remembered),
        }
    }

    /// Passes the approvals that outlive the session to the host.
    fn store_approvals(&self, cx: &mut Cx<'_>) {
        let approvals = self.remembered.list().iter();
        let approvals = approvals.filter(|approval| approval.scope != RememberScope::Session);
        cx.push_effect(Effect::StoreApprovals {
            approvals: approvals.cloned().collect(),
        });
        cx.push_change(Change::Remembered);
    }
}
