//! Encodes requests, and the path at which an interrupted answer can be resumed.

use std::fmt::Write;

use serde_json::{Value, json};

use assistant_core::event::{Object, RunInput};

/// Encodes the body of a `POST` request. The body contains the host's forwarded properties, except
/// [`RunInput::ANSWER_ID`], and the fields `{id, messages, trigger, messageId}`, which replace
/// properties of the same name.
///
/// If the page has actions, the body contains them as `tools`, an object that maps each name to
/// `{description, parameters}`. If components provide context, the body contains the field
/// `context`. A server with its own tools ignores both fields. The input's history must be the
/// output of [`ui_history`](super::ui_history).
#[must_use]
pub fn request_body(input: &RunInput) -> Value {
    let mut body = match &input.forwarded_props {
        Value::Object(props) => props.clone(),
        _ => Object::new(),
    };
    body.shift_remove(RunInput::ANSWER_ID);
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    if !input.tools.is_empty() {
        let tools = input.tools.iter().map(|tool| {
            let parameters = tool.parameters.clone();
            let parameters = parameters.unwrap_or_else(|| json!({"type": "object"}));
            let definition = json!({"description": tool.description, "parameters": parameters});
            (tool.name.clone(), definition)
        });
        put("tools", Value::Object(tools.collect()));
    }
    if !input.context.is_empty() {
        let items = input.context.iter();
        let items = items.map(|item| json!({"description": item.description, "value": item.value}));
        put("context", items.collect());
    }
    let history_field = |key: &str| input.history.as_ref().and_then(|history| history.get(key));
    put("id", input.thread_id.as_str().into());
    put(
        "messages",
        history_field("messages")
            .cloned()
            .unwrap_or_else(|| json!([])),
    );
    let trigger = history_field("trigger").cloned();
    put(
        "trigger",
        trigger.unwrap_or_else(|| "submit-message".into()),
    );
    if let Some(id) = history_field("messageId") {
        put("messageId", id.clone());
    }
    Value::Object(body)
}

/// Returns the suffix of the chat's address for the `GET` request that resumes an interrupted
/// answer. Returns `None` for the thread ids `.` and `..`, which a URL cannot contain. A server
/// without an interrupted answer responds with status 204.
#[must_use]
pub fn resume_path(thread_id: &str) -> Option<String> {
    if matches!(thread_id, "." | "..") {
        return None;
    }
    let mut path = String::from("/");
    for byte in thread_id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => path.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
                path.push(char::from(byte));
            }
            byte => {
                // The result is ignored, because writing to a string does not fail.
                let _ = write!(path, "%{byte:02X}");
            }
        }
    }
    path.push_str("/stream");
    Some(path)
}
