//! Tool calls: start, arguments, end, result.

use super::{Applied, Change, Conversation, merge_metadata};
use crate::{
    conversation::{CallResult, Part, ToolCall, fold, tree::CallRef},
    event::{self, Base, Content, MessageBody, Object, Role},
};

/// How many tool messages in a row are looked through for the end of the row.
const LONGEST_ROW: usize = 64;

impl Conversation {
    pub(super) fn start_call(
        &mut self,
        id: String,
        name: String,
        parent: Option<String>,
        base: Base,
        out: &mut Applied<'_>,
    ) {
        if let Some(at) = self.find_call(&id) {
            self.restart_call(at, name, out);
            self.note_call_metadata(at, base);
            return;
        }
        let ix = self.home_of_call(&id, parent, &base, out);
        let mut call = ToolCall::new(id, name, out.now);
        call.metadata = base.metadata.map(|metadata| *metadata).unwrap_or_default();
        let part = self.push_part(ix, Part::ToolCall(Box::new(call)), out);
        let at = CallRef { node: ix, part };
        self.index_call(at);
        self.adopt_orphan(at);
    }

    /// The same id again is the same call: it may get another name and more arguments, as long as
    /// nothing about it is final.
    fn restart_call(&mut self, at: CallRef, name: String, out: &mut Applied<'_>) {
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        if call.settled {
            let id = call.id.clone();
            return out.warn(
                "call-is-final",
                format!("call '{id}' is final: it is not started again"),
            );
        }
        if call.name != name {
            let (id, old) = (
                call.id.clone(),
                std::mem::replace(&mut call.name, name.clone()),
            );
            out.warn(
                "call-renamed",
                format!("TOOL_CALL_START: tool call '{id}' already exists with name '{old}': now '{name}'"),
            );
        }
        if let Some(call) = self.call_at_mut(at) {
            call.reopen();
        }
        self.call_changed(at, out);
    }

    /// The message that carries the call, by the four cases of row S4-14.
    fn home_of_call(
        &mut self,
        id: &str,
        parent: Option<String>,
        base: &Base,
        out: &mut Applied<'_>,
    ) -> usize {
        // An empty parent names none, as the reference reads it.
        let home = match parent.filter(|parent| !parent.is_empty()) {
            None => id.to_owned(),
            Some(parent) => match self.find_message(&parent) {
                Some(ix) if self.role_of(ix) == Some(Role::Assistant) => {
                    // A call stands behind the text that came before it.
                    #[cfg(feature = "callouts")]
                    self.finish_callouts(ix, out);
                    return ix;
                }
                None if self.find_answer(&parent).is_none() => parent,
                _ => {
                    out.warn(
                        "parent-is-no-assistant",
                        format!("TOOL_CALL_START: parent '{parent}' of call '{id}' is no assistant message"),
                    );
                    id.to_owned()
                }
            },
        };
        self.add_message(&home, Role::Assistant, None, base, out)
    }

    pub(super) fn grow_call(&mut self, id: &str, delta: &str, base: Base, out: &mut Applied<'_>) {
        let Some(at) = self.find_call(id) else {
            return out.warn("unknown-call", format!("arguments for unknown call '{id}'"));
        };
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        if !call.takes_more() {
            return out.warn(
                "call-has-ended",
                format!("arguments for call '{id}', which has ended"),
            );
        }
        if call.has_ended() {
            call.reopen();
        }
        call.push_args(delta);
        self.note_call_metadata(at, base);
        self.call_changed(at, out);
    }

    pub(super) fn end_call(&mut self, id: &str, base: Base, out: &mut Applied<'_>) {
        let Some(at) = self.find_call(id) else {
            return out.warn("unknown-call", format!("end of unknown call '{id}'"));
        };
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        if !call.takes_more() {
            return;
        }
        call.end_args();
        self.note_call_metadata(at, base);
        self.call_changed(at, out);
    }

    pub(super) fn result_event(
        &mut self,
        message_id: String,
        tool_call_id: String,
        content: Content,
        base: Base,
        out: &mut Applied<'_>,
    ) {
        let named = self.find_message(&message_id);
        if named
            .and_then(|ix| self.role_of(ix))
            .is_some_and(|role| role != Role::Tool)
        {
            out.warn(
                "id-taken",
                format!("result '{message_id}' has the id of another message"),
            );
        }
        let Some(at) = self.find_call(&tool_call_id) else {
            return self.keep_orphan(message_id, tool_call_id, content, base, out);
        };
        let after = self.last_tool_after(at.node);
        // A call that was given up stays so, even if it never had a result.
        let is_over = |call: &ToolCall| call.phase.is_final() && !call.unlisted;
        if !self.waits(at) || self.call_at(at).is_some_and(is_over) {
            out.warn(
                "call-is-final",
                format!("call '{tool_call_id}' is over: another result is not taken"),
            );
            return self.keep_second(after, message_id, tool_call_id, content, base, out);
        }
        let result = CallResult {
            message_id,
            error: None,
            value: fold::value_of(&content),
            content,
            sent: true,
            encrypted_value: None,
            subagent_run_id: base.subagent_run_id,
            metadata: base.metadata.map(|metadata| *metadata),
            extra: Object::new(),
        };
        self.fold(at, result, Some(after), out.now);
        self.call_changed(at, out);
    }

    fn keep_orphan(
        &mut self,
        message_id: String,
        tool_call_id: String,
        content: Content,
        base: Base,
        out: &mut Applied<'_>,
    ) {
        out.warn(
            "unknown-call",
            format!("result for unknown call '{tool_call_id}'"),
        );
        self.append_wire(
            tool_message(message_id, tool_call_id, content, base),
            out.now,
        );
        out.changes.push(Change::Path);
    }

    /// A further result of a call changes nothing about it. It is kept where it came, and never
    /// sent; if the call was answered here, it is not even kept.
    fn keep_second(
        &mut self,
        after: usize,
        message_id: String,
        tool_call_id: String,
        content: Content,
        base: Base,
        out: &mut Applied<'_>,
    ) {
        let settled = self
            .find_call(&tool_call_id)
            .and_then(|at| self.call_at(at))
            .is_some_and(|call| call.settled);
        if !settled {
            let wire = tool_message(message_id, tool_call_id, content, base);
            self.insert_wire(Some(after), wire, out.now);
            out.changes.push(Change::Path);
        }
    }

    /// The last of the tool messages that stand right after a message. A long row of them is not
    /// looked through: the place of a result is not worth more than the result.
    fn last_tool_after(&self, ix: usize) -> usize {
        let next = self.node(ix).map_or(0, |node| node.depth + 1);
        let row = self.path.iter().skip(next).take(LONGEST_ROW);
        row.take_while(|ix| self.role_of(**ix) == Some(Role::Tool))
            .last()
            .copied()
            .unwrap_or(ix)
    }

    fn note_call_metadata(&mut self, at: CallRef, base: Base) {
        if let (Some(metadata), Some(call)) = (base.metadata, self.call_at_mut(at)) {
            merge_metadata(&mut call.metadata, *metadata);
        }
    }

    pub(super) fn call_changed(&self, at: CallRef, out: &mut Applied<'_>) {
        out.changes.extend(self.key_of(at).map(Change::Call));
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
