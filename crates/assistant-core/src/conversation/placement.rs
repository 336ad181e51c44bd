//! Assigns calls to messages, orders the calls on the run's path, and stores detached calls.
//!
//! A call that a snapshot removes from the path of its run is *detached*. If an agent sends the id
//! of a detached call again, the id refers to the same call, with its history. `calls` owns the
//! calls, `state` defines the transitions, and `index` looks up the ids that agents assign.

use super::{
    CallDataChange, CallEvent, CallFacts, CallKey, Change, Conversation, Message, Part, ToolCall,
    calls::CallOwner,
    state::{State, StateEvent},
};
use crate::{action::RegistrationId, order::in_order};

impl Conversation {
    /// Returns the call with this key, or `None` if the call belongs neither to a message nor to
    /// the page.
    #[must_use]
    pub fn call(&self, key: &CallKey) -> Option<&ToolCall> {
        match self.calls.owner(key)? {
            CallOwner::Node(_) | CallOwner::Page => self.calls.get(key),
            CallOwner::Nowhere => None,
        }
    }

    /// Returns the state of the call with this key, or `None` if the call belongs neither to a
    /// message nor to the page.
    pub(crate) fn state_of(&self, key: &CallKey) -> Option<&State> {
        self.call(key).map(ToolCall::state)
    }

    /// Returns the calls of a message, in order.
    pub fn calls_in<'a>(&'a self, message: &'a Message) -> impl Iterator<Item = &'a ToolCall> {
        let keys = message.parts.iter().filter_map(Part::call_key);
        keys.filter_map(|key| self.calls.get(&key))
    }

    /// Adds a call that the page made itself with this request number, and returns the call's key.
    /// The call belongs to no message and is never sent to the agent.
    pub(crate) fn add_direct_call(&mut self, call: ToolCall, request: u64) -> CallKey {
        let key = self.calls.add(call, None);
        self.calls.attach_to_page(&key, request);
        self.log.push(Change::Call(key));
        key
    }

    /// Removes a call that the page made itself, and returns the call and its request number.
    pub(crate) fn remove_direct_call(&mut self, key: &CallKey) -> Option<(Box<ToolCall>, u64)> {
        let request = self.calls.request_of(key)?;
        self.log.push(Change::Call(*key));
        Some((self.calls.remove(key)?, request))
    }

    /// Returns the keys of the calls that led to this call: first the call whose handler requested
    /// this call, then the requester of that call, and so on.
    pub(crate) fn requesters_of(&self, key: &CallKey) -> impl Iterator<Item = CallKey> {
        let find_requester = |key: &CallKey| self.call(key)?.parent;
        std::iter::successors(find_requester(key), find_requester)
    }

    /// Returns the keys of the calls that a call's handler requested from the page.
    pub(crate) fn call_keys_requested_by(&self, key: &CallKey) -> Vec<CallKey> {
        let requested_calls = self.direct_calls().filter(|call| call.parent == Some(*key));
        requested_calls.map(ToolCall::key).collect()
    }

    /// Returns true if the conversation contains a checked call that may start during a run.
    pub(crate) fn has_eager_call(&self) -> bool {
        self.calls.has_eager_call()
    }

    /// Returns the keys of the open calls that were checked against this registration, oldest
    /// first.
    pub(crate) fn call_keys_of_registration(&self, id: RegistrationId) -> Vec<CallKey> {
        let direct_keys = self.direct_calls().map(ToolCall::key);
        let open_keys = self.calls.open_call_keys().chain(direct_keys);
        let registration_of = |key: &CallKey| self.call(key)?.check()?.registration;
        let keys = open_keys.filter(|key| registration_of(key) == Some(id));
        in_order(keys.collect(), CallKey::sort_key)
    }

    /// Discards the checks of all open calls in messages. Calls that the page made itself keep
    /// their checks.
    pub(crate) fn void_checks(&mut self) {
        let open_keys: Vec<CallKey> = self.calls.open_call_keys().collect();
        for key in open_keys {
            if self
                .calls
                .get(&key)
                .is_some_and(|call| call.check().is_some())
            {
                self.edit_call(&key, |call| {
                    call.apply_data_change(CallDataChange::Checked(None));
                });
            }
        }
    }

