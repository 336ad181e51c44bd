//! Applies lists of messages: snapshots, and the input that a run repeats.
//!
//! A snapshot describes only the path of its run, so nodes that another branch shares are copied
//! first. Calls move to the message that lists them, and keep their history: a call that is removed
//! from its message is *detached*, and is attached again to the message that lists the call. The
//! cost is linear in the lengths of the list and the path. The module `replace` replaces single
//! messages, `results` positions tool messages, and `authority` determines the kinds of messages
//! that a list covers.

use std::collections::{HashMap, HashSet};

use super::{
    ApplyContext, Change, Conversation,
    authority::SnapshotCoverage,
    results::{ReceivedPosition, answered_call_id},
};
use crate::{
    conversation::{Author, CallKey, Origin, Part, ToolCall, fold},
    event::{FunctionCall, Message, MessageBody, Object, Role},
    order::in_order,
};

/// A list of messages, with the id of the message that lists each call.
pub(super) struct Listing {
    order: Vec<String>,
    messages: HashMap<String, Message>,
    /// The id of the first message that lists a call, for each call id.
    pub(super) message_ids: HashMap<String, String>,
    /// The ids of the listed messages that are older than the run that sends the list.
    pub(super) old: HashSet<String>,
}

impl Conversation {
    /// Appends the messages with ids that belong to no message and no result on the path.
    pub(crate) fn merge_new_messages(
        &mut self,
        messages: Vec<Message>,
        author: Author,
        out: &ApplyContext<'_>,
    ) {
        let mut known_ids: HashSet<String> = self
            .received_positions()
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        // The messages are added without a run, because a request repeats messages that are older
        // than its run.
        let current_run = self.runs.current.take();
        for message in messages {
            if known_ids.insert(message.id.clone()) {
                self.append_received(message, author, out.now);
            }
        }
        self.runs.current = current_run;
    }

    /// Makes the run's path equal to the list. A message that the list omits is kept if the list
    /// does not cover messages of its kind, or if the message has calls that are running or have an
    /// undelivered result.
    ///
    /// First, calls that the list contains in a different message are detached. Then messages are
    /// replaced in place or removed, results are applied, and new messages are added. Finally, each
    /// result is placed at the position of its message in the received order.
    pub(super) fn merge_snapshot(
        &mut self,
        messages: Vec<Message>,
        metadata: Option<&Object>,
        out: &mut ApplyContext<'_>,
    ) {
        self.tree.close_gaps();
        #[cfg(feature = "callouts")]
        self.pause_all_callouts(out);
        self.adopt_listed_ids(&messages);
        let coverage = SnapshotCoverage::from_snapshot(&messages, metadata);
        let mut listing = self.create_listing(messages);
        self.unshare_changed_nodes(&listing);
        let mut places = self.received_positions();
        self.unlist_results();
        for (id, place) in &places {
            if let ReceivedPosition::Node(ix) = *place {
                self.detach_unlisted_calls(ix, id, &listing);
            }
        }
        let mut removed_nodes = HashSet::new();
        for (id, place) in &places {
            let ReceivedPosition::Node(ix) = *place else {
                continue;
            };
            match listing.messages.remove(id) {
                Some(message) => self.replace_message(ix, message, &listing, out),
                None if self.remove_omitted_message(ix, &coverage) => {
                    self.report_omitted_message(ix, out);
                    removed_nodes.insert(ix);
                }
                None => {}
            }
        }
        self.tree
            .remove_from_paths(|ix| removed_nodes.contains(&ix));
        self.reindex();
        self.restore_results(&places, &mut listing.messages, out.now);
        let current_run = self.runs.current;
        for id in std::mem::take(&mut listing.order) {
            let Some(message) = listing.messages.remove(&id) else {
                continue;
            };
            if self.tree.contains(&id.as_str().into()) {
                out.warn(
                    "other-branch",
                    format!("snapshot: '{id}' is on another branch: ignored"),
                );
                continue;
            }
            // A message that precedes messages of earlier runs is added without a run, because it
            // does not belong to the current run.
            self.runs.current = current_run.filter(|_| !listing.old.contains(&id));
            self.append_received(message, Author::Agent, out.now);
            places.push((id, ReceivedPosition::New));
        }
        self.runs.current = current_run;
        self.reindex();
        self.rebuild_received_order(&places);
        self.report_path_change();
    }

