//! Results that came before their call: kept where they stand, and folded into the call once it
//! appears. Neighbour: `fold`.

use serde_json::Value;

use super::{
    Author, CallKey, CallResult, Conversation, Message, Part, ToolResultPart, fold::value_of,
};
use crate::event::{Content, Object, Role};

pub(super) fn orphan_part(
    tool_call_id: String,
    content: Content,
    error: Option<String>,
) -> ToolResultPart {
    let mut extra = Object::new();
    if let Some(error) = error {
        extra.insert("error".to_owned(), error.into());
    }
    let output = value_of(&content);
    ToolResultPart {
        tool_call_id,
        tool_name: None,
        output,
        content: Some(content),
        extra,
    }
}

impl Conversation {
    /// Remembers the results in a node that wait for their call.
    pub(super) fn note_orphans(&mut self, ix: usize) {
        let Some(node) = self.node(ix) else { return };
        let ids: Vec<String> = node
            .message
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::ToolResult(part) => Some(part.tool_call_id.clone()),
                _ => None,
            })
            .collect();
        for id in ids {
            match self.find_call(&id).filter(|key| self.waits(key)) {
                Some(key) => self.take_orphan(key, ix, &id),
                None => {
                    self.orphans.entry(id).or_insert(ix);
                }
            }
        }
    }

    /// A call appeared: if its result came before it, they meet now.
    pub(super) fn adopt_orphan(&mut self, key: CallKey) {
        let Some(id) = self.call(&key).map(|call| call.id.clone()) else {
            return;
        };
        let waiting = self.orphans.get(&id).copied();
        if let Some(ix) = waiting.filter(|ix| self.on_path(*ix)) {
            self.orphans.remove(&id);
            self.take_orphan(key, ix, &id);
        }
    }

    /// Moves a stored result into its call. A node that held nothing else leaves the tree.
    fn take_orphan(&mut self, key: CallKey, ix: usize, id: &str) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let message = &mut node.message;
        let found = message
            .parts
            .iter()
            .position(|part| matches!(part, Part::ToolResult(part) if part.tool_call_id == id));
        let Some(Part::ToolResult(part)) = found.and_then(|ix| message.parts.get(ix).cloned())
        else {
            return;
        };
        let result = result_from_part(message, part);
        let now = message.created_at;
        let whole = message.role == Role::Tool;
        let before = node.parent;
        let author = Author::Agent;
        if whole {
            let place = self.results_after(before).len();
            self.splice_on_path(ix);
            self.fold(key, result, author, before, now);
            // It takes the place of its node: before the results that stood behind the node.
            let list = match before.and_then(|ix| self.node_mut(ix)) {
                Some(node) => &mut node.results,
                None => &mut self.leading_results,
            };
            if let Some(tail) = list.get_mut(place..) {
                tail.rotate_right(1);
            }
        } else {
            self.fold(key, result, author, Some(ix), now);
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
