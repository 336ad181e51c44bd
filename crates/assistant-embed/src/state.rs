//! Converts the state of a chat to JSON. The names of the state's parts are those of the handle's
//! signals in camel case.

use std::fmt::Debug;

use assistant_core::{
    conversation::{Conversation, Cost, Message, ToolCall},
    json::form,
    session::{OpenInterrupt, ToolHistory, TurnSummary},
};
use leptos::prelude::*;
use leptos_assistant::{
    Assistant, CallKey, Notice, NoticeAction, store::ThreadInfo, view::Activity,
};
use serde_json::{Value, json};

/// Returns the part of the state with this name, or `None` for an unknown name. If an effect calls
/// this function, the effect runs again when the part changes.
pub(crate) fn state_value(chat: &Assistant, name: &str) -> Option<Value> {
    Some(match name {
        "messages" => {
            chat.messages().track();
            chat.with_conversation(messages_to_json).unwrap_or_default()
        }
        "activity" => activity_to_json(chat.activity().get()),
        "runningTools" => chat.tools().running().get().into(),
        "runningCalls" => keys_to_json(&chat.tools().running_calls().get()),
        "pendingApprovals" => keys_to_json(&chat.pending_approvals().get()),
        "notices" => chat.notices().with(|list| list.iter().map(notice_to_json).collect()),
        "agentSteps" => chat.agent_steps().with(|steps| {
            let steps = steps.iter();
            steps
                .map(|step| json!({"name": step.name(), "finished": step.finished(), "failure": step.failure()}))
                .collect()
        }),
        "tools" => chat.tools().offered().with(|tools| {
            let tools = tools.iter();
            tools
                .map(|tool| json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters}))
                .collect()
        }),
        "state" => chat.state().get(),
        "interrupts" => chat.interrupts().with(|list| list.iter().map(interrupt_to_json).collect()),
        "queued" => chat
            .queued()
            .with(|list| list.iter().map(form::content_to_value).collect()),
        "threadId" => chat.thread_id().get().into(),
        "summary" => summary_to_json(&chat.summary().get()),
        "cost" => cost_to_json(&chat.cost().get()),
        "conversations" => chat
            .conversations().list()
            .with(|list| list.iter().map(thread_to_json).collect()),
        "pastConversations" => chat.conversations().replaced().get().into(),
        "rememberedApprovals" => chat
            .remembered_approvals().list()
            .with(|list| list.iter().map(|approval| approval.to_value()).collect()),
        "ownership" => variant_name(&chat.conversations().ownership().get()).into(),
        "treeChanges" => chat.branches().changes().get().into(),
        _ => return None,
    })
}

/// Returns the messages of the displayed branch as a JSON list.
pub(crate) fn messages_to_json(conversation: &Conversation) -> Value {
    let messages = conversation.path();
    messages
        .map(|message| message_to_json(conversation, message))
        .collect()
}

fn message_to_json(conversation: &Conversation, message: &Message) -> Value {
    let calls = conversation.calls_in(message);
    json!({
        "id": message.id().as_str(),
        "role": message.role().as_str(),
        "text": message.text(),
        "calls": keys_to_json(&calls.map(ToolCall::key).collect::<Vec<_>>()),
        "streaming": conversation.is_being_written(message.id()),
    })
}

/// Returns the call with this key as JSON. Returns `None` if the call does not exist.
pub(crate) fn call_to_json(conversation: &Conversation, key: &CallKey) -> Option<Value> {
    let call = conversation.call(key)?;
    let message = conversation.message_of_call(key);
    Some(json!({
        "key": key.number(),
        "id": call.id(),
        "name": call.name(),
        "phase": call.phase().as_str(),
        "status": call.phase().status().as_str(),
        "argsText": call.args_text(),
        "args": call.effective_args(),
        "result": call.result().map(|result| result.value()),
        "error": call.error().map(|error| error.message()),
        "messageId": message.map(|message| message.id().as_str()),
        "parent": call.parent().map(CallKey::number),
    }))
}

