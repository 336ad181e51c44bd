//! Determines the positions of tool messages in the received order, and updates the positions for
//! snapshots.
//!
//! The module `merge` applies the snapshot.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Conversation;
use crate::{
    conversation::{Author, CallKey, fold},
    event::{Message, MessageBody},
};

/// A position in the received order.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReceivedPosition {
    /// A message in the tree, identified by its node.
    Node(usize),
    /// The tool message that contains the result of a call.
    Result(CallKey),
    /// A message that is not on the path yet.
    New,
}

impl Conversation {
    /// Returns the positions in the received order, each with the id of its message.
    pub(super) fn received_positions(&self) -> Vec<(String, ReceivedPosition)> {
        let result_position = |key: &CallKey| {
            let result = self.call(key)?.result()?;
            Some((result.message_id.clone(), ReceivedPosition::Result(*key)))
        };
        let mut list: Vec<_> = self
            .leading_results
            .iter()
            .filter_map(result_position)
            .collect();
        for ix in self.tree.path() {
            let Some(node) = self.node(*ix) else { continue };
            list.push((
                node.message.wire_id().to_owned(),
                ReceivedPosition::Node(*ix),
            ));
            list.extend(node.results.iter().filter_map(result_position));
        }
        list
    }

    /// Marks the delivered results as unlisted. An unlisted result has no position in the received
    /// order until the list repeats the result.
    pub(super) fn unlist_results(&mut self) {
        for key in self.run_calls() {
            self.calls.edit(&key, &mut |call| {
                if let Some(outcome) = call.outcome_mut() {
                    outcome.unlisted |= outcome.result.is_some() && outcome.sent;
                }
            });
        }
    }

    pub(super) fn restore_results(
        &mut self,
        places: &[(String, ReceivedPosition)],
        incoming: &mut HashMap<String, Message>,
        now: i64,
    ) {
        let answered_ids: HashSet<String> = incoming
            .values()
            .filter_map(|message| answered_call_id(message).map(str::to_owned))
            .collect();
        let mut previous_ix = None;
        for (id, place) in places {
            let key = match place {
                ReceivedPosition::Node(ix) if self.tree.is_on_path(*ix) => {
                    previous_ix = Some(*ix);
                    continue;
                }
                ReceivedPosition::Result(key) => key,
                ReceivedPosition::Node(_) | ReceivedPosition::New => continue,
            };
            let is_present = self.is_run_call(key) && self.has_result_in(key, id);
            let call_id = self
                .call(key)
                .map(|call| call.id.clone())
                .unwrap_or_default();
            let mut listed_message = incoming.remove(id);
            let is_answer = |message: &mut Message| {
                is_present && answered_call_id(message) == Some(call_id.as_str())
            };
            if let Some(message) = listed_message.take_if(|message| !is_answer(message)) {
                // A message that does not answer this call is inserted as a separate message at its
                // place. In this case, the call was removed, is repeated or has another answer, or
                // the message has another role.
                let current_run = self.runs.current.take();
                self.insert_received(previous_ix, message, now);
                self.runs.current = current_run;
                previous_ix = self.find_message(id).or(previous_ix);
            }
            if !is_present {
                continue;
            }
            let is_answered = answered_ids.contains(&call_id);
            let new_result = listed_message.and_then(fold::result_from_wire);
            self.edit_call(key, |call| {
                // The outcome is at most marked as unlisted, and is not removed, because the call
                // must not run again.
                if let Some(outcome) = call.outcome_mut() {
                    outcome.unlisted |= is_answered;
                }
                if let Some(result) = new_result {
                    fold::apply_received_result(call, result, Author::Agent, now);
                }
            });
        }
    }

    /// Returns true if the result of a call is in the tool message with this id, and the result is
    /// unlisted or has not been delivered.
    fn has_result_in(&self, key: &CallKey, message_id: &str) -> bool {
        self.call(key).is_some_and(|call| {
            let result = call.result();
            result.is_some_and(|result| {
                result.message_id == message_id && (call.is_unlisted() || !call.is_delivered())
            })
        })
    }

    /// Rebuilds the received order by placing each listed result at the position of its tool
    /// message.
    pub(super) fn rebuild_received_order(&mut self, places: &[(String, ReceivedPosition)]) {
        let mut keys_by_message_id: HashMap<String, VecDeque<CallKey>> = HashMap::new();
        for key in self.run_calls() {
            let call = self.call(&key).filter(|call| !call.is_unlisted());
            if let Some(result) = call.and_then(|call| call.result()) {
                let keys = keys_by_message_id
                    .entry(result.message_id.clone())
                    .or_default();
                keys.push_back(key);
            }
        }
        self.leading_results.clear();
        // Nodes that were removed from the path are included, because the messages after these
        // nodes may have moved.
        let earlier_nodes = places.iter().filter_map(|(_, place)| match place {
            ReceivedPosition::Node(ix) => Some(*ix),
            _ => None,
        });
        for ix in earlier_nodes.chain(self.tree.path().to_vec()) {
            if let Some(node) = self.node_mut(ix) {
                node.results.clear();
            }
        }
        let mut previous_ix = None;
        for (id, place) in places {
            if let ReceivedPosition::Node(ix) = place
                && self.tree.is_on_path(*ix)
            {
                previous_ix = Some(*ix);
            } else if let Some(key) = keys_by_message_id.get_mut(id).and_then(VecDeque::pop_front) {
                match previous_ix.and_then(|ix| self.node_mut(ix)) {
                    Some(node) => node.results.push(key),
                    None => self.leading_results.push(key),
                }
            } else if !matches!(place, ReceivedPosition::Node(_)) {
                previous_ix = self.find_message(id).or(previous_ix);
            }
        }
        self.normalize_result_order();
    }
}

/// Returns the id of the call that a tool message answers, or `None` for other messages.
pub(super) fn answered_call_id(message: &Message) -> Option<&str> {
    match &message.body {
        MessageBody::Tool { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}
