//! Checks the lengths of ids and names in events.

#[cfg(feature = "ui-stream")]
use crate::event::Extension;
use crate::{
    event::{Event, EventKind, Message, MessageBody, Outcome},
    limits::{LimitKind, Limits},
};

/// Returns the limit that an id or a name in an event exceeds; `None` if no limit is exceeded.
pub(super) fn exceeded_name_limit(event: &Event, limits: &Limits) -> Option<LimitKind> {
    let check_id = |text: &str| (text.len() > limits.id_bytes).then_some(LimitKind::Id);
    let check_ids = |texts: &[Option<&str>]| texts.iter().flatten().find_map(|text| check_id(text));
    let check_name = |text: &str| (text.len() > limits.name_bytes).then_some(LimitKind::Name);
    let check_messages = |messages: &[Message]| {
        let mut messages = messages.iter();
        messages.find_map(|message| exceeded_limit_in_message(message, &check_id, &check_name))
    };
    if let Some(kind) = event.base.subagent_run_id.as_deref().and_then(check_id) {
        return Some(kind);
    }
    match &event.kind {
        EventKind::TextMessageStart {
            message_id,
            name: author,
            ..
        } => check_id(message_id).or_else(|| author.as_deref().and_then(check_name)),
        EventKind::ToolCallStart {
            tool_call_id,
            tool_call_name,
            parent_message_id,
        } => check_ids(&[Some(tool_call_id), parent_message_id.as_deref()])
            .or_else(|| check_name(tool_call_name)),
        EventKind::ToolCallResult {
            message_id,
            tool_call_id,
            ..
        } => check_ids(&[Some(message_id), Some(tool_call_id)]),
        EventKind::ActivitySnapshot {
            message_id,
            activity_type,
            ..
        }
        | EventKind::ActivityDelta {
            message_id,
            activity_type,
            ..
        } => check_id(message_id).or_else(|| check_name(activity_type)),
        EventKind::ReasoningMessageStart { message_id } => check_id(message_id),
        EventKind::StepStarted { step_name } | EventKind::StepFinished { step_name } => {
            check_name(step_name)
        }
        EventKind::SubagentStarted {
            subagent_run_id,
            name: agent,
            ..
        } => check_id(subagent_run_id).or_else(|| check_name(agent)),
        EventKind::Custom { name, .. } => check_name(name),
        EventKind::RunFinished {
            outcome: Some(outcome),
            ..
        } => match outcome {
            Outcome::Interrupt { interrupts } => interrupts.iter().find_map(|interrupt| {
                check_ids(&[Some(&interrupt.id), interrupt.tool_call_id.as_deref()])
            }),
            Outcome::Success {
                pending_tool_call_ids: Some(ids),
            } => ids.iter().find_map(|id| check_id(id)),
            _ => None,
        },
        EventKind::MessagesSnapshot { messages } => check_messages(messages),
        EventKind::RunStarted {
            input: Some(input), ..
        } => check_messages(&input.messages),
        #[cfg(feature = "ui-stream")]
        EventKind::Extension(extension) => match &**extension {
            Extension::Message { message_id, .. }
            | Extension::BlockStart { message_id, .. }
            | Extension::Part { message_id, .. } => check_id(message_id),
            Extension::CallInput { tool_call_id, .. } => check_id(tool_call_id),
            Extension::CallRestart {
                tool_call_id,
                tool_call_name,
            } => check_id(tool_call_id).or_else(|| check_name(tool_call_name)),
            _ => None,
        },
        _ => None,
    }
}

fn exceeded_limit_in_message(
    message: &Message,
    check_id: &dyn Fn(&str) -> Option<LimitKind>,
    check_name: &dyn Fn(&str) -> Option<LimitKind>,
) -> Option<LimitKind> {
    let body_limit = match &message.body {
        MessageBody::Assistant { tool_calls, .. } => tool_calls
            .iter()
            .find_map(|call| check_id(&call.id).or_else(|| check_name(&call.name))),
        MessageBody::Tool { tool_call_id, .. } => check_id(tool_call_id),
        MessageBody::Activity { activity_type, .. } => check_name(activity_type),
        _ => None,
    };
    let author_limit = || message.name.as_deref().and_then(check_name);
    check_id(&message.id).or(body_limit).or_else(author_limit)
}
