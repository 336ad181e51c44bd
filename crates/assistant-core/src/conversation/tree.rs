//! The tree of messages, the path on which runs write, and the path that is shown.
//!
//! Messages are looked up by id, calls by the agent's id on the run's path, both in constant time.
//! Only the session and the reducer change a conversation; everybody else reads. Neighbours:
//! `branch` for what a person does to the tree, `calls` for the calls, `index`.

use std::collections::{HashMap, HashSet};

#[cfg(feature = "ui-stream")]
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{CallKey, Change, Message, MessageId, calls::Calls, runs::Runs};
use crate::event::Object;

/// Where a part is.
#[cfg(feature = "ui-stream")]
#[derive(Debug, Clone, Copy)]
pub(super) struct PartRef {
    pub(super) node: usize,
    pub(super) part: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) message: Message,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The child through which the conversation was shown last.
    pub(super) chosen: Option<usize>,
    /// The id of a parent that is not there yet; until then the node is a root.
    pub(super) awaits: Option<MessageId>,
    pub(super) depth: usize,
    /// The run in which it came.
    pub(super) run: Option<u64>,
    /// Tool messages that stand right after this message in the received order.
    pub(super) results: Vec<CallKey>,
}

impl Node {
    pub(super) const fn new(message: Message, parent: Option<usize>, depth: usize) -> Self {
        Self {
            message,
            parent,
            children: Vec::new(),
            chosen: None,
            awaits: None,
            depth,
            run: None,
            results: Vec::new(),
        }
    }
}

/// A conversation: messages in a tree, the path that is shown, and the shared state.
#[derive(Debug, Clone)]
pub struct Conversation {
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) ids: HashMap<MessageId, usize>,
    /// Nodes by the id they have on the wire.
    pub(super) wire_ids: HashMap<String, Vec<usize>>,
    pub(super) roots: Vec<usize>,
    /// The root through which the conversation was shown last.
    pub(super) chosen_root: Option<usize>,
    /// Where runs write, from the root to their tip.
    pub(super) path: Vec<usize>,
    /// How many places of `path` stand for nodes that are gone.
    pub(super) gaps: usize,
    /// No other branch goes along `path` farther than this.
    pub(super) shared_len: usize,
    /// The number of places of paths that were rewritten so far.
    pub(super) path_work: u64,
    /// What is shown, where that is another branch.
    pub(super) shown: Option<Vec<usize>>,
    /// Counts how often what is shown changed in any other way than by growing at its end.
    pub(super) path_edition: u64,
    /// All calls, in messages or not.
    pub(super) calls: Calls,
    /// What a person deleted last, while it can come back.
    pub(super) removed: Option<Box<super::removed::Removed>>,
    /// Tool messages that stand before all nodes in the received order.
    pub(super) leading_results: Vec<CallKey>,
    /// Nodes that hold a tool result whose call is not known, by the call's id.
    pub(super) orphans: HashMap<String, usize>,
    /// The ids of tool messages by which the page let the agent run calls.
    pub(super) go_aheads: HashSet<String>,
    pub(super) runs: Runs,
    /// State shared with the agent.
    pub(super) state: Value,
    #[cfg(feature = "ui-stream")]
    /// Texts that grow by themselves, by the number that their stream gave them.
    pub(super) blocks: FxHashMap<u64, PartRef>,
    /// The form in which messages that the agent added under the user's role are sent back.
    pub(super) agent_user_messages: super::AgentUserMessages,
    /// What has changed since somebody took note of it.
    pub(super) log: Vec<Change>,
    /// Callouts in texts that are being written.
    #[cfg(feature = "callouts")]
    pub(super) reading: super::apply::callout::Reading,
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            ids: HashMap::new(),
            wire_ids: HashMap::new(),
            roots: Vec::new(),
            chosen_root: None,
            path: Vec::new(),
            gaps: 0,
            shared_len: 0,
            path_work: 0,
            shown: None,
            path_edition: 0,
            calls: Calls::default(),
            removed: None,
            leading_results: Vec::new(),
            orphans: HashMap::new(),
            go_aheads: HashSet::new(),
            runs: Runs::default(),
            state: Value::Object(Object::new()),
            #[cfg(feature = "ui-stream")]
            blocks: FxHashMap::default(),
            agent_user_messages: super::AgentUserMessages::default(),
            log: Vec::new(),
            #[cfg(feature = "callouts")]
            reading: super::apply::callout::Reading::default(),
        }
    }
}

impl Conversation {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn shown_path(&self) -> &[usize] {
        self.shown.as_deref().unwrap_or(&self.path)
    }

