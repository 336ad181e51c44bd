//! Checks the lengths of ids and names in events.

#[cfg(feature = "ui-stream")]
use crate::event::Extension;
use crate::{
    event::{Event, EventKind, Message, MessageBody, Outcome},
    limits::{LimitKind, Limits},
};

/// Returns the limit that an id or a name in an event exceeds; `None` if all are short enough.
pub(super) fn exceeded_name_limit(event: &Event, limits: &Limits) -> Option<LimitKind> {
    let check_id = |text: &str| (text.len() > limits.id_bytes).then_some(LimitKind::Id);
    let ids = |texts: &[Option<&str>]| texts.iter().flatten().find_map(|text| check_id(text));
    let name = |text: &str| (text.len() > limits.name_bytes).then_some(LimitKind::Name);
    let in_messages = |messages: &[Message]| {
        let mut messages = messages.iter();
        messages.find_map(|message| exceeded_limit_in_message(message, &check_id, &name))
    };
    if let Some(over) = event.base.subagent_run_id.as_deref().and_then(check_id) {
        return Some(over);
    }
    match &event.kind {
        EventKind::TextMessageStart {
            message_id,
            name: author,
            ..
        } => check_id(message_id).or_else(|| author.as_deref().and_then(name)),
        EventKind::ToolCallStart {
            tool_call_id,
            tool_call_name,
            parent_message_id,
        } => ids(&[Some(tool_call_id), parent_message_id.as_deref()])
            .or_else(|| name(tool_call_name)),
        EventKind::ToolCallResult {
            message_id,
            tool_call_id,
            ..
        } => ids(&[Some(message_id), Some(tool_call_id)]),
        EventKind::ActivitySnapshot {
            message_id,
            activity_type,
            ..
        }
        | EventKind::ActivityDelta {
            message_id,
            activity_type,
            ..
        } => check_id(message_id).or_else(|| name(activity_type)),
        EventKind::ReasoningMessageStart { message_id } => check_id(message_id),
        EventKind::StepStarted { step_name } | EventKind::StepFinished { step_name } => {
            name(step_name)
        }
        EventKind::SubagentStarted {
            subagent_run_id,
            name: agent,
            ..
        } => check_id(subagent_run_id).or_else(|| name(agent)),
        EventKind::Custom { name: of, .. } => name(of),
        EventKind::RunFinished {
            outcome: Some(outcome),
            ..
        } => match outcome {
            Outcome::Interrupt { interrupts } => interrupts
                .iter()
                .find_map(|one| ids(&[Some(&one.id), one.tool_call_id.as_deref()])),
            Outcome::Success {
                pending_tool_call_ids: Some(pending),
            } => pending.iter().find_map(|one| check_id(one)),
            _ => None,
        },
        EventKind::MessagesSnapshot { messages } => in_messages(messages),
        EventKind::RunStarted {
            input: Some(input), ..
        } => in_messages(&input.messages),
        #[cfg(feature = "ui-stream")]
        EventKind::Extension(extension) => match &**extension {
            Extension::Message { message_id, .. }
            | Extension::BlockStart { message_id, .. }
            | Extension::Part { message_id, .. } => check_id(message_id),
            Extension::CallInput { tool_call_id, .. } => check_id(tool_call_id),
            Extension::CallRestart {
                tool_call_id,
                tool_call_name,
            } => check_id(tool_call_id).or_else(|| name(tool_call_name)),
            _ => None,
        },
        _ => None,
    }
}

fn exceeded_limit_in_message(
    message: &Message,
    check_id: &dyn Fn(&str) -> Option<LimitKind>,
    name: &dyn Fn(&str) -> Option<LimitKind>,
) -> Option<LimitKind> {
    let within = match &message.body {
        MessageBody::Assistant { tool_calls, .. } => tool_calls
            .iter()
            .find_map(|call| check_id(&call.id).or_else(|| name(&call.name))),
        MessageBody::Tool { tool_call_id, .. } => check_id(tool_call_id),
        MessageBody::Activity { activity_type, .. } => name(activity_type),
        _ => None,
    };
    let author = || message.name.as_deref().and_then(name);
    check_id(&message.id).or(within).or_else(author)
}
