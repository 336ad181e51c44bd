//! Defines a conversation: messages in a tree, their calls, the runs that wrote the messages, and
//! the shared state.
//!
//! Messages are looked up by id. Calls are looked up by the ids that the agent assigned, on the
//! run's path. Only the session and the reducer change a conversation. `tree` contains the
//! branches, `calls` the calls, `index` the lookup by the agent's ids, and `branch` the user's
//! operations on the tree. This module also defines the entries of the tree.

use foldhash::{HashMap, HashSet};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{
    CallKey, Change, Message, MessageId, Part,
    calls::Calls,
    runs::Runs,
    tree::{RemovedBranch, Tree},
};
use crate::{event::Object, json::patch, limits::Limits};

/// A reference to a part of a message in the tree.
#[cfg(feature = "ui-stream")]
#[derive(Debug, Clone, Copy)]
pub(super) struct PartRef {
    pub(super) node: usize,
    pub(super) part: usize,
}

/// A message of the tree with the number of its run, and the results that directly follow the
/// message in the received order.
#[derive(Debug, Clone)]
pub(super) struct TreeMessage {
    pub(super) message: Message,
    /// The number of the run that added the message, if known.
    pub(super) run: Option<u64>,
    /// The calls whose tool messages directly follow this message in the received order.
    pub(super) results: Vec<CallKey>,
}

/// A deleted branch that can be restored, with the positions of its results in the received order.
/// The deleted branch is never stored, and is discarded when a run begins.
#[derive(Debug, Clone)]
pub(super) struct DeletedBranch {
    pub(super) branch: RemovedBranch<TreeMessage>,
    /// The results that followed each message at the time of the deletion, by node. The key `None`
    /// refers to the results that precede all messages.
    pub(super) results: HashMap<Option<usize>, Vec<CallKey>>,
    /// The calls that were detached by the deletion.
    pub(super) detached: Vec<CallKey>,
}

impl DeletedBranch {
    /// Returns the keys of the branch's calls.
    pub(super) fn call_keys(&self) -> impl Iterator<Item = CallKey> {
        let messages = self.branch.nodes().map(|node| &node.item.message);
        messages.flat_map(|message| message.parts.iter().filter_map(Part::call_key))
    }
}

/// The state of the updates that a message has received from a server. `feed` applies the updates.
#[cfg(feature = "records")]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UpdatedMessage {
    /// The time of the newest update in milliseconds since 1970, or 0 if the time is unknown.
    pub(super) at: i64,
    /// True while only updates of the message's calls have arrived. Until the message itself is
    /// updated, its role and parent are assumed.
    pub(super) assumed: bool,
}

/// A conversation: messages in a tree, the path that is shown, and the state shared with the agent.
#[derive(Debug, Clone)]
pub struct Conversation {
    pub(super) tree: Tree<TreeMessage>,
    /// All calls, including those that belong to no message.
    pub(super) calls: Calls,
    pub(crate) runs: Runs,
    /// The nodes of messages, by the wire id of the message.
    pub(super) wire_ids: HashMap<String, Vec<usize>>,
    /// The branch that the user deleted most recently, while it can be restored.
    pub(super) deleted: Option<Box<DeletedBranch>>,
    /// The calls whose tool messages precede all nodes in the received order.
    pub(super) leading_results: Vec<CallKey>,
    /// The nodes that contain results of unknown calls, by the id of the call.
    pub(super) orphans: HashMap<String, usize>,
    /// The ids of tool messages by which the page handed calls off to the agent.
    pub(super) hand_off_messages: HashSet<String>,
    /// The state shared with the agent.
    pub(super) state: Value,
    /// The size of the shared state in bytes, as measured by [`crate::json::patch::size_of`].
    pub(super) state_size: usize,
    /// The sizes of activities in bytes, by node, as far as the sizes are known.
    pub(super) activity_sizes: FxHashMap<usize, usize>,
    pub(super) limits: Limits,
    #[cfg(feature = "ui-stream")]
    /// The open text blocks, by the number that the decoder assigned.
    pub(super) blocks: FxHashMap<u64, PartRef>,
    /// The form in which requests contain messages that the agent added with the role `user`.
    pub(super) agent_user_messages: super::AgentUserMessages,
    /// The changes that were not collected yet, except those of the tree.
    pub(super) log: Vec<Change>,
    /// The state of each message's updates from a server, by node.
    #[cfg(feature = "records")]
    pub(super) updated_messages: HashMap<usize, UpdatedMessage>,
    /// The state of parsing callouts in streaming texts.
    #[cfg(feature = "callouts")]
    pub(super) reading: super::reading::CalloutReaders,
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            tree: Tree::default(),
            calls: Calls::default(),
            runs: Runs::default(),
            wire_ids: HashMap::default(),
            deleted: None,
            leading_results: Vec::new(),
            orphans: HashMap::default(),
            hand_off_messages: HashSet::default(),
            state: Value::Object(Object::new()),
            state_size: 0,
            activity_sizes: FxHashMap::default(),
            limits: Limits::default(),
            #[cfg(feature = "ui-stream")]
            blocks: FxHashMap::default(),
            agent_user_messages: super::AgentUserMessages::default(),
            log: Vec::new(),
            #[cfg(feature = "records")]
            updated_messages: HashMap::default(),
            #[cfg(feature = "callouts")]
            reading: super::reading::CalloutReaders::default(),
        }
    }
}

