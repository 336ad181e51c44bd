//! Events, messages and inputs of every shape, and what nearly is one.

use assistant_core::event::{
    Base, ContentPart, ContextItem, EncryptedEntity, FunctionCall, Interrupt, Message, Object,
    Outcome as RunOutcome, PartBody, ResumeEntry, ResumeStatus, Source, TokenUsage, Tool,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

use super::*;

fn text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), "[a-z]{1,4}", any::<String>()].boxed()
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(text(), inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

fn some_json() -> BoxedStrategy<Value> {
    any_json()
        .prop_filter("null is absence here", |value| !value.is_null())
        .boxed()
}

pub(super) fn object() -> BoxedStrategy<Object> {
    btree_map(text(), any_json(), 0..3)
        .prop_map(|map| map.into_iter().collect())
        .boxed()
}

fn base(attributable: bool) -> BoxedStrategy<Base> {
    let limit = (1_i64 << 53) - 1;
    (
        of(-limit..=limit),
        of(some_json()),
        of(object()),
        of(text()),
    )
        .prop_map(move |(timestamp, raw_event, metadata, tag)| Base {
            timestamp,
            raw_event: raw_event.map(Box::new),
            metadata: metadata.map(Box::new),
            subagent_run_id: tag.filter(|_| attributable),
        })
        .boxed()
}

fn source() -> BoxedStrategy<Source> {
    prop_oneof![
        (text(), text()).prop_map(|(value, mime_type)| Source::Data { value, mime_type }),
        (text(), of(text())).prop_map(|(value, mime_type)| Source::Url { value, mime_type }),
        (text(), of(text()), of(text())).prop_map(|(value, provider, mime_type)| Source::File {
            value,
            provider,
            mime_type
        }),
    ]
    .boxed()
}

fn content() -> BoxedStrategy<Content> {
    let kind = prop_oneof![
        Just("image"),
        Just("audio"),
        Just("video"),
        Just("document")
    ];
    let body = prop_oneof![
        text().prop_map(PartBody::Text),
        (kind, source()).prop_map(|(kind, source)| PartBody::Media {
            kind: kind.to_owned(),
            source
        }),
    ];
    let part = (of(text()), of(some_json()), body).prop_map(|(id, metadata, body)| ContentPart {
        id,
        metadata,
        body,
    });
    prop_oneof![
        text().prop_map(Content::Text),
        vec(part, 0..3).prop_map(Content::Parts)
    ]
    .boxed()
}

fn call() -> BoxedStrategy<FunctionCall> {
    (text(), text(), text(), of(text()), of(object()))
        .prop_map(
            |(id, name, arguments, encrypted_value, metadata)| FunctionCall {
                encrypted_value,
                metadata,
                ..FunctionCall::new(id, name, arguments)
            },
        )
        .boxed()
}

pub(super) fn message() -> BoxedStrategy<Message> {
    let body = prop_oneof![
        text().prop_map(|content| MessageBody::Developer { content }),
        text().prop_map(|content| MessageBody::System { content }),
        text().prop_map(|content| MessageBody::Reasoning { content }),
        content().prop_map(|content| MessageBody::User { content }),
        (of(text()), vec(call(), 0..3)).prop_map(|(content, tool_calls)| MessageBody::Assistant {
            content,
            tool_calls
        }),
        (text(), content(), of(text())).prop_map(|(tool_call_id, content, error)| {
            MessageBody::Tool {
                tool_call_id,
                content,
                error,
            }
        }),
        (text(), object()).prop_map(|(activity_type, content)| MessageBody::Activity {
            activity_type,
            content
        }),
    ];
    (
        text(),
        body,
        of(text()),
        of(text()),
        of(text()),
        of(object()),
    )
        .prop_map(|(id, body, name, sealed, subagent_run_id, metadata)| {
            let mut message = Message {
                subagent_run_id,
                metadata,
                ..Message::new(id, body)
            };
            match message.role() {
                Role::Activity => {}
                Role::Tool | Role::Reasoning => message.encrypted_value = sealed,
                _ => (message.name, message.encrypted_value) = (name, sealed),
            }
            message
        })
        .boxed()
}

pub(super) fn input() -> BoxedStrategy<RunInput> {
    let tool = (text(), text(), of(some_json()), of(object())).prop_map(
        |(name, description, parameters, metadata)| Tool {
            name,
            description,
            parameters,
            metadata,
        },
    );
    let item = (text(), text()).prop_map(|(description, value)| ContextItem { description, value });
    let status = prop_oneof![Just(ResumeStatus::Resolved), Just(ResumeStatus::Cancelled)];
    let entry = (text(), status, of(some_json()), of(object())).prop_map(
        |(interrupt_id, status, payload, metadata)| ResumeEntry {
            interrupt_id,
            status,
            payload,
            metadata,
        },
    );
    let ids = (text(), text(), of(text()));
    let lists = (
        vec(message(), 0..3),
        vec(tool, 0..3),
        vec(item, 0..3),
        vec(entry, 0..3),
    );
    (ids, some_json(), some_json(), lists)
        .prop_map(
            |((thread_id, run_id, parent_run_id), state, forwarded_props, lists)| {
                let (messages, tools, context, resume) = lists;
                RunInput {
                    thread_id,
                    run_id,
                    parent_run_id,
                    state,
                    messages,
                    tools,
                    context,
                    forwarded_props,
                    resume,
                }
            },
        )
        .boxed()
}

fn usage() -> BoxedStrategy<Vec<TokenUsage>> {
    let usage = (of(text()), of(0..1_u64 << 53), of(0..1_u64 << 53)).prop_map(
        |(model, input_tokens, cached_input_tokens)| TokenUsage {
            model,
            input_tokens,
            cached_input_tokens,
            ..TokenUsage::default()
        },
    );
    vec(usage, 0..3).boxed()
}

fn outcome() -> BoxedStrategy<RunOutcome> {
    let interrupt = (text(), text(), of(text()), of(object()), of(text())).prop_map(
        |(id, reason, message, response_schema, subagent_run_id)| Interrupt {
            id,
            reason,
            tool_call_id: message.clone(),
            expires_at: message.clone(),
            message,
            metadata: response_schema.clone(),
            response_schema,
            subagent_run_id,
        },
    );
    prop_oneof![
        of(vec(text(), 0..3)).prop_map(|pending_tool_call_ids| RunOutcome::Success {
            pending_tool_call_ids
        }),
        vec(interrupt, 1..3).prop_map(|interrupts| RunOutcome::Interrupt { interrupts }),
        Just(RunOutcome::Cancelled),
    ]
    .boxed()
}

fn patch() -> BoxedStrategy<Vec<Value>> {
    let operation = prop_oneof![
        any_json().prop_map(|value| json!({"op": "add", "path": "/a~0", "value": value})),
        text().prop_map(|extra| json!({"op": "move", "path": "", "from": "/a", "x": extra})),
        Just(json!({"op": "remove", "path": "/"})),
    ];
    vec(operation, 0..3).boxed()
}

/// Run and subagent events, and snapshots of messages: those that carry no attribution.
fn lifecycle() -> BoxedStrategy<EventKind> {
    let suspended =
        vec(text(), 0..3).prop_map(|ids| json!({"type": "suspended", "interruptIds": ids}));
    prop_oneof![
        (text(), text(), of(text()), of(input())).prop_map(|(thread_id, run_id, parent, input)| {
            EventKind::RunStarted {
                thread_id,
                run_id,
                protocol_version: Some("1.0".to_owned()),
                parent_run_id: parent,
                input: input.map(Box::new),
            }
        }),
        (text(), of(some_json()), of(outcome()), usage()).prop_map(
            |(id, result, outcome, usage)| EventKind::RunFinished {
                thread_id: id.clone(),
                run_id: id,
                result: result.map(Box::new),
                outcome,
                usage,
            }
        ),
        (text(), of(text()), usage()).prop_map(|(message, code, usage)| EventKind::RunError {
            message,
            code,
            usage
        }),
        vec(message(), 0..4).prop_map(|messages| EventKind::MessagesSnapshot { messages }),
        (text(), text(), of(text()), of(text())).prop_map(|(id, name, description, parent)| {
            EventKind::SubagentStarted {
                subagent_run_id: id,
                name,
                description,
                parent_subagent_run_id: parent.clone(),
                parent_tool_call_id: parent.clone(),
                parent_message_id: parent,
            }
        }),
        (
            text(),
            of(some_json()),
            of(prop_oneof![Just(json!({"type": "success"})), suspended])
        )
            .prop_map(
                |(subagent_run_id, result, outcome)| EventKind::SubagentFinished {
                    subagent_run_id,
                    result: result.map(Box::new),
                    outcome: outcome.map(Box::new),
                }
            ),
        (text(), text(), of(text())).prop_map(|(subagent_run_id, message, code)| {
            EventKind::SubagentError {
                subagent_run_id,
                message,
                code,
            }
        }),
    ]
    .boxed()
}

fn speech() -> BoxedStrategy<EventKind> {
    let role = || {
        of(prop_oneof![
            Just(Role::Developer),
            Just(Role::System),
            Just(Role::User),
            Just(Role::Assistant)
        ])
    };
    let entity = prop_oneof![
        Just(EncryptedEntity::ToolCall),
        Just(EncryptedEntity::Message)
    ];
    prop_oneof![
        (text(), role(), of(text())).prop_map(|(message_id, role, name)| {
            EventKind::TextMessageStart {
                message_id,
                role,
                name,
            }
        }),
        (text(), text())
            .prop_map(|(message_id, delta)| EventKind::TextMessageContent { message_id, delta }),
        text().prop_map(|message_id| EventKind::TextMessageEnd { message_id }),
        (of(text()), role(), of(text()), of(text())).prop_map(|(message_id, role, delta, name)| {
            EventKind::TextMessageChunk {
                message_id,
                role,
                delta,
                name,
            }
        }),
        text().prop_map(|message_id| EventKind::ReasoningStart { message_id }),
        text().prop_map(|message_id| EventKind::ReasoningEnd { message_id }),
        text().prop_map(|message_id| EventKind::ReasoningMessageStart { message_id }),
        (text(), text()).prop_map(|(message_id, delta)| {
            EventKind::ReasoningMessageContent { message_id, delta }
        }),
        text().prop_map(|message_id| EventKind::ReasoningMessageEnd { message_id }),
        (of(text()), of(text())).prop_map(|(message_id, delta)| {
            EventKind::ReasoningMessageChunk { message_id, delta }
        }),
        (entity, text(), text()).prop_map(|(entity, entity_id, encrypted_value)| {
            EventKind::ReasoningEncryptedValue {
                entity,
                entity_id,
                encrypted_value,
            }
        }),
    ]
    .boxed()
}

fn calls_and_state() -> BoxedStrategy<EventKind> {
    prop_oneof![
        (text(), text(), of(text())).prop_map(|(tool_call_id, tool_call_name, parent)| {
            EventKind::ToolCallStart {
                tool_call_id,
                tool_call_name,
                parent_message_id: parent,
            }
        }),
        (text(), text()).prop_map(|(tool_call_id, delta)| EventKind::ToolCallArgs {
            tool_call_id,
            delta
        }),
        text().prop_map(|tool_call_id| EventKind::ToolCallEnd { tool_call_id }),
        (of(text()), of(text()), of(text()), of(text())).prop_map(|(id, name, parent, delta)| {
            EventKind::ToolCallChunk {
                tool_call_id: id,
                tool_call_name: name,
                parent_message_id: parent,
                delta,
            }
        }),
        (text(), text(), content()).prop_map(|(message_id, tool_call_id, content)| {
            EventKind::ToolCallResult {
                message_id,
                tool_call_id,
                content,
            }
        }),
        text().prop_map(|step_name| EventKind::StepStarted { step_name }),
        text().prop_map(|step_name| EventKind::StepFinished { step_name }),
        any_json().prop_map(|snapshot| EventKind::StateSnapshot { snapshot }),
        patch().prop_map(|delta| EventKind::StateDelta { delta }),
        (text(), text(), object(), any::<bool>()).prop_map(
            |(message_id, activity_type, content, replace)| EventKind::ActivitySnapshot {
                message_id,
                activity_type,
                content,
                replace,
            }
        ),
        (text(), text(), patch()).prop_map(|(message_id, activity_type, patch)| {
            EventKind::ActivityDelta {
                message_id,
                activity_type,
                patch,
            }
        }),
        (any_json(), of(text())).prop_map(|(event, source)| EventKind::Raw { event, source }),
        (text(), any_json()).prop_map(|(name, value)| EventKind::Custom { name, value }),
    ]
    .boxed()
}

pub(super) fn event() -> BoxedStrategy<Event> {
    prop_oneof![
        (lifecycle(), base(false)),
        (speech(), base(true)),
        (calls_and_state(), base(true)),
    ]
    .prop_map(|(kind, base)| Event { kind, base })
    .boxed()
}

/// What looks like an event, with fields of any kind and names that mean something.
pub(super) fn nearly_event() -> BoxedStrategy<Value> {
    let kinds = prop_oneof![
        Just("RUN_STARTED"),
        Just("RUN_FINISHED"),
        Just("RUN_ERROR"),
        Just("TEXT_MESSAGE_START"),
        Just("TEXT_MESSAGE_CONTENT"),
        Just("TEXT_MESSAGE_CHUNK"),
        Just("TOOL_CALL_START"),
        Just("TOOL_CALL_ARGS"),
        Just("TOOL_CALL_END"),
        Just("TOOL_CALL_CHUNK"),
        Just("TOOL_CALL_RESULT"),
        Just("MESSAGES_SNAPSHOT"),
        Just("STATE_DELTA"),
        Just("REASONING_MESSAGE_CHUNK"),
        Just("SUBAGENT_FINISHED"),
        Just("THINKING_START"),
        Just("THINKING_TEXT_MESSAGE_CONTENT"),
        Just("STEP_STARTED"),
        Just("FUTURE"),
    ];
    let fields = prop_oneof![
        Just("messageId"),
        Just("toolCallId"),
        Just("toolCallName"),
        Just("threadId"),
        Just("runId"),
        Just("delta"),
        Just("role"),
        Just("content"),
        Just("messages"),
        Just("subagentRunId"),
        Just("outcome"),
        Just("input"),
        Just("usage"),
        Just("rawEvent"),
        Just("metadata"),
        Just("timestamp"),
        Just("stepName"),
        Just("toString"),
        Just("__proto__"),
    ];
    let values = prop_oneof![
        Just(json!("a")),
        Just(json!("b")),
        any_json(),
        event().prop_map(|event| event_to_value(&event)),
        vec(
            message().prop_map(|message| message_to_value(&message)),
            0..2
        )
        .prop_map(Value::Array),
    ];
    (kinds, vec((fields, values), 0..6))
        .prop_map(|(kind, fields)| {
            let mut event = json!({"type": kind});
            for (field, value) in fields {
                event[field] = value;
            }
            event
        })
        .boxed()
}
