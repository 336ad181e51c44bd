//! Encodes a run's input as a request.

use serde_json::{Value, json};

use assistant_core::event::{
    Content, ContentPart, FunctionCall, Message, MessageBody, Object, PartBody, RunInput, Source,
    Tool,
};

/// The options for encoding a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOptions {
    /// The name of the model, or `None` for servers with a single model.
    pub model: Option<String>,
    /// True if `stream_options` is omitted, for servers that reject this field. The token usage is
    /// then unknown.
    pub no_stream_options: bool,
    /// True if the reasoning of earlier answers is sent as `reasoning_content`, which some models
    /// require while they call tools.
    pub send_reasoning: bool,
}

impl RequestOptions {
    /// Sets the model.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Omits `stream_options`.
    #[must_use]
    pub const fn no_stream_options(mut self) -> Self {
        self.no_stream_options = true;
        self
    }

    /// Includes the reasoning of earlier answers in requests.
    #[must_use]
    pub const fn send_reasoning(mut self) -> Self {
        self.send_reasoning = true;
        self
    }
}

/// Encodes the body of a `POST` request to `/chat/completions`. The host's forwarded properties are
/// included, except [`RunInput::ANSWER_ID`]. `messages` and `stream` replace forwarded properties
/// of the same name, as do `model` and `tools` if the request has a model and tools. A forwarded
/// `stream_options` is kept.
#[must_use]
pub fn request_body(input: &RunInput, options: &RequestOptions) -> Value {
    let mut body = match &input.forwarded_props {
        Value::Object(props) => props.clone(),
        _ => Object::new(),
    };
    body.shift_remove(RunInput::ANSWER_ID);
    if let Some(model) = &options.model {
        body.insert("model".to_owned(), model.as_str().into());
    }
    body.insert(
        "messages".to_owned(),
        encode_messages(input, options).into(),
    );
    if !input.tools.is_empty() {
        body.insert(
            "tools".to_owned(),
            input.tools.iter().map(encode_tool).collect(),
        );
    }
    body.insert("stream".to_owned(), true.into());
    if !options.no_stream_options {
        let stream_options = json!({"include_usage": true});
        body.entry("stream_options").or_insert(stream_options);
    }
    Value::Object(body)
}

fn encode_tool(tool: &Tool) -> Value {
    let parameters = tool.parameters.clone();
    let empty_schema = || json!({"type": "object", "properties": {}});
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters.unwrap_or_else(empty_schema),
    }})
}

fn encode_messages(input: &RunInput, options: &RequestOptions) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    if !input.context.is_empty() {
        let items = input.context.iter();
        let lines = items.map(|item| format!("{}: {}", item.description, item.value));
        let text = lines.collect::<Vec<_>>().join("\n");
        messages.push(json!({"role": "system", "content": text}));
    }
    let mut reasoning = None;
    for message in &input.messages {
        if let MessageBody::Reasoning { content } = &message.body {
            reasoning = Some(content.as_str()).filter(|_| options.send_reasoning);
            continue;
        }
        let Some(mut encoded_message) = encode_message(message) else {
            continue;
        };
        if let Some(reasoning) = reasoning
            .take()
            .filter(|_| is_assistant_message(&encoded_message))
        {
            set_field(&mut encoded_message, "reasoning_content", reasoning.into());
        }
        match messages.last_mut() {
            Some(last) if can_be_joined(last, &encoded_message) => {
                join_messages(last, encoded_message);
            }
            _ => messages.push(encoded_message),
        }
    }
    messages
}

fn encode_message(message: &Message) -> Option<Value> {
    let mut value = match &message.body {
        MessageBody::Developer { content } | MessageBody::System { content } => {
            json!({"role": "system", "content": content})
        }
        MessageBody::User { content } => {
            json!({"role": "user", "content": encode_user_content(content)})
        }
        MessageBody::Assistant {
            content,
            tool_calls,
        } => {
            let mut value = json!({"role": "assistant", "content": content});
            if !tool_calls.is_empty() {
                set_field(
                    &mut value,
                    "tool_calls",
                    tool_calls.iter().map(encode_call).collect(),
                );
            }
            value
        }
        MessageBody::Tool {
            tool_call_id,
            content,
            ..
        } => json!({
            "role": "tool",
            "tool_call_id": tool_call_id,
            "content": content.display_text(),
        }),
        MessageBody::Activity { .. } | MessageBody::Reasoning { .. } => return None,
    };
    if let (Some(name), MessageBody::User { .. }) = (&message.name, &message.body) {
        set_field(&mut value, "name", name.as_str().into());
    }
    Some(value)
}

fn set_field(message: &mut Value, key: &str, value: Value) {
    if let Value::Object(message) = message {
        message.insert(key.to_owned(), value);
    }
}

fn is_assistant_message(message: &Value) -> bool {
    message.get("role") == Some(&"assistant".into())
}

/// Returns true if two messages must be joined, that is, if both are assistant messages and the
/// first has no tool calls. Model templates expect alternating roles.
fn can_be_joined(last: &Value, next: &Value) -> bool {
    is_assistant_message(last) && is_assistant_message(next) && last.get("tool_calls").is_none()
}

fn join_messages(last: &mut Value, next: Value) {
    let Value::Object(next) = next else { return };
    let to_text =
        |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut content = to_text(last.get("content"));
    let next_content = to_text(next.get("content"));
    if !content.is_empty() && !next_content.is_empty() {
        content.push_str("\n\n");
    }
    content.push_str(&next_content);
    for (key, value) in next {
        set_field(last, &key, value);
    }
    set_field(last, "content", content.into());
}

/// Encodes a tool call. Empty arguments become an empty object. Other arguments that are not a JSON
/// object are wrapped in an object, since servers would fail to parse them.
fn encode_call(call: &FunctionCall) -> Value {
    let arguments = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(Value::Object(_)) => call.arguments.clone(),
        _ if call.arguments.trim().is_empty() => "{}".to_owned(),
        _ => json!({"invalid": call.arguments}).to_string(),
    };
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    })
}

fn encode_user_content(content: &Content) -> Value {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Parts(parts) => parts.iter().map(encode_part).collect(),
    }
}

fn encode_part(part: &ContentPart) -> Value {
    let (kind, source) = match &part.body {
        PartBody::Text(text) => return json!({"type": "text", "text": text}),
        PartBody::Media { kind, source } => (kind.as_str(), source),
    };
    let url = match source {
        Source::Data { value, mime_type } => format!("data:{mime_type};base64,{value}"),
        Source::Url { value, .. } => value.clone(),
        Source::File { value, .. } => return json!({"type": "file", "file": {"file_id": value}}),
    };
    match (kind, source) {
        ("audio", Source::Data { value, mime_type }) => {
            let format = mime_type.rsplit('/').next().unwrap_or_default();
            let format = match format {
                "mpeg" => "mp3",
                "x-wav" | "wave" => "wav",
                format => format,
            };
            json!({"type": "input_audio", "input_audio": {"data": value, "format": format}})
        }
        ("document", Source::Data { .. }) => {
            let name = part
                .metadata
                .as_ref()
                .and_then(|m| m.get("filename")?.as_str());
            let name = name.unwrap_or("document");
            json!({"type": "file", "file": {"filename": name, "file_data": url}})
        }
        _ => json!({"type": "image_url", "image_url": {"url": url}}),
    }
}
