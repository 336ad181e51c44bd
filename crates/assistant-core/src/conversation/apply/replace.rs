//! Replaces or removes single messages of the path when a snapshot is applied.
//!
//! The module `merge` applies the snapshot.

use std::collections::{HashMap, HashSet};

use super::{ApplyContext, Conversation, authority::SnapshotCoverage, merge::Listing};
use crate::{
    conversation::{
        Author, CallKey, Change, Message, Origin, Part, TextPart, ToolCall,
        wire_form::{self, completed_call_from_wire},
    },
    event::{self, FunctionCall, MessageBody, Role},
};

impl Conversation {
    /// Replaces the content of a message with the content of the listed message. If both messages
    /// are answers, an unchanged text keeps its parts, and known calls are updated. A text that the
    /// user wrote on this page is kept, and a different text from the list is stored in addition.
    pub(super) fn replace_message(
        &mut self,
        ix: usize,
        mut wire: event::Message,
        listing: &Listing,
        out: &ApplyContext<'_>,
    ) {
        let Some(node) = self.node(ix) else {
            return;
        };
        let message = &node.message;
        if message.role != Role::Assistant || wire.role() != Role::Assistant {
            let keeps_author = message.is_from_user() && self.is_same_as_listed(message, &wire);
            let Some(node) = self.node_mut(ix) else {
                return;
            };
            let message = &mut node.message;
            if message.author == Author::Page {
                return record_disputed_text(message, wire);
            }
            let parts = std::mem::take(&mut message.parts);
            let calls: Vec<CallKey> = parts.iter().filter_map(Part::call_key).collect();
            let texts: Vec<Part> = parts
                .into_iter()
                .filter(|part| part.call_key().is_none())
                .collect();
            let listed_calls = match &mut wire.body {
                MessageBody::Assistant { tool_calls, .. } => std::mem::take(tool_calls),
                _ => Vec::new(),
            };
            let mut replacement = wire_form::message_from_wire(wire, out.now);
            set_generations(&texts, &mut replacement.parts);
            replacement.id = message.id.clone();
            replacement.wire_id = message.wire_id.take();
            replacement.created_at = message.created_at;
            replacement.cost = std::mem::take(&mut message.cost);
            replacement.steps = std::mem::take(&mut message.steps);
            if keeps_author {
                replacement.author = message.author;
            }
            *message = replacement;
            for key in calls {
                self.detach_call(key);
            }
            let mut ids = HashSet::new();
            for call in listed_calls
                .into_iter()
                .filter(|call| ids.insert(call.id.clone()))
            {
                let key = self
                    .calls
                    .add(completed_call_from_wire(call, out.now), self.runs.current);
                self.push_call(ix, key);
            }
            return;
        }
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let message = &mut node.message;
        message.name = wire.name;
        message.encrypted_value = wire.encrypted_value;
        message.subagent_run_id = wire.subagent_run_id;
        message.metadata = wire.metadata;
        message.extra = wire.extra;
        let MessageBody::Assistant {
            content,
            mut tool_calls,
        } = wire.body
        else {
            return;
        };
        let is_text_replaced = self.replace_text(ix, content);
        // Each call is added only once, even if the list repeats the call.
        let mut ids = HashSet::new();
        tool_calls.retain(|call| {
            listing.message_ids.get(&call.id) == Some(&wire.id) && ids.insert(call.id.clone())
        });
        let is_old = listing.old.contains(&wire.id);
        self.apply_listed_calls(ix, tool_calls, is_old, out.now);
        #[cfg(feature = "callouts")]
        if is_text_replaced {
            self.remove_callout_reader(ix);
            self.read_callouts_in_node(ix, out.now);
        }
        #[cfg(not(feature = "callouts"))]
        let _ = is_text_replaced;
    }

    fn apply_listed_calls(&mut self, ix: usize, wire: Vec<FunctionCall>, is_old: bool, now: i64) {
        let Some(node) = self.node(ix) else { return };
        // A message from before the current run is not assigned to that run, so its calls are not
        // either.
        let current_run = self.runs.current;
        let run = node.run.filter(|run| !is_old || current_run != Some(*run));
        let calls = self.calls_in(&node.message).filter(|call| call.is_real());
        let calls_by_id: HashMap<String, (CallKey, Origin)> = calls
            .map(|call| (call.id.clone(), (call.key(), call.origin)))
            .collect();
        for wire_call in wire {
            let call = completed_call_from_wire(wire_call, now);
            match calls_by_id.get(&call.id) {
                Some((key, Origin::Agent)) => {
                    self.edit_call(key, |known| known.replace_content(call));
                    continue;
                }
                // The list does not change a call that comes from a callout or from the provider.
                Some(_) => continue,
                None if self.find_call(&call.id).is_some() => continue,
                None => {}
            }
            let key = self.add_listed_call(call, run);
            self.push_call(ix, key);
        }
    }

