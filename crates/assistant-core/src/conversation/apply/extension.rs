//! Applies events of other protocols that AG-UI does not have: fields of answers and calls, custom
//! parts, and outcomes of calls.
//!
//! The module `block` applies the events of text blocks.

use serde_json::Value;

use super::{ApplyContext, Conversation, block::merge_extra};
use crate::{
    conversation::{
        Author, CallError, CallResult, Change, ErrorKind, Origin, Part, ToolCall, outcome::CallEnd,
        state::StateEvent, ui,
    },
    event::{Extension, Object, Role, Settlement},
    json::merge::merge_object,
};

impl Conversation {
    pub(super) fn apply_extension(&mut self, extension: Extension, out: &mut ApplyContext<'_>) {
        match extension {
            Extension::Message {
                message_id,
                extra,
                metadata,
            } => self.annotate_answer(&message_id, extra, metadata, out),
            Extension::BlockStart {
                block,
                message_id,
                reasoning,
                extra,
            } => self.start_block(block, &message_id, reasoning, extra, out),
            Extension::BlockDelta {
                block,
                delta,
                extra,
                ..
            } => self.apply_block_delta(block, &delta, extra, out),
            Extension::BlockEnd { block, extra } => self.end_block(block, extra, out),
            Extension::Part {
                message_id,
                part,
                replace,
            } => self.set_part(&message_id, part, replace, out),
            Extension::Reset { message_id, whole } => self.reset_answer(&message_id, whole),
            Extension::CallInput {
                tool_call_id,
                text,
                complete,
            } => self.set_call_input(&tool_call_id, &text, complete, out),
            Extension::CallCut { tool_call_id } => self.cut_off_call(&tool_call_id, out),
            Extension::CallRestart {
                tool_call_id,
                tool_call_name,
            } => self.replace_call(&tool_call_id, tool_call_name, out),
            Extension::CallNote {
                tool_call_id,
                extra,
            } => self.annotate_call(&tool_call_id, extra, out),
            Extension::CallSettled {
                tool_call_id,
                message_id,
                settlement,
            } => self.settle_call(&tool_call_id, message_id, settlement, out),
        }
    }

    /// Returns the node of the answer with this id. A missing answer is added. If the id belongs to
    /// a message that is not an answer of the agent, reports a diagnostic and returns `None`.
    pub(super) fn find_or_add_answer(
        &mut self,
        id: &str,
        out: &mut ApplyContext<'_>,
    ) -> Option<usize> {
        let Some(ix) = self.find_message(id) else {
            return Some(self.add_message(
                id,
                Role::Assistant,
                None,
                &crate::event::Base::default(),
                out,
            ));
        };
        if self.role_of(ix) != Some(Role::Assistant) || self.is_written_by_user(ix) {
            out.warn("not-an-answer", format!("'{id}' is no answer: ignored"));
            return None;
        }
        Some(self.unshare(ix))
    }

    fn annotate_answer(
        &mut self,
        id: &str,
        extra: Object,
        metadata: Option<Object>,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(ix) = self.find_or_add_answer(id, out) else {
            return;
        };
        self.edit_message(ix, |message| {
            ui::edit_ui_fields(&mut message.extra, |notes| merge_extra(notes, extra));
            if let Some(metadata) = metadata {
                match &mut message.metadata {
                    Some(target) => merge_object(target, metadata),
                    none => *none = Some(metadata),
                }
            }
        });
    }

    fn set_part(&mut self, id: &str, part: Value, replace: bool, out: &mut ApplyContext<'_>) {
        let Some(ix) = self.find_or_add_answer(id, out) else {
            return;
        };
        let part = ui::part_from_ui(part);
        let Some(node) = self.node_mut(ix).filter(|_| replace) else {
            self.push_part(ix, part);
            return;
        };
        let (Part::Data(new_data), message) = (part, &mut node.message) else {
            return;
        };
        let mut data = message.parts.iter_mut().filter_map(|part| match part {
            Part::Data(data) => Some(data),
            _ => None,
        });
        let id = new_data.extra.get("id");
        let existing_data = data.find(|known| {
            known.data_type == new_data.data_type && id.is_some() && known.extra.get("id") == id
        });
        match existing_data {
            Some(known) => known.data = new_data.data,
            None => message.parts.push(Part::Data(new_data)),
        }
        let id = message.id.clone();
        self.log.push(Change::Message(id));
    }

    /// Clears an answer after a failed attempt. The calls of the answer are detached, and are
    /// restored if the agent repeats their ids.
    fn reset_answer(&mut self, id: &str, whole: bool) {
        let Some(ix) = self.find_message(id) else {
            return;
        };
        let ix = self.unshare(ix);
        self.blocks.retain(|_, part_ref| part_ref.node != ix);
        #[cfg(feature = "callouts")]
        self.remove_callout_reader(ix);
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let parts = std::mem::take(&mut node.message.parts);
        node.message.markdown = None;
        if whole {
            node.message.metadata = None;
            ui::edit_ui_fields(&mut node.message.extra, |notes| {
                // A message that the agent does not send again begins no step.
                notes.retain(|name, _| !matches!(name.as_str(), "metadata" | "step"));
            });
        }
        let id = node.message.id.clone();
        for key in parts.iter().filter_map(Part::call_key) {
            match self.calls.get(&key).is_some_and(ToolCall::is_real) {
                true => {
                    self.calls.edit(&key, &mut ToolCall::void_check);
                    self.detach_call(key);
                }
                false => drop(self.calls.remove(&key)),
            }
        }
        self.log.push(Change::Message(id));
    }

