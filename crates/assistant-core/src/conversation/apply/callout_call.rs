//! Applies the content of a callout to its call. The module `callout` parses the texts.

use serde_json::Value;

use crate::{
    conversation::{
        Author, CallDataChange, CallError, CallResult, Decision, ErrorKind, Origin, ToolCall,
        outcome::CallEnd, state::StateEvent,
    },
    text::callout::{Callout, CalloutState},
};

/// Returns true if a callout requests that its call is run: the callout has no result and no error,
/// and its state is missing or is complete input.
pub(super) fn is_execution_request(callout: &Callout) -> bool {
    let is_pending = matches!(callout.state, None | Some(CalloutState::InputAvailable));
    is_pending && callout.failure().is_none() && callout.result().is_none()
}

/// Applies the fields of a callout to its call. Fields that the callout omits are not changed.
pub(super) fn apply_callout(call: &mut ToolCall, callout: Callout, now: i64) {
    call.origin = Origin::Text;
    // The name is set first, because events contain the name.
    call.name.clone_from(&callout.name);
    if let Some(input) = callout.input.as_ref().filter(|input| !input.is_null()) {
        call.set_args_text(&input.to_string());
    }
    if callout.state != Some(CalloutState::InputStreaming) {
        call.end_args();
    }
    if let Some(message) = callout.failure() {
        let error = CallError::new(ErrorKind::Agent, message.to_owned());
        let value = Value::from(message);
        end_callout_call(call, &callout, value, Some(error), now);
    } else if let Some(value) = callout.result() {
        end_callout_call(call, &callout, value.clone(), None, now);
    } else if callout.state == Some(CalloutState::ApprovalResponded) {
        // The call is marked as approved for display only. Its handler is never started.
        call.apply_data_change(CallDataChange::Decision(Decision::Approved));
        call.apply_event(StateEvent::Cleared);
    }
    call.id = callout.id;
    call.metadata.extend(callout.extra);
}

fn end_callout_call(
    call: &mut ToolCall,
    callout: &Callout,
    value: Value,
    error: Option<CallError>,
    now: i64,
) {
    let id = format!("{}-result", callout.id);
    let result = CallResult::new(id, value.to_string(), value);
    let end = match (&error, callout.state) {
        (None, _) => CallEnd::Output,
        (Some(_), Some(CalloutState::OutputDenied)) => CallEnd::Denied,
        (Some(_), _) => CallEnd::Error,
    };
    call.settle((end, Author::Agent, Some(now)), result, error);
}
