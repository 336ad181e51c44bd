//! Detects results that report a failure in a format that servers use, and extracts the reasons for
//! the failures.

use assistant_core::conversation::Phase;
use serde_json::Value;

use crate::{
    action::ToolCallView,
    ui::{Words, truncate},
};

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 300;

/// The texts that follow the word `Error` at the start of a result in which a server reports that a
/// tool failed.
const ERROR_CONTINUATIONS: [&str; 5] = [
    ":",
    " executing tool",
    " invoking tool",
    " calling tool",
    " running tool",
];

/// Returns true if a result declares itself a failure: by `success: false`, `isError: true` or
/// `is_error: true`, `status: "error"`, an `error` other than null, false or an empty text, or a
/// text that begins with `Error:` or a phrase like `Error executing tool`.
pub(crate) fn declares_failure(value: &Value) -> bool {
    if let Value::String(text) = value {
        return is_error_text(text);
    }
    let has_flag = |key: &str, flag: bool| value.get(key) == Some(&Value::Bool(flag));
    let has_error = || match value.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    let is_error_status = || value.get("status").and_then(Value::as_str) == Some("error");
    has_flag("success", false)
        || has_flag("isError", true)
        || has_flag("is_error", true)
        || has_error()
        || is_error_status()
}

fn is_error_text(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("Error");
    rest.is_some_and(|rest| {
        ERROR_CONTINUATIONS
            .iter()
            .any(|mark| rest.starts_with(mark))
    })
}

/// Returns true if a call in this phase ended in a failure: with an error instead of a result, or
/// with a result that declares a failure. A call that was stopped, denied or skipped was not
/// carried out, and has not failed.
pub(crate) fn has_failed(call: &ToolCallView<Value>, phase: Phase) -> bool {
    let has_failure_result = || call.result_value().as_ref().is_some_and(declares_failure);
    match phase {
        Phase::OutputError => true,
        Phase::OutputAvailable => has_failure_result(),
        _ => false,
    }
}

/// Returns the reason for a call's failure in one line of limited length; `None` if no reason is
/// known.
pub(crate) fn failure_reason(call: &ToolCallView<Value>, words: &Words) -> Option<String> {
    let reason = call.format_error(|kind, reason| words.get().reason(kind, "", reason));
    shorten_to_line(&reason.or_else(|| reason_in_result(&call.result_value()?))?)
}

/// Returns the reason of an error in one line of limited length; `None` if the reason is blank.
pub(crate) fn error_reason(kind: &str, message: &str, words: &Words) -> Option<String> {
    shorten_to_line(&words.get().reason(kind, "", message))
}

fn shorten_to_line(reason: &str) -> Option<String> {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then(|| truncate(&line, MAX_REASON).into_owned())
}

/// Returns the reason in a failed result: the text itself without a leading `Error:`, or the first
/// text in a field that servers use for reasons; `None` if there is no such field.
fn reason_in_result(value: &Value) -> Option<String> {
    if let Value::String(text) = value {
        let text = text.trim_start();
        return Some(text.strip_prefix("Error:").unwrap_or(text).to_owned());
    }
    let error = value.get("error");
    let content = value.get("content");
    let texts = [
        error,
        error.and_then(|error| error.get("message")),
        value.get("error_message"),
        value.get("errorText"),
        value.get("message"),
        value.get("reason"),
        content,
        content.and_then(|parts| parts.get(0)?.get("text")),
    ];
    let mut texts = texts.into_iter().flatten().filter_map(Value::as_str);
    texts.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{declares_failure, reason_in_result};
    use serde_json::{Value, json};

    #[test]
    fn failures_are_declared_as_servers_do() {
        for (value, reason) in [
            (json!({"success": false, "reason": "full"}), "full"),
            (json!({"error": "no such order"}), "no such order"),
            (json!({"error": {"message": "late"}}), "late"),
            (
                json!({"status": "error", "error_message": "no city"}),
                "no city",
            ),
            (
                json!({"isError": true, "content": [{"type": "text", "text": "down"}]}),
                "down",
            ),
            (json!({"is_error": true, "content": "down"}), "down"),
            (json!("Error: Function failed."), " Function failed."),
            (
                json!("Error executing tool pay with kwargs {}"),
                "Error executing tool pay with kwargs {}",
            ),
        ] {
            assert!(declares_failure(&value), "{value}");
            assert_eq!(reason_in_result(&value).as_deref(), Some(reason), "{value}");
        }
    }

    #[test]
    fn other_results_are_no_failures() {
        for value in [
            Value::Null,
            json!(0),
            json!([]),
            json!("Errors are listed below"),
            json!("No error: all good"),
            json!("Error handling guide"),
            json!({"success": true, "error": null}),
            json!({"error": false}),
            json!({"error": ""}),
            json!({"isError": false, "content": []}),
            json!({"status": "failed", "order": "A-17"}),
        ] {
            assert!(!declares_failure(&value), "{value}");
        }
    }
}
