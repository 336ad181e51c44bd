//! Recognizes calls that a server makes only to ask about another call, such as `confirm_changes`
//! of agent-framework and `adk_request_confirmation` of Google ADK (rule "calls that only ask").

use serde_json::Value;

use super::{CallKey, Conversation, Phase, ToolCall};
use crate::event::{Interrupt, Object};

impl Conversation {
    /// Returns true if a call was skipped, has no action of the page, and only contained a question
    /// about another call. For such a call, no tool ran, and the page created the result.
    pub(super) fn is_question_carrier(&self, call: &ToolCall) -> bool {
        if call.phase() != Phase::Skipped || call.action.is_some() {
            return false;
        }
        self.find_repeated_call(call).is_some() || self.find_named_call(call).is_some()
    }

    /// Returns the key and the call that an interrupt names, if the call is on the run's path.
    pub(crate) fn call_of_interrupt(&self, interrupt: &Interrupt) -> Option<(CallKey, &ToolCall)> {
        self.call_by_wire_id(interrupt.tool_call_id.as_deref()?)
    }

    /// Returns the call that an interrupt refers to. If the given call repeats another open call in
    /// an argument and has no action of the page, the result is the other call. In all other cases,
    /// the result is the given call.
    pub(crate) fn resolve_asked_call<'a>(&'a self, call: &'a ToolCall) -> &'a ToolCall {
        let subject = self
            .find_repeated_call(call)
            .filter(|_| call.action.is_none());
        let open_subject = subject.filter(|other| !other.phase().is_final());
        open_subject.unwrap_or(call)
    }

    /// Returns the other call whose id, name and arguments are repeated in one argument of the
    /// given call, such as `originalFunctionCall`. The remaining arguments, such as a note, are not
    /// compared, because the model chooses their content.
    fn find_repeated_call(&self, call: &ToolCall) -> Option<&ToolCall> {
        let fields = call.args()?.as_object()?;
        let calls = fields.iter().filter(|(key, _)| ends_with_word(key, "call"));
        let mut calls = calls.filter_map(|(_, copy)| copy.as_object());
        calls.find_map(|copy| {
            let subject = self.find_other_call(call, copy.get("id")?)?;
            is_copy(copy, subject).then_some(subject)
        })
    }

    /// Returns the other call whose id is the value of an argument such as `function_call_id`.
    fn find_named_call(&self, call: &ToolCall) -> Option<&ToolCall> {
        let fields = call.args()?.as_object()?;
        let mut ids = fields
            .iter()
            .filter(|(key, _)| ends_with_word(key, "callid"));
        ids.find_map(|(_, id)| self.find_other_call(call, id))
    }

    fn find_other_call(&self, call: &ToolCall, id: &Value) -> Option<&ToolCall> {
        let id = id.as_str().filter(|id| *id != call.id)?;
        self.call_by_wire_id(id).map(|(_, other)| other)
    }
}

/// Returns true if an object contains the name and the arguments of a call.
fn is_copy(copy: &Object, call: &ToolCall) -> bool {
    let args = copy.get("args").or_else(|| copy.get("arguments"));
    copy.get("name").and_then(Value::as_str) == Some(call.name.as_str())
        && args.is_some()
        && args == call.args()
}

/// Returns true if a field's name ends with a word, regardless of case and separators:
/// `function_call_id` ends with `callid`.
fn ends_with_word(name: &str, word: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    name.ends_with(word)
}
