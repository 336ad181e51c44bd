//! The reducer, which applies events to the tree one by one and lists the changes.
//!
//! The events are already verified, and their chunks are expanded. The cost of applying an event is
//! proportional to the size of the event, not to the size of the conversation. A messages snapshot
//! is as large as the conversation.

mod activity;
mod authority;
#[cfg(feature = "ui-stream")]
mod block;
#[cfg(feature = "callouts")]
pub(super) mod callout;
#[cfg(feature = "callouts")]
mod callout_call;
mod echo;
mod encrypted;
#[cfg(feature = "ui-stream")]
mod extension;
mod merge;
mod replace;
mod results;
mod text;
mod tool;

use serde_json::Value;

use super::{Author, CallKey, Change, Conversation, Part};
use crate::{
    event::{Base, Diagnostic, Event, EventKind, Role},
    json::patch,
};

/// The time of an event, and the diagnostics that the reducer reports for the event.
#[derive(Debug)]
pub(crate) struct ApplyContext<'a> {
    /// The time of the event, in milliseconds since 1970.
    pub(crate) now: i64,
    /// The diagnostics of events that could not be applied.
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
}

impl ApplyContext<'_> {
    fn warn(&mut self, code: &'static str, message: String) {
        self.diagnostics.push(Diagnostic::new(code, message));
    }

    fn warn_about_user_message(&mut self, id: &str) {
        self.warn(
            "not-the-agents",
            format!("'{id}' is a message of the user: what the agent adds to it is ignored"),
        );
    }
}

impl Conversation {
    /// Applies one event to the run's path.
    pub(crate) fn apply(&mut self, event: Event, out: &mut ApplyContext<'_>) {
        let Event { kind, base } = event;
        match kind {
            EventKind::TextMessageStart {
                message_id,
                role,
                name,
            } => {
                self.start_text(
                    &message_id,
                    role.unwrap_or(Role::Assistant),
                    name,
                    base,
                    out,
                );
            }
            EventKind::TextMessageContent { message_id, delta }
            | EventKind::ReasoningMessageContent { message_id, delta } => {
                self.apply_text_delta(&message_id, &delta, base, out);
            }
            EventKind::TextMessageEnd { message_id }
            | EventKind::ReasoningMessageEnd { message_id } => {
                self.end_text(&message_id, base, out);
            }
            EventKind::ReasoningMessageStart { message_id } => {
                self.start_text(&message_id, Role::Reasoning, None, base, out);
            }
            EventKind::ToolCallStart {
                tool_call_id,
                tool_call_name,
                parent_message_id,
            } => {
                self.start_call(tool_call_id, tool_call_name, parent_message_id, base, out);
            }
            EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            } => {
                self.apply_args_delta(&tool_call_id, &delta, base, out);
            }
            EventKind::ToolCallEnd { tool_call_id } => self.end_call(&tool_call_id, base, out),
            EventKind::ToolCallResult {
                message_id,
                tool_call_id,
                content,
            } => {
                self.apply_result_event(message_id, tool_call_id, content, base, out);
            }
            EventKind::ActivitySnapshot {
                message_id,
                activity_type,
                content,
                replace,
            } => {
                self.apply_activity_snapshot(
                    &message_id,
                    activity_type,
                    content,
                    replace,
                    base,
                    out,
                );
            }
            EventKind::ActivityDelta {
                message_id,
                activity_type,
                patch,
            } => {
                self.apply_activity_delta(&message_id, activity_type, &patch, base, out);
            }
            EventKind::StateSnapshot { snapshot } => self.apply_state_snapshot(snapshot, out),
            EventKind::StateDelta { delta } => match self.apply_state_delta(&delta) {
                Ok(()) => self.log.push(Change::State),
                Err(error) if error.exceeds_limit() => {
                    out.warn("over-budget", format!("state patch refused: {error}"));
                }
                Err(error) => out.warn(
                    "state-patch",
                    format!("Failed to apply state patch: {error}"),
                ),
            },
            EventKind::MessagesSnapshot { messages } => {
                // The stored sizes are cleared, because they belong to activities that the list
                // replaces.
                self.activity_sizes.clear();
                self.merge_snapshot(messages, base.metadata.as_deref(), out);
            }
            EventKind::RunStarted {
                input: Some(input), ..
            } => {
                self.adopt_listed_ids(&input.messages);
                self.merge_new_messages(input.messages, Author::Agent, out);
            }
            EventKind::ReasoningEncryptedValue {
                entity,
                entity_id,
                encrypted_value,
            } => {
                self.set_encrypted_value(entity, &entity_id, encrypted_value);
            }
            #[cfg(feature = "ui-stream")]
            EventKind::Extension(extension) => self.apply_extension(*extension, out),
            EventKind::TextMessageChunk { .. }
            | EventKind::ToolCallChunk { .. }
            | EventKind::ReasoningMessageChunk { .. } => out.warn(
                "unexpanded-chunk",
                "a chunk event came here without having been expanded: ignored".to_owned(),
            ),
            _ => {}
        }
    }

    /// Replaces the state. Reports a diagnostic instead if the new state is larger than the limit.
    fn apply_state_snapshot(&mut self, snapshot: Value, out: &mut ApplyContext<'_>) {
        let (size, limit) = (patch::size_of(&snapshot), self.limits.state_bytes);
        if size > limit {
            let message = format!("state refused: it has {size} bytes, the limit is {limit}");
            return out.warn("over-budget", message);
        }
        self.set_state(snapshot);
    }

    fn apply_state_delta(&mut self, delta: &[Value]) -> Result<(), patch::PatchError> {
        let bounds = self.patch_bounds(self.limits.state_bytes);
        let size = &mut self.state_size;
        patch::apply_within(&mut self.state, delta, size, (false, bounds))
    }

    /// Returns the bounds for a patch of a document with this maximum size.
    const fn patch_bounds(&self, document: usize) -> patch::PatchBounds {
        patch::PatchBounds {
            document,
            copied: self.limits.patch_copied_bytes,
            shifted: self.limits.patch_shifted_values,
        }
    }

    /// Merges an event's metadata into a message. If another branch shares the message, the message
    /// is copied first. A new value of a key replaces the old value.
    fn merge_message_metadata(&mut self, ix: usize, base: Base) {
        let Some(metadata) = base.metadata else {
            return;
        };
        let ix = self.unshare(ix);
        self.edit_message(ix, |message| {
            message.metadata.get_or_insert_default().extend(*metadata);
        });
    }

    fn report_part_growth(&mut self, ix: usize) {
        if let Some(node) = self.node(ix) {
            let part = node.message.parts.len().saturating_sub(1);
            let message = node.message.id.clone();
            self.log.push(Change::PartGrew { message, part });
        }
    }

    /// Adds a call to a message, and returns the index of the call's part.
    fn push_call(&mut self, ix: usize, key: CallKey) -> usize {
        let index = self.push_part(ix, Part::Call(key));
        self.calls.attach(&key, ix);
        index
    }

    /// Adds a part to a message, and returns the index of the part.
    fn push_part(&mut self, ix: usize, part: Part) -> usize {
        let Some(node) = self.node_mut(ix) else {
            return 0;
        };
        let index = node.message.parts.len();
        let message = node.message.id.clone();
        node.message.parts.push(part);
        self.log.push(Change::PartAdded {
            message,
            part: index,
        });
        index
    }
}
