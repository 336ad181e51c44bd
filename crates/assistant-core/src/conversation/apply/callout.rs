//! Converts callouts in an assistant's text to calls between the pieces of the text.
//!
//! The message also stores the original text, which is sent back to the agent. A call that occurs
//! only in a text is displayed and never run. Such a call is not indexed, so events, results and
//! runs cannot refer to it. [`crate::text::callout`] parses callouts.

use std::collections::HashMap;

use super::{
    ApplyContext, Change, Conversation,
    callout_call::{apply_callout, is_execution_request},
};
use crate::{
    conversation::{
        CallKey, MarkdownTools, Message, Origin, Part, TextPart, ToolCall, reading::CalloutReader,
    },
    event::Role,
    text::callout::{self, Callout, CalloutOptions, Chunk, Parser, Pending},
};

impl Conversation {
    /// Creates an empty conversation that parses callouts in the texts of assistants.
    #[must_use]
    pub fn reading(tools: MarkdownTools) -> Self {
        let mut conversation = Self::new();
        conversation.reading.tools = tools;
        conversation
    }

    /// Sets whether code fences with `tool` as their first word are also parsed as callouts.
    pub(crate) const fn with_fence_callouts(mut self, fences: bool) -> Self {
        self.reading.fences = fences;
        self
    }

    fn callout_options(&self) -> CalloutOptions {
        CalloutOptions {
            fences: self.reading.fences,
            ..CalloutOptions::default()
        }
    }

    pub(super) fn should_read_callouts(&self, ix: usize) -> bool {
        self.reading.tools != MarkdownTools::Off && self.role_of(ix) == Some(Role::Assistant)
    }

    /// Parses a delta of a message's text, and adds the callouts in the delta as calls.
    pub(super) fn read_callouts(&mut self, ix: usize, delta: &str, out: &mut ApplyContext<'_>) {
        let mut reader = match self.reading.readers.remove(&ix) {
            Some(reader) => reader,
            None => self.create_callout_reader(ix),
        };
        reader.running = true;
        let target = self
            .node_mut(ix)
            .and_then(|node| node.message.markdown.as_mut());
        target.unwrap_or(&mut reader.written).push_str(delta);
        let chunks = reader.parser.push(delta);
        self.apply_chunks(ix, &mut reader, chunks, out);
        let pending = reader.parser.pending();
        if let Some(pending) = pending.filter(|pending| !reader.has_announced(pending.ordinal)) {
            let pending = pending.clone();
            let part = self.add_pending_callout(ix, &mut reader, &pending, out);
            reader.announced = Some((pending.ordinal, part));
        }
        self.reading.readers.insert(ix, reader);
    }

    /// Creates a reader for a message that has no reader. The existing text counts as parsed,
    /// because its callouts are already displayed.
    fn create_callout_reader(&self, ix: usize) -> CalloutReader {
        let message = self.node(ix).map(|node| &node.message);
        let original_text = message.map(Message::written).unwrap_or_default();
        let mut parser = Parser::new(self.callout_options());
        parser.push(&original_text);
        parser.pause();
        parser.take_diagnostics();
        let calls = message
            .into_iter()
            .flat_map(|message| self.calls_in(message));
        let calls_from_text = calls.filter(|call| call.origin != Origin::Agent);
        CalloutReader {
            parser,
            written: original_text,
            announced: None,
            by_id: calls_from_text
                .map(|call| (call.id.clone(), call.key()))
                .collect(),
            running: false,
        }
    }

    /// Pauses the readers of all texts before a list of messages replaces the texts.
    pub(super) fn pause_all_callouts(&mut self, out: &mut ApplyContext<'_>) {
        let readers = self.reading.readers.iter();
        let running_readers = readers.filter(|(_, reader)| reader.running);
        let nodes: Vec<usize> = running_readers.map(|(ix, _)| *ix).collect();
        for ix in nodes {
            self.pause_callouts(ix, out);
        }
    }

    /// Removes the reader of a message whose text was replaced or removed.
    pub(super) fn remove_callout_reader(&mut self, ix: usize) {
        self.reading.readers.remove(&ix);
    }

    /// Moves the reader of a message to the copy of the message on the run's path, where the text
    /// continues.
    pub(in crate::conversation) fn move_callout_reader(&mut self, from: usize, to: usize) {
        if let Some(reader) = self.reading.readers.remove(&from) {
            self.reading.readers.insert(to, reader);
        }
    }

