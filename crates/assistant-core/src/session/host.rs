//! Defines the host interface that the session calls while it handles an input.

use serde_json::Value;

use super::TurnSummary;
use crate::{
    action::{RegistrationId, schema::PatternHost},
    conversation::CallKey,
    event::TokenUsage,
    id::Ticket,
};

/// The synchronous interface of the session to its environment.
///
/// The methods return immediately. If a rule needs time, the method returns [`Answer::Later`], and
/// the host passes the answer as an input.
pub trait Host: PatternHost {
    /// Returns the time in milliseconds since 1970.
    fn now(&mut self) -> i64;

    /// Returns a unique id for a thread, run or message. The id must be hard to guess.
    fn new_id(&mut self) -> String;

    /// Returns true if the user must be asked. The method is called only for actions with
    /// [`crate::action::Policy::Ask`].
    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool>;

    /// Returns `Ok` if the application permits a call to start; `Err` contains the reason for the
    /// model and the user. The method is called right before the start, after the rules and the
    /// user have permitted the call (rule "permission"). An answer that never arrives delays only
    /// that call, until the user stops the assistant.
    fn permits(&mut self, question: PolicyQuestion<'_>) -> Answer<Result<(), String>> {
        let _ = question;
        Answer::Now(Ok(()))
    }

    /// Returns the sanitized arguments of a call; `None` leaves the arguments unchanged. The
    /// sanitized arguments are shown to the user and passed to the handler.
    fn sanitize(&mut self, registration: RegistrationId, args: &Value) -> Option<Value> {
        let _ = (registration, args);
        None
    }

    /// Returns true if the application's rule with this name ends the loop. The method is called
    /// only for [`super::StopCondition::Rule`].
    fn stops(&mut self, rule: &str, summary: &TurnSummary) -> bool {
        let _ = (rule, summary);
        false
    }

    /// Returns the price of tokens, in millionths of the host's currency; `None` if unknown.
    fn price(&mut self, usage: &TokenUsage) -> Option<u64> {
        let _ = usage;
        None
    }

    /// Returns the result of a denied call for the agent; `None` if the application does not define
    /// a result.
    fn denial(
        &mut self,
        registration: RegistrationId,
        args: &Value,
        reason: Option<&str>,
    ) -> Option<Value>;
}

/// An answer from the host to a question from the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<T> {
    /// The answer is available immediately.
    Now(T),
    /// The answer follows as an input with the ticket of the question.
    Later,
}

/// The result of a compare-and-set on a stored value.
#[derive(Debug, Clone, PartialEq)]
pub enum Swap<T> {
    /// The value was as expected, and has been replaced.
    Done,
    /// The stored value differs from the expected value and was not changed; `None` if no value is
    /// stored.
    Found(Option<T>),
    /// The operation failed for the given reason; the stored value is unknown.
    Failed(String),
}

/// A question to a rule of the application, about a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyQuestion<'a> {
    pub(crate) ticket: Ticket,
    pub(crate) registration: RegistrationId,
    pub(crate) call: &'a CallKey,
    pub(crate) name: &'a str,
    pub(crate) args: &'a Value,
}

impl<'a> PolicyQuestion<'a> {
    /// Returns the ticket for an answer that follows later.
    #[must_use]
    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Returns the id of the registration of the action to which the rule applies.
    #[must_use]
    pub const fn registration(&self) -> RegistrationId {
        self.registration
    }

    /// Returns the key of the call.
    #[must_use]
    pub const fn call_key(&self) -> CallKey {
        *self.call
    }

    /// Returns the action's name.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the call's arguments, validated unless the action turns validation off.
    #[must_use]
    pub const fn args(&self) -> &'a Value {
        self.args
    }
}
