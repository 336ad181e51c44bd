//! Replays streams of the AI SDK into a conversation.

use serde_json::{Value, json};

use super::{Player, Replay, Report, changes};
use assistant_protocols::ui_stream::{Decoder, Reader, ResponseParams, ui_history, ui_messages};

/// Replays a recorded response. Returns the report, and the answer as the AI SDK's `UIMessage`.
pub fn replay_response(replay: &mut Replay, bytes: &[u8]) -> (Report, Value) {
    let mut reader = Reader::new(response_params(replay, "answer"));
    let mut player = Player::new(replay, Vec::new());
    reader.push(bytes, &mut player);
    let id = reader.message_id().to_owned();
    let ending = reader.finish(&mut player);
    let report = player.into_report(ending);
    (report, find_ui_message(replay, &id))
}

/// Replays a case, `{name, initial: {messageId, lastMessage}, chunks, options}`, and returns
/// `{name, message}` with the resulting `UIMessage`.
#[must_use]
pub fn replay_case(case: &Value) -> Value {
    let mut replay = Replay::new();
    let last = case.pointer("/initial/lastMessage");
    let last = last.filter(|last| last.get("role") == Some(&"assistant".into()));
    if let Some(last) = last {
        // An invalid message cannot be continued, so the answer starts over.
        changes::add_ui_message(&mut replay.conversation, last.clone());
    }
    let flag = |name: &str| {
        let option = case.get("options").and_then(|options| options.get(name));
        option == Some(&Value::Bool(true))
    };
    let id = case.pointer("/initial/messageId").and_then(Value::as_str);
    let mut start = response_params(&replay, id.unwrap_or("answer"));
    start = start.with_replays(flag("resetStateOnFirstMessageStart"));
    start = start.with_separates(flag("resetStateOnMessageIdChange"));
    let mut decoder = Decoder::new(start);
    let mut player = Player::new(&mut replay, Vec::new());
    let chunks = case.get("chunks").and_then(Value::as_array);
    for chunk in chunks.into_iter().flatten() {
        decoder.push_chunk(chunk.clone(), &mut player);
    }
    decoder.finish(&mut player);
    let message = find_ui_message(&replay, decoder.message_id());
    json!({"name": case.get("name"), "message": message})
}

fn response_params(replay: &Replay, id: &str) -> ResponseParams {
    ResponseParams::default()
        .with_message_id(id)
        .with_history(ui_history(&replay.conversation))
}

/// Returns the `UIMessage` with this id; one without parts if the conversation contains no such
/// answer.
fn find_ui_message(replay: &Replay, id: &str) -> Value {
    let messages = ui_messages(&replay.conversation);
    let is_answer = |message: &Value| {
        message.get("id") == Some(&id.into()) && message.get("role") == Some(&"assistant".into())
    };
    let found = messages.into_iter().rev().find(is_answer);
    found.unwrap_or_else(|| json!({"id": id, "role": "assistant", "parts": []}))
}
