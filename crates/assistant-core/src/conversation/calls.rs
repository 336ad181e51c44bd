//! Stores all calls of a conversation, with indices of the calls.
//!
//! A message stores only the keys of its calls, so a call remains in [`Calls`] if the call moves to
//! another message or if its message is deleted. Every change of a call is made by [`Calls::edit`],
//! which updates the indices. The module `placement` assigns calls to messages.

use foldhash::HashMap;
use rustc_hash::FxHashMap;

use super::{CallEvent, CallKey, ToolCall};
use crate::order::{SortedMap, in_order};

/// All calls of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    /// The calls by key. The keys are assigned by this type, so an agent cannot choose a key that
    /// is already in use.
    all: FxHashMap<CallKey, CallEntry>,
    by_wire_id: HashMap<String, Vec<CallKey>>,
    /// The keys of calls, by the id of the tool message that contains the result of the call.
    by_result_id: HashMap<String, Vec<CallKey>>,
    /// The keys of the open calls in messages on all branches.
    open: SortedMap<CallKey, ()>,
    /// The keys of calls that have ended, in the order in which the calls ended.
    ended: Vec<CallKey>,
    /// The keys of calls that may start during a run, according to their checks.
    eager: SortedMap<CallKey, ()>,
    /// The keys of calls that the page made, with the numbers of their requests, oldest first.
    direct: SortedMap<CallKey, u64>,
    /// The keys of calls that are not on the path of their run, by wire id. A repeated wire id
    /// refers to the same call.
    detached: HashMap<String, CallKey>,
    last_key: u64,
    events: Vec<CallEvent>,
}

#[derive(Debug, Clone)]
struct CallEntry {
    call: Box<ToolCall>,
    owner: CallOwner,
}

/// The owner of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallOwner {
    /// The call is in no message, because the call is new, was omitted from a list, or its message
    /// was deleted.
    Nowhere,
    /// The call belongs to the message with this node in the tree.
    Node(usize),
    /// The call belongs to the page, which made the call.
    Page,
}

impl Calls {
    /// Returns true if the conversation has no calls, neither in messages nor outside of messages.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of calls that the page did not make.
    pub(super) fn agent_call_count(&self) -> usize {
        self.all.len().saturating_sub(self.direct.len())
    }

    /// Returns a call, regardless of its owner.
    pub(super) fn get(&self, key: &CallKey) -> Option<&ToolCall> {
        self.all.get(key).map(|entry| &*entry.call)
    }

    pub(super) fn owner(&self, key: &CallKey) -> Option<CallOwner> {
        self.all.get(key).map(|entry| entry.owner)
    }

    /// Returns the node of the message that a call belongs to, or `None` if the call is in no
    /// message.
    pub(super) fn node_of(&self, key: &CallKey) -> Option<usize> {
        match self.owner(key)? {
            CallOwner::Node(node) => Some(node),
            CallOwner::Nowhere | CallOwner::Page => None,
        }
    }

    /// Adds a call that belongs to no message yet and was made by the given run. Returns the new
    /// key of the call.
    pub(super) fn add(&mut self, mut call: ToolCall, run: Option<u64>) -> CallKey {
        self.last_key += 1;
        let key = CallKey::new(self.last_key);
        call.key = key;
        call.run = call.run.or(run);
        self.insert(key, call);
        key
    }

    /// Adds a stored call under its stored key. If the key is missing or already in use, the call
    /// gets a new key.
    pub(super) fn restore(&mut self, mut call: ToolCall) -> CallKey {
        let key = call.key;
        if key.number() == 0 || self.all.contains_key(&key) {
            call.key = CallKey::new(0);
            return self.add(call, None);
        }
        self.last_key = self.last_key.max(key.number());
        self.insert(key, call);
        key
    }

    fn insert(&mut self, key: CallKey, mut call: ToolCall) {
        let keys = self.by_wire_id.entry(call.id.clone()).or_default();
        keys.push(key);
        let events = std::mem::take(&mut call.events).into_iter();
        // The event has no earlier phase, because the call arrived with its history and observers
        // received no earlier phase.
        let events = events.map(|event| CallEvent {
            call: key,
            before: None,
            ..event
        });
        self.events.extend(events);
        if let Some(result) = call.result() {
            let id = result.message_id.clone();
            self.by_result_id.entry(id).or_default().push(key);
        }
        if call.is_real() && call.state().is_done() {
            self.ended.push(key);
        }
        let owner = CallOwner::Nowhere;
        let call = Box::new(call);
        self.all.insert(key, CallEntry { call, owner });
    }

