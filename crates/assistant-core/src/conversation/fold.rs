//! Converts tool messages to results of their calls. A result keeps the position of its tool
//! message in the received order (rule "one conversation").

use std::collections::HashSet;

use rustc_hash::FxHashSet;

use super::{
    Author, CallApproval, CallKey, CallResult, Conversation, Message, Part, Status, ToolCall,
    answer::parse_content_value,
    model::TreeMessage,
    outcome::{CallEnd, EndedCall},
    state::{State, StateEvent},
    tree::TreeNode,
};
use crate::event::{self, Content, MessageBody, Role};

impl Conversation {
    /// Sets the result of a call from a received tool message. `after` is the node that the tool
    /// message follows. If `after` is `None`, the result is placed before all messages.
    pub(super) fn set_received_result(
        &mut self,
        key: CallKey,
        result: CallResult,
        author: Author,
        after: Option<usize>,
        now: i64,
    ) {
        let edit_result = self.edit_call(&key, |call| {
            apply_received_result(call, result, author, now);
        });
        if edit_result.is_none() {
            return;
        }
        match after.and_then(|ix| self.node_mut(ix)) {
            Some(node) => node.results.push(key),
            None => self.leading_results.push(key),
        }
    }

    /// Sets a result that the page produced for a call. The results after a message are in the
    /// order of the calls in the message. Returns false if the call has ended or does not exist.
    pub(crate) fn set_page_result(
        &mut self,
        key: CallKey,
        result: CallResult,
        mut outcome: EndedCall,
        now: i64,
    ) -> bool {
        outcome.result = Some(result);
        if !self.end_call_with(key, outcome, now) {
            return false;
        }
        let Some(ix) = self.calls.node_of(&key) else {
            return true;
        };
        let index = self.result_index(ix, &key);
        let Some(node) = self.node_mut(ix) else {
            return true;
        };
        node.results.insert(index, key);
        true
    }

    /// Returns the index for a call's result among the results after its message. The index is
    /// before the results of later calls, or at the end.
    fn result_index(&self, ix: usize, key: &CallKey) -> usize {
        let Some(node) = self.node(ix) else {
            return 0;
        };
        let keys = node.message.parts.iter().rev().filter_map(Part::call_key);
        let later_keys = keys.take_while(|other| other != key);
        let has_result = |key: &CallKey| {
            let call = self.calls.get(key);
            call.is_some_and(|call| call.result().is_some())
        };
        let answered_keys: FxHashSet<CallKey> = later_keys.filter(has_result).collect();
        let index = node
            .results
            .iter()
            .position(|other| answered_keys.contains(other));
        index.unwrap_or(node.results.len())
    }

    /// Adds the result of a call to the received order, after the call's message. A result that is
    /// already listed after the message keeps its position.
    #[cfg(any(feature = "ui-stream", feature = "records"))]
    pub(super) fn list_result(&mut self, key: CallKey) {
        let node = self.calls.node_of(&key).and_then(|ix| self.node_mut(ix));
        if let Some(node) = node
            && !node.results.contains(&key)
        {
            node.results.push(key);
        }
    }

    /// Ends a call without a result. Returns false if the call has ended or does not exist.
    pub(crate) fn close_call(&mut self, key: CallKey, end: CallEnd, now: i64) -> bool {
        let author = Author::Page;
        let is_sent = true;
        self.end_call_with(key, EndedCall::new(end, author, is_sent), now)
    }

    fn end_call_with(&mut self, key: CallKey, mut outcome: EndedCall, now: i64) -> bool {
        outcome.at = Some(now);
        self.call(&key).is_some_and(|call| !call.state.is_done())
            && self.apply_state_event(&key, StateEvent::Settled(Box::new(outcome)))
    }

    /// Adds a received message at the tip. A tool message that answers a known call becomes the
    /// result of the call. A tool message that only echoes the approval of the page is dropped.
    pub(super) fn append_received(&mut self, wire: event::Message, author: Author, now: i64) {
        let key = match &wire.body {
            MessageBody::Tool { tool_call_id, .. } => self
                .find_call(tool_call_id)
                .filter(|key| self.can_take_result(key)),
            _ => None,
        };
        match key {
            Some(key) if self.is_echo_message(&key, &wire) => {}
            Some(key) => {
                self.unshare_call(&key);
                let tip = self.tree.tip();
                if let Some(result) = result_from_wire(wire) {
                    self.set_received_result(key, result, author, tip, now);
                }
            }
            None => {
                let mut message = self.create_received_message(wire, now);
                if message.role == Role::User {
                    message.author = author;
                }
                self.append(message);
            }
        }
    }

