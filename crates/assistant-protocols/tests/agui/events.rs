//! Strategies for events of every type and for invalid events. `strategies` generates their parts.

use assistant_core::event::EncryptedEntity;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::strategies::*;
use super::*;

/// Generates the events without a subagent's id: those of runs and subagents, and message
/// snapshots.
fn any_lifecycle_event() -> BoxedStrategy<EventKind> {
    let suspended =
        vec(any_text(), 0..3).prop_map(|ids| json!({"type": "suspended", "interruptIds": ids}));
    prop_oneof![
        (any_text(), any_text(), of(any_text()), of(any_run_input())).prop_map(
            |(thread_id, run_id, parent, input)| {
                EventKind::RunStarted {
                    thread_id,
                    run_id,
                    protocol_version: Some("1.0".to_owned()),
                    parent_run_id: parent,
                    input: input.map(Box::new),
                }
            }
        ),
        (
            any_text(),
            of(any_non_null_json()),
            of(any_outcome()),
            any_usage()
        )
            .prop_map(|(id, result, outcome, usage)| EventKind::RunFinished {
                thread_id: id.clone(),
                run_id: id,
                result: result.map(Box::new),
                outcome,
                usage,
            }),
        (any_text(), of(any_text()), any_usage()).prop_map(|(message, code, usage)| {
            EventKind::RunError {
                message,
                code,
                usage,
            }
        }),
        vec(any_message(), 0..4).prop_map(|messages| EventKind::MessagesSnapshot { messages }),
        (any_text(), any_text(), of(any_text()), of(any_text())).prop_map(
            |(id, name, description, parent)| {
                EventKind::SubagentStarted {
                    subagent_run_id: id,
                    name,
                    description,
                    parent_subagent_run_id: parent.clone(),
                    parent_tool_call_id: parent.clone(),
                    parent_message_id: parent,
                }
            }
        ),
        (
            any_text(),
            of(any_non_null_json()),
            of(prop_oneof![Just(json!({"type": "success"})), suspended])
        )
            .prop_map(
                |(subagent_run_id, result, outcome)| EventKind::SubagentFinished {
                    subagent_run_id,
                    result: result.map(Box::new),
                    outcome: outcome.map(Box::new),
                }
            ),
        (any_text(), any_text(), of(any_text())).prop_map(|(subagent_run_id, message, code)| {
            EventKind::SubagentError {
                subagent_run_id,
                message,
                code,
            }
        }),
    ]
    .boxed()
}

fn any_text_or_reasoning_event() -> BoxedStrategy<EventKind> {
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
        (any_text(), role(), of(any_text())).prop_map(|(message_id, role, name)| {
            EventKind::TextMessageStart {
                message_id,
                role,
                name,
            }
        }),
        (any_text(), any_text())
            .prop_map(|(message_id, delta)| EventKind::TextMessageContent { message_id, delta }),
        any_text().prop_map(|message_id| EventKind::TextMessageEnd { message_id }),
        (of(any_text()), role(), of(any_text()), of(any_text())).prop_map(
            |(message_id, role, delta, name)| {
                EventKind::TextMessageChunk {
                    message_id,
                    role,
                    delta,
                    name,
                }
            }
        ),
        any_text().prop_map(|message_id| EventKind::ReasoningStart { message_id }),
        any_text().prop_map(|message_id| EventKind::ReasoningEnd { message_id }),
        any_text().prop_map(|message_id| EventKind::ReasoningMessageStart { message_id }),
        (any_text(), any_text()).prop_map(|(message_id, delta)| {
            EventKind::ReasoningMessageContent { message_id, delta }
        }),
        any_text().prop_map(|message_id| EventKind::ReasoningMessageEnd { message_id }),
        (of(any_text()), of(any_text())).prop_map(|(message_id, delta)| {
            EventKind::ReasoningMessageChunk { message_id, delta }
        }),
        (entity, any_text(), any_text()).prop_map(|(entity, entity_id, encrypted_value)| {
            EventKind::ReasoningEncryptedValue {
                entity,
                entity_id,
                encrypted_value,
            }
        }),
    ]
    .boxed()
}

fn any_call_or_state_event() -> BoxedStrategy<EventKind> {
    prop_oneof![
        (any_text(), any_text(), of(any_text())).prop_map(
            |(tool_call_id, tool_call_name, parent)| {
                EventKind::ToolCallStart {
                    tool_call_id,
                    tool_call_name,
                    parent_message_id: parent,
                }
            }
        ),
        (any_text(), any_text()).prop_map(|(tool_call_id, delta)| EventKind::ToolCallArgs {
            tool_call_id,
            delta
        }),
        any_text().prop_map(|tool_call_id| EventKind::ToolCallEnd { tool_call_id }),
        (
            of(any_text()),
            of(any_text()),
            of(any_text()),
            of(any_text())
        )
            .prop_map(|(id, name, parent, delta)| {
                EventKind::ToolCallChunk {
                    tool_call_id: id,
                    tool_call_name: name,
                    parent_message_id: parent,
                    delta,
                }
            }),
        (any_text(), any_text(), any_content()).prop_map(|(message_id, tool_call_id, content)| {
            EventKind::ToolCallResult {
                message_id,
                tool_call_id,
                content,
            }
        }),
        any_text().prop_map(|step_name| EventKind::StepStarted { step_name }),
        any_text().prop_map(|step_name| EventKind::StepFinished { step_name }),
        any_json().prop_map(|snapshot| EventKind::StateSnapshot { snapshot }),
        any_patch().prop_map(|delta| EventKind::StateDelta { delta }),
        (any_text(), any_text(), any_object(), any::<bool>()).prop_map(
            |(message_id, activity_type, content, replace)| EventKind::ActivitySnapshot {
                message_id,
                activity_type,
                content,
                replace,
            }
        ),
        (any_text(), any_text(), any_patch()).prop_map(|(message_id, activity_type, patch)| {
            EventKind::ActivityDelta {
                message_id,
                activity_type,
                patch,
            }
        }),
        (any_json(), of(any_text())).prop_map(|(event, source)| EventKind::Raw { event, source }),
        (any_text(), any_json()).prop_map(|(name, value)| EventKind::Custom { name, value }),
    ]
    .boxed()
}

pub(super) fn any_event() -> BoxedStrategy<Event> {
    prop_oneof![
        (any_lifecycle_event(), any_base(false)),
        (any_text_or_reasoning_event(), any_base(true)),
        (any_call_or_state_event(), any_base(true)),
    ]
    .prop_map(|(kind, base)| Event { kind, base })
    .boxed()
}

/// Generates objects that resemble events: known types and names, with fields of any type.
pub(super) fn any_nearly_valid_event() -> BoxedStrategy<Value> {
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
        any_event().prop_map(|event| event_to_value(&event)),
        vec(
            any_message().prop_map(|message| message_to_value(&message)),
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
