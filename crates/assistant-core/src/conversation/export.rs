//! A whole conversation as JSON: exported, and imported at once or not at all.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    Conversation, FormatError, Message, MessageId,
    json::{error, object, take_text},
    tree::{CallRef, Node},
};

/// The version of the format that is written.
const VERSION: u64 = 1;

impl Conversation {
    /// The conversation as JSON: `{version, messages, tip, leadingResults, state}`, every message with its parent.
    #[must_use]
    pub fn export(&self) -> Value {
        let nodes = self.parents_first();
        let messages: Vec<Value> = nodes.map(|n| self.write_node(n)).collect();
        json!({
            "version": VERSION,
            "messages": messages,
            "tip": self.tip().map(MessageId::as_str),
            "leadingResults": self.write_refs(&self.leading_results),
            "state": self.state,
        })
    }

    /// All nodes, each after its parent and its older siblings: the order in which they are read.
    fn parents_first(&self) -> impl Iterator<Item = &Node> {
        let mut next: Vec<usize> = self.roots.iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let node = self.node(next.pop()?)?;
            next.extend(node.children.iter().rev());
            Some(node)
        })
    }

    fn write_node(&self, node: &Node) -> Value {
        let parent = node
            .parent
            .and_then(|ix| self.node(ix))
            .map(|node| node.message.id.as_str());
        json!({
            "parent": parent,
            "results": self.write_refs(&node.results),
            "message": node.message.to_json(),
        })
    }

    /// Tool messages by the message and the part that they answer.
    fn write_refs(&self, refs: &[CallRef]) -> Value {
        let write = |at: &CallRef| {
            let id = self.node(at.node)?.message.id.as_str();
            Some(json!([id, at.part]))
        };
        refs.iter().filter_map(write).collect()
    }

    /// A conversation from what [`Self::export`] wrote, or from a list of AG-UI messages.
    ///
    /// A call that has no answer in such a list is taken for cancelled: nobody can say whether it
    /// was carried out.
    ///
    /// # Errors
    ///
    /// When the version is not known or a message cannot be read; nothing is half imported.
    pub fn import(value: Value) -> Result<Self, FormatError> {
        Self::new().take_in(value)
    }

    /// What [`Self::import`] gives, as an empty conversation reads it.
    pub(crate) fn take_in(self, value: Value) -> Result<Self, FormatError> {
        let mut from = match value {
            Value::Array(list) => return self.add_list(list),
            value => object(value, "conversation")?,
        };
        if from.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(error(
                "the conversation has a version that is not known here",
            ));
        }
        let Some(Value::Array(entries)) = from.shift_remove("messages") else {
            return Err(error("the conversation has no list 'messages'"));
        };
        let mut conversation = self;
        let mut results = Vec::new();
        for entry in entries {
            results.push(conversation.read_node(entry)?);
        }
        for (ix, refs) in results.into_iter().enumerate() {
            let refs = conversation.read_refs(&refs);
            if let Some(node) = conversation.node_mut(ix) {
                node.results = refs;
            }
        }
        conversation.leading_results =
            conversation.read_refs(from.get("leadingResults").unwrap_or(&Value::Null));
        let tip = take_text(&mut from, "tip").map(MessageId::from);
        if !conversation.select_tip(tip.as_ref()) {
            return Err(error("the conversation's 'tip' is not among its messages"));
        }
        if let Some(state) = from.shift_remove("state") {
            conversation.state = state;
        }
        conversation.reindex();
        conversation.list_results_once();
        Ok(conversation)
    }

    /// Sees to it that every result has exactly one place in the received order.
    pub(super) fn list_results_once(&mut self) {
        let mut listed = HashSet::new();
        self.leading_results.retain(|at| listed.insert(*at));
        for node in self.nodes.iter_mut().flatten() {
            node.results.retain(|at| listed.insert(*at));
        }
        for ix in 0..self.nodes.len() {
            let parts = self.node(ix).map_or(0, |node| node.message.parts.len());
            let missing: Vec<CallRef> = (0..parts)
                .map(|part| CallRef { node: ix, part })
                .filter(|at| !listed.contains(at))
                .filter(|at| self.is_answered(*at))
                .collect();
            if let Some(node) = self.node_mut(ix) {
                node.results.extend(missing);
            }
        }
    }

    /// Adds a node below its parent, which must come before it, so that no circle can arise.
    fn read_node(&mut self, entry: Value) -> Result<Value, FormatError> {
        let mut entry = object(entry, "entry of 'messages'")?;
        let message = Message::from_json(entry.shift_remove("message").unwrap_or_default())?;
        let parent = match take_text(&mut entry, "parent").map(MessageId::from) {
            Some(id) => Some(
                self.ids
                    .get(&id)
                    .copied()
                    .ok_or_else(|| error("a message's parent is not known"))?,
            ),
            None => None,
        };
        if self.ids.contains_key(&message.id) {
            return Err(error("two messages have the same id"));
        }
        let ix = self.nodes.len();
        self.ids.insert(message.id.clone(), ix);
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => parent.children.push(ix),
            None => self.roots.push(ix),
        }
        let node = Node {
            message,
            parent,
            children: Vec::new(),
            depth: 0,
            results: Vec::new(),
        };
        self.nodes.push(Some(node));
        Ok(entry.shift_remove("results").unwrap_or_default())
    }

    /// Whether a call has a tool message in the received order.
    fn is_answered(&self, at: CallRef) -> bool {
        let call = self.call_at(at).filter(|call| call.is_real());
        call.is_some_and(|call| call.result.is_some() && !call.unlisted)
    }

    fn read_refs(&self, refs: &Value) -> Vec<CallRef> {
        let read = |entry: &Value| {
            let node = self
                .ids
                .get(&MessageId::from(entry.get(0)?.as_str()?))
                .copied()?;
            let part = usize::try_from(entry.get(1)?.as_u64()?).ok()?;
            let at = CallRef { node, part };
            self.is_answered(at).then_some(at)
        };
        refs.as_array()
            .map(|list| list.iter().filter_map(read).collect())
            .unwrap_or_default()
    }
}
