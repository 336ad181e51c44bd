//! Determines the page's initial conversation. This is a stored conversation with a given id
//! (`?chat=ID`), or a generated conversation that spans several days (`?history=MESSAGES`), for
//! tests of long threads.

use leptos_assistant::{StoreProp, store::IndexedDbStore};
use serde_json::{Value, json};

use crate::browser::parameter;

/// The user's messages in the generated conversation. They repeat in this order.
const QUESTIONS: [&str; 4] = [
    "Which berths are free?",
    "Is the crane at pier 3 back?",
    "What does the tide do tonight?",
    "Summarise the night shift",
];
/// The agent's answers in the generated conversation, from the shortest to the longest. They repeat
/// in this order.
const ANSWERS: [&str; 4] = [
    "Berths 4, 9 and 14 are free today.",
    "It is. The repair ended at 04:10, and the test lift was fine.\n\nThe next inspection is due in \
     **six weeks**.",
    "Low water is at 21:40, high water at 03:55.\n\n- Until 20:30 every draught can leave.\n- From \
     then on only up to 9 m.\n- The pilot station knows.",
    "A calm night:\n\n| what | when |\n| --- | --- |\n| Arrival of the *Halcyon* | 01:20 |\n| Fog, \
     visibility under 200 m | 02:00 to 03:30 |\n| Departure of the *Meridian* | 04:45 |\n\nNo \
     incidents, and no ship waited for more than twenty minutes.",
];
/// The time between two questions of the generated conversation, in milliseconds.
const QUESTION_INTERVAL_MS: i64 = 47 * 60_000;
/// The maximum number of messages in the generated conversation.
const MAX_MESSAGES: usize = 20_000;

/// Returns the generated conversation if the page's address requests one, and the id of the stored
/// conversation, which may be empty.
pub(crate) fn initial_conversation() -> (Option<Value>, String) {
    let count = parameter("history").and_then(|count| count.parse::<usize>().ok());
    (
        count.map(|count| generate_conversation(count.min(MAX_MESSAGES))),
        parameter("chat").unwrap_or_default(),
    )
}

/// Returns true if conversations are stored in `IndexedDB`. Conversations are stored with
/// `?store=indexeddb`. Without the parameter `store`, they are stored unless the address requests a
/// generated conversation.
pub(crate) fn is_stored() -> bool {
    match parameter("store") {
        Some(store) => store == "indexeddb",
        None => parameter("history").is_none(),
    }
}

/// Returns the `IndexedDB` store for the conversations, or no store if [`is_stored`] returns false.
pub(crate) fn store() -> StoreProp {
    match is_stored() {
        true => IndexedDbStore::new("harbor").into(),
        false => StoreProp::default(),
    }
}

fn generate_conversation(count: usize) -> Value {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "whole milliseconds fit for a long while"
    )]
    let now = js_sys::Date::now() as i64;
    let exchange_count = i64::try_from(count / 2).unwrap_or_default();
    let mut parent = Value::Null;
    let messages = (0..count).map(|index| {
        let exchange = index / 2;
        let exchanges_ago = exchange_count - i64::try_from(exchange).unwrap_or_default();
        let created_at = now - exchanges_ago * QUESTION_INTERVAL_MS;
        let id = format!("past-{index}");
        let message = if index % 2 == 0 {
            let text = text_part(&QUESTIONS, exchange);
            json!({"id": id, "role": "user", "createdAt": created_at, "parts": [text]})
        } else {
            json!({
                "id": id,
                "role": "assistant",
                "createdAt": created_at + 4_000,
                "parts": answer_parts(exchange),
                "usage": [{"inputTokens": 700 + exchange % 300, "outputTokens": 40 + exchange % 90}],
                "durationMs": 2_400 + 10 * (exchange % 90),
            })
        };
        let entry = json!({"parent": parent, "message": message});
        parent = id.into();
        entry
    });
    let messages: Vec<Value> = messages.collect();
    json!({"version": 2, "messages": messages, "tip": parent})
}

/// Returns the parts of a generated answer. The longest answer begins with calls that read the
/// logs of the night.
fn answer_parts(exchange: usize) -> Vec<Value> {
    let mut parts = Vec::new();
    if exchange % ANSWERS.len() == ANSWERS.len() - 1 {
        for (index, log) in ["berths", "pilots", "weather", "cranes"].iter().enumerate() {
            parts.push(json!({
                "type": "tool-call",
                "toolCallId": format!("log-{exchange}-{index}"),
                "toolName": format!("read_{log}_log"),
                "state": "output-available",
                "input": {"night": exchange},
                "output": {"entries": 12 + index},
                // The result is marked as sent, because the chat would otherwise offer to send it
                // to the agent.
                "result": {"sent": true},
            }));
        }
    }
    parts.push(text_part(&ANSWERS, exchange));
    parts
}

fn text_part(texts: &[&str; 4], exchange: usize) -> Value {
    let text = texts
        .get(exchange % texts.len())
        .copied()
        .unwrap_or_default();
    json!({"type": "text", "text": text})
}
