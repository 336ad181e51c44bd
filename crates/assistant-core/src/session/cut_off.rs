//! Ends the incomplete calls of an answer that a limit or a filter of the model cut off.
//!
//! Missing arguments look like empty arguments (rule "empty arguments"), so a call that was cut off
//! before its first argument would look like a call without parameters. Such a call is answered as
//! invalid instead: only arguments whose end was received count as complete.

use serde_json::Value;

use super::Session;
use crate::{
    action::Execution,
    conversation::{Origin, Part, ToolCall},
    event::end_reason,
};

/// The fields of a run's result in which agents report the reason for the end of the answer.
const REASON_FIELDS: [&str; 4] = ["finishReason", "finish_reason", "stopReason", "stop_reason"];

/// Returns true if a run's result reports that its answer was cut off.
pub(super) fn is_cut_off_result(result: Option<&Value>) -> bool {
    let reason = |name: &&str| result?.get(*name)?.as_str();
    let mut reasons = REASON_FIELDS.iter().filter_map(reason);
    reasons.any(end_reason::is_cut_off)
}

impl Session {
    /// Marks calls of the newest run as cut off: calls with incomplete arguments, and callouts at
    /// the ends of messages. An incomplete call of the agent's own tool is ignored, since no answer
    /// is expected.
    pub(super) fn mark_cut_off_calls(&mut self) {
        self.cut_off_calls_of_newest_run(|session, call| {
            let is_answer_expected = call.has_ended() || session.is_run_by_page(call);
            is_answer_expected && (!has_closed_args(call) || session.is_last_callout(call))
        });
    }

    /// Marks the callouts of the newest run at the ends of messages as cut off, since they may be
    /// incomplete.
    pub(super) fn cut_last_callouts(&mut self) {
        self.cut_off_calls_of_newest_run(Self::is_last_callout);
    }

    fn cut_off_calls_of_newest_run(&mut self, is_cut: fn(&Self, &ToolCall) -> bool) {
        for key in self.conversation.active_calls() {
            let call = self.conversation.call(&key);
            let call = call.filter(|call| self.conversation.is_of_newest_run(call));
            if call.is_some_and(|call| is_cut(self, call)) {
                self.conversation.edit_call(&key, ToolCall::cut_off_args);
            }
        }
    }

    fn is_run_by_page(&self, call: &ToolCall) -> bool {
        let entry = self.registration_for(call);
        entry.is_some_and(|entry| entry.spec.execution == Execution::Client)
    }

    /// Returns true if a call is a callout at the end of its message. Such a callout may have been
    /// cut off.
    fn is_last_callout(&self, call: &ToolCall) -> bool {
        let message = self.conversation.message_of_call(&call.key());
        let parts = message.map_or(&[][..], |message| &message.parts);
        let is_blank = |part: &&Part| part.as_text().is_some_and(|text| text.trim().is_empty());
        let last_part = parts.iter().rev().find(|part| !is_blank(part));
        let last_key = last_part.and_then(Part::call_key);
        call.origin == Origin::Intercepted && last_key == Some(call.key())
    }
}

/// Returns true if the text of the arguments is not blank and contains a complete JSON object or
/// array.
fn has_closed_args(call: &ToolCall) -> bool {
    let is_closed = matches!(call.args(), Some(Value::Object(_) | Value::Array(_)));
    is_closed && !call.args_text().trim().is_empty()
}
