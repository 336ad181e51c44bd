//! What happened to calls, as records for those who answer for it: every attempt, whoever made it and
//! however it ended.
//!
//! The session keeps none: it says what happened ([`super::Output::transitions`]), and a host that
//! wants records asks for each in full.

use serde_json::{Value, json};

use super::Session;
use crate::{
    action::{ActionFingerprint, Policy},
    conversation::{
        Author, CallKey, CallTransition, Decider, Decision, ErrorKind, Phase, ToolCall, Transition,
    },
    event::Object,
};

/// The most that a record holds of arguments, in bytes of JSON.
const MOST_ARGS: usize = 4_096;

/// The most that a record holds of a text, in characters.
const MOST_TEXT: usize = 1_000;

/// A record: something that happened to a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// In which conversation.
    pub thread_id: String,
    /// In which message; `None` for what the page asked for itself.
    pub message: Option<String>,
    /// The key of the call.
    pub call: CallKey,
    /// The id that the agent gave it.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// The edition of its action ([`crate::action::ActionSpec::fingerprint`]), where one answers for it.
    pub action: Option<ActionFingerprint>,
    /// The version that the action says it has.
    pub version: Option<String>,
    /// The call whose handler asked for it, if one did.
    pub parent: Option<CallKey>,
    /// The arguments that run or would run; as they were written where they are no JSON.
    pub args: Value,
    /// The event.
    pub event: AuditEvent,
}

/// An event in the life of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AuditEvent {
    /// It waits for an action that is not on the page.
    Waited,
    /// A person is asked about it.
    Asked {
        /// Who asks: the page, or the agent.
        by: Author,
    },
    /// It may start.
    Allowed {
        /// By whom or what.
        by: AllowedBy,
    },
    /// It was denied.
    Denied {
        /// The reason that was given.
        reason: Option<String>,
        /// The one who denied it; `None` where nobody did: it follows from something else, as from a
        /// new message or a stop.
        by: Option<Decider>,
    },
    /// It is equal to a call that a person denied in this turn, so that no one was asked.
    DeniedBefore {
        /// The reason that they gave then.
        reason: Option<String>,
    },
    /// It is left to the agent to run.
    LeftToAgent,
    /// Its handler started.
    Started {
        /// The number of starts before.
        attempt: u32,
    },
    /// It is another call than it was, or its action is: what was decided about it is void.
    Voided,
    /// It has come to its end: the one record that every attempt has.
    Ended {
        /// The outcome.
        outcome: AuditOutcome,
        /// Who says so.
        by: Author,
        /// The kind of error, and what it says.
        error: Option<(ErrorKind, String)>,
        /// The time from its appearance on, in milliseconds.
        duration_ms: u64,
    },
}

/// The reason why a call may start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedBy {
    /// The action asks nobody.
    Policy,
    /// The rule of the action let it pass.
    Rule,
    /// A person who was asked.
    Person {
        /// With other arguments than the agent's.
        edited: bool,
    },
    /// A person who was asked by the agent: it says nothing to the page.
    PersonToAgent,
    /// The application, by its own code.
    Application {
        /// True if it put other arguments in place of the agent's.
        edited: bool,
    },
    /// The application, which the agent asked: it says nothing to the page.
    ApplicationToAgent,
    /// An approval that was given earlier.
    Earlier {
        /// Which one.
        id: String,
        /// The one who gave it.
        by: Decider,
    },
}

/// The end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuditOutcome {
    /// With a result.
    Done,
    /// Its handler failed, or the agent says that it did.
    Failed,
    /// Its handler took too long.
    TimedOut,
    /// It was refused before anything ran: no such action, arguments that do not fit, a limit, no
    /// permission.
    Refused,
    /// A person denied it.
    Denied,
    /// Something that the person said came first.
    Skipped,
    /// It was given up.
    Cancelled,
}

