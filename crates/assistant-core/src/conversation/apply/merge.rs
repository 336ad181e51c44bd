//! Applies lists of messages: snapshots, and the input that a run repeats.
//!
//! A snapshot describes the path of its run only: nodes that another branch shares are copied
//! first. Calls move to the message that lists them, with their history: a call that is removed
//! from its message is *detached*, and attached again where it is listed. The work is linear in the
//! list and the path. `replace` replaces one message, `results` places tool messages, `authority`
//! determines the kinds of messages that a list covers.

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

/// A list of messages, and the message that lists each call.
pub(super) struct Listing {
    order: Vec<String>,
    messages: HashMap<String, Message>,
    /// The id of the first message that lists a call, by the call's id.
    pub(super) homes: HashMap<String, String>,
    /// The ids of the listed messages from before the run that sends the list.
    pub(super) old: HashSet<String>,
}

impl Conversation {
    /// Appends the messages whose ids neither a message nor a result of the path has.
    pub(crate) fn merge_new_messages(
        &mut self,
        messages: Vec<Message>,
        author: Author,
        out: &ApplyContext<'_>,
    ) {
        let mut known: HashSet<String> = self
            .received_positions()
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        // Messages that a request repeats are from before its run.
        let current = self.runs.current.take();
        for message in messages {
            if known.insert(message.id.clone()) {
                self.append_received(message, author, out.now);
            }
        }
        self.runs.current = current;
    }