    /// Changes a call and returns the result of `edit`, or `None` if no call has this key.
    pub(super) fn edit_with<R>(
        &mut self,
        key: &CallKey,
        edit: impl FnOnce(&mut ToolCall) -> R,
    ) -> Option<R> {
        let (mut edit, mut result) = (Some(edit), None);
        self.edit(key, &mut |call| result = edit.take().map(|edit| edit(call)));
        result
    }

    /// Changes a call, if a call has this key. The parameter is a trait object so that the update
    /// of the indices is compiled only once.
    pub(super) fn edit(&mut self, key: &CallKey, change: &mut dyn FnMut(&mut ToolCall)) {
        let Some(CallEntry { call, owner }) = self.all.get_mut(key) else {
            return;
        };
        let (was_open, was_eager) = (call.is_open(), is_eager(call));
        let result_id = call.result().map(|result| result.message_id.clone());
        change(call);
        call.key = *key;
        let (is_open, is_eager) = (call.is_open(), is_eager(call));
        let mut events = std::mem::take(&mut call.events);
        let new_result_id = call.result().map(|result| &result.message_id);
        if let Some(id) = new_result_id.filter(|id| Some(*id) != result_id.as_ref()) {
            self.by_result_id.entry(id.clone()).or_default().push(*key);
        }
        if was_open && !is_open && call.is_real() && *owner != CallOwner::Page {
            self.ended.push(*key);
        }
        if matches!(owner, CallOwner::Node(_)) && was_open != is_open {
            set_member(&mut self.open, key, is_open);
        }
        if *owner != CallOwner::Nowhere && was_eager != is_eager {
            set_member(&mut self.eager, key, is_eager);
        }
        for event in &mut events {
            event.call = *key;
        }
        self.events.append(&mut events);
    }

    /// Replaces the content of a call. The new call may have a different wire id. The key and the
    /// run of the call are kept.
    #[cfg(feature = "callouts")]
    pub(super) fn replace(&mut self, key: &CallKey, mut replacement: ToolCall) {
        let id = replacement.id.clone();
        self.edit_with(key, |call| {
            if let Some(first) = replacement.events.first_mut() {
                first.before = Some(call.phase());
            }
            let run = call.run;
            *call = replacement;
            call.run = run;
        });
        let keys = self.by_wire_id.entry(id).or_default();
        if !keys.contains(key) {
            keys.push(*key);
        }
    }

    /// Attaches a call to a message.
    pub(super) fn attach(&mut self, key: &CallKey, node: usize) {
        let Some(entry) = self.all.get_mut(key) else {
            return;
        };
        entry.owner = CallOwner::Node(node);
        set_member(&mut self.open, key, entry.call.is_open());
        set_member(&mut self.eager, key, is_eager(&entry.call));
    }

    /// Makes the page the owner of a call.
    pub(super) fn attach_to_page(&mut self, key: &CallKey, request: u64) {
        if let Some(entry) = self.all.get_mut(key) {
            entry.owner = CallOwner::Page;
            self.direct.insert(*key, request);
        }
    }

    /// Returns the number of the request by which the page made a call, or `None` for an agent's
    /// call.
    pub(super) fn request_of(&self, key: &CallKey) -> Option<u64> {
        self.direct.get(key).copied()
    }

    /// Detaches a call from its message.
    pub(super) fn detach(&mut self, key: &CallKey) {
        self.open.remove(key);
        self.eager.remove(key);
        if let Some(entry) = self.all.get_mut(key) {
            entry.owner = CallOwner::Nowhere;
        }
    }

    /// Removes a call permanently and returns the call. The properties of the call are copied to
    /// its pending events.
    pub(super) fn remove(&mut self, key: &CallKey) -> Option<Box<ToolCall>> {
        let CallEntry { call, .. } = self.all.remove(key)?;
        self.open.remove(key);
        self.eager.remove(key);
        self.direct.remove(key);
        if let Some(keys) = self.by_wire_id.get_mut(&call.id) {
            keys.retain(|other| other != key);
        }
        for event in self.events.iter_mut().filter(|event| event.call == *key) {
            event.attach_facts(&call);
        }
        Some(call)
    }

    /// Indexes a call that is not on the path of its run by its wire id.
    pub(super) fn index_detached(&mut self, key: CallKey) {
        if let Some(id) = self.get(&key).map(|call| call.id.clone()) {
            self.detached.insert(id, key);
        }
    }

    pub(super) fn detached_key(&self, wire_id: &str) -> Option<CallKey> {
        self.detached.get(wire_id).copied()
    }