    /// Reports a message of the user that the list omits. The message is kept on another branch.
    fn report_omitted_message(&self, ix: usize, out: &mut ApplyContext<'_>) {
        if let Some(node) = self.node(ix).filter(|node| node.message.is_from_user()) {
            let id = &node.message.id;
            let message = format!("snapshot: the user's message '{id}' is missing: it is kept");
            out.warn("user-message-forgotten", message);
        }
    }

    /// Records a change of every message and every call on the path.
    fn report_path_change(&mut self) {
        for ix in self.tree.path().to_vec() {
            let keys: Vec<CallKey> = self.node_call_keys(ix).collect();
            self.log
                .extend(self.tree.id_at(ix).cloned().map(Change::Message));
            self.log.extend(keys.into_iter().map(Change::Call));
        }
    }

    fn create_listing(&self, messages: Vec<Message>) -> Listing {
        let current_run = self.runs.current;
        let is_from_earlier_run = |message: &Message| {
            let ix = self.find_message(&message.id);
            let node_run = ix.and_then(|ix| self.node(ix)).map(|node| node.run);
            let find_result_run = || {
                let key = self.find_call_by_result(&message.id)?;
                Some(self.call(&key)?.run)
            };
            // The calls with a result in this message are also checked, because a result of an
            // earlier run belongs to that run even if the list moves the call.
            let mut answered_calls = self.calls.calls_with_result_in(&message.id);
            let run = node_run.or_else(find_result_run);
            run.map_or_else(
                || self.is_on_any_branch(&message.id),
                |run| run != current_run,
            ) || answered_calls.any(|call| call.run != current_run)
        };
        let is_old = |message: &Message| {
            message.role() == Role::User
                || self.is_hand_off_message(message)
                || is_from_earlier_run(message)
        };
        let last_old_index = messages.iter().rposition(is_old).unwrap_or(0);
        let last_index = messages.len().saturating_sub(1);
        let mut listing = Listing {
            order: messages.iter().map(|message| message.id.clone()).collect(),
            messages: HashMap::new(),
            message_ids: HashMap::new(),
            old: HashSet::new(),
        };
        for (place, message) in messages.into_iter().enumerate() {
            let is_ignored = self.find_message(&message.id).is_none()
                && self.tree.contains(&message.id.as_str().into());
            if let MessageBody::Assistant { tool_calls, .. } = &message.body
                && !is_ignored
            {
                for call in tool_calls {
                    let entry = listing.message_ids.entry(call.id.clone());
                    entry.or_insert_with(|| message.id.clone());
                }
            }
            // A last message that is not a tool message is not marked as old, because it may be the
            // response of the run even if another branch has a message with this id.
            let is_response = place == last_index && message.role() != Role::Tool;
            if place <= last_old_index && !is_response {
                listing.old.insert(message.id.clone());
            }
            listing.messages.insert(message.id.clone(), message);
        }
        listing
    }

    /// Returns true if a message on any branch, or the result of a call on any branch, has this id.
    fn is_on_any_branch(&self, id: &str) -> bool {
        let nodes = self.wire_ids.get(id);
        nodes.is_some_and(|nodes| !nodes.is_empty())
            || self.calls.calls_with_result_in(id).next().is_some()
    }

    /// Copies the shared nodes of the path, beginning with the first node that the list changes, so
    /// that the other branches are not changed.
    fn unshare_changed_nodes(&mut self, listing: &Listing) {
        let answered_ids: HashSet<&str> = listing
            .messages
            .values()
            .filter_map(answered_call_id)
            .collect();
        let is_changed = |ix: usize| {
            let is_same = self.node(ix).is_some_and(|node| {
                let listed_message = listing.messages.get(node.message.wire_id());
                let mut calls = self.calls_in(&node.message).filter(|call| call.is_real());
                listed_message.is_some_and(|listed| {
                    self.is_same_as_listed(&node.message, listed)
                        && has_same_fields(&node.message, listed)
                }) && calls.all(|call| {
                    let message_id = listing.message_ids.get(&call.id);
                    let is_in_place =
                        message_id.is_none_or(|message_id| message_id == node.message.wire_id());
                    is_in_place && has_same_result(call, listing, &answered_ids)
                })
            });
            !is_same
        };
        let last_depth = self.tree.last_shared_depth(0);
        let shared_path = last_depth.and_then(|last_depth| self.tree.path().get(..=last_depth));
        let first_changed =
            shared_path.and_then(|shared_path| shared_path.iter().position(|ix| is_changed(*ix)));
        if let Some(depth) = first_changed {
            self.unshare_from(depth);
        }
    }