    /// Pauses the reader of a message, and applies the text that the reader has held back.
    pub(super) fn pause_callouts(&mut self, ix: usize, out: &mut ApplyContext<'_>) {
        let Some(mut reader) = self.reading.readers.remove(&ix) else {
            return;
        };
        if std::mem::take(&mut reader.running) {
            let cut = self.node(ix).and_then(|node| node.message.cut);
            let chunks = reader.parser.pause();
            self.apply_chunks(ix, &mut reader, chunks, out);
            if let Some(node) = self.node_mut(ix) {
                node.message.cut = cut;
            }
        }
        self.reading.readers.insert(ix, reader);
    }

    fn apply_chunks(
        &mut self,
        ix: usize,
        reader: &mut CalloutReader,
        chunks: Vec<Chunk>,
        out: &mut ApplyContext<'_>,
    ) {
        for chunk in chunks {
            let announcement = reader.announced.take();
            let part = announcement.and_then(|(_, part)| part);
            match chunk {
                Chunk::Text(text) => {
                    // If the announced callout is invalid, its call is removed and its text is
                    // appended as plain text.
                    self.remove_pending_callout(ix, part);
                    self.append_text_after_calls(ix, &text, out.now);
                }
                Chunk::Tool(callout) => {
                    self.store_original_text(ix, reader);
                    self.apply_complete_callout(ix, reader, part, *callout, out.now);
                }
            }
        }
        out.diagnostics.extend(reader.parser.take_diagnostics());
    }

    /// Adds a card for a callout that has begun, and returns the index of the card's part. Returns
    /// `None` if an earlier callout with the same id has a card.
    fn add_pending_callout(
        &mut self,
        ix: usize,
        reader: &mut CalloutReader,
        pending: &Pending,
        out: &ApplyContext<'_>,
    ) -> Option<usize> {
        self.store_original_text(ix, reader);
        if pending.has_own_id && reader.by_id.contains_key(&pending.id) {
            return None;
        }
        let mut call = ToolCall::new(pending.id.clone(), pending.name.clone(), out.now);
        call.origin = Origin::Text;
        let key = self.calls.add(call, self.runs.current);
        Some(self.push_call(ix, key))
    }

    /// Stores the original text in the message, which now contains a callout. If the message
    /// already has an original text, that text is kept.
    fn store_original_text(&mut self, ix: usize, reader: &mut CalloutReader) {
        if let Some(node) = self.node_mut(ix) {
            let original_text = &mut reader.written;
            let markdown = &mut node.message.markdown;
            markdown.get_or_insert_with(|| std::mem::take(original_text));
        }
    }

    fn remove_pending_callout(&mut self, ix: usize, part: Option<usize>) {
        let (Some(part), Some(node)) = (part, self.node_mut(ix)) else {
            return;
        };
        // Only the last part is removed, because a pending callout is always the last part.
        if part + 1 != node.message.parts.len() {
            return;
        }
        let removed_part = node.message.parts.pop();
        let id = node.message.id.clone();
        if let Some(key) = removed_part.as_ref().and_then(Part::call_key) {
            self.calls.remove(&key);
        }
        self.log.push(Change::Message(id));
    }

    /// Appends text to a message. If the last part is a call, leading line breaks are omitted.
    fn append_text_after_calls(&mut self, ix: usize, text: &str, now: i64) {
        let last = self.node(ix).and_then(|node| node.message.parts.last());
        let text = match last {
            Some(Part::Call(_)) => text.trim_start_matches(LINE_BREAKS),
            _ => text,
        };
        if !text.is_empty() {
            self.append_text(ix, text, now);
        }
    }