impl AuditOutcome {
    /// The word for it in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::TimedOut => "timed-out",
            Self::Refused => "refused",
            Self::Denied => "denied",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    fn of(phase: Phase, error: Option<ErrorKind>) -> Self {
        match (phase, error) {
            (Phase::OutputError, Some(ErrorKind::Timeout)) => Self::TimedOut,
            (Phase::OutputError, Some(kind)) if kind.is_refusal() => Self::Refused,
            (Phase::OutputError, _) => Self::Failed,
            (Phase::OutputDenied, _) => Self::Denied,
            (Phase::Skipped, _) => Self::Skipped,
            (Phase::Cancelled, _) => Self::Cancelled,
            _ => Self::Done,
        }
    }
}

impl Session {
    /// The record of something that happened to a call. To be asked for while the session is as the
    /// input left it.
    #[must_use]
    pub fn audit_entry(&self, transition: &CallTransition, at: i64) -> Option<AuditEntry> {
        let known = self.conversation.call(&transition.call);
        let call = transition.gone.as_deref().or(known)?;
        let message = self.conversation.message_of_call(&transition.call);
        let args = call.effective_args().cloned();
        let thread_id = transition.thread_id.clone();
        Some(AuditEntry {
            at,
            thread_id: thread_id.unwrap_or_else(|| self.thread_id.clone()),
            message: message.map(|message| message.id.as_str().to_owned()),
            call: transition.call,
            call_id: call.id.clone(),
            tool: call.name.clone(),
            action: call.action.clone(),
            version: self.version_of(call),
            parent: call.parent,
            args: args.unwrap_or_else(|| call.args_text().into()),
            event: self.audit_event(transition.what, call, at)?,
        })
    }

    /// The version of the action in force, if it is the edition that the call is about.
    fn version_of(&self, call: &ToolCall) -> Option<String> {
        let entry = self.registry.in_force(&call.name)?;
        let version = entry.spec.version.clone()?;
        (call.action == Some(entry.spec.fingerprint())).then_some(version)
    }

    fn audit_event(&self, what: Transition, call: &ToolCall, at: i64) -> Option<AuditEvent> {
        Some(match what {
            Transition::Waited => AuditEvent::Waited,
            Transition::Asked => AuditEvent::Asked { by: Author::Page },
            Transition::AskedByAgent => AuditEvent::Asked { by: Author::Agent },
            Transition::Allowed => AuditEvent::Allowed {
                by: self.allowed_by(call),
            },
            Transition::AllowedToAgent => AuditEvent::Allowed {
                by: match decider(call) {
                    Some(Decider::Application) => AllowedBy::ApplicationToAgent,
                    _ => AllowedBy::PersonToAgent,
                },
            },
            Transition::Denied => {
                let decision = call.approval();
                let reason = match decision.and_then(|asked| asked.decision.clone()) {
                    Some(Decision::Denied { reason }) => reason,
                    _ => None,
                };
                match call.denied_before() {
                    true => AuditEvent::DeniedBefore { reason },
                    false => AuditEvent::Denied {
                        reason,
                        by: decider(call),
                    },
                }
            }
            Transition::LeftToAgent => AuditEvent::LeftToAgent,
            Transition::Started => AuditEvent::Started {
                attempt: call.claims().saturating_sub(1),
            },
            Transition::Voided => AuditEvent::Voided,
            Transition::Ended => {
                let kind = call.error().map(|error| error.kind);
                let error = call.error().map(|error| error.message.clone());
                let ended = call.ended_at().unwrap_or(at);
                AuditEvent::Ended {
                    outcome: AuditOutcome::of(call.phase(), kind),
                    by: call.answered_by().unwrap_or(Author::Page),
                    error: kind.zip(error),
                    duration_ms: u64::try_from(ended - call.created_at).unwrap_or(0),
                }
            }
        })
    }

    fn allowed_by(&self, call: &ToolCall) -> AllowedBy {
        let own = call.approval();
        let own = own.filter(|approval| approval.interrupt_id.is_none());
        if own.is_some_and(|approval| approval.decision == Some(Decision::Approved)) {
            let edited = call.edited_args().is_some();
            return match decider(call) {
                Some(Decider::Application) => AllowedBy::Application { edited },
                _ => AllowedBy::Person { edited },
            };
        }
        if let Some(earlier) = call.allowed_earlier() {
            let (id, by) = (earlier.id.clone(), earlier.by);
            return AllowedBy::Earlier { id, by };
        }
        let entry = self.registry.in_force(&call.name);
        match entry.map(|entry| entry.spec.approval) {
            Some(Policy::Ask) => AllowedBy::Rule,
            _ => AllowedBy::Policy,
        }
    }
}

