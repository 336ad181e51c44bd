//! Stores results that arrive before their calls, with their positions in the received order, and
//! assigns the results once the calls appear. `fold` handles results of known calls.

use serde_json::Value;

use super::{
    Author, CallKey, CallResult, Conversation, Message, Part, ToolResultPart,
    answer::parse_content_value,
};
use crate::event::{Content, Object, Role};

pub(super) fn create_orphan_part(
    tool_call_id: String,
    content: Content,
    error: Option<String>,
) -> ToolResultPart {
    let mut extra = Object::new();
    if let Some(error) = error {
        extra.insert("error".to_owned(), error.into());
    }
    let output = parse_content_value(&content);
    ToolResultPart {
        tool_call_id,
        tool_name: None,
        output,
        content: Some(content),
        extra,
    }
}

impl Conversation {
    /// Returns the call ids of the results in a node that are not assigned to a call.
    pub(super) fn orphan_call_ids(&self, ix: usize) -> Vec<String> {
        let parts = self.node(ix).map_or(&[][..], |node| &node.message.parts);
        let results = parts.iter().filter_map(|part| match part {
            Part::ToolResult(part) => Some(part.tool_call_id.clone()),
            _ => None,
        });
        results.collect()
    }

    /// Assigns each result in a node to its call if the call is known and on the same branch.
    /// Otherwise indexes the node by the id of the call.
    pub(super) fn index_orphans(&mut self, ix: usize) {
        for id in self.orphan_call_ids(ix) {
            let call = self.find_call(&id).filter(|key| self.can_take_result(key));
            match call.filter(|key| self.tree.is_on_path(ix) || self.is_call_above(key, ix)) {
                Some(key) => self.move_orphan_to_call(key, ix, &id),
                None => self.index_orphan(&id, ix),
            }
        }
    }

    /// Returns true if a call belongs to a node or to one of its ancestors.
    fn is_call_above(&self, key: &CallKey, ix: usize) -> bool {
        let call_node = self.calls.node_of(key);
        call_node.is_some_and(|call_node| self.tree.chain_to(ix).contains(&call_node))
    }

    /// Indexes a node that contains a result without a call, by the id of the call. If several
    /// nodes contain a result for the call, a node on the run's path is preferred.
    pub(super) fn index_orphan(&mut self, id: &str, ix: usize) {
        let indexed_node = self.orphans.get(id).copied();
        if indexed_node.is_none_or(|indexed_node| {
            !self.tree.is_on_path(indexed_node) && self.tree.is_on_path(ix)
        }) {
            self.orphans.insert(id.to_owned(), ix);
        }
    }

    /// Moves the result of a call to the call if a node on the run's path contains the result.
    pub(super) fn adopt_orphan(&mut self, key: CallKey) {
        let Some(id) = self.call(&key).map(|call| call.id.clone()) else {
            return;
        };
        let orphan_node = self.orphans.get(&id).copied();
        if let Some(ix) = orphan_node.filter(|ix| self.tree.is_on_path(*ix)) {
            self.orphans.remove(&id);
            self.move_orphan_to_call(key, ix, &id);
        }
    }

    /// Moves a result from a node to its call. If the node is a tool message, the node is removed.
    /// If the agent only echoed the page's approval of the call, the call gets no result.
    fn move_orphan_to_call(&mut self, key: CallKey, ix: usize, id: &str) {
        let ix = self.unshare(ix);
        if self.tree.is_on_path(ix) {
            self.unshare_call(&key);
        }
        let Some(node) = self.tree.node(ix) else {
            return;
        };
        let message = &node.item.message;
        let part_index = message
            .parts
            .iter()
            .position(|part| matches!(part, Part::ToolResult(part) if part.tool_call_id == id));
        let Some(Part::ToolResult(part)) = part_index.and_then(|ix| message.parts.get(ix).cloned())
        else {
            return;
        };
        let result = result_from_part(message, part);
        let now = message.created_at;
        let is_tool_message = message.role == Role::Tool;
        let parent = node.parent;
        let author = Author::Agent;
        if self.is_approval_echo(&key, &result.message_id, &result.content) {
            if is_tool_message {
                self.remove_message_from_paths(ix);
            }
        } else if is_tool_message {
            let index = self.results_after(parent).len();
            self.remove_message_from_paths(ix);
            self.set_received_result(key, result, author, parent, now);
            // The result takes the position of its removed node, which precedes the results that
            // followed the node.
            let list = match parent.and_then(|ix| self.node_mut(ix)) {
                Some(node) => &mut node.results,
                None => &mut self.leading_results,
            };
            if let Some(tail) = list.get_mut(index..) {
                tail.rotate_right(1);
            }
        } else {
            self.set_received_result(key, result, author, Some(ix), now);
        }
    }

    fn results_after(&self, node: Option<usize>) -> &[CallKey] {
        match node.and_then(|ix| self.node(ix)) {
            Some(node) => &node.results,
            None => &self.leading_results,
        }
    }
}

fn result_from_part(message: &Message, part: ToolResultPart) -> CallResult {
    let error = part
        .extra
        .get("error")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let content = part
        .content
        .unwrap_or_else(|| Content::Text(part.output.to_string()));
    CallResult {
        message_id: message.wire_id().to_owned(),
        content,
        error,
        value: part.output,
        encrypted_value: message.encrypted_value.clone(),
        subagent_run_id: message.subagent_run_id.clone(),
        metadata: message.metadata.clone(),
        extra: message.extra.clone(),
    }
}
