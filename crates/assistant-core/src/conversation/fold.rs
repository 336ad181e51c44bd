//! Tool messages fold into their calls and keep their place in the received order (decision D6).

use serde_json::Value;

use super::{
    Approval, CallResult, Conversation, Message, Part, Phase, ToolResultPart, tree::CallRef,
};
use crate::event::{self, Content, MessageBody, Object, Role};

/// The value that a renderer sees: JSON where the content is JSON, else its text.
pub(super) fn value_of(content: &Content) -> Value {
    let text = content.display_text();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

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
    /// Gives a call its result. `after` names the node behind which the tool message stands.
    pub(super) fn fold(&mut self, at: CallRef, result: CallResult, after: Option<usize>, now: i64) {
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        let was_final = call.phase.is_final();
        take_result(call, result, now);
        if !was_final {
            self.history.push(at);
        }
        self.index_answer(at);
        match after.and_then(|ix| self.node_mut(ix)) {
            Some(node) => node.results.push(at),
            None => self.leading_results.push(at),
        }
    }

    /// Gives a call a result of our own: it stands among its siblings in call order.
    pub(crate) fn answer(
        &mut self,
        key: &super::CallKey,
        result: CallResult,
        phase: Phase,
        now: i64,
    ) {
        let Some(at) = self.call_ref(key) else { return };
        if self.call_at(at).is_none_or(|call| call.phase.is_final()) {
            return;
        }
        self.finish(at, phase, now);
        if let Some(call) = self.call_at_mut(at) {
            call.result = Some(result);
        }
        self.index_answer(at);
        if let Some(node) = self.node_mut(at.node) {
            let place = node
                .results
                .iter()
                .position(|other| other.node == at.node && other.part > at.part)
                .unwrap_or(node.results.len());
            node.results.insert(place, at);
        }
    }

    /// A call reaches its last phase without an answer of its own.
    pub(crate) fn close_call(&mut self, key: &super::CallKey, phase: Phase, now: i64) {
        if let Some(at) = self.call_ref(key) {
            self.finish(at, phase, now);
        }
    }

    fn finish(&mut self, at: CallRef, phase: Phase, now: i64) {
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        if call.phase.is_final() {
            return;
        }
        call.phase = phase;
        call.ended_at = Some(now);
        call.settled = true;
        self.history.push(at);
    }

    /// Adds a message from the wire at the tip, folding it if it answers a known call.
    pub(super) fn append_wire(&mut self, wire: event::Message, now: i64) {
        let at = match &wire.body {
            MessageBody::Tool { tool_call_id, .. } => {
                self.find_call(tool_call_id).filter(|at| self.waits(*at))
            }
            _ => None,
        };
        match at {
            Some(at) if self.is_echo(at, &wire) => {}
            Some(at) => {
                let after = self.path.last().copied();
                if let Some(result) = result_from_wire(wire) {
                    self.fold(at, result, after, now);
                }
            }
            None => {
                let message = self.fresh_from_wire(wire, now);
                self.append(message);
            }
        }
    }

    /// Whether a tool message says no more than the page said itself: that the call may run.
    fn is_echo(&self, at: CallRef, wire: &event::Message) -> bool {
        let says = |content: &Content| content.display_text() == Approval::GO_ON;
        self.call_at(at).is_some_and(super::ToolCall::is_told)
            && matches!(&wire.body, MessageBody::Tool { content, .. } if says(content))
    }

    /// Puts a message from the wire between one of the path (or the beginning) and all that
    /// follow it.
    pub(super) fn insert_wire(&mut self, before: Option<usize>, wire: event::Message, now: i64) {
        let message = self.fresh_from_wire(wire, now);
        self.insert_after(before, message);
    }

    /// A new message from the wire. The same id is the same call: one that is on the path stays
    /// where it is.
    fn fresh_from_wire(&self, mut wire: event::Message, now: i64) -> Message {
        if let MessageBody::Assistant { tool_calls, .. } = &mut wire.body {
            tool_calls.retain(|call| self.find_call(&call.id).is_none());
        }
        let message = super::wire_form::from_wire(wire, now);
        #[cfg(feature = "callouts")]
        let message = self.reading.whole(message, now);
        message
    }

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
            match self.find_call(&id).filter(|at| self.waits(*at)) {
                Some(at) => self.take_orphan(at, ix, &id),
                None => {
                    self.orphans.entry(id).or_insert(ix);
                }
            }
        }
    }

    pub(super) fn waits(&self, at: CallRef) -> bool {
        self.call_at(at)
            .is_some_and(|call| call.result.is_none() || call.unlisted)
    }

    /// A call appeared: if its result came before it, they meet now (row S0-5).
    pub(super) fn adopt_orphan(&mut self, at: CallRef) {
        let Some(id) = self.call_at(at).map(|call| call.id.clone()) else {
            return;
        };
        let waiting = self.orphans.get(&id).copied();
        if let Some(ix) = waiting.filter(|ix| self.on_path(*ix)) {
            self.orphans.remove(&id);
            self.take_orphan(at, ix, &id);
        }
    }

    /// Moves a stored result into its call. A node that held nothing else leaves the tree.
    fn take_orphan(&mut self, at: CallRef, ix: usize, id: &str) {
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
        if whole {
            let place = self.results_after(before).len();
            self.splice(ix);
            self.fold(at, result, before, now);
            // It takes the place of its node: before the results that stood behind the node.
            let list = match before.and_then(|ix| self.node_mut(ix)) {
                Some(node) => &mut node.results,
                None => &mut self.leading_results,
            };
            if let Some(tail) = list.get_mut(place..) {
                tail.rotate_right(1);
            }
        } else {
            self.fold(at, result, Some(ix), now);
        }
    }

    fn results_after(&self, node: Option<usize>) -> &[CallRef] {
        match node.and_then(|ix| self.node(ix)) {
            Some(node) => &node.results,
            None => &self.leading_results,
        }
    }

    /// Puts a message between one of the path (or the beginning) and all that follows it.
    fn insert_after(&mut self, before: Option<usize>, message: Message) {
        let (ix, _) = self.add_node(message, before);
        let children = match before.and_then(|before| self.node_mut(before)) {
            Some(before) => std::mem::replace(&mut before.children, vec![ix]),
            None => std::mem::replace(&mut self.roots, vec![ix]),
        };
        for child in &children {
            if let Some(child) = self.node_mut(*child) {
                child.parent = Some(ix);
            }
        }
        if let Some(node) = self.node_mut(ix) {
            node.children = children;
        }
        let place = before
            .and_then(|before| self.node(before))
            .map_or(0, |before| before.depth + 1);
        self.path.insert(place.min(self.path.len()), ix);
        self.number_path();
        self.index_calls(ix);
    }

    /// Takes a node out; its children become children of its parent.
    pub(super) fn splice(&mut self, ix: usize) {
        let Some(node) = self.nodes.get_mut(ix).and_then(Option::take) else {
            return;
        };
        for child in &node.children {
            if let Some(child) = self.node_mut(*child) {
                child.parent = node.parent;
            }
        }
        let siblings = match node.parent {
            Some(parent) => match self.node_mut(parent) {
                Some(parent) => {
                    parent.results.extend(node.results.iter().copied());
                    &mut parent.children
                }
                None => return,
            },
            None => {
                self.leading_results.extend(node.results.iter().copied());
                &mut self.roots
            }
        };
        if let Some(place) = siblings.iter().position(|other| *other == ix) {
            siblings.splice(place..=place, node.children.iter().copied());
        }
        self.path.retain(|other| *other != ix);
        self.ids.remove(&node.message.id);
        if let Some(list) = self.wire_ids.get_mut(node.message.wire_id()) {
            list.retain(|other| *other != ix);
        }
        self.number_path();
    }
}

