//! Encodes the history for a request to an AI SDK server: the messages, the trigger, and the state
//! that the reader of the response needs to continue an answer.

use serde_json::{Value, json};

use super::{MessageGroup, group_messages, is_runnable, is_step_start, request_messages, tool};
use assistant_core::{
    conversation::{
        CallApproval, Conversation, Message, MessageId, Part, ToolCall, ui_notes::WIRE_ID,
    },
    event::{Object, Role},
};

/// Returns the history for an AI SDK server, for
/// [`RunInput::history`](assistant_core::event::RunInput::history): `{messages, trigger, messageId,
/// tail, taken}`. The reader of the response uses `tail` and `taken`, which are not sent.
#[must_use]
pub fn ui_history(conversation: &Conversation) -> Value {
    let groups = group_messages(conversation);
    let last_group = groups.last();
    let answer = last_group.filter(|group| group.role == Role::Assistant);
    let mut out = json!({
        "messages": request_messages(conversation),
        "trigger": "submit-message",
        "tail": answer.map(|group| create_answer_tail(conversation, group)),
        "taken": {
            "messages": conversation.run_path().map(Message::wire_id).collect::<Vec<_>>(),
            "calls": conversation.run_path().flat_map(|message| conversation.calls_in(message))
                .map(|call| call.id()).collect::<Vec<_>>(),
        },
    });
    let mut put = |key: &str, value: &str| {
        if let Value::Object(out) = &mut out {
            out.insert(key.to_owned(), value.into());
        }
    };
    if let Some(answer) = answer {
        put("messageId", answer.id);
    } else if let Some(previous_id) = find_previous_answer(conversation) {
        put("trigger", "regenerate-message");
        put("messageId", &previous_id);
    }
    out
}

/// Returns the id of the newest answer to the newest message of the run's path. The new answer
/// replaces this answer. Returns `None` if there is no such answer.
fn find_previous_answer(conversation: &Conversation) -> Option<String> {
    let tip = conversation.run_tip()?;
    let mut children = conversation.children(Some(tip)).into_iter().rev();
    let is_answer = |id: &&MessageId| {
        let message = conversation.message(id);
        message.is_some_and(|m| matches!(m.role(), Role::Assistant | Role::Reasoning))
    };
    let answer = conversation.message(children.find(is_answer)?)?;
    let stored_id = super::stored_text(answer.extra(), "id");
    Some(stored_id.unwrap_or_else(|| answer.wire_id()).to_owned())
}

fn create_answer_tail(conversation: &Conversation, group: &MessageGroup<'_>) -> Value {
    let mut tail = create_tail(conversation, group);
    let has_next_response = |message: &Message| {
        let mut calls = conversation.calls_in(message);
        calls.any(|call| was_followed_by_response(conversation, call))
    };
    let last_index = group
        .messages
        .iter()
        .rposition(|message| has_next_response(message));
    if let (Value::Object(tail), Some(last_index)) = (&mut tail, last_index) {
        tail.insert("earlier".to_owned(), (last_index + 1).into());
    }
    tail
}

/// Returns true if the agent began another response after the page answered a call: the run of the
/// call succeeded, and the page recorded the call's result or decided the agent's approval request.
fn was_followed_by_response(conversation: &Conversation, call: &ToolCall) -> bool {
    let approval = call.approval();
    let is_decided = approval.is_some_and(is_answer_to_agent);
    conversation.run_succeeded(call) == Some(true) && (is_decided || call.is_settled_here())
}

fn create_tail(conversation: &Conversation, group: &MessageGroup<'_>) -> Value {
    let mut step = 0_u64;
    let (mut nodes, mut calls, mut data) = (Vec::new(), Vec::new(), Vec::new());
    let mut previous_message: Option<&Message> = None;
    for message in &group.messages {
        if is_step_start(message, previous_message) {
            step += 1;
        }
        previous_message = Some(message);
        let id = message.wire_id();
        nodes.push(json!({"id": id, "step": step}));
        let runnable_calls = conversation
            .calls_in(message)
            .filter(|call| is_runnable(call));
        calls.extend(runnable_calls.map(|call| call_to_value(call, step)));
        for part in message.parts() {
            if let Part::Data(part) = part {
                let data_id = part.extra().get("id").cloned();
                data.push(json!({"type": part.data_type(), "id": data_id, "node": id}));
            }
        }
    }
    json!({
        "id": group.id,
        "metadata": group.metadata(),
        "nodes": nodes,
        "step": step,
        "calls": calls,
        "data": data,
    })
}

/// Returns true if an interrupt of the agent requested the approval and the approval has been
/// decided.
fn is_answer_to_agent(approval: &CallApproval) -> bool {
    approval.interrupt_id().is_some() && approval.decision().is_some()
}

fn call_to_value(call: &ToolCall, step: u64) -> Value {
    let mut notes = super::stored_fields(call.extra())
        .cloned()
        .unwrap_or_default();
    notes.shift_remove(WIRE_ID);
    if let Some(approval) = tool::approval(call) {
        notes.insert("approval".to_owned(), Value::Object(approval));
    }
    let state = tool::state(call);
    // The text of incomplete arguments is included, because the next response may extend them.
    let text = (state == "input-streaming").then(|| call.args_text());
    let mut out = Object::new();
    out.insert("id".to_owned(), call.id().into());
    out.insert("wireId".to_owned(), tool::wire_id(call).into());
    out.insert("name".to_owned(), call.name().into());
    out.insert("step".to_owned(), step.into());
    out.insert("settled".to_owned(), call.phase().is_final().into());
    out.insert("dynamic".to_owned(), tool::is_dynamic(call).into());
    out.insert("text".to_owned(), text.into());
    out.insert("notes".to_owned(), Value::Object(notes));
    Value::Object(out)
}
