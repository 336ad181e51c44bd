//! Converts the state of a chat to JSON, by the names of the handle's signals in camel case.

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

/// Returns the part of the state with the given name; `None` for an unknown name. In an effect, the
/// part is tracked.
pub(crate) fn value(chat: &Assistant, name: &str) -> Option<Value> {
    Some(match name {
        "messages" => {
            chat.messages().track();
            chat.with_conversation(messages).unwrap_or_default()
        }
        "activity" => activity(chat.activity().get()),
        "runningTools" => chat.tools().running().get().into(),
        "runningCalls" => keys(&chat.tools().running_calls().get()),
        "pendingApprovals" => keys(&chat.pending_approvals().get()),
        "notices" => chat.notices().with(|list| list.iter().map(notice).collect()),
        "agentSteps" => chat.agent_steps().with(|steps| {
            let steps = steps.iter();
            steps
                .map(|it| json!({"name": it.name(), "finished": it.finished(), "failure": it.failure()}))
                .collect()
        }),
        "tools" => chat.tools().offered().with(|tools| {
            let tools = tools.iter();
            tools
                .map(|it| json!({"name": it.name, "description": it.description, "parameters": it.parameters}))
                .collect()
        }),
        "state" => chat.state().get(),
        "interrupts" => chat.interrupts().with(|list| list.iter().map(interrupt).collect()),
        "queued" => chat
            .queued()
            .with(|list| list.iter().map(form::content_to_value).collect()),
        "threadId" => chat.thread_id().get().into(),
        "summary" => summary(&chat.summary().get()),
        "cost" => cost(&chat.cost().get()),
        "conversations" => chat
            .conversations().list()
            .with(|list| list.iter().map(thread).collect()),
        "pastConversations" => chat.conversations().replaced().get().into(),
        "rememberedApprovals" => chat
            .remembered_approvals().list()
            .with(|list| list.iter().map(|approval| approval.to_value()).collect()),
        "ownership" => word(&chat.conversations().ownership().get()).into(),
        "treeChanges" => chat.branches().changes().get().into(),
        _ => return None,
    })
}

/// Returns the messages of the shown branch as a JSON list.
pub(crate) fn messages(conversation: &Conversation) -> Value {
    let messages = conversation.path();
    messages
        .map(|message| written(conversation, message))
        .collect()
}

fn written(conversation: &Conversation, message: &Message) -> Value {
    let calls = conversation.calls_in(message);
    json!({
        "id": message.id().as_str(),
        "role": message.role().as_str(),
        "text": message.text(),
        "calls": keys(&calls.map(ToolCall::key).collect::<Vec<_>>()),
        "streaming": conversation.is_being_written(message.id()),
    })
}

/// Returns the call with this key as JSON; `None` if it does not exist.
pub(crate) fn call(conversation: &Conversation, key: &CallKey) -> Option<Value> {
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

/// Returns the key of the call with this number; `None` if no call has ended with it, is open, is
/// shown, or was made by the page.
pub(crate) fn key(conversation: &Conversation, number: u64) -> Option<CallKey> {
    let known = conversation.call_history().into_iter();
    let open = conversation.active_calls().into_iter();
    let shown = conversation.path_calls().into_iter();
    let direct = conversation.direct_calls().map(ToolCall::key);
    let mut all = known.chain(open).chain(shown).chain(direct);
    all.find(|key| key.number() == number)
}

pub(crate) fn history(history: &ToolHistory) -> Value {
    let records = history.records().iter().map(|record| {
        json!({
            "call": record.call().number(),
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

pub(crate) fn summary(summary: &TurnSummary) -> Value {
    let runs = summary.runs().iter().map(|run| {
        let usage: Vec<_> = run.usage().iter().map(form::usage_to_value).collect();
        json!({"runId": run.run_id(), "tools": run.tools(), "usage": usage, "hasText": run.has_text()})
    });
    json!({
        "runs": runs.collect::<Vec<_>>(),
        "finish": summary.finish().map(|reason| word(&reason)),
    })
}

pub(crate) fn cost(cost: &Cost) -> Value {
    json!({
        "usage": cost.usage().iter().map(form::usage_to_value).collect::<Vec<_>>(),
        "durationMs": cost.duration_ms(),
        "waitedMs": cost.waited_ms(),
        "priceMicros": cost.price_micros(),
    })
}

pub(crate) fn notice(notice: &Notice) -> Value {
    json!({
        "id": notice.id().get(),
        "kind": word(&notice.kind()),
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

fn activity(now: Activity) -> Value {
    json!({
        "busy": now.busy,
        "streaming": now.streaming,
        "waiting": now.waiting,
        "asking": now.asking,
        "elsewhere": now.elsewhere,
    })
}

fn interrupt(open: &OpenInterrupt) -> Value {
    json!({
        "interrupt": form::interrupt_to_value(open.interrupt()),
        "call": open.call().map(CallKey::number),
        "answered": open.answer().is_some(),
        "rejected": open.is_rejected(),
    })
}

fn thread(thread: &ThreadInfo) -> Value {
    json!({
        "id": thread.id,
        "title": thread.title,
        "named": thread.named,
        "updatedAt": thread.updated_at,
        "deletedAt": thread.deleted_at,
    })
}

fn keys(keys: &[CallKey]) -> Value {
    keys.iter().map(|key| key.number()).collect()
}

/// Returns the name of an enum's variant in camel case, without its fields.
pub(crate) fn word(variant: &dyn Debug) -> String {
    let name = format!("{variant:?}");
    let name = name.split([' ', '(']).next().unwrap_or_default();
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