impl Conversation {
    /// Creates an empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the shown messages, from the first to the newest.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        self.path_from(0)
    }

    /// Returns the shown messages, from the message at this index to the newest.
    pub fn path_from(&self, place: usize) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        let rest = self
            .tree
            .shown_path()
            .get(self.tree.shown_path_index(place)..);
        self.messages_at(rest.unwrap_or_default())
    }

    /// Returns the messages of the branch on which runs write, from the first to the newest.
    pub fn run_path(&self) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        self.messages_at(self.tree.path())
    }

    fn messages_at<'a>(
        &'a self,
        path: &'a [usize],
    ) -> impl DoubleEndedIterator<Item = &'a Message> + Clone {
        path.iter()
            .filter_map(|ix| self.node(*ix))
            .map(|node| &node.message)
    }

    /// Returns a counter that increases when the list of shown messages changes, except by
    /// additions at the end. While the counter is unchanged, a reader needs to read only the added
    /// messages.
    #[must_use]
    pub const fn path_edition(&self) -> u64 {
        self.tree.path_edition()
    }

    /// Returns the number of path entries that have been rewritten, for tests and measurements.
    #[doc(hidden)]
    #[must_use]
    pub const fn path_work(&self) -> u64 {
        self.tree.path_work()
    }

    /// Returns the id of the newest shown message, or `None` if no message is shown.
    #[must_use]
    pub fn tip(&self) -> Option<&MessageId> {
        self.path().next_back().map(|message| &message.id)
    }

    /// Returns the id of the newest message on the branch on which runs write, or `None` if that
    /// branch is empty.
    #[must_use]
    pub fn run_tip(&self) -> Option<&MessageId> {
        self.run_path().next_back().map(|message| &message.id)
    }

    /// Returns true if the shown branch differs from the branch on which runs write.
    #[must_use]
    pub const fn shows_other_branch(&self) -> bool {
        self.tree.shows_other_branch()
    }

    /// Returns the message with this id, on any branch.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.tree.get(id).map(|node| &node.message)
    }

    /// Returns the number of messages, on all branches.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.tree.len()
    }

    /// Returns the messages of all branches, in the order of arrival.
    pub fn all_messages(&self) -> impl Iterator<Item = &Message> {
        self.tree.nodes().map(|(_, node)| &node.item.message)
    }

    /// Returns the state shared with the agent.
    #[must_use]
    pub const fn state(&self) -> &Value {
        &self.state
    }

    pub(crate) const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Returns the number of calls, except those that the page made itself.
    pub(crate) fn agent_call_count(&self) -> usize {
        self.calls.agent_call_count()
    }

    pub(crate) fn set_state(&mut self, state: Value) {
        self.state_size = patch::size_of(&state);
        self.state = state;
        self.log.push(Change::State);
    }

    /// Removes and returns the changes since the previous call of this method.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        let mut changes = self.tree.take_changes();
        changes.append(&mut self.log);
        changes
    }

    /// Discards the recorded changes and the events of calls, for callers that read the whole
    /// conversation at the end.
    pub(crate) fn forget_changes(&mut self) {
        self.tree.take_changes();
        self.log.clear();
        self.calls.forget_events();
    }

    /// Adds a message below the tip of the run's path, and returns its node. If another message has
    /// the same id, the new message gets a different id. Messages that waited for the new message
    /// as their parent are moved below it.
    pub(crate) fn append(&mut self, message: Message) -> usize {
        let entry = self.create_tree_message(message);
        let (ix, _) = self.tree.append(entry.message.id.clone(), entry);
        self.assign_id(ix);
        self.tree.gather_orphans(ix);
        self.index_calls(ix);
        ix
    }

    /// Creates the tree's entry for a message, as part of the active run if there is one.
    pub(super) const fn create_tree_message(&self, message: Message) -> TreeMessage {
        TreeMessage {
            message,
            run: self.runs.current,
            results: Vec::new(),
        }
    }

    /// Sets the id of a message to the id of its node, and indexes the message by its wire id.
    pub(super) fn assign_id(&mut self, ix: usize) {
        let Some(id) = self.tree.id_at(ix).cloned() else {
            return;
        };
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let message = &mut node.message;
        if message.id != id {
            message.wire_id = Some(message.wire_id().to_owned());
            message.id = id;
        }
        let wire_id = message.wire_id().to_owned();
        self.wire_ids.entry(wire_id).or_default().push(ix);
    }

    /// Removes a node from the entry of a wire id in the index.
    pub(super) fn unindex_wire_id(&mut self, wire_id: &str, ix: usize) {
        if let Some(nodes) = self.wire_ids.get_mut(wire_id) {
            nodes.retain(|other| *other != ix);
            if nodes.is_empty() {
                self.wire_ids.remove(wire_id);
            }
        }
    }

    pub(super) fn node(&self, ix: usize) -> Option<&TreeMessage> {
        self.tree.node(ix).map(|node| &node.item)
    }

    pub(super) fn node_mut(&mut self, ix: usize) -> Option<&mut TreeMessage> {
        self.tree.item_mut(ix)
    }

    /// Changes a message, records the change, and returns the result of `edit`. Returns `None` if
    /// the node does not exist.
    pub(super) fn edit_message<R>(
        &mut self,
        ix: usize,
        edit: impl FnOnce(&mut Message) -> R,
    ) -> Option<R> {
        let message = &mut self.node_mut(ix)?.message;
        let result = edit(message);
        let id = message.id.clone();
        self.log.push(Change::Message(id));
        Some(result)
    }

    /// Returns true if the message was added by the run that is active now.
    #[must_use]
    pub fn is_being_written(&self, id: &MessageId) -> bool {
        let node = self.tree.find(id).and_then(|ix| self.node(ix));
        self.runs.current.is_some() && node.is_some_and(|node| node.run == self.runs.current)
    }

    /// Returns true if the tree is consistent. Used by tests.
    #[doc(hidden)]
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.tree.is_sound()
    }
}
