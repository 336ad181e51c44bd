//! Creates audit records of call events, for calls by any author and with any outcome.
//!
//! The session does not store records. The session emits events ([`super::Output::calls`]), and a
//! host that needs records requests the record of each event.

use serde_json::{Value, json};

use super::Session;
use crate::{
    action::ActionFingerprint,
    conversation::{AllowedBy, CallEvent, CallEventKind, CallFacts, CallKey, Decider},
    event::Object,
};

/// The maximum size of arguments in a record, in bytes of JSON.
const MAX_ARGS_BYTES: usize = 4_096;

/// The maximum length of a text in a record, in characters.
const MAX_TEXT_CHARS: usize = 1_000;

/// An audit record of a call event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuditEntry {
    pub(crate) at: i64,
    pub(crate) thread_id: String,
    pub(crate) message: Option<String>,
    pub(crate) call: CallKey,
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) action: Option<ActionFingerprint>,
    pub(crate) version: Option<String>,
    pub(crate) parent: Option<CallKey>,
    pub(crate) args: Value,
    pub(crate) event: CallEventKind,
}

impl Session {
    /// Returns the record of an event; `None` if the event is not recorded or its call does not
    /// exist. The method must be called before the next input, since the details are read from the
    /// current state of the call.
    #[must_use]
    pub fn audit_entry(&self, event: &CallEvent, at: i64) -> Option<AuditEntry> {
        if !event.kind.is_audited() {
            return None;
        }
        let facts = match &event.removed {
            Some(facts) => CallFacts::clone(facts),
            None => self.conversation.call_facts(&event.call)?,
        };
        let message = self.conversation.message_of_call(&event.call);
        let message = message.filter(|_| event.thread_id.is_none());
        let thread_id = event.thread_id.as_ref();
        Some(AuditEntry {
            at,
            thread_id: thread_id.unwrap_or(&self.thread_id).clone(),
            message: message.map(|message| message.id.as_str().to_owned()),
            call: event.call,
            version: self.action_version(&facts),
            call_id: facts.id,
            tool: facts.name,
            action: facts.action,
            parent: facts.parent,
            args: facts.args,
            event: event.kind.clone(),
        })
    }

    /// Returns the version of the action of a call; `None` if the action has no version, or if the
    /// fingerprint of the action differs from the fingerprint that is recorded for the call.
    fn action_version(&self, call: &CallFacts) -> Option<String> {
        let entry = self.registry.active_registration(&call.name)?;
        let version = entry.spec.version.clone()?;
        (call.action == Some(entry.spec.fingerprint())).then_some(version)
    }
}

impl AuditEntry {
    /// Returns a mutable reference to the arguments, for example to remove secrets.
    pub fn args_mut(&mut self) -> &mut Value {
        &mut self.args
    }

    /// Returns a mutable reference to the event, for example to remove a reason or an error
    /// message.
    pub fn event_mut(&mut self) -> &mut CallEventKind {
        &mut self.event
    }

    /// Returns the time of the event, in milliseconds since 1970.
    #[must_use]
    pub const fn at(&self) -> i64 {
        self.at
    }

    /// Returns the id of the message that contains the call; `None` for calls of the page itself
    /// and for calls of a conversation that was replaced.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Returns the fingerprint of the called action
    /// ([`ActionSpec::fingerprint`](crate::action::ActionSpec::fingerprint)), if an action is
    /// registered for the tool.
    #[must_use]
    pub const fn action(&self) -> Option<&ActionFingerprint> {
        self.action.as_ref()
    }