    pub(super) fn take_detached_key(&mut self, wire_id: &str) -> Option<CallKey> {
        self.detached.remove(wire_id)
    }

    /// Removes a call from the index of detached calls.
    pub(super) fn forget_detached(&mut self, key: &CallKey) {
        let Some(entry) = self.all.get(key) else {
            return;
        };
        if self.detached.get(&entry.call.id) == Some(key) {
            self.detached.remove(&entry.call.id);
        }
    }

    /// Returns the keys of all detached calls, in no particular order.
    pub(super) fn detached_keys(&self) -> impl Iterator<Item = CallKey> {
        self.detached.values().copied()
    }

    /// Returns the calls with a wire id on all branches.
    pub(super) fn calls_with_wire_id(&self, wire_id: &str) -> impl Iterator<Item = &ToolCall> {
        let keys = self.by_wire_id.get(wire_id).into_iter().flatten();
        keys.filter_map(|key| self.get(key))
    }

    /// Returns the calls with a result in the tool message with this id, from messages of all
    /// branches.
    pub(super) fn calls_with_result_in(&self, message_id: &str) -> impl Iterator<Item = &ToolCall> {
        let keys = self.by_result_id.get(message_id).into_iter().flatten();
        let keys_in_messages = keys.filter(|key| self.node_of(key).is_some());
        let calls = keys_in_messages.filter_map(|key| self.get(key));
        calls.filter(move |call| {
            let result = call.result();
            result.is_some_and(|result| result.message_id == message_id)
        })
    }

    /// Returns the keys of the open calls in messages on all branches.
    pub(super) fn open_call_keys(&self) -> impl Iterator<Item = CallKey> {
        self.open.iter().map(|(key, ())| key)
    }

    /// Returns true if any checked call may start during a run.
    pub(super) fn has_eager_call(&self) -> bool {
        self.eager.len() > 0
    }

    /// Returns the calls that the page made, oldest first.
    pub(super) fn direct_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.direct.iter().filter_map(|(key, _)| self.get(&key))
    }

    /// Returns the calls in messages on all branches, in no particular order.
    pub(super) fn calls_in_messages(&self) -> impl Iterator<Item = &ToolCall> {
        let entries = self.all.values();
        let placed_entries = entries.filter(|entry| matches!(entry.owner, CallOwner::Node(_)));
        placed_entries.map(|entry| &*entry.call)
    }

    /// Returns the keys of the calls that have ended, in the order of their ends.
    pub(super) fn ended_call_keys(&self) -> &[CallKey] {
        &self.ended
    }

    /// Sorts the ended calls by the times at which they ended. In a stored conversation, the ended
    /// calls are in the order of the messages.
    pub(super) fn sort_ended(&mut self) {
        let by_key = in_order(std::mem::take(&mut self.ended), CallKey::sort_key);
        self.ended = in_order(by_key, |key| {
            let end_time = self.get(key).and_then(ToolCall::ended_at);
            end_time.unwrap_or(i64::MIN)
        });
    }

    /// Returns the newest key as a number.
    pub(super) const fn last_key(&self) -> u64 {
        self.last_key
    }

    /// Reserves all keys up to this number, so that new calls get greater keys.
    pub(super) fn reserve_keys(&mut self, last_key: u64) {
        self.last_key = self.last_key.max(last_key);
    }

    /// Removes and returns the events of calls that were collected since the previous call of this
    /// method.
    pub(super) fn take_events(&mut self) -> Vec<CallEvent> {
        std::mem::take(&mut self.events)
    }

    /// Removes and returns the collected events of calls before the conversation with this id is
    /// replaced with another conversation. The events include the properties of calls that records
    /// contain.
    pub(super) fn take_last_events(&mut self, thread_id: &str) -> Vec<CallEvent> {
        let mut events = self.take_events();
        for event in &mut events {
            if let Some(call) = self.get(&event.call) {
                event.attach_facts(call);
            }
            event.thread_id = Some(thread_id.to_owned());
        }
        events
    }

    pub(super) fn forget_events(&mut self) {
        self.events.clear();
    }
}

/// Adds a key to a set, or removes the key from the set.
fn set_member(keys: &mut SortedMap<CallKey, ()>, key: &CallKey, is_member: bool) {
    match is_member {
        true => keys.insert(*key, ()),
        false => drop(keys.remove(key)),
    }
}

/// Returns true if a call was checked and may start during a run.
fn is_eager(call: &ToolCall) -> bool {
    call.check().is_some_and(|check| check.eager)
}
