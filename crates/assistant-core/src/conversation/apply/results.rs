//! The positions of tool messages in the received order, and their updates by snapshots.
//!
//! `merge` applies the snapshot.

use std::collections::{HashMap, HashSet, VecDeque};

use super::Conversation;
use crate::{
    conversation::{Author, CallKey, fold},
    event::{Message, MessageBody},
};

/// A position in the received order.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReceivedPosition {
    /// A message.
    Node(usize),
    /// The tool message of a call.
    Result(CallKey),
    /// A message that the path does not contain yet.
    New,
}

impl Conversation {
    /// Returns the positions of the received order, each with the id of its message.
    pub(super) fn received_positions(&self) -> Vec<(String, ReceivedPosition)> {
        let result = |key: &CallKey| {
            let result = self.call(key)?.result()?;
            Some((result.message_id.clone(), ReceivedPosition::Result(*key)))
        };
        let mut list: Vec<_> = self.leading_results.iter().filter_map(result).collect();
        for ix in self.tree.path() {
            let Some(node) = self.node(*ix) else { continue };
            list.push((
                node.message.wire_id().to_owned(),
                ReceivedPosition::Node(*ix),
            ));
            list.extend(node.results.iter().filter_map(result));
        }
        list
    }

    /// Marks the delivered results as unlisted: they have no position in the received order until
    /// the list repeats them.
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
        let answered: HashSet<String> = incoming
            .values()
            .filter_map(|message| answered_call_id(message).map(str::to_owned))
            .collect();
        let mut after = None;
        for (id, place) in places {
            let key = match place {
                ReceivedPosition::Node(ix) if self.tree.is_on_path(*ix) => {
                    after = Some(*ix);
                    continue;
                }
                ReceivedPosition::Result(key) => key,
                ReceivedPosition::Node(_) | ReceivedPosition::New => continue,
            };
            let there = self.is_run_call(key) && self.has_result_in(key, id);
            let call_id = self
                .call(key)
                .map(|call| call.id.clone())
                .unwrap_or_default();
            let mut fresh = incoming.remove(id);
            let is_answer = |message: &mut Message| {
                there && answered_call_id(message) == Some(call_id.as_str())
            };
            if let Some(message) = fresh.take_if(|message| !is_answer(message)) {
                // Its call was removed, is repeated or has another answer, or the message has
                // another role now: the place stays.
                let current = self.runs.current.take();
                self.insert_received(after, message, now);
                self.runs.current = current;
                after = self.find_message(id).or(after);
            }
            if !there {
                continue;
            }
            let is_answered = answered.contains(&call_id);
            let fresh = fresh.and_then(fold::result_from_wire);
            self.edit_call(key, |call| {
                // The tool message may be removed, but the call has run: it must not run again.
                if let Some(outcome) = call.outcome_mut() {
                    outcome.unlisted |= is_answered;
                }
                if let Some(fresh) = fresh {
                    fold::apply_received_result(call, fresh, Author::Agent, now);
                }
            });
        }
    }

    /// Returns true if a call has the result in the tool message with this id, and the result is
    /// unlisted or not delivered yet.
    fn has_result_in(&self, key: &CallKey, message_id: &str) -> bool {
        self.call(key).is_some_and(|call| {
            let result = call.result();
            result.is_some_and(|result| {
                result.message_id == message_id && (call.is_unlisted() || !call.is_delivered())
            })
        })
    }

    /// Rebuilds the received order: each listed result at the position of its tool message.
    pub(super) fn rebuild_received_order(&mut self, places: &[(String, ReceivedPosition)]) {
        let mut waiting: HashMap<String, VecDeque<CallKey>> = HashMap::new();
        for key in self.run_calls() {
            let call = self.call(&key).filter(|call| !call.is_unlisted());
            if let Some(result) = call.and_then(|call| call.result()) {
                let of_id = waiting.entry(result.message_id.clone()).or_default();
                of_id.push_back(key);
            }
        }
        self.leading_results.clear();
        // Includes those that left the path: the place of messages after them may have changed.
        let left = places.iter().filter_map(|(_, place)| match place {
            ReceivedPosition::Node(ix) => Some(*ix),
            _ => None,
        });
        for ix in left.chain(self.tree.path().to_vec()) {
            if let Some(node) = self.node_mut(ix) {
                node.results.clear();
            }
        }
        let mut after = None;
        for (id, place) in places {
            if let ReceivedPosition::Node(ix) = place
                && self.tree.is_on_path(*ix)
            {
                after = Some(*ix);
            } else if let Some(key) = waiting.get_mut(id).and_then(VecDeque::pop_front) {
                match after.and_then(|ix| self.node_mut(ix)) {
                    Some(node) => node.results.push(key),
                    None => self.leading_results.push(key),
                }
            } else if !matches!(place, ReceivedPosition::Node(_)) {
                after = self.find_message(id).or(after);
            }
        }
        self.normalize_result_order();
    }
}

/// Returns the id of the call that a tool message answers; `None` for other messages.
pub(super) fn answered_call_id(message: &Message) -> Option<&str> {
    match &message.body {
        MessageBody::Tool { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}