/// A result from the wire. One that says what is known already changes nothing about how the call
/// ended; another one does.
pub(super) fn take_result(call: &mut super::ToolCall, result: CallResult, now: i64) {
    let same = call
        .result
        .as_ref()
        .is_some_and(|known| known.content == result.content);
    if !(same && call.phase.is_final()) {
        call.phase = if result.error.is_some() {
            Phase::OutputError
        } else if call.is_refused_to_agent() {
            Phase::OutputDenied
        } else {
            Phase::OutputAvailable
        };
        call.ended_at.get_or_insert(now);
        call.error = None;
    }
    call.unlisted = false;
    call.result = Some(result);
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
        sent: true,
        encrypted_value: message.encrypted_value.clone(),
        subagent_run_id: message.subagent_run_id.clone(),
        metadata: message.metadata.clone(),
        extra: message.extra.clone(),
    }
}

/// The result that a tool message carries.
pub(super) fn result_from_wire(wire: event::Message) -> Option<CallResult> {
    let MessageBody::Tool { content, error, .. } = wire.body else {
        return None;
    };
    Some(CallResult {
        message_id: wire.id,
        value: value_of(&content),
        content,
        error,
        sent: true,
        encrypted_value: wire.encrypted_value,
        subagent_run_id: wire.subagent_run_id,
        metadata: wire.metadata,
        extra: wire.extra,
    })
}