    /// Displays a complete callout. The callout replaces the announced call or adds a call. An
    /// intercepted callout becomes a call that may run. A callout with the id of an earlier callout
    /// updates the earlier call instead. If the earlier call may run, it is updated only by an
    /// outcome, and only before it starts or ends.
    fn apply_complete_callout(
        &mut self,
        ix: usize,
        reader: &mut CalloutReader,
        part: Option<usize>,
        callout: Callout,
        now: i64,
    ) {
        // A callout in an answer that was cut off is not intercepted, because the last callout may
        // be incomplete.
        let is_cut = self.node(ix).is_some_and(|node| node.message.cut.is_some());
        let is_intercepted = self.reading.tools == MarkdownTools::Intercept
            && is_execution_request(&callout)
            && !is_cut;
        let (callout_id, has_own_id) = (callout.id.clone(), callout.has_own_id);
        let earlier_key = reader.by_id.get(&callout_id).copied();
        if let Some(earlier_key) = earlier_key.filter(|_| callout.has_own_id) {
            self.remove_pending_callout(ix, part);
            let has_outcome = callout.result().is_some() || callout.failure().is_some();
            let accepts_update = |call: &ToolCall| {
                !call.is_real()
                    || (has_outcome
                        && !call.state().is_starting_or_running()
                        && !call.state().is_done())
            };
            // If the text contains the outcome, the outcome ends the earlier call, so the call does
            // not run.
            if self.call(&earlier_key).is_some_and(accepts_update) {
                self.edit_call(&earlier_key, |call| apply_callout(call, callout, now));
            }
            return;
        }
        let mut call = ToolCall::new(String::new(), String::new(), now);
        apply_callout(&mut call, callout, now);
        if is_intercepted {
            call.origin = Origin::Intercepted;
            call.id = self.unused_call_id(ix, call.id);
        }
        let announced_key =
            part.and_then(|part| self.node(ix)?.message.parts.get(part)?.call_key());
        let key = match announced_key {
            Some(key) => {
                self.calls.replace(&key, call);
                self.log.push(Change::Call(key));
                key
            }
            None => {
                let key = self.calls.add(call, self.runs.current);
                self.push_call(ix, key);
                key
            }
        };
        if has_own_id {
            reader.by_id.insert(callout_id, key);
        }
    }

    /// Displays the callouts in the text of a message in the tree after the text was replaced.
    pub(super) fn read_callouts_in_node(&mut self, ix: usize, now: i64) {
        let Some(mut message) = self.node(ix).map(|node| node.message.clone()) else {
            return;
        };
        self.read_callouts_in_message(&mut message, now);
        if let Some(node) = self.node_mut(ix) {
            node.message = message;
        }
        self.attach_calls(ix);
    }

    /// Displays the callouts of an assistant's message that arrived complete, unless the callouts
    /// are already displayed. The calls never run, because a message list repeats earlier messages.
    pub(in crate::conversation) fn read_callouts_in_message(
        &mut self,
        message: &mut Message,
        now: i64,
    ) {
        let is_skipped = message.markdown.is_some() || message.role != Role::Assistant;
        if self.reading.tools == MarkdownTools::Off || is_skipped {
            return;
        }
        let original_text = message.text();
        let chunks = callout::parse_with(&original_text, self.callout_options());
        if !chunks.iter().any(|chunk| matches!(chunk, Chunk::Tool(_))) {
            return;
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut by_id: HashMap<String, CallKey> = HashMap::new();
        for chunk in chunks {
            match chunk {
                Chunk::Text(text) => {
                    let text = match parts.last() {
                        Some(Part::Call(_)) => text.trim_start_matches(LINE_BREAKS),
                        _ => &text,
                    };
                    if !text.is_empty() {
                        parts.push(Part::Text(TextPart::new(text)));
                    }
                }
                Chunk::Tool(callout) => {
                    let earlier_key = by_id.get(&callout.id).filter(|_| callout.has_own_id);
                    if let Some(earlier_key) = earlier_key {
                        self.calls
                            .edit_with(earlier_key, |call| apply_callout(call, *callout, now));
                        continue;
                    }
                    let own_id = callout.has_own_id.then(|| callout.id.clone());
                    let mut call = ToolCall::new(String::new(), String::new(), now);
                    apply_callout(&mut call, *callout, now);
                    let key = self.calls.add(call, self.runs.current);
                    by_id.extend(own_id.map(|id| (id, key)));
                    parts.push(Part::Call(key));
                }
            }
        }
        let other_parts = std::mem::take(&mut message.parts).into_iter();
        parts.extend(other_parts.filter(|part| part.as_text().is_none()));
        message.parts = parts;
        message.markdown = Some(original_text);
    }

    /// Returns an id that no call of the conversation has, because the ids of callouts are unique
    /// only within a message.
    fn unused_call_id(&self, ix: usize, id: String) -> String {
        let message_id = self.node(ix).map_or("", |node| node.message.wire_id());
        let mut unused_id = id;
        while self.find_call(&unused_id).is_some() {
            unused_id = format!("{message_id}-{unused_id}");
        }
        unused_id
    }
}

const LINE_BREAKS: [char; 2] = ['\r', '\n'];