/// Returns the key of the call with this number, or `None` if no such call exists. Searches the
/// ended calls, the open calls, the calls on the displayed branch and the calls made by the page.
pub(crate) fn find_call_key(conversation: &Conversation, number: u64) -> Option<CallKey> {
    let past_calls = conversation.call_history().into_iter();
    let active_calls = conversation.active_calls().into_iter();
    let path_calls = conversation.path_calls().into_iter();
    let direct_calls = conversation.direct_calls().map(ToolCall::key);
    let calls = past_calls.chain(active_calls).chain(path_calls);
    calls.chain(direct_calls).find(|key| key.number() == number)
}

pub(crate) fn history_to_json(history: &ToolHistory) -> Value {
    let records = history.records().iter().map(|record| {
        json!({
            "call": record.call_key().number(),
            "callId": record.call_id(),
            "name": record.name(),
            "args": record.args(),
            "phase": record.phase().as_str(),
            "result": record.result(),
            "error": record.error(),
            "messageId": record.message(),
            "parent": record.parent().map(CallKey::number),
            "createdAt": record.created_at(),
            "endedAt": record.ended_at(),
        })
    });
    json!({
        "total": history.total(),
        "counts": history.counts(),
        "records": records.collect::<Vec<_>>(),
    })
}

pub(crate) fn summary_to_json(summary: &TurnSummary) -> Value {
    let runs = summary.runs().iter().map(|run| {
        let usage: Vec<_> = run.usage().iter().map(form::usage_to_value).collect();
        json!({"runId": run.run_id(), "tools": run.tools(), "usage": usage, "hasText": run.has_text()})
    });
    json!({
        "runs": runs.collect::<Vec<_>>(),
        "finish": summary.finish().map(|reason| variant_name(&reason)),
    })
}

pub(crate) fn cost_to_json(cost: &Cost) -> Value {
    json!({
        "usage": cost.usage().iter().map(form::usage_to_value).collect::<Vec<_>>(),
        "durationMs": cost.duration_ms(),
        "waitedMs": cost.waited_ms(),
        "priceMicros": cost.price_micros(),
    })
}

pub(crate) fn notice_to_json(notice: &Notice) -> Value {
    json!({
        "id": notice.id().get(),
        "kind": variant_name(&notice.kind()),
        "message": notice.message(),
        "isFailure": notice.is_failure(),
        "status": notice.status(),
        "retryAfterMs": notice.retry_after_ms(),
        "action": notice.action().map(|action| match action {
            NoticeAction::Retry => "retry",
            NoticeAction::Continue => "continueLoop",
        }),
    })
}

fn activity_to_json(activity: Activity) -> Value {
    json!({
        "busy": activity.is_busy(),
        "streaming": activity.is_streaming(),
        "waiting": activity.is_waiting(),
        "asking": activity.is_asking(),
        "elsewhere": activity.is_elsewhere(),
    })
}

fn interrupt_to_json(interrupt: &OpenInterrupt) -> Value {
    json!({
        "interrupt": form::interrupt_to_value(interrupt.interrupt()),
        "call": interrupt.call_key().map(CallKey::number),
        "answered": interrupt.answer().is_some(),
        "rejected": interrupt.is_rejected(),
    })
}

fn thread_to_json(thread: &ThreadInfo) -> Value {
    json!({
        "id": thread.id,
        "title": thread.title,
        "named": thread.named,
        "updatedAt": thread.updated_at,
        "deletedAt": thread.deleted_at,
    })
}

fn keys_to_json(keys: &[CallKey]) -> Value {
    keys.iter().map(|key| key.number()).collect()
}

/// Returns the name of an enum's variant in camel case, without its fields.
pub(crate) fn variant_name(variant: &dyn Debug) -> String {
    let name = format!("{variant:?}");
    let name = name.split([' ', '(']).next().unwrap_or_default();
    let mut letters = name.chars();
    let first_letter = letters.next().map(|first| first.to_ascii_lowercase());
    first_letter.into_iter().chain(letters).collect()
}
