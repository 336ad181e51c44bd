//! Checks the sizes of texts, arguments, results and encrypted values, and shortens or drops the
//! values that are too large.

#[cfg(feature = "ui-stream")]
use serde_json::Value;

use super::{Admission, ReceivedAmounts, admit_growth};
use crate::{
    conversation::Conversation,
    event::{Content, Message, MessageBody, PartBody, Source},
    limits::{LimitKind, Limits},
};
#[cfg(feature = "ui-stream")]
use crate::{
    event::{Extension, Settlement},
    json::patch,
};

impl ReceivedAmounts {
    pub(super) fn admit_text(
        &mut self,
        id: &str,
        delta: &mut String,
        conversation: &Conversation,
        limits: &Limits,
    ) -> Admission {
        let max_bytes = limits.message_bytes;
        // An event for an unknown message is admitted unchanged, since the text of the event is not
        // stored.
        let initial_size = || conversation.text_size(id);
        let Some(used_bytes) = self.texts.get_or_record(id, initial_size) else {
            return Admission::Take;
        };
        let size = self.truncate_to_limit(LimitKind::Message, delta, (used_bytes, max_bytes));
        self.texts.set_newest(size);
        admit_growth(used_bytes, size, max_bytes)
    }

    /// Returns true if the arguments of the call with this id were cut. The agent cannot begin such
    /// a call again.
    pub(super) fn has_cut_arguments(&self, id: &str, limits: &Limits) -> bool {
        let size = self.arguments.get(id);
        size.is_some_and(|size| size > limits.argument_bytes)
    }

    pub(super) fn admit_arguments(
        &mut self,
        id: &str,
        delta: &mut String,
        conversation: &Conversation,
        limits: &Limits,
    ) -> Admission {
        let max_bytes = limits.argument_bytes;
        let initial_size = || conversation.call_by_wire_id(id).map(|_| 0);
        let Some(used_bytes) = self.arguments.get_or_record(id, initial_size) else {
            return Admission::Take;
        };
        let size = self.truncate_to_limit(LimitKind::Arguments, delta, (used_bytes, max_bytes));
        self.arguments.set_newest(size);
        admit_growth(used_bytes, size, max_bytes)
    }

    /// Drops an encrypted value of a message or a call if the value is over the limit.
    fn drop_long_encrypted_value(&mut self, value: &mut Option<String>, limits: &Limits) {
        value.take_if(|value| !self.admits_encrypted_value(value, limits));
    }

    pub(super) fn admit_result(&mut self, content: &mut Content, limits: &Limits) {
        let (mut used_bytes, max_bytes) = (0, limits.message_bytes);
        match content {
            Content::Text(text) => {
                self.truncate_to_limit(LimitKind::Result, text, (0, max_bytes));
            }
            Content::Parts(parts) => parts.retain_mut(|part| match &mut part.body {
                PartBody::Text(text) => {
                    used_bytes = self
                        .truncate_to_limit(LimitKind::Result, text, (used_bytes, max_bytes))
                        .min(max_bytes);
                    true
                }
                PartBody::Media { source, .. } => {
                    let size = source_size(source);
                    let is_within_limit = size <= max_bytes.saturating_sub(used_bytes);
                    match is_within_limit {
                        true => used_bytes += size,
                        false => self.count_dropped(LimitKind::Result, size),
                    }
                    is_within_limit
                }
            }),
        }
    }

    /// Shortens the texts and arguments of a list of messages, and drops encrypted values over the
    /// limit. Returns [`Admission::EndRun`] if the list has too many messages or calls. Shortened
    /// arguments are no longer valid JSON, so their call does not run.
    pub(super) fn admit_messages(
        &mut self,
        messages: &mut [Message],
        limits: &Limits,
    ) -> Admission {
        let count_calls = |message: &Message| match &message.body {
            MessageBody::Assistant { tool_calls, .. } => tool_calls.len(),
            _ => 0,
        };
        let call_count = messages.iter().map(count_calls).sum::<usize>();
        if messages.len().max(call_count) > limits.messages {
            return Admission::EndRun(LimitKind::Messages);
        }
        for message in messages {
            self.drop_long_encrypted_value(&mut message.encrypted_value, limits);
            match &mut message.body {
                MessageBody::Assistant {
                    content,
                    tool_calls,
                } => {
                    if let Some(text) = content {
                        self.truncate_to_limit(LimitKind::Message, text, (0, limits.message_bytes));
                    }
                    for call in tool_calls {
                        self.drop_long_encrypted_value(&mut call.encrypted_value, limits);
                        let bounds = (0, limits.argument_bytes);
                        self.truncate_to_limit(LimitKind::Arguments, &mut call.arguments, bounds);
                    }
                }
                MessageBody::Reasoning { content } => {
                    self.truncate_to_limit(LimitKind::Message, content, (0, limits.message_bytes));
                }
                _ => {}
            }
        }
        Admission::Take
    }

    #[cfg(feature = "ui-stream")]
    pub(super) fn admit_extension(
        &mut self,
        extension: &mut Extension,
        limits: &Limits,
    ) -> Admission {
        let (size, max_bytes) = match extension {
            Extension::BlockDelta { block, delta, .. } => {
                let max_bytes = limits.message_bytes;
                let used_bytes = self.blocks.get(block).copied().unwrap_or_default();
                let size =
                    self.truncate_to_limit(LimitKind::Message, delta, (used_bytes, max_bytes));
                self.blocks.insert(*block, size);
                return admit_growth(used_bytes, size, max_bytes);
            }
            Extension::CallInput {
                tool_call_id, text, ..
            } => {
                let (id, max_bytes) = (tool_call_id.clone(), limits.argument_bytes);
                if self.has_cut_arguments(&id, limits) {
                    return Admission::Drop;
                }
                if text.len() <= max_bytes {
                    return Admission::Take;
                }
                self.count_dropped(LimitKind::Arguments, text.len());
                self.arguments.get_or_record(&id, || Some(0));
                self.arguments.set_newest(max_bytes.saturating_add(1));
                *extension = Extension::CallCut { tool_call_id: id };
                return Admission::Take;
            }
            Extension::CallRestart { tool_call_id, .. } => {
                return match self.has_cut_arguments(tool_call_id, limits) {
                    true => Admission::Drop,
                    false => Admission::Take,
                };
            }
            Extension::Part { part, .. } => (patch::size_of(part), limits.message_bytes),
            Extension::CallSettled {
                settlement: Settlement::Preliminary(value) | Settlement::Output(value),
                ..
            } => {
                let size = patch::size_of(value);
                if size > limits.message_bytes {
                    let mut text = value.to_string();
                    if text.len() > limits.message_bytes {
                        self.truncate_to_limit(
                            LimitKind::Result,
                            &mut text,
                            (0, limits.message_bytes),
                        );
                        *value = Value::String(text);
                        return Admission::Take;
                    }
                }
                (size, usize::MAX)
            }
            _ => (0, 0),
        };
        self.bytes = self.bytes.saturating_add(size);
        if size > max_bytes {
            self.count_dropped(LimitKind::Message, size);
            return Admission::Drop;
        }
        Admission::Take
    }
}

/// Returns the size of a file's content or address, in bytes.
const fn source_size(source: &Source) -> usize {
    match source {
        Source::Data { value, .. } | Source::Url { value, .. } | Source::File { value, .. } => {
            value.len()
        }
    }
}