    /// Returns true if a tool message only echoes the approval that the page sent for the call.
    fn is_echo_message(&self, key: &CallKey, wire: &event::Message) -> bool {
        matches!(&wire.body, MessageBody::Tool { content, .. } if self.is_approval_echo(key, &wire.id, content))
    }

    /// Returns true if a tool message with this id and content is the page's approval and not a
    /// result. The function also returns true if the call has changed since the approval.
    pub(super) fn is_approval_echo(&self, key: &CallKey, id: &str, content: &Content) -> bool {
        let is_handed_off = |call: &ToolCall| matches!(call.state, State::HandedOff { .. });
        let is_sent_by_page =
            self.hand_off_messages.contains(id) || self.call(key).is_some_and(is_handed_off);
        is_sent_by_page && content.display_text() == CallApproval::APPROVED_TEXT
    }

    /// Returns true if a listed message has the id of a tool message by which the page handed a
    /// call off to the agent. The content is not compared.
    pub(super) fn is_hand_off_message(&self, message: &event::Message) -> bool {
        let MessageBody::Tool { tool_call_id, .. } = &message.body else {
            return false;
        };
        let call = self.find_call(tool_call_id).and_then(|key| self.call(&key));
        let has_hand_off_id = call.is_some_and(|call| match &call.state {
            State::HandedOff {
                message: hand_off, ..
            } => *hand_off.on_record() == message.id,
            _ => false,
        });
        has_hand_off_id || self.hand_off_messages.contains(&message.id)
    }

    /// Records the id of a tool message by which the page hands a call off to the agent.
    pub(crate) fn record_hand_off_message(&mut self, id: &str) {
        self.hand_off_messages.insert(id.to_owned());
    }

    /// Removes a message from the tree, detaches its calls, and removes its callouts that are only
    /// displayed. The results after the message in the received order are moved to the parent of
    /// the message, or to the start if the message has no parent. The caller must update the paths
    /// once after all removals.
    pub(super) fn remove_message(&mut self, ix: usize) -> Option<TreeNode<TreeMessage>> {
        let node = self.tree.unlink_node(ix)?;
        let results = node.item.results.iter().copied();
        match node.parent.and_then(|parent| self.tree.item_mut(parent)) {
            Some(parent) => parent.results.extend(results),
            None => self.leading_results.extend(results),
        }
        let message = &node.item.message;
        self.unindex_wire_id(message.wire_id(), ix);
        for key in message.parts.iter().filter_map(Part::call_key) {
            match self.calls.get(&key).is_some_and(ToolCall::is_real) {
                true => self.detach_call(key),
                false => drop(self.calls.remove(&key)),
            }
        }
        Some(node)
    }

    /// Removes a message from the tree, from the displayed path and from the run path.
    pub(super) fn remove_message_from_paths(&mut self, ix: usize) {
        if let Some(node) = self.remove_message(ix) {
            self.tree.close_path_at(ix, &node);
        }
    }

    /// Inserts a received message after a message of the path and before its successors. If
    /// `before` is `None`, the received message is inserted at the start of the path.
    pub(super) fn insert_received(
        &mut self,
        before: Option<usize>,
        wire: event::Message,
        now: i64,
    ) {
        let message = self.create_received_message(wire, now);
        self.tree.close_gaps();
        let next = self.tree.node_after(before).map(|next| self.unshare(next));
        let entry = self.create_tree_message(message);
        let id = entry.message.id.clone();
        let (ix, _) = self.tree.insert_after(before, next, id, entry);
        self.assign_id(ix);
        self.index_calls(ix);
    }

    /// Converts a received message to a message of the tree, and adds the calls of the message.
    /// Calls are matched by id: a call on the path stays in its message, and a detached call is
    /// attached again.
    fn create_received_message(&mut self, mut wire: event::Message, now: i64) -> Message {
        let mut keys = Vec::new();
        if let MessageBody::Assistant { tool_calls, .. } = &mut wire.body {
            let mut listed_ids = HashSet::new();
            for call in std::mem::take(tool_calls) {
                if self.find_call(&call.id).is_some() || !listed_ids.insert(call.id.clone()) {
                    continue;
                }
                let call = super::wire_form::completed_call_from_wire(call, now);
                keys.push(self.add_listed_call(call, self.runs.current));
            }
        }
        let mut message = super::wire_form::message_from_wire(wire, now);
        message.parts.extend(keys.into_iter().map(Part::Call));
        #[cfg(feature = "callouts")]
        self.read_callouts_in_message(&mut message, now);
        message
    }