    /// Removes a message from the path because the snapshot omits the message. The message is kept
    /// if the snapshot does not cover messages of its kind, or if the message has calls that are
    /// running or have an undelivered result. A message with texts or decisions of the user moves
    /// to its own branch. Returns true if the message was moved.
    pub(super) fn remove_omitted_message(
        &mut self,
        ix: usize,
        coverage: &SnapshotCoverage,
    ) -> bool {
        let Some(node) = self.node(ix) else {
            return false;
        };
        let message = &node.message;
        let must_stay =
            |call: &ToolCall| call.is_undelivered() || call.state().is_starting_or_running();
        if self.calls_in(message).any(must_stay) || coverage.should_keep(message) {
            return false;
        }
        let has_user_content = message.is_from_user()
            || self.calls_in(message).any(|call| {
                call.approval()
                    .is_some_and(|approval| approval.decision.is_some())
            });
        if has_user_content {
            self.move_to_own_branch(ix);
        } else {
            self.remove_message(ix);
        }
        has_user_content
    }

    /// Moves a message from the path to its own branch, and closes the texts of the message. The
    /// calls of the message become detached. The caller removes the message from the paths
    /// afterwards.
    fn move_to_own_branch(&mut self, ix: usize) {
        self.tree.move_to_own_branch(ix);
        // The change is reported separately, because the message is no longer on the path.
        let id = self.tree.id_at(ix).cloned();
        self.log.extend(id.map(Change::Message));
        self.close_texts(ix, 0);
        self.index_detached_calls(ix, |_| true);
    }

    /// Replaces the text of a message. If the new text equals the old text, the text parts are kept
    /// and the result is false. If the texts differ, the text parts and the callouts between them
    /// are removed, a part with the new text is added if there is a new text, and the result is
    /// true.
    fn replace_text(&mut self, ix: usize, content: Option<String>) -> bool {
        let Some(node) = self.tree.item_mut(ix) else {
            return false;
        };
        let message = &mut node.message;
        let is_text = |part: &Part| part.as_text().is_some();
        let had_text = message.markdown.is_some() || message.parts.iter().any(is_text);
        let is_same_text = content.as_deref().unwrap_or_default() == message.written();
        if had_text == content.is_some() && is_same_text {
            return false;
        }
        message.markdown = None;
        let calls = &mut self.calls;
        let parts = &mut message.parts;
        // Callouts are also removed, because they are part of the old text.
        parts.retain(|part| {
            let Some(key) = part.call_key() else {
                return true;
            };
            let is_real = calls.get(&key).is_some_and(ToolCall::is_real);
            if !is_real {
                calls.remove(&key);
            }
            is_real
        });
        let index = parts.iter().position(is_text).unwrap_or(0);
        let generation = parts.iter().find_map(|part| match part {
            Part::Text(part) => Some(part.generation + 1),
            _ => None,
        });
        parts.retain(|part| part.as_text().is_none());
        if let Some(text) = content {
            let generation = generation.unwrap_or_default();
            parts.insert(
                index.min(parts.len()),
                Part::Text(TextPart {
                    generation,
                    ..TextPart::new(text)
                }),
            );
        }
        true
    }
}

/// Keeps the text that the user wrote. If the text or the role in the agent's list differs, the
/// agent's text is stored in addition. The other fields are set to the values in the list.
fn record_disputed_text(message: &mut Message, wire: event::Message) {
    let listed_message = wire_form::message_from_wire(wire, message.created_at);
    let is_same = message.text().trim() == listed_message.text().trim()
        && listed_message.role == message.role;
    message.disputed = (!is_same).then(|| listed_message.text());
    message.metadata = listed_message.metadata;
    message.extra = listed_message.extra;
    message.name = listed_message.name;
    message.encrypted_value = listed_message.encrypted_value;
}

/// Sets the generation and the period of each text that replaces an old text. The generation
/// increases by 1 if the text has changed.
fn set_generations(old: &[Part], new: &mut [Part]) {
    for (old, new) in old.iter().zip(new) {
        if let (Part::Text(old) | Part::Reasoning(old), Part::Text(new) | Part::Reasoning(new)) =
            (old, new)
        {
            new.generation = old.generation + u32::from(old.text != new.text);
            new.span = old.span;
        }
    }
}
