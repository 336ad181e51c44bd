//! Strategies for messages, inputs and the parts of events. `events` generates whole events.

use assistant_core::event::{
    Base, ContentPart, ContextItem, FunctionCall, Interrupt, Message, Object,
    Outcome as RunOutcome, PartBody, ResumeEntry, ResumeStatus, Source, TokenUsage, Tool,
};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

use super::*;

pub(super) fn any_text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), "[a-z]{1,4}", any::<String>()].boxed()
}

pub(super) fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(any_text(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

pub(super) fn any_non_null_json() -> BoxedStrategy<Value> {
    any_json()
        .prop_filter("null is absence here", |value| !value.is_null())
        .boxed()
}

pub(super) fn any_object() -> BoxedStrategy<Object> {
    btree_map(any_text(), any_json(), 0..3)
        .prop_map(|map| map.into_iter().collect())
        .boxed()
}

pub(super) fn any_base(attributable: bool) -> BoxedStrategy<Base> {
    let limit = (1_i64 << 53) - 1;
    (
        of(-limit..=limit),
        of(any_non_null_json()),
        of(any_object()),
        of(any_text()),
    )
        .prop_map(move |(timestamp, raw_event, metadata, tag)| Base {
            timestamp,
            raw_event: raw_event.map(Box::new),
            metadata: metadata.map(Box::new),
            subagent_run_id: tag.filter(|_| attributable),
        })
        .boxed()
}

fn any_source() -> BoxedStrategy<Source> {
    prop_oneof![
        (any_text(), any_text()).prop_map(|(value, mime_type)| Source::Data { value, mime_type }),
        (any_text(), of(any_text()))
            .prop_map(|(value, mime_type)| Source::Url { value, mime_type }),
        (any_text(), of(any_text()), of(any_text())).prop_map(|(value, provider, mime_type)| {
            Source::File {
                value,
                provider,
                mime_type,
            }
        }),
    ]
    .boxed()
}

pub(super) fn any_content() -> BoxedStrategy<Content> {
    let kind = prop_oneof![
        Just("image"),
        Just("audio"),
        Just("video"),
        Just("document")
    ];
    let body = prop_oneof![
        any_text().prop_map(PartBody::Text),
        (kind, any_source()).prop_map(|(kind, source)| PartBody::Media {
            kind: kind.to_owned(),
            source
        }),
    ];
    let part = (of(any_text()), of(any_non_null_json()), body)
        .prop_map(|(id, metadata, body)| ContentPart { id, metadata, body });
    prop_oneof![
        any_text().prop_map(Content::Text),
        vec(part, 0..3).prop_map(Content::Parts)
    ]
    .boxed()
}

pub(super) fn any_call() -> BoxedStrategy<FunctionCall> {
    (
        any_text(),
        any_text(),
        any_text(),
        of(any_text()),
        of(any_object()),
    )
        .prop_map(
            |(id, name, arguments, encrypted_value, metadata)| FunctionCall {
                encrypted_value,
                metadata,
                ..FunctionCall::new(id, name, arguments)
            },
        )
        .boxed()
}

pub(super) fn any_message() -> BoxedStrategy<Message> {
    let body = prop_oneof![
        any_text().prop_map(|content| MessageBody::Developer { content }),
        any_text().prop_map(|content| MessageBody::System { content }),
        any_text().prop_map(|content| MessageBody::Reasoning { content }),
        any_content().prop_map(|content| MessageBody::User { content }),
        (of(any_text()), vec(any_call(), 0..3)).prop_map(|(content, tool_calls)| {
            MessageBody::Assistant {
                content,
                tool_calls,
            }
        }),
        (any_text(), any_content(), of(any_text())).prop_map(|(tool_call_id, content, error)| {
            MessageBody::Tool {
                tool_call_id,
                content,
                error,
            }
        }),
        (any_text(), any_object()).prop_map(|(activity_type, content)| MessageBody::Activity {
            activity_type,
            content
        }),
    ];
    (
        any_text(),
        body,
        of(any_text()),
        of(any_text()),
        of(any_text()),
        of(any_object()),
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

pub(super) fn any_run_input() -> BoxedStrategy<RunInput> {
    let tool = (
        any_text(),
        any_text(),
        of(any_non_null_json()),
        of(any_object()),
    )
        .prop_map(|(name, description, parameters, metadata)| Tool {
            name,
            description,
            parameters,
            metadata,
        });
    let item = (any_text(), any_text())
        .prop_map(|(description, value)| ContextItem::new(description, value));
    let status = prop_oneof![Just(ResumeStatus::Resolved), Just(ResumeStatus::Cancelled)];
    let entry = (
        any_text(),
        status,
        of(any_non_null_json()),
        of(any_object()),
    )
        .prop_map(|(interrupt_id, status, payload, metadata)| {
            let mut entry = ResumeEntry::new(interrupt_id, status);
            entry.payload = payload;
            entry.metadata = metadata;
            entry
        });
    let ids = (any_text(), any_text(), of(any_text()));
    let lists = (
        vec(any_message(), 0..3),
        vec(tool, 0..3),
        vec(item, 0..3),
        vec(entry, 0..3),
    );
    (ids, any_non_null_json(), any_non_null_json(), lists)
        .prop_map(
            |((thread_id, run_id, parent_run_id), state, forwarded_props, lists)| {
                let (messages, tools, context, resume) = lists;
                RunInput {
                    thread_id,
                    run_id,
                    parent_run_id,
                    resumes: false,
                    state,
                    messages,
                    history: None,
                    tools,
                    context,
                    forwarded_props,
                    resume,
                }
            },
        )
        .boxed()
}

pub(super) fn any_usage() -> BoxedStrategy<Vec<TokenUsage>> {
    let usage = (of(any_text()), of(0..1_u64 << 53), of(0..1_u64 << 53)).prop_map(
        |(model, input_tokens, cached_input_tokens)| TokenUsage {
            model,
            input_tokens,
            cached_input_tokens,
            ..TokenUsage::default()
        },
    );
    vec(usage, 0..3).boxed()
}

pub(super) fn any_outcome() -> BoxedStrategy<RunOutcome> {
    let interrupt = (
        any_text(),
        any_text(),
        of(any_text()),
        of(any_object()),
        of(any_text()),
    )
        .prop_map(
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
        of(vec(any_text(), 0..3)).prop_map(|pending_tool_call_ids| RunOutcome::Success {
            pending_tool_call_ids
        }),
        vec(interrupt, 1..3).prop_map(|interrupts| RunOutcome::Interrupt { interrupts }),
        Just(RunOutcome::Cancelled),
    ]
    .boxed()
}

pub(super) fn any_patch() -> BoxedStrategy<Vec<Value>> {
    let operation = prop_oneof![
        any_json().prop_map(|value| json!({"op": "add", "path": "/a~0", "value": value})),
        any_text().prop_map(|extra| json!({"op": "move", "path": "", "from": "/a", "x": extra})),
        Just(json!({"op": "remove", "path": "/"})),
    ];
    vec(operation, 0..3).boxed()
}