    /// Returns the version of the action, if the action has one.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the id of the conversation.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        self.call
    }

    /// Returns the agent's id of the call; empty for calls of the page itself.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the key of the call whose handler requested this call; `None` if no handler did.
    #[must_use]
    pub const fn parent(&self) -> Option<CallKey> {
        self.parent
    }

    /// Returns the effective arguments; the raw text if the arguments are not JSON.
    #[must_use]
    pub const fn args(&self) -> &Value {
        &self.args
    }

    /// Returns the recorded event.
    #[must_use]
    pub const fn event(&self) -> &CallEventKind {
        &self.event
    }

    /// Truncates arguments and texts to the limits of a record. Secrets must be removed before this
    /// method is called, since a truncated secret may no longer be recognized.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        truncate_value(&mut self.args);
        truncate_text(&mut self.thread_id);
        truncate_text(&mut self.call_id);
        truncate_text(&mut self.tool);
        self.message.as_mut().map(truncate_text);
        self.version.as_mut().map(truncate_text);
        match &mut self.event {
            CallEventKind::Denied { reason, .. } | CallEventKind::DeniedBefore { reason } => {
                let _ = reason.as_mut().map(truncate_text);
            }
            CallEventKind::Ended {
                error: Some((_, message)),
                ..
            } => truncate_text(message),
            _ => {}
        }
        self
    }

    /// Returns the record as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut record = Object::new();
        let mut put = |key: &str, value: Value| drop(record.insert(key.to_owned(), value));
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
        let (event, fields) = match &self.event {
            CallEventKind::Waited => ("waited", json!({})),
            CallEventKind::Asked { by } => ("asked", json!({"by": by.as_str()})),
            CallEventKind::Allowed { by } => ("allowed", allowed_by_to_value(by)),
            CallEventKind::Denied { reason, by } => {
                let decider = by.map(Decider::as_str);
                ("denied", json!({"reason": reason, "by": decider}))
            }
            CallEventKind::DeniedBefore { reason } => ("denied-before", json!({"reason": reason})),
            CallEventKind::Remote => ("remote", json!({})),
            CallEventKind::SendStarted => ("send-started", json!({})),
            CallEventKind::SendFailed => ("send-failed", json!({})),
            CallEventKind::InterruptLifted => ("interrupt-lifted", json!({})),
            CallEventKind::Resumed => ("resumed", json!({})),
            CallEventKind::Detached => ("detached", json!({})),
            CallEventKind::Started { attempt } => ("started", json!({"attempt": attempt})),
            CallEventKind::Voided => ("voided", json!({})),
            CallEventKind::Ended {
                outcome,
                by,
                error,
                duration_ms,
            } => {
                let error = error.as_ref();
                let error =
                    error.map(|(kind, message)| json!({"kind": kind.as_str(), "message": message}));
                let fields = json!({
                    "outcome": outcome.as_str(),
                    "by": by.as_str(),
                    "durationMs": duration_ms,
                    "error": error,
                });
                ("ended", fields)
            }
        };
        put("event", event.into());
        if let Value::Object(fields) = fields {
            for (key, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
                put(&key, value);
            }
        }
        Value::Object(record)
    }
}

fn allowed_by_to_value(by: &AllowedBy) -> Value {
    match by {
        AllowedBy::Policy => json!({"by": "policy"}),
        AllowedBy::Rule => json!({"by": "rule"}),
        AllowedBy::Person { edited } => json!({"by": "person", "edited": edited}),
        AllowedBy::PersonToAgent => json!({"by": "person-to-agent"}),
        AllowedBy::Application { edited } => json!({"by": "application", "edited": edited}),
        AllowedBy::ApplicationToAgent => json!({"by": "application-to-agent"}),
        AllowedBy::Earlier { id, by } => {
            json!({"by": "earlier", "approval": id, "givenBy": by.as_str()})
        }
    }
}

/// Replaces a value that exceeds the limit of a record by an object that contains the beginning of
/// the value and the size in bytes.
pub(super) fn truncate_value(value: &mut Value) {
    let text = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if text.len() > MAX_ARGS_BYTES {
        let bytes = text.len();
        let prefix: String = text.chars().take(MAX_ARGS_BYTES).collect();
        *value = json!({"cut": prefix, "bytes": bytes});
    }
}

fn truncate_text(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_TEXT_CHARS) {
        text.truncate(at);
    }
}
