//! Tool calls: start, arguments, end, result.

use super::{Applied, Change, Conversation, merge_metadata};
use crate::{
    conversation::{CallResult, Part, ToolCall, fold, tree::CallRef},
    event::{Base, Content, MessageBody, Object, Role},
};

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
        call.metadata = base.metadata.unwrap_or_default();
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
        if call.phase.is_final() {
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
        let home = match parent {
            None => id.to_owned(),
            Some(parent) => match self.find_message(&parent) {
                Some(ix) if self.role_of(ix) == Some(Role::Assistant) => return ix,
                Some(_) => {
                    out.warn(
                        "parent-is-no-assistant",
                        format!("TOOL_CALL_START: parent '{parent}' of call '{id}' is no assistant message"),
                    );
                    id.to_owned()
                }
                None => parent,
            },
        };
        match self.find_message(&home) {
            Some(ix) if self.role_of(ix) == Some(Role::Assistant) => ix,
            _ => self.add_message(&home, Role::Assistant, None, base, out),
        }
    }

    pub(super) fn grow_call(&mut self, id: &str, delta: &str, base: Base, out: &mut Applied<'_>) {
        let Some(at) = self.find_call(id) else {
            return out.warn("unknown-call", format!("arguments for unknown call '{id}'"));
        };
        let Some(call) = self.call_at_mut(at) else {
            return;
        };
        if call.has_ended() {
            return out.warn(
                "call-has-ended",
                format!("arguments for call '{id}', which has ended"),
            );
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
        if call.has_ended() {
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
        let Some(at) = self.find_call(&tool_call_id) else {
            return self.keep_orphan(message_id, tool_call_id, content, base, out);
        };
        if self.call_at(at).is_none_or(|call| call.phase.is_final()) {
            return out.warn(
                "call-is-final",
                format!("call '{tool_call_id}' has its result already"),
            );
        }
        let result = CallResult {
            message_id,
            error: None,
            value: fold::value_of(&content),
            content,
            sent: true,
            encrypted_value: None,
            subagent_run_id: base.subagent_run_id,
            metadata: base.metadata,
            extra: Object::new(),
        };
        self.fold(at, result, Some(at.node), out.now);
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
        let body = MessageBody::Tool {
            tool_call_id,
            content,
            error: None,
        };
        let mut wire = crate::event::Message::new(message_id, body);
        wire.subagent_run_id = base.subagent_run_id;
        wire.metadata = base.metadata;
        self.append_wire(wire, out.now);
        out.changes.push(Change::Path);
    }

    fn note_call_metadata(&mut self, at: CallRef, base: Base) {
        if let (Some(metadata), Some(call)) = (base.metadata, self.call_at_mut(at)) {
            merge_metadata(&mut call.metadata, metadata);
        }
    }

    pub(super) fn call_changed(&self, at: CallRef, out: &mut Applied<'_>) {
        out.changes.extend(self.key_of(at).map(Change::Call));
    }
}