    /// Adds a listed call and returns its key. If a detached call has the id of the listed call,
    /// the detached call is reused. If a call with the id was started or denied on another branch,
    /// that call is copied. In both cases, the call gets the listed content. If no such call
    /// exists, a new call of the given run is added.
    pub(super) fn add_listed_call(&mut self, listed_call: ToolCall, run: Option<u64>) -> CallKey {
        let detached_key = self.take_detached_call(&listed_call.id);
        match detached_key.or_else(|| self.copy_settled_call(&listed_call.id)) {
            Some(key) => {
                self.calls
                    .edit_with(&key, |call| call.replace_content(listed_call));
                key
            }
            None => self.calls.add(listed_call, run),
        }
    }

    /// Returns true if a call still accepts a result from the agent.
    pub(super) fn can_take_result(&self, key: &CallKey) -> bool {
        self.call(key).is_some_and(|call| {
            call.is_unlisted()
                || (call.result().is_none() && !matches!(call.state, State::Denied { .. }))
        })
    }
}

/// Applies a received result to a call. A repeated result does not change the outcome, and no
/// result replaces an outcome of the page or a decision of the user. A placeholder is ignored while
/// the call is running, and does not count as the delivery of a result.
pub(super) fn apply_received_result(
    call: &mut ToolCall,
    mut result: CallResult,
    by: Author,
    now: i64,
) {
    if let Some(outcome) = call.outcome_mut() {
        outcome.unlisted = false;
    }
    let known_result = call.result();
    let is_same = known_result.is_some_and(|known_result| known_result.content == result.content);
    let is_new_placeholder = |result: &CallResult| !is_same && is_placeholder(result);
    if call.state.is_starting_or_running() && is_new_placeholder(&result) {
        return;
    }
    if call.is_settled_here() {
        let counts_as_delivery = !(call.is_undelivered() && is_new_placeholder(&result));
        if let Some(known_result) = call
            .outcome_mut()
            .and_then(|outcome| outcome.result.as_mut())
        {
            // The id and the fields of the message are updated, because the server may rename the
            // message and change its fields.
            known_result.message_id = result.message_id;
            known_result.metadata = result.metadata.or(known_result.metadata.take());
            known_result.encrypted_value = result
                .encrypted_value
                .or(known_result.encrypted_value.take());
            if counts_as_delivery {
                call.apply_event(StateEvent::Delivered);
            }
        }
        return;
    }
    let has_failed = by == Author::Agent && result.adopt_stated_failure();
    match call.outcome_mut() {
        // Only a different result of the agent corrects the outcome of an ended call.
        Some(outcome) if is_same || by != Author::Agent => {
            outcome.error.take_if(|_| !is_same);
            outcome.result = Some(result);
        }
        _ => {
            let end = match result.error.is_some() {
                true => CallEnd::Error,
                false => CallEnd::Output,
            };
            call.settle((end, by, Some(now)), result, None);
        }
    }
    if has_failed {
        call.fail_output();
    }
}

/// Returns true if the result is a placeholder that servers store for a call without a result:
/// empty content or the name of an open state. A placeholder does not replace a result of the page
/// that no agent has received.
fn is_placeholder(result: &CallResult) -> bool {
    let text = result.content.display_text();
    let text = text.trim().trim_matches('"');
    let is_open = || {
        matches!(
            Status::parse(text),
            Some(Status::Pending | Status::Executing)
        )
    };
    result.error.is_none() && (matches!(text, "" | "null" | "{}") || is_open())
}

/// Returns the result that a tool message contains, or `None` for other messages.
pub(super) fn result_from_wire(wire: event::Message) -> Option<CallResult> {
    let MessageBody::Tool { content, error, .. } = wire.body else {
        return None;
    };
    Some(CallResult {
        message_id: wire.id,
        value: parse_content_value(&content),
        content,
        error,
        encrypted_value: wire.encrypted_value,
        subagent_run_id: wire.subagent_run_id,
        metadata: wire.metadata,
        extra: wire.extra,
    })
}
