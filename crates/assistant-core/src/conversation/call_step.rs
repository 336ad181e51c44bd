//! Creates the call events that result from changes of a call's state, including their details.

use super::{
    AllowedBy, Author, CallEvent, CallEventKind, CallFacts, CallOutcome, Decider, Decision, Phase,
    ToolCall,
    state::{State, StateEvent},
};

impl ToolCall {
    /// Creates an event of a call that was in the phase `before`.
    pub(crate) fn create_event(&self, kind: CallEventKind, before: Phase) -> CallEvent {
        CallEvent {
            call: self.key(),
            name: self.name.clone(),
            kind,
            before: Some(before),
            phase: self.phase(),
            removed: None,
            thread_id: None,
        }
    }

    /// Returns the properties of the call that a record contains.
    pub(crate) fn facts(&self) -> CallFacts {
        let args = self.effective_args().cloned();
        CallFacts {
            id: self.id.clone(),
            name: self.name.clone(),
            action: self.action.clone(),
            parent: self.parent,
            args: args.unwrap_or_else(|| self.args_text().into()),
        }
    }

    /// Returns the kind of call event for a state event that is about to be applied. Returns `None`
    /// if observers are not notified. For the end of a call, [`Self::ended_event_kind`] returns the
    /// kind after the state event was applied.
    pub(super) fn event_kind(&self, event: &StateEvent) -> Option<CallEventKind> {
        let decider = || self.approval().and_then(|asked| asked.by);
        let create_denial = |reason: &Option<String>, by| match self.denied_before() {
            true => CallEventKind::DeniedBefore {
                reason: reason.clone(),
            },
            false => CallEventKind::Denied {
                reason: reason.clone(),
                by,
            },
        };
        Some(match event {
            StateEvent::FoundMissing => CallEventKind::Waited,
            StateEvent::QuestionPut => CallEventKind::Asked { by: Author::Page },
            StateEvent::Interrupted { .. } | StateEvent::InterruptReopened { .. } => {
                CallEventKind::Asked { by: Author::Agent }
            }
            StateEvent::Cleared => CallEventKind::Allowed {
                by: self.allowed_by(),
            },
            StateEvent::Denied(reason) | StateEvent::DeniedBefore(reason) => {
                create_denial(reason, decider())
            }
            StateEvent::InterruptAnswered {
                approved: true, by, ..
            } => CallEventKind::Allowed {
                by: match by {
                    Some(Decider::Application) => AllowedBy::ApplicationToAgent,
                    _ => AllowedBy::PersonToAgent,
                },
            },
            StateEvent::InterruptAnswered { reason, by, .. } => create_denial(reason, *by),
            StateEvent::FoundRemote => CallEventKind::Remote,
            StateEvent::SendStarted => CallEventKind::SendStarted,
            StateEvent::SendFailed => CallEventKind::SendFailed,
            StateEvent::InterruptLifted => CallEventKind::InterruptLifted,
            StateEvent::Started(..) => CallEventKind::Started {
                attempt: self.claim_count(),
            },
            StateEvent::Rewritten
            | StateEvent::Voided
            | StateEvent::Revoked
            | StateEvent::Reopened => match self.state() {
                State::Streaming(_) | State::Open(_) => return None,
                _ => CallEventKind::Voided,
            },
            _ => return None,
        })
    }

    /// Returns the kind of event for a call that has just ended.
    pub(super) fn ended_event_kind(&self) -> CallEventKind {
        let error = self.error();
        let end_time = self.ended_at().unwrap_or(self.created_at);
        let duration = end_time.saturating_sub(self.created_at);
        CallEventKind::Ended {
            outcome: CallOutcome::from_phase(self.phase(), error.map(|error| error.kind)),
            by: self.answered_by().unwrap_or(Author::Page),
            error: error.map(|error| (error.kind, error.message.clone())),
            duration_ms: u64::try_from(duration).unwrap_or(0),
        }
    }

    /// Returns the reason why the call may start, for a call that is about to be allowed.
    fn allowed_by(&self) -> AllowedBy {
        let page_approval = self.approval();
        let page_approval = page_approval.filter(|approval| approval.interrupt_id.is_none());
        if let Some(approval) =
            page_approval.filter(|approval| approval.decision == Some(Decision::Approved))
        {
            let is_edited = self.edited_args().is_some();
            return match approval.by {
                Some(Decider::Application) => AllowedBy::Application { edited: is_edited },
                _ => AllowedBy::Person { edited: is_edited },
            };
        }
        if let Some(approval) = self.allowed_earlier() {
            return AllowedBy::Earlier {
                id: approval.id.clone(),
                by: approval.by,
            };
        }
        let has_rule_permission =
            matches!(self.state(), State::RuleAsked { .. }) || self.cleared_fingerprint().is_some();
        match has_rule_permission {
            true => AllowedBy::Rule,
            false => AllowedBy::Policy,
        }
    }
}

impl CallEvent {
    /// Stores the properties of a call and the id of its conversation in the event, for records.
    /// The function is called before the conversation is replaced with another conversation.
    pub(crate) fn attach_facts_and_thread_id(&mut self, thread_id: &str, call: &ToolCall) {
        self.attach_facts(call);
        self.thread_id = Some(thread_id.to_owned());
    }

    /// Stores the properties of a call that is being removed in the event, for records.
    pub(super) fn attach_facts(&mut self, call: &ToolCall) {
        self.removed.get_or_insert_with(|| Box::new(call.facts()));
    }
}
