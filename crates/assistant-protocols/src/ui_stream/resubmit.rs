//! Defines the conditions under which the AI SDK sends a request without an action of the user.
//!
//! A session uses its own rules (`session::settle`) to decide when to send the next request. For
//! each such request to an AI SDK server, at least one of these predicates is true.

use serde_json::Value;

/// Returns the parts of the newest message after its last `step-start` part. Returns `None` if the
/// message is not an answer.
fn last_step_parts(messages: &[Value]) -> Option<&[Value]> {
    let message = messages.last()?;
    if message.get("role")? != "assistant" {
        return None;
    }
    let parts = message.get("parts")?.as_array()?;
    let is_start = |part: &Value| part_type(part) == "step-start";
    let step_start = parts
        .iter()
        .rposition(is_start)
        .map_or(0, |start| start + 1);
    parts.get(step_start..)
}

fn part_type(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn part_state(part: &Value) -> &str {
    part.get("state")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn is_tool(part: &Value) -> bool {
    part_type(part).starts_with("tool-") || part_type(part) == "dynamic-tool"
}

fn is_set(part: &Value, key: &str) -> bool {
    part.get(key) == Some(&Value::Bool(true))
}

fn has_output(part: &Value) -> bool {
    match part_state(part) {
        "output-available" => !is_set(part, "preliminary"),
        state => state == "output-error",
    }
}

/// Returns true if the last step has calls that the client runs, if each of these calls has an
/// output or an error, and if no unfinished text follows the last of these calls.
#[must_use]
pub fn is_complete_with_tool_calls(messages: &[Value]) -> bool {
    let Some(step) = last_step_parts(messages) else {
        return false;
    };
    let is_client_tool = |part: &Value| is_tool(part) && !is_set(part, "providerExecuted");
    let Some(last_index) = step.iter().rposition(is_client_tool) else {
        return false;
    };
    let is_open_text = |part: &Value| part_type(part) == "text" && part_state(part) != "done";
    let has_open_text = step.iter().skip(last_index + 1).any(is_open_text);
    !has_open_text
        && step
            .iter()
            .filter(|part| is_client_tool(part))
            .all(has_output)
}

/// Returns true if every call of the last step has an outcome or an answered approval, and if at
/// least one call has an answered approval but no outcome.
#[must_use]
pub fn is_complete_with_approvals(messages: &[Value]) -> bool {
    let Some(step) = last_step_parts(messages) else {
        return false;
    };
    let tool_parts = || step.iter().filter(|part| is_tool(part));
    let is_done = |part: &Value| {
        has_output(part) || matches!(part_state(part), "output-denied" | "approval-responded")
    };
    tool_parts().any(|part| part_state(part) == "approval-responded") && tool_parts().all(is_done)
}
