//! Applies the events of tool calls: start, arguments, end and result.

use super::{ApplyContext, Conversation};
use crate::{
    conversation::{Author, CallKey, CallResult, ToolCall, answer, state::State},
    event::{self, Base, Content, MessageBody, Object, Role},
};

/// The maximum number of consecutive tool messages that `last_tool_message_after` searches.
const MAX_CONSECUTIVE: usize = 64;

/// The maximum length of a path whose messages are renumbered to insert a further result, which
/// does not change the outcome. On a longer path, a further result is added at the end.
const MAX_RENUMBERED: usize = 1_000;

impl Conversation {
    pub(super) fn start_call(
        &mut self,
        id: String,
        name: String,
        parent: Option<String>,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        if let Some(key) = self.find_call(&id) {
            self.restart_call(key, name, out);
            self.merge_call_metadata(key, base);
            return;
        }
        let ix = self.find_or_add_call_message(&id, parent, &base, out);
        if let Some(key) = self.take_detached_call(&id) {
            let run = self.runs.current;
            self.calls.edit(&key, &mut |call| call.restart_args(run));
            self.push_call(ix, key);
            self.adopt_orphan(key);
            self.restart_call(key, name, out);
            self.merge_call_metadata(key, base);
            // The order of results is normalized, because the result of the call may have been
            // removed with the message before it.
            return self.normalize_result_order();
        }
        let mut call = ToolCall::new(id, name, out.now);
        call.metadata = base.metadata.map(|metadata| *metadata).unwrap_or_default();
        let key = self.calls.add(call, self.runs.current);
        self.push_call(ix, key);
        self.adopt_orphan(key);
    }

    /// Starts a known call again, because a repeated id refers to the same call. If the call has no
    /// outcome, it then belongs to the current run. The name and arguments may change. If the name
    /// and arguments are final or the call was handed off to the agent, a diagnostic is reported
    /// instead.
    fn restart_call(&mut self, key: CallKey, name: String, out: &mut ApplyContext<'_>) {
        let Some(call) = self.call(&key) else { return };
        let id = call.id.clone();
        let is_handed_off = matches!(call.state, State::HandedOff { .. });
        if is_handed_off || call.is_fixed() && (call.has_ended() || call.is_settled_here()) {
            return out.warn(
                "call-is-final",
                format!("call '{id}' is final: it is not started again"),
            );
        }
        if call.name != name {
            let old_name = &call.name;
            out.warn(
                "call-renamed",
                format!("TOOL_CALL_START: tool call '{id}' already exists with name '{old_name}': now '{name}'"),
            );
        }
        let run = self.runs.current;
        self.edit_unshared_call(&key, |call| {
            if !call.state.is_done() {
                call.run = run.or(call.run);
            }
            call.reopen_args();
            call.name = name;
        });
    }

    /// Returns the node of the message for a call (rule "placement of calls"). If the call names an
    /// assistant's message as its parent, the call belongs to that message. If no message or result
    /// has the parent's id, a message with that id is added. If the call names no parent, or a
    /// parent that is not an assistant's message, the call belongs to the message with the call's
    /// own id, which is added if it is missing.
    fn find_or_add_call_message(
        &mut self,
        id: &str,
        parent: Option<String>,
        base: &Base,
        out: &mut ApplyContext<'_>,
    ) -> usize {
        // An empty parent id is treated as missing, as in the reference client.
        let message_id = match parent.filter(|parent| !parent.is_empty()) {
            None => id.to_owned(),
            Some(parent) => match self.find_message(&parent) {
                Some(ix) if self.role_of(ix) == Some(Role::Assistant) => {
                    let ix = self.unshare(ix);
                    // The callout reader is paused so that the text it has held back is added
                    // before the call.
                    #[cfg(feature = "callouts")]
                    self.pause_callouts(ix, out);
                    return ix;
                }
                None if self.find_call_by_result(&parent).is_none() => parent,
                _ => {
                    out.warn(
                        "parent-is-no-assistant",
                        format!("TOOL_CALL_START: parent '{parent}' of call '{id}' is no assistant message"),
                    );
                    id.to_owned()
                }
            },
        };
        self.add_message(&message_id, Role::Assistant, None, base, out)
    }