    /// Makes the run's path equal to the list. Omitted messages stay if the list does not cover
    /// their kind, or if they have calls that are running or have an undelivered result.
    ///
    /// First, calls that the list has in another message are detached. Then messages are replaced
    /// in place or removed, results are applied, and new messages are added. Finally, each result
    /// gets the place of its message in the received order.
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
        let authority = SnapshotCoverage::from_snapshot(&messages, metadata);
        let mut listing = self.create_listing(messages);
        self.unshare_changed_nodes(&listing);
        let mut places = self.received_positions();
        self.unlist_results();
        for (id, place) in &places {
            if let ReceivedPosition::Node(ix) = *place {
                self.detach_unlisted_calls(ix, id, &listing);
            }
        }
        let mut left = HashSet::new();
        for (id, place) in &places {
            let ReceivedPosition::Node(ix) = *place else {
                continue;
            };
            match listing.messages.remove(id) {
                Some(message) => self.replace_message(ix, message, &listing, out),
                None if self.remove_omitted_message(ix, &authority) => {
                    self.report_omitted_message(ix, out);
                    left.insert(ix);
                }
                None => {}
            }
        }
        self.tree.remove_from_paths(|ix| left.contains(&ix));
        self.reindex();
        self.restore_results(&places, &mut listing.messages, out.now);
        let current = self.runs.current;
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
            // A message before older ones belongs to no newer response than they do.
            self.runs.current = current.filter(|_| !listing.old.contains(&id));
            self.append_received(message, Author::Agent, out.now);
            places.push((id, ReceivedPosition::New));
        }
        self.runs.current = current;
        self.reindex();
        self.rebuild_received_order(&places);
        self.report_path_change();
    }

    /// Reports a message of the user that the list omits. The message is preserved on another
    /// branch.
    fn report_omitted_message(&self, ix: usize, out: &mut ApplyContext<'_>) {
        if let Some(node) = self.node(ix).filter(|node| node.message.is_from_user()) {
            let id = &node.message.id;
            let message = format!("snapshot: the user's message '{id}' is missing: it is kept");
            out.warn("user-message-forgotten", message);
        }
    }

    /// Reports a change of every message on the path.
    fn report_path_change(&mut self) {
        for ix in self.tree.path().to_vec() {
            let keys: Vec<CallKey> = self.node_call_keys(ix).collect();
            self.log
                .extend(self.tree.id_at(ix).cloned().map(Change::Message));
            self.log.extend(keys.into_iter().map(Change::Call));
        }
    }

    fn create_listing(&self, messages: Vec<Message>) -> Listing {
        let current = self.runs.current;
        let before_run = |message: &Message| {
            let known = self.find_message(&message.id);
            let known = known.and_then(|ix| self.node(ix)).map(|node| node.run);
            let answers = || {
                let key = self.find_call_by_result(&message.id)?;
                Some(self.call(&key)?.run)
            };
            // A result of an older run is older than this one, regardless of the call that lists it
            // now.
            let mut of_id = self.calls.answered_by(&message.id);
            let run = known.or_else(answers);
            run.map_or_else(|| self.is_on_any_branch(&message.id), |run| run != current)
                || of_id.any(|call| call.run != current)
        };
        let is_old = |message: &Message| {
            message.role() == Role::User || self.is_hand_off_message(message) || before_run(message)
        };
        let border = messages.iter().rposition(is_old).unwrap_or(0);
        let last = messages.len().saturating_sub(1);
        let mut listing = Listing {
            order: messages.iter().map(|message| message.id.clone()).collect(),
            messages: HashMap::new(),
            homes: HashMap::new(),
            old: HashSet::new(),
        };
        for (place, message) in messages.into_iter().enumerate() {
            let ignored = self.find_message(&message.id).is_none()
                && self.tree.contains(&message.id.as_str().into());
            if let MessageBody::Assistant { tool_calls, .. } = &message.body
                && !ignored
            {
                for call in tool_calls {
                    let home = listing.homes.entry(call.id.clone());
                    home.or_insert_with(|| message.id.clone());
                }
            }
            // The last one may be the response of the run, under an id that another branch has,
            // too.
            let is_response = place == last && message.role() != Role::Tool;
            if place <= border && !is_response {
                listing.old.insert(message.id.clone());
            }
            listing.messages.insert(message.id.clone(), message);
        }
        listing
    }

    /// Returns true if a message of any branch, or the result of a call in one, has this id.
    fn is_on_any_branch(&self, id: &str) -> bool {
        let nodes = self.wire_ids.get(id);
        nodes.is_some_and(|nodes| !nodes.is_empty()) || self.calls.answered_by(id).next().is_some()
    }

    /// Copies the shared nodes of the path from the first node on that the list changes, so that
    /// the other branches stay unchanged.
    fn unshare_changed_nodes(&mut self, listing: &Listing) {
        let answered: HashSet<&str> = listing
            .messages
            .values()
            .filter_map(answered_call_id)
            .collect();
        let changes = |ix: usize| {
            let same = self.node(ix).is_some_and(|node| {
                let listed = listing.messages.get(node.message.wire_id());
                let mut calls = self.calls_in(&node.message).filter(|call| call.is_real());
                listed.is_some_and(|listed| {
                    self.is_same_as_listed(&node.message, listed)
                        && has_same_fields(&node.message, listed)
                }) && calls.all(|call| {
                    let home = listing.homes.get(&call.id);
                    let stays = home.is_none_or(|home| home == node.message.wire_id());
                    stays && has_same_result(call, listing, &answered)
                })
            });
            !same
        };
        let last = self.tree.last_shared_depth(0);
        let shared = last.and_then(|last| self.tree.path().get(..=last));
        let first = shared.and_then(|shared| shared.iter().position(|ix| changes(*ix)));
        if let Some(first) = first {
            self.unshare_from(first);
        }
    }

    /// Detaches the calls of a message if the list has them in another message, or if the list
    /// contains the message without them. In the second case, calls stay that are running on this
    /// page or have an undelivered result. Calls from texts and of providers always stay.
    fn detach_unlisted_calls(&mut self, ix: usize, id: &str, listing: &Listing) {
        let is_listed = listing.messages.contains_key(id);
        let leaves = |call: &ToolCall| {
            if call.origin != Origin::Agent {
                return false;
            }
            match listing.homes.get(&call.id) {
                Some(home) => home != id,
                None => {
                    is_listed && !call.is_undelivered() && !call.state().is_starting_or_running()
                }
            }
        };
        let Some(node) = self.node(ix) else {
            return;
        };
        let calls = self.calls_in(&node.message).filter(|call| leaves(call));
        let released: HashSet<CallKey> = calls.map(ToolCall::key).collect();
        let stays = |part: &Part| part.call_key().is_none_or(|key| !released.contains(&key));
        if let Some(node) = self.node_mut(ix).filter(|_| !released.is_empty()) {
            node.message.parts.retain(stays);
        }
        for key in in_order(released.into_iter().collect(), CallKey::sort_key) {
            self.detach_call(key);
        }
    }

    /// Returns true if the listed message has the role, text and calls of the message in the tree;
    /// false for tool messages, reasoning and activities.
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

/// Returns true if the list contains the result of a call that the agent has, unchanged, or no
/// result if the agent has none.
fn has_same_result(call: &ToolCall, listing: &Listing, answered: &HashSet<&str>) -> bool {
    let known = call.result().filter(|_| call.is_delivered());
    let Some(known) = known else {
        return !answered.contains(call.id.as_str());
    };
    let listed = listing.messages.get(&known.message_id);
    let listed = listed.filter(|listed| answered_call_id(listed) == Some(call.id.as_str()));
    let mut listed = listed.cloned().and_then(fold::result_from_wire);
    if let Some(listed) = listed.as_mut().filter(|_| !call.is_settled_here()) {
        listed.adopt_stated_failure();
    }
    !call.is_unlisted() && listed.is_some_and(|listed| listed == *known)
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
