//! What the session may ask while it handles an input.

use serde_json::Value;

use super::TurnSummary;
use crate::{
    action::{RegistrationId, schema::PatternHost},
    conversation::CallKey,
    event::TokenUsage,
    id::Ticket,
};

/// The world outside, as far as the session may ask it in the middle of an input.
///
/// Answers are immediate; a rule that needs time says so and answers later by an input.
pub trait Host: PatternHost {
    /// Milliseconds since 1970.
    fn now(&mut self) -> i64;

    /// A fresh id for a thread, run or message: never given out before, hard to guess.
    fn new_id(&mut self) -> String;

    /// Whether a person must be asked. Only called for actions whose policy is to ask the host.
    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool>;

    /// Returns whether the application permits a call to start: asked right before, after rules and persons
    /// have let it pass. `Err` says why not, for the model and the person.
    fn permits(&mut self, question: PolicyQuestion<'_>) -> Answer<Result<(), String>> {
        let _ = question;
        Answer::Now(Ok(()))
    }

    /// The arguments of a call as the application cleans them, before anything looks at them;
    /// `None` leaves them as they are. What is shown, approved and run is what this gives.
    fn sanitize(&mut self, registration: RegistrationId, args: &Value) -> Option<Value> {
        let _ = (registration, args);
        None
    }

    /// Whether the rule of the application with this name ends the loop. Only called for
    /// [`super::StopCondition::Rule`].
    fn stops(&mut self, rule: &str, summary: &TurnSummary) -> bool {
        let _ = (rule, summary);
        false
    }

    /// What some tokens cost, in millionths of the host's currency; `None` if nobody prices them.
    fn price(&mut self, usage: &TokenUsage) -> Option<u64> {
        let _ = usage;
        None
    }

    /// What the agent is told when a person says no, if the application wants to word it itself.
    fn denial(
        &mut self,
        registration: RegistrationId,
        args: &Value,
        reason: Option<&str>,
    ) -> Option<Value>;
}

/// An answer of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<T> {
    /// The answer.
    Now(T),
    /// It comes later, as an input with the question's ticket.
    Later,
}

/// The result of a compare-and-set on something that is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Swap<T> {
    /// It was as expected, and is replaced.
    Done,
    /// It is something else, which is this; `None` if nothing is there. Nothing was changed.
    Found(Option<T>),
    /// What is there is not known. A sentence says why.
    Failed(String),
}

/// Must a person be asked about this call?
#[derive(Debug, Clone, Copy)]
pub struct PolicyQuestion<'a> {
    /// Names the question, for an answer that comes later.
    pub ticket: Ticket,
    /// The registration of the rule's action.
    pub registration: RegistrationId,
    /// The key of the call.
    pub call: &'a CallKey,
    /// The action's name.
    pub name: &'a str,
    /// Its arguments, validated.
    pub args: &'a Value,
}