    pub(super) fn apply_args_delta(
        &mut self,
        id: &str,
        delta: &str,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("arguments for unknown call '{id}'"));
        };
        if !self.call(&key).is_some_and(ToolCall::can_take_more_args) {
            return out.warn(
                "call-has-ended",
                format!("arguments for call '{id}', which has ended"),
            );
        }
        self.edit_unshared_call(&key, |call| {
            if call.has_ended() {
                call.reopen_args();
            }
            call.push_args(delta);
            merge_base_metadata(call, base);
        });
    }

    pub(super) fn end_call(&mut self, id: &str, base: Base, out: &mut ApplyContext<'_>) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("end of unknown call '{id}'"));
        };
        if self.call(&key).is_some_and(ToolCall::can_take_more_args) {
            self.edit_unshared_call(&key, |call| {
                call.end_args();
                merge_base_metadata(call, base);
            });
        }
    }

    pub(super) fn apply_result_event(
        &mut self,
        message_id: String,
        tool_call_id: String,
        content: Content,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let message_ix = self.find_message(&message_id);
        if message_ix
            .and_then(|ix| self.role_of(ix))
            .is_some_and(|role| role != Role::Tool)
        {
            out.warn(
                "id-taken",
                format!("result '{message_id}' has the id of another message"),
            );
        }
        let Some(key) = self.find_call(&tool_call_id) else {
            return self.add_orphan_result(message_id, tool_call_id, content, base, out);
        };
        let find_last_tool_message = |this: &Self| {
            let node = this.calls.node_of(&key).unwrap_or_default();
            this.last_tool_message_after(node)
        };
        // A call that has ended is final even if it has no result, so a cancelled call stays
        // cancelled.
        let is_final = |call: &ToolCall| call.state.is_done() && !call.is_unlisted();
        if !self.can_take_result(&key) || self.call(&key).is_some_and(is_final) {
            out.warn(
                "call-is-final",
                format!("call '{tool_call_id}' is over: another result is not taken"),
            );
            let previous_ix = find_last_tool_message(self);
            return self.add_further_result(
                key,
                previous_ix,
                (message_id, tool_call_id, content),
                base,
                out,
            );
        }
        let result = CallResult {
            message_id,
            error: None,
            value: answer::parse_content_value(&content),
            content,
            encrypted_value: None,
            subagent_run_id: base.subagent_run_id,
            metadata: base.metadata.map(|metadata| *metadata),
            extra: Object::new(),
        };
        self.unshare_call(&key);
        let previous_ix = find_last_tool_message(self);
        self.set_received_result(key, result, Author::Agent, Some(previous_ix), out.now);
    }

    fn add_orphan_result(
        &mut self,
        message_id: String,
        tool_call_id: String,
        content: Content,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        out.warn(
            "unknown-call",
            format!("result for unknown call '{tool_call_id}'"),
        );
        self.append_received(
            tool_message(message_id, tool_call_id, content, base),
            Author::Agent,
            out.now,
        );
    }

    /// Adds a further result of a call as a separate message, which is never sent and does not
    /// change the outcome. If this page ended or denied the call, the further result is discarded.
    fn add_further_result(
        &mut self,
        key: CallKey,
        after: usize,
        (message_id, tool_call_id, content): (String, String, Content),
        base: Base,
        out: &ApplyContext<'_>,
    ) {
        let was_decided_here =
            |call: &ToolCall| call.is_settled_here() || matches!(call.state, State::Denied { .. });
        if !self.call(&key).is_some_and(was_decided_here) {
            let message = tool_message(message_id, tool_call_id, content, base);
            match self.tree.path().len() <= MAX_RENUMBERED {
                true => self.insert_received(Some(after), message, out.now),
                false => self.append_received(message, Author::Agent, out.now),
            }
        }
    }

    /// Returns the node of the last of the consecutive tool messages directly after a message, or
    /// the node of the message itself if no tool message follows. Searches at most
    /// `MAX_CONSECUTIVE` messages.
    fn last_tool_message_after(&self, ix: usize) -> usize {
        let next_depth = self.tree.node(ix).map_or(0, |node| node.depth + 1);
        let messages = self.tree.path().iter().skip(next_depth);
        let messages = messages
            .filter(|ix| self.node(**ix).is_some())
            .take(MAX_CONSECUTIVE);
        messages
            .take_while(|ix| self.role_of(**ix) == Some(Role::Tool))
            .last()
            .copied()
            .unwrap_or(ix)
    }

    fn merge_call_metadata(&mut self, key: CallKey, base: Base) {
        if base.metadata.is_some() {
            self.edit_unshared_call(&key, |call| merge_base_metadata(call, base));
        }
    }
}

fn merge_base_metadata(call: &mut ToolCall, base: Base) {
    if let Some(metadata) = base.metadata {
        call.metadata.extend(*metadata);
    }
}

fn tool_message(id: String, tool_call_id: String, content: Content, base: Base) -> event::Message {
    let body = MessageBody::Tool {
        tool_call_id,
        content,
        error: None,
    };
    event::Message {
        subagent_run_id: base.subagent_run_id,
        metadata: base.metadata.map(|metadata| *metadata),
        ..event::Message::new(id, body)
    }
}