    fn set_call_input(&mut self, id: &str, text: &str, complete: bool, out: &mut ApplyContext<'_>) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("arguments for unknown call '{id}'"));
        };
        let Some(call) = self.call(&key) else { return };
        if complete && call.has_ended() && call.args_text() == text {
            return;
        }
        let is_fixed = call.state.is_closed_to_args() || call.state.is_done();
        // Arguments that have not ended are accepted, because a resumed stream may repeat the
        // answer with the arguments.
        let is_repeated = !call.has_ended() && !call.is_settled_here();
        if is_fixed && !is_repeated {
            let message = format!("arguments for call '{id}', which is decided or over");
            return out.warn("call-has-ended", message);
        }
        let run = self.runs.current;
        self.edit_unshared_call(&key, |call| {
            if call.has_ended() {
                let name = call.name.clone();
                call.rewrite(name, text);
            } else if call.args_text() != text {
                call.set_args_text(text);
            }
            if complete {
                call.end_args();
                call.run = run.or(call.run);
            }
        });
    }

    fn cut_off_call(&mut self, id: &str, out: &mut ApplyContext<'_>) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("end of unknown call '{id}'"));
        };
        let call = self.call(&key);
        // The arguments are cut off only if they have not ended or are empty.
        let has_args = |call: &ToolCall| call.has_ended() && !call.args_text().trim().is_empty();
        if !call.is_some_and(has_args) {
            let run = self.runs.current;
            self.edit_call(&key, |call| {
                call.cut_off_args();
                call.run = run.or(call.run);
            });
        }
    }

    /// Replaces an ended call with a new call of the same id, because the agent has withdrawn the
    /// outcome of the ended call. Reports a diagnostic instead if the call is unknown, has not
    /// ended, was started or decided, or was ended by the page.
    fn replace_call(&mut self, id: &str, name: String, out: &mut ApplyContext<'_>) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("unknown call '{id}' begins again"));
        };
        let Some(call) = self.call(&key) else {
            return;
        };
        let approval = call.approval();
        let is_decided = approval.is_some_and(|approval| approval.decision.is_some());
        let is_fixed = call.is_settled_here() || call.was_started() || is_decided;
        if is_fixed || !call.state.is_done() {
            let message = format!("call '{id}' is final: it is not started again");
            return out.warn("call-is-final", message);
        }
        let mut replacement = ToolCall::new(id, name, out.now);
        replacement.origin = call.origin;
        replacement.extra = call.extra.clone();
        self.unshare_call(&key);
        let new_key = self.calls.add(replacement, self.runs.current);
        let Some(ix) = self.calls.node_of(&key) else {
            return;
        };
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        node.results.retain(|result| *result != key);
        for part in &mut node.message.parts {
            if part.call_key() == Some(key) {
                *part = Part::Call(new_key);
            }
        }
        let message = node.message.id.clone();
        self.calls.remove(&key);
        self.index_calls(ix);
        self.log.push(Change::Message(message));
    }

    fn annotate_call(&mut self, id: &str, extra: Object, out: &mut ApplyContext<'_>) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("a note about unknown call '{id}'"));
        };
        self.edit_unshared_call(&key, |call| {
            ui::edit_ui_fields(&mut call.extra, |notes| merge_extra(notes, extra));
            mark_provider_call(call);
        });
    }

    fn settle_call(
        &mut self,
        id: &str,
        message_id: String,
        settlement: Settlement,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(key) = self.find_call(id) else {
            return out.warn("unknown-call", format!("result for unknown call '{id}'"));
        };
        let (end, value) = match settlement {
            Settlement::Preliminary(value) => {
                let is_done = self.call(&key).is_some_and(|call| call.state.is_done());
                if !is_done {
                    self.edit_unshared_call(&key, |call| call.preliminary = Some(value));
                }
                return;
            }
            Settlement::Output(value) => (CallEnd::Output, value),
            Settlement::Error(text) => (CallEnd::Error, Value::String(text)),
            Settlement::Denied => (CallEnd::Denied, "denied".into()),
        };
        let now = out.now;
        let is_accepted = self.edit_unshared_call(&key, |call| {
            set_reported_outcome(call, end, message_id, value, now)
        });
        match is_accepted {
            Some(true) => self.list_result(key),
            _ => out.warn(
                "call-is-final",
                format!("call '{id}' is over: another result is not taken"),
            ),
        }
    }
}

/// Marks a call as run by the agent's provider if the fields of the AI SDK state that the provider
/// runs the call or that the agent denied the call. Calls from a text are not changed.
fn mark_provider_call(call: &mut ToolCall) {
    let Some(Value::Object(notes)) = call.extra.get("ui") else {
        return;
    };
    if call.origin == Origin::Agent && notes.get("providerExecuted") == Some(&true.into()) {
        call.origin = Origin::Provider;
    }
    let approval = notes.get("approval").and_then(Value::as_object);
    let Some(approval) = approval else { return };
    // A call that the agent denied is also marked, because such a call does not run on the page.
    if call.origin == Origin::Agent && approval.get("approved") == Some(&false.into()) {
        call.origin = Origin::Provider;
    }
}

/// Sets the outcome that the agent reports for a call. Returns false if the outcome is ignored
/// because the user denied the call or the page ended the call. An outcome of the page then counts
/// as delivered.
fn set_reported_outcome(
    call: &mut ToolCall,
    end: CallEnd,
    message_id: String,
    value: Value,
    now: i64,
) -> bool {
    if call.is_settled_here() {
        call.apply_event(StateEvent::Delivered);
        return false;
    }
    let content = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let error = (end == CallEnd::Error).then(|| CallError::new(ErrorKind::Agent, content.clone()));
    let result = CallResult::new(message_id, content, value);
    // A repeated outcome is accepted, although it does not change the state.
    call.settle((end, Author::Agent, Some(now)), result, error) || call.state.is_done()
}