    /// Detaches the calls of a message that the list contains in a different message. If the list
    /// contains the message without some of its calls, these calls are also detached, unless they
    /// are running on this page or have an undelivered result. Calls from texts and calls of
    /// providers are never detached.
    fn detach_unlisted_calls(&mut self, ix: usize, id: &str, listing: &Listing) {
        let is_listed = listing.messages.contains_key(id);
        let is_unlisted = |call: &ToolCall| {
            if call.origin != Origin::Agent {
                return false;
            }
            match listing.message_ids.get(&call.id) {
                Some(message_id) => message_id != id,
                None => {
                    is_listed && !call.is_undelivered() && !call.state().is_starting_or_running()
                }
            }
        };
        let Some(node) = self.node(ix) else {
            return;
        };
        let calls = self
            .calls_in(&node.message)
            .filter(|call| is_unlisted(call));
        let detached_keys: HashSet<CallKey> = calls.map(ToolCall::key).collect();
        let is_kept = |part: &Part| {
            part.call_key()
                .is_none_or(|key| !detached_keys.contains(&key))
        };
        if let Some(node) = self.node_mut(ix).filter(|_| !detached_keys.is_empty()) {
            node.message.parts.retain(is_kept);
        }
        for key in in_order(detached_keys.into_iter().collect(), CallKey::sort_key) {
            self.detach_call(key);
        }
    }

    /// Returns true if the listed message has the role, text and calls of the message in the tree.
    /// Returns false for tool messages, reasoning and activities.
    pub(super) fn is_same_as_listed(
        &self,
        message: &crate::conversation::Message,
        listed: &Message,
    ) -> bool {
        if message.role != listed.role() {
            return false;
        }
        match &listed.body {
            MessageBody::Assistant {
                content,
                tool_calls,
            } => {
                let calls = self.calls_in(message);
                let mut calls = calls.filter(|call| call.origin == Origin::Agent);
                let same_calls = tool_calls
                    .iter()
                    .all(|listed| calls.next().is_some_and(|call| is_same_call(call, listed)));
                same_calls
                    && calls.next().is_none()
                    && content.as_deref().unwrap_or_default() == message.written()
            }
            MessageBody::User { content } => content.display_text() == message.text(),
            MessageBody::Developer { content } | MessageBody::System { content } => {
                *content == message.text()
            }
            _ => false,
        }
    }
}

/// Returns true if a listed call equals the call in the tree.
fn is_same_call(call: &ToolCall, listed: &FunctionCall) -> bool {
    call.id == listed.id
        && call.name == listed.name
        && call.args_text() == listed.arguments
        && call.encrypted_value == listed.encrypted_value
        && Some(&call.metadata).filter(|known| !known.is_empty())
            == listed.metadata.as_ref().filter(|known| !known.is_empty())
        && call.extra == listed.extra
}

/// Returns true if the list repeats the delivered result of a call unchanged. If the call has no
/// delivered result, returns true if the call is not in `answered`.
fn has_same_result(call: &ToolCall, listing: &Listing, answered: &HashSet<&str>) -> bool {
    let delivered_result = call.result().filter(|_| call.is_delivered());
    let Some(delivered_result) = delivered_result else {
        return !answered.contains(call.id.as_str());
    };
    let message = listing.messages.get(&delivered_result.message_id);
    let message = message.filter(|message| answered_call_id(message) == Some(call.id.as_str()));
    let mut listed_result = message.cloned().and_then(fold::result_from_wire);
    if let Some(result) = listed_result.as_mut().filter(|_| !call.is_settled_here()) {
        result.adopt_stated_failure();
    }
    !call.is_unlisted() && listed_result.is_some_and(|result| result == *delivered_result)
}

/// Returns true if a listed message and the message in the tree have equal fields, apart from role,
/// text and calls.
fn has_same_fields(message: &crate::conversation::Message, listed: &Message) -> bool {
    message.name == listed.name
        && message.encrypted_value == listed.encrypted_value
        && message.subagent_run_id == listed.subagent_run_id
        && message.metadata == listed.metadata
        && message.extra == listed.extra
}