    /// Returns the calls that the page made itself, oldest first.
    pub fn direct_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.direct_calls()
    }

    pub(crate) fn is_direct_call(&self, key: &CallKey) -> bool {
        self.calls.owner(key) == Some(CallOwner::Page)
    }

    /// Returns the key and the call with this wire id on the run's path. Callouts that are only
    /// displayed are ignored.
    #[must_use]
    pub fn call_by_wire_id(&self, id: &str) -> Option<(CallKey, &ToolCall)> {
        let key = self.find_call(id)?;
        Some((key, self.call(&key)?))
    }

    /// Returns the message that contains a call, or `None` if the call belongs to no message.
    #[must_use]
    pub fn message_of_call(&self, key: &CallKey) -> Option<&Message> {
        let node = self.calls.node_of(key)?;
        self.node(node).map(|node| &node.message)
    }

    /// Returns the calls in the messages of all branches, in no particular order, without callouts
    /// that are only displayed.
    pub(crate) fn all_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls.calls_in_messages().filter(|call| call.is_real())
    }

    /// Returns the keys of the calls in the shown messages, in order, without callouts that are
    /// only displayed.
    #[must_use]
    pub fn path_calls(&self) -> Vec<CallKey> {
        self.call_keys_on(self.tree.shown_path())
    }

    /// Returns the keys of the calls on the run's path, in order, without callouts that are only
    /// displayed.
    pub(crate) fn run_calls(&self) -> Vec<CallKey> {
        self.call_keys_on(self.tree.path())
    }

    fn call_keys_on(&self, path: &[usize]) -> Vec<CallKey> {
        // A conversation without calls returns early, because traversing its messages would find
        // nothing.
        if self.calls.is_empty() {
            return Vec::new();
        }
        path.iter()
            .flat_map(|ix| self.node_call_keys(*ix))
            .collect()
    }

    /// Returns the keys of the open calls on the run's path, in the order of the path.
    #[must_use]
    pub fn active_calls(&self) -> Vec<CallKey> {
        let nodes = self
            .calls
            .open_call_keys()
            .filter_map(|key| self.run_node_of(&key));
        let mut nodes = in_order(nodes.collect(), |(depth, _)| sort_key(*depth));
        nodes.dedup();
        let is_open = |key: &CallKey| {
            let call = self.calls.get(key);
            call.is_some_and(ToolCall::is_open)
        };
        let calls = nodes
            .iter()
            .flat_map(|(_, node)| self.node_call_keys(*node));
        calls.filter(is_open).collect()
    }

    /// Returns the open calls that are on branches other than the run's branch, in no particular
    /// order.
    pub(crate) fn open_calls_on_other_branches(&self) -> impl Iterator<Item = &ToolCall> {
        let keys = self
            .calls
            .open_call_keys()
            .filter(|key| !self.is_run_call(key));
        keys.filter_map(|key| self.call(&key))
    }

    /// Returns the keys and states of the open calls on the run's path, in no particular order.
    pub(crate) fn open_states(&self) -> impl Iterator<Item = (CallKey, &State)> {
        let keys = self
            .calls
            .open_call_keys()
            .filter(|key| self.is_run_call(key));
        keys.filter_map(|key| Some((key, self.call(&key)?.state())))
    }

    /// Returns the key of an open call whose state satisfies a condition, among the calls on the
    /// run's path and those that the page made itself. Returns `None` if no call matches.
    pub(crate) fn find_open_call(&self, condition: impl Fn(&State) -> bool) -> Option<CallKey> {
        let direct_states = self.direct_calls().map(|call| (call.key(), call.state()));
        let mut states = self.open_states().chain(direct_states);
        states
            .find(|(_, state)| condition(state))
            .map(|(key, _)| key)
    }

    /// Returns true if an open call on the run's path has a state that satisfies a condition.
    pub(crate) fn has_open_call(&self, condition: impl Fn(&State) -> bool) -> bool {
        self.open_states().any(|(_, state)| condition(state))
    }

    /// Returns true if an open call that precedes the given call on the run's path has a state that
    /// satisfies a condition.
    pub(crate) fn has_open_call_before(
        &self,
        key: &CallKey,
        condition: impl Fn(&State) -> bool,
    ) -> bool {
        let Some(own_node) = self.run_node_of(key) else {
            return false;
        };
        let is_match = |key: &CallKey| {
            let call = self.calls.get(key);
            call.is_some_and(|call| call.is_open() && condition(call.state()))
        };
        let mut open_keys = self.calls.open_call_keys();
        let is_in_earlier_message = open_keys.any(|other| {
            let node = self.run_node_of(&other);
            node.is_some_and(|node| node.0 < own_node.0) && is_match(&other)
        });
        let preceding_keys = || {
            self.node_call_keys(own_node.1)
                .take_while(|other| other != key)
        };
        is_in_earlier_message || preceding_keys().any(|other| is_match(&other))
    }

    /// Returns the keys of the ended calls in messages of all branches, in the order in which they
    /// ended.
    #[must_use]
    pub fn call_history(&self) -> Vec<CallKey> {
        let is_in_message = |key: &&CallKey| self.calls.node_of(key).is_some();
        let ended_keys = self.calls.ended_call_keys().iter();
        ended_keys.filter(is_in_message).copied().collect()
    }

    /// Returns the depth and the node of a call's message, or `None` if the call is not on the
    /// run's path.
    fn run_node_of(&self, key: &CallKey) -> Option<(usize, usize)> {
        let node = self.calls.node_of(key)?;
        let depth = self.tree.node(node)?.depth;
        self.tree.is_on_path(node).then_some((depth, node))
    }

    /// Returns true if a call is on the run's path.
    pub(crate) fn is_run_call(&self, key: &CallKey) -> bool {
        self.run_node_of(key).is_some()
    }

    /// Returns the keys of the calls in a node's message, without callouts that are only displayed.
    pub(super) fn node_call_keys(&self, node: usize) -> impl Iterator<Item = CallKey> + '_ {
        let message = self.node(node).map(|node| &node.message);
        let calls = message
            .into_iter()
            .flat_map(|message| self.calls_in(message));
        calls.filter(|call| call.is_real()).map(ToolCall::key)
    }

    /// Returns the number of the most recently assigned call key.
    pub(crate) const fn last_key(&self) -> u64 {
        self.calls.last_key()
    }

    /// Reserves all keys up to this number, so that new calls get greater keys.
    pub(crate) fn reserve_keys_until(&mut self, last_key: u64) {
        self.calls.reserve_keys(last_key);
    }

    /// Records that the calls in a node's message belong to the node.
    pub(super) fn attach_calls(&mut self, node: usize) {
        let Some(entry) = self.tree.node(node) else {
            return;
        };
        for key in entry.item.message.parts.iter().filter_map(Part::call_key) {
            self.calls.attach(&key, node);
        }
    }

    /// Changes a call, records the change, and returns the result of `edit`. Returns `None` if no
    /// call with this key belongs to a message or to the page.
    pub(crate) fn edit_call<R>(
        &mut self,
        key: &CallKey,
        edit: impl FnOnce(&mut ToolCall) -> R,
    ) -> Option<R> {
        self.call(key)?;
        let result = self.calls.edit_with(key, edit);
        self.log.push(Change::Call(*key));
        result
    }

    /// Returns the number of other calls in the turn with the same name and run as this call that
    /// were started or are about to start. Returns 0 if the run of this call is unknown.
    pub(crate) fn count_other_starts(&self, key: &CallKey) -> u32 {
        let Some(call) = self.call(key).filter(|call| call.run.is_some()) else {
            return 0;
        };
        let messages = self.run_path().rev();
        let turn_messages = messages.take_while(|message| !message.is_from_user());
        let turn_calls = turn_messages.flat_map(|message| self.calls_in(message));
        let is_equal_start = |other: &&ToolCall| {
            let is_started = other.was_started() || other.state().is_starting_or_running();
            other.key != call.key && other.run == call.run && is_started && other.name == call.name
        };
        u32::try_from(turn_calls.filter(is_equal_start).count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn apply_data_change(&mut self, key: &CallKey, change: CallDataChange) {
        self.edit_call(key, |call| call.apply_data_change(change));
    }

    /// Applies an event to a call. Returns false if the event changes nothing.
    pub(crate) fn apply_state_event(&mut self, key: &CallKey, event: StateEvent) -> bool {
        let result = self.calls.edit_with(key, |call| call.apply_event(event));
        let is_applied = result == Some(true);
        if is_applied {
            self.log.push(Change::Call(*key));
        }
        is_applied
    }

    /// Returns the properties of a call that a record contains, even if the call no longer belongs
    /// to a message.
    pub(crate) fn call_facts(&self, key: &CallKey) -> Option<CallFacts> {
        self.calls.get(key).map(ToolCall::facts)
    }

    /// Removes and returns the events of calls since the previous call of this method.
    pub(crate) fn take_call_events(&mut self) -> Vec<CallEvent> {
        self.calls.take_events()
    }

    /// Removes and returns the events of calls before another conversation replaces the
    /// conversation with this id. The events include the properties that records need.
    pub(crate) fn take_last_call_events(&mut self, thread_id: &str) -> Vec<CallEvent> {
        self.calls.take_last_events(thread_id)
    }

    /// Returns the call with this wire id that is on the run's path or detached.
    pub(crate) fn known_call(&self, wire_id: &str) -> Option<&ToolCall> {
        let key = self.find_call(wire_id);
        self.calls
            .get(&key.or_else(|| self.calls.detached_key(wire_id))?)
    }

    /// Detaches a call from its message. If an agent sends the call's wire id again, the id refers
    /// to this call.
    pub(super) fn detach_call(&mut self, key: CallKey) {
        self.calls.detach(&key);
        self.calls.index_detached(key);
    }

    /// Removes the detached call with this wire id from the index, and returns its key. The caller
    /// attaches the call to a message. If another branch contains the call, that branch keeps a
    /// copy.
    pub(super) fn take_detached_call(&mut self, wire_id: &str) -> Option<CallKey> {
        let key = self.calls.take_detached_key(wire_id)?;
        match self.calls.node_of(&key) {
            // The other branch that contains the call keeps a copy.
            Some(node) => self.detach_and_leave_copy(&key, node),
            // The change is recorded here, because the call may have ended without a recorded
            // change.
            None => self.log.push(Change::Call(key)),
        }
        Some(key)
    }

    /// Records that the journal contains a start of the call's handler. An entry for the end of
    /// that start is applied afterwards. A call that could start or was running is checked again,
    /// with an unknown outcome. `attempt` is the number of claims that were used before that start.
    pub(crate) fn mark_unknown_outcome(&mut self, key: &CallKey, attempt: u32) {
        self.edit_call(key, |call| call.mark_unknown_outcome(attempt));
    }

    /// Indexes the calls of a node that satisfy a condition as detached. The node is not on the
    /// run's path.
    pub(super) fn index_detached_calls(
        &mut self,
        node: usize,
        condition: impl Fn(&ToolCall) -> bool,
    ) {
        let keys: Vec<CallKey> = self.node_call_keys(node).collect();
        for key in keys {
            if self.call(&key).is_some_and(&condition) {
                self.calls.index_detached(key);
            }
        }
    }

    /// Changes the open detached calls that belong to no message.
    pub(crate) fn edit_detached_calls(&mut self, mut edit: impl FnMut(&mut ToolCall)) {
        let keys: Vec<CallKey> = self.calls.detached_keys().collect();
        for key in keys {
            let is_open = self
                .calls
                .get(&key)
                .is_some_and(|call| !call.state().is_done());
            if is_open && self.calls.owner(&key) == Some(CallOwner::Nowhere) {
                self.calls.edit(&key, &mut edit);
            }
        }
    }

    /// Requires that the user is asked on this page before any open call starts, on all branches.
    /// For detached calls without a message, also discards the check.
    pub(crate) fn require_question_before_starts(&mut self) {
        let open_keys: Vec<CallKey> = self.calls.open_call_keys().collect();
        for key in open_keys {
            self.edit_call(&key, |call| {
                call.apply_data_change(CallDataChange::MustBeAsked);
            });
        }
        self.edit_detached_calls(|call| {
            call.apply_data_change(CallDataChange::MustBeAsked);
            call.void_check();
        });
    }
}

/// Converts a position to a sort key.
fn sort_key(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}