impl AuditEntry {
    /// The same with no more than a record may hold: the beginning of arguments and texts that are
    /// too long. Redact before.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        bound(&mut self.args);
        cut(&mut self.thread_id);
        cut(&mut self.call_id);
        cut(&mut self.tool);
        self.message.as_mut().map(cut);
        self.version.as_mut().map(cut);
        match &mut self.event {
            AuditEvent::Denied { reason, .. } | AuditEvent::DeniedBefore { reason } => {
                let _ = reason.as_mut().map(cut);
            }
            AuditEvent::Ended { error, .. } => drop(error.as_mut().map(|(_, said)| cut(said))),
            _ => {}
        }
        self
    }

    /// The record as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut out = Object::new();
        let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
        put("at", self.at.into());
        put("threadId", self.thread_id.as_str().into());
        if let Some(message) = &self.message {
            put("messageId", message.as_str().into());
        }
        put("call", self.call.number().into());
        put("toolCallId", self.call_id.as_str().into());
        put("toolName", self.tool.as_str().into());
        if let Some(action) = &self.action {
            put("action", action.as_str().into());
        }
        if let Some(version) = &self.version {
            put("version", version.as_str().into());
        }
        if let Some(parent) = self.parent {
            put("parent", parent.number().into());
        }
        put("args", self.args.clone());
        let (event, more) = match &self.event {
            AuditEvent::Waited => ("waited", json!({})),
            AuditEvent::Asked { by } => ("asked", json!({"by": by.as_str()})),
            AuditEvent::Allowed { by } => ("allowed", by.to_value()),
            AuditEvent::Denied { reason, by } => {
                let by = by.map(Decider::as_str);
                ("denied", json!({"reason": reason, "by": by}))
            }
            AuditEvent::DeniedBefore { reason } => ("denied-before", json!({"reason": reason})),
            AuditEvent::LeftToAgent => ("left-to-agent", json!({})),
            AuditEvent::Started { attempt } => ("started", json!({"attempt": attempt})),
            AuditEvent::Voided => ("voided", json!({})),
            AuditEvent::Ended {
                outcome,
                by,
                error,
                duration_ms,
            } => {
                let error = error.as_ref();
                let error =
                    error.map(|(kind, said)| json!({"kind": kind.as_str(), "message": said}));
                let more = json!({
                    "outcome": outcome.as_str(),
                    "by": by.as_str(),
                    "durationMs": duration_ms,
                    "error": error,
                });
                ("ended", more)
            }
        };
        put("event", event.into());
        if let Value::Object(more) = more {
            for (key, value) in more.into_iter().filter(|(_, value)| !value.is_null()) {
                put(&key, value);
            }
        }
        Value::Object(out)
    }
}

impl AllowedBy {
    fn to_value(&self) -> Value {
        match self {
            Self::Policy => json!({"by": "policy"}),
            Self::Rule => json!({"by": "rule"}),
            Self::Person { edited } => json!({"by": "person", "edited": edited}),
            Self::PersonToAgent => json!({"by": "person-to-agent"}),
            Self::Application { edited } => json!({"by": "application", "edited": edited}),
            Self::ApplicationToAgent => json!({"by": "application-to-agent"}),
            Self::Earlier { id, by } => {
                json!({"by": "earlier", "approval": id, "givenBy": by.as_str()})
            }
        }
    }
}

/// The one who decided about a call.
fn decider(call: &ToolCall) -> Option<Decider> {
    call.approval()?.by
}

/// Keeps the beginning of a value that is longer than a record may hold.
pub(super) fn bound(value: &mut Value) {
    let text = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() > MOST_ARGS {
        let bytes = text.len();
        let start: String = text.chars().take(MOST_ARGS).collect();
        *value = json!({"cut": start, "bytes": bytes});
    }
}

fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MOST_TEXT) {
        text.truncate(at);
    }
}