    /// The messages that are shown, from the first to the newest.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        self.path_from(0)
    }

    /// The messages that are shown from a place on, to the newest.
    pub fn path_from(&self, place: usize) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        let path = self.shown_path();
        let rest = path.get(self.slot(path, place)..).unwrap_or_default();
        self.messages_at(rest)
    }

    /// The messages of the branch that runs write on, from the first to the newest.
    pub fn run_path(&self) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        self.messages_at(&self.path)
    }

    fn messages_at<'a>(
        &'a self,
        path: &'a [usize],
    ) -> impl DoubleEndedIterator<Item = &'a Message> + Clone {
        path.iter()
            .filter_map(|ix| self.node(*ix))
            .map(|node| &node.message)
    }

    /// Counts how often what is shown changed in any other way than by growing at its end: who has
    /// seen this edition needs only what came after.
    #[must_use]
    pub const fn path_edition(&self) -> u64 {
        self.path_edition
    }

    /// The newest message that is shown.
    #[must_use]
    pub fn tip(&self) -> Option<&MessageId> {
        self.path().next_back().map(|message| &message.id)
    }

    /// The newest message of the branch that runs write on.
    #[must_use]
    pub fn run_tip(&self) -> Option<&MessageId> {
        self.run_path().next_back().map(|message| &message.id)
    }

    /// Returns whether another branch is shown than the one that runs write on.
    #[must_use]
    pub const fn shows_other_branch(&self) -> bool {
        self.shown.is_some()
    }

    /// The message with this id, on whichever branch.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.ids
            .get(id)
            .and_then(|ix| self.node(*ix))
            .map(|node| &node.message)
    }

    /// The message before this one.
    #[must_use]
    pub fn parent(&self, id: &MessageId) -> Option<&MessageId> {
        let node = self.ids.get(id).and_then(|ix| self.node(*ix))?;
        self.id_at(node.parent?)
    }

    /// The versions of a message: those with the same parent, itself included, oldest first.
    #[must_use]
    pub fn siblings(&self, id: &MessageId) -> Vec<&MessageId> {
        let Some(ix) = self.ids.get(id) else {
            return Vec::new();
        };
        let list = self.sibling_list(*ix).iter();
        list.filter_map(|ix| self.id_at(*ix)).collect()
    }

    /// Returns the number of a message's version, counted from 1, and the number of versions.
    /// `None` if there is no such message.
    #[must_use]
    pub fn version(&self, id: &MessageId) -> Option<(usize, usize)> {
        let ix = self.ids.get(id)?;
        let list = self.sibling_list(*ix);
        let place = list.iter().position(|other| other == ix)?;
        Some((place + 1, list.len()))
    }

    pub(super) fn sibling_list(&self, ix: usize) -> &[usize] {
        match self.node(ix).and_then(|node| node.parent) {
            Some(parent) => self.node(parent).map_or(&[], |parent| &parent.children),
            None => &self.roots,
        }
    }

    pub(super) fn id_at(&self, ix: usize) -> Option<&MessageId> {
        self.node(ix).map(|node| &node.message.id)
    }

    /// The state shared with the agent.
    #[must_use]
    pub const fn state(&self) -> &Value {
        &self.state
    }

    pub(crate) fn set_state(&mut self, state: Value) {
        self.state = state;
        self.log.push(Change::State);
    }

    /// What has changed since this was asked last.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.log)
    }

    /// Forgets what has changed, for those who read everything in the end.
    pub(crate) fn forget_changes(&mut self) {
        self.log.clear();
        self.calls.forget_transitions();
    }

    /// Adds a message below the tip of the run's path. An id that is taken on another branch gets
    /// a fresh name here.
    pub(crate) fn append(&mut self, message: Message) -> MessageId {
        let parent = self.path.last().copied();
        let (ix, id) = self.add_node(message, parent);
        self.log.push(Change::MessageAdded(id.clone()));
        self.hang(ix, parent);
        self.path.push(ix);
        if self.shown.is_none() {
            match parent.and_then(|parent| self.node_mut(parent)) {
                Some(parent) => parent.chosen = Some(ix),
                None => self.chosen_root = Some(ix),
            }
        }
        self.log.push(Change::Path);
        self.gather_orphans(ix);
        self.index_calls(ix);
        id
    }

    /// Adds a node and its names; it knows its parent, but the parent does not know it yet.
    pub(super) fn add_node(
        &mut self,
        mut message: Message,
        parent: Option<usize>,
    ) -> (usize, MessageId) {
        if self.ids.contains_key(&message.id) {
            message.wire_id = Some(message.wire_id().to_owned());
            message.id = self.free_id(message.id.as_str());
        }
        let id = message.id.clone();
        let ix = self.nodes.len();
        self.ids.insert(id.clone(), ix);
        self.wire_ids
            .entry(message.wire_id().to_owned())
            .or_default()
            .push(ix);
        let depth = match parent {
            Some(parent) => self.node(parent).map_or(0, |parent| parent.depth + 1),
            None => 0,
        };
        let mut node = Node::new(message, parent, depth);
        node.run = self.runs.current;
        self.nodes.push(Some(node));
        (ix, id)
    }

    fn free_id(&self, taken: &str) -> MessageId {
        let mut n = 2_usize;
        loop {
            let id = MessageId::from(format!("{taken}~{n}"));
            if !self.ids.contains_key(&id) {
                return id;
            }
            n += 1;
        }
    }

    pub(super) fn node(&self, ix: usize) -> Option<&Node> {
        self.nodes.get(ix)?.as_ref()
    }

    pub(super) fn node_mut(&mut self, ix: usize) -> Option<&mut Node> {
        self.nodes.get_mut(ix)?.as_mut()
    }
}
