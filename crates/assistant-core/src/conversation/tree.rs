//! The tree of messages and the one path through it that is the chat.
//!
//! Messages are looked up by id, calls by the agent's id on the active path, both in constant
//! time. Only the session and the reducer change a conversation; everybody else reads.

use std::collections::HashMap;

use serde_json::Value;

use super::{CallKey, Message, MessageId, Part, ToolCall};
use crate::event::Object;

/// Where a call is: its node and its place among the node's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallRef {
    pub(super) node: usize,
    pub(super) part: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) message: Message,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) depth: usize,
    /// Tool messages that stand right after this message in the received order.
    pub(super) results: Vec<CallRef>,
}

/// A conversation: messages in a tree, the path that is shown, and the shared state.
#[derive(Debug, Clone)]
pub struct Conversation {
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) ids: HashMap<MessageId, usize>,
    /// Nodes by the id they have on the wire.
    pub(super) wire_ids: HashMap<String, Vec<usize>>,
    pub(super) roots: Vec<usize>,
    pub(super) path: Vec<usize>,
    /// Counts how often the path changed in any other way than by growing at its end.
    pub(super) path_edition: u64,
    pub(super) calls: HashMap<String, Vec<CallRef>>,
    /// Calls by the id of the tool message that answers them.
    pub(super) answers: HashMap<String, Vec<CallRef>>,
    /// Tool messages that stand before all nodes in the received order.
    pub(super) leading_results: Vec<CallRef>,
    /// Nodes that hold a tool result whose call is not known, by the call's id.
    pub(super) orphans: HashMap<String, usize>,
    /// Calls that have reached their last phase, in that order.
    pub(super) history: Vec<CallRef>,
    /// State shared with the agent.
    pub(super) state: Value,
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
            path: Vec::new(),
            path_edition: 0,
            calls: HashMap::new(),
            answers: HashMap::new(),
            leading_results: Vec::new(),
            orphans: HashMap::new(),
            history: Vec::new(),
            state: Value::Object(Object::new()),
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

    /// The messages of the chat, from the first to the newest.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &Message> + Clone {
        self.path
            .iter()
            .filter_map(|ix| self.node(*ix))
            .map(|node| &node.message)
    }

    /// The messages of the chat from a place on, to the newest.
    pub fn path_from(&self, place: usize) -> impl Iterator<Item = &Message> {
        let rest = self.path.get(place..).unwrap_or_default();
        rest.iter()
            .filter_map(|ix| self.node(*ix))
            .map(|node| &node.message)
    }

    /// Counts how often the path changed in any other way than by growing at its end: who has seen
    /// this edition needs only what came after.
    #[must_use]
    pub const fn path_edition(&self) -> u64 {
        self.path_edition
    }

    /// The newest message of the chat.
    #[must_use]
    pub fn tip(&self) -> Option<&MessageId> {
        self.path().next_back().map(|message| &message.id)
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
        node.parent
            .and_then(|parent| self.node(parent))
            .map(|parent| &parent.message.id)
    }

    /// The versions of a message: those with the same parent, itself included, oldest first.
    #[must_use]
    pub fn siblings(&self, id: &MessageId) -> Vec<&MessageId> {
        let Some(node) = self.ids.get(id).and_then(|ix| self.node(*ix)) else {
            return Vec::new();
        };
        let list = match node.parent {
            Some(parent) => self.node(parent).map_or(&[][..], |parent| &parent.children),
            None => &self.roots,
        };
        list.iter()
            .filter_map(|ix| self.node(*ix))
            .map(|node| &node.message.id)
            .collect()
    }

    /// A call by its key.
    #[must_use]
    pub fn call(&self, key: &CallKey) -> Option<&ToolCall> {
        self.call_ref(key).and_then(|at| self.call_at(at))
    }

    /// The call on the path to which the agent gave this id.
    #[must_use]
    pub fn call_by_wire_id(&self, id: &str) -> Option<(CallKey, &ToolCall)> {
        let at = self.find_call(id)?;
        Some((self.key_of(at)?, self.call_at(at)?))
    }

    /// All calls on the path, in order.
    #[must_use]
    pub fn path_calls(&self) -> Vec<CallKey> {
        self.path_call_refs()
            .into_iter()
            .filter_map(|at| self.key_of(at))
            .collect()
    }

    /// Calls that have not reached their last phase, in order of appearance.
    #[must_use]
    pub fn active_calls(&self) -> Vec<CallKey> {
        self.path_call_refs()
            .into_iter()
            .filter(|at| self.call_at(*at).is_some_and(|call| !call.phase.is_final()))
            .filter_map(|at| self.key_of(at))
            .collect()
    }

    /// Calls that have reached their last phase, in that order, on all branches.
    #[must_use]
    pub fn call_history(&self) -> Vec<CallKey> {
        self.history
            .iter()
            .filter_map(|at| self.key_of(*at))
            .collect()
    }

    /// The state shared with the agent.
    #[must_use]
    pub const fn state(&self) -> &Value {
        &self.state
    }

    pub(crate) fn set_state(&mut self, state: Value) {
        self.state = state;
    }

    /// Adds a message below the tip. An id that is taken on another branch gets a fresh name here.
    pub(crate) fn append(&mut self, message: Message) -> MessageId {
        let parent = self.path.last().copied();
        let (ix, id) = self.add_node(message, parent);
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => parent.children.push(ix),
            None => self.roots.push(ix),
        }
        self.path.push(ix);
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
        let node = Node {
            message,
            parent,
            children: Vec::new(),
            depth: self.path.len(),
            results: Vec::new(),
        };
        self.nodes.push(Some(node));
        (ix, id)
    }

    /// Shows the conversation up to this message, or none of it.
    pub(crate) fn select_tip(&mut self, id: Option<&MessageId>) -> bool {
        let Some(id) = id else {
            self.path.clear();
            self.number_path();
            return true;
        };
        let Some(ix) = self.ids.get(id).copied() else {
            return false;
        };
        let mut chain = Vec::new();
        let mut next = Some(ix);
        while let Some(ix) = next {
            chain.push(ix);
            next = self.node(ix).and_then(|node| node.parent);
        }
        chain.reverse();
        self.path = chain;
        self.number_path();
        true
    }

    /// Writes down how deep each node of the path is, so that `on_path` is one comparison. To be
    /// called after every change of the path but a growth at its end.
    pub(super) fn number_path(&mut self) {
        self.path_edition += 1;
        for depth in 0..self.path.len() {
            let ix = self.path.get(depth).copied();
            if let Some(node) = ix.and_then(|ix| self.node_mut(ix)) {
                node.depth = depth;
            }
        }
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

    pub(super) fn on_path(&self, ix: usize) -> bool {
        self.node(ix)
            .is_some_and(|node| self.path.get(node.depth) == Some(&ix))
    }

    pub(super) fn call_at(&self, at: CallRef) -> Option<&ToolCall> {
        self.node(at.node)?.message.parts.get(at.part)?.as_call()
    }

    pub(super) fn call_at_mut(&mut self, at: CallRef) -> Option<&mut ToolCall> {
        match self.node_mut(at.node)?.message.parts.get_mut(at.part)? {
            Part::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn call_ref(&self, key: &CallKey) -> Option<CallRef> {
        let node = self.ids.get(&key.message).copied()?;
        let parts = self.node(node)?.message.parts.iter().enumerate();
        let part = parts
            .filter(|(_, part)| part.as_call().is_some())
            .nth(usize::try_from(key.ordinal).ok()?)?
            .0;
        Some(CallRef { node, part })
    }

    /// Where a call stands on the path: for comparison only.
    pub(crate) fn place_of(&self, key: &CallKey) -> Option<(usize, usize)> {
        let at = self.call_ref(key)?;
        Some((self.node(at.node)?.depth, at.part))
    }

    pub(super) fn key_of(&self, at: CallRef) -> Option<CallKey> {
        let message = &self.node(at.node)?.message;
        let before = message.parts.get(..at.part)?;
        let ordinal = before
            .iter()
            .filter(|part| part.as_call().is_some())
            .count();
        Some(CallKey {
            message: message.id.clone(),
            ordinal: u32::try_from(ordinal).ok()?,
        })
    }

    pub(crate) fn call_mut(&mut self, key: &CallKey) -> Option<&mut ToolCall> {
        self.call_ref(key).and_then(|at| self.call_at_mut(at))
    }

    pub(super) fn path_call_refs(&self) -> Vec<CallRef> {
        self.path
            .iter()
            .flat_map(|ix| self.node_call_refs(*ix))
            .collect()
    }

    /// Calls that are only told in a text are not among them.
    pub(super) fn node_call_refs(&self, node: usize) -> Vec<CallRef> {
        let parts = self.node(node).map_or(&[][..], |node| &node.message.parts);
        let calls = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.as_call().is_some_and(ToolCall::is_real));
        calls.map(|(part, _)| CallRef { node, part }).collect()
    }
}
