//! Decodes tool calls: streamed or complete arguments, approvals, and outcomes.

use serde_json::{Value, json};

use super::{
    Decoder,
    answer::ReceivedCall,
    block::{PartialInput, join_surrogates},
    chunk::{send_extension, take_opt, take_opt_text, take_text},
};
use crate::stream::Sink;
use assistant_core::{
    conversation::ui_notes::{AS_TEXT, DYNAMIC, IN_PIECES, WIRE_ID},
    event::{EventKind, Extension, Object, Settlement, fault::quote},
};

/// The maximum number of bytes of tool calls that are sent again in later steps of one response.
const MAX_REPEATED_BYTES: usize = 4 << 20;

impl Decoder {
    /// Restores the streamed arguments that an earlier stream left unfinished, for the calls of the
    /// last step.
    pub(super) fn restore_partial_inputs(&mut self, history: &Value) {
        let calls = history.pointer("/tail/calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let read_field = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
            let is_in_step = call.get("step").and_then(Value::as_u64) == Some(self.answer.step);
            if let (Some(text), Some(id), true) =
                (read_field("text"), read_field("wireId"), is_in_step)
            {
                let partial_input = PartialInput {
                    name: read_field("name").unwrap_or_default(),
                    dynamic: call.get("dynamic") == Some(&Value::Bool(true)),
                    text,
                    ..PartialInput::default()
                };
                self.partial.insert(id, partial_input);
            }
        }
    }

    pub(super) fn read_tool(
        &mut self,
        kind: &str,
        chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        match kind {
            "tool-input-start" => self.start_input(chunk, sink),
            "tool-input-delta" => self.extend_input(chunk, sink),
            // In this arm and the later arms with two chunk types, the AI SDK's stream on the
            // server uses the second type.
            "tool-input-available" | "tool-call" => self.end_input(chunk, sink),
            "tool-input-error" => self.fail_input(chunk, sink),
            "tool-approval-request" => self.record_approval_request(chunk, sink),
            "tool-approval-response" => self.record_approval_response(chunk, sink),
            "tool-output-available" | "tool-result" => self.settle_call(kind, chunk, sink),
            "tool-output-error" | "tool-error" => self.fail_call(chunk, sink),
            "tool-output-denied" => {
                let position = self.find_call(&take_text(&mut chunk.clone(), "toolCallId")?)?;
                self.send_settlement(position, Object::new(), Settlement::Denied, sink);
                Ok(())
            }
            kind => Err(format!("'{}' is not known", quote(kind))),
        }
    }

    pub(super) fn find_call(&self, wire_id: &str) -> Result<usize, String> {
        let unknown_call_error = || format!("there is no call '{}'", quote(wire_id));
        self.answer
            .find_call(wire_id)
            .ok_or_else(unknown_call_error)
    }

    fn start_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = take_call_fields(&mut chunk)?;
        let encoding = take_opt_text(&mut chunk, "inputEncoding");
        let mut notes = take_stored_fields(&mut chunk, "callProviderMetadata", true);
        notes.insert("inputEncoding".to_owned(), encoding.into());
        notes.insert("preliminary".to_owned(), Value::Null);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        notes.insert(IN_PIECES.to_owned(), Value::Null);
        let partial_input = PartialInput {
            name: name.clone(),
            dynamic,
            text: String::new(),
            held_surrogate: None,
            start_len: name.len() + Value::Object(notes.clone()).to_string().len(),
            notes: notes.clone(),
        };
        let known_position = self.answer.find_call_of_kind(&id, dynamic);
        let position = self.update_or_begin_call(known_position, &id, &name, dynamic, notes, sink);
        if let Some(call) = self.answer.calls.get_mut(position) {
            call.in_pieces = false;
        }
        self.partial.insert(id, partial_input);
        if known_position == Some(position) {
            self.send_call_start(position, &name, None, sink);
            self.set_input(position, String::new(), false, sink);
        }
        Ok(())
    }

    fn extend_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let id = take_text(&mut chunk, "toolCallId")?;
        let Some(Value::String(delta)) = chunk.shift_remove("inputTextDelta") else {
            return Err("it has no text 'inputTextDelta'".to_owned());
        };
        let is_cut = self.is_cut;
        let missing_input_error = || format!("no arguments of '{}' have begun", quote(&id));
        let partial_input = self.partial.get_mut(&id).ok_or_else(missing_input_error)?;
        let delta = join_surrogates(delta, &mut partial_input.held_surrogate, is_cut);
        partial_input.text.push_str(&delta);
        let dynamic = partial_input.dynamic;
        let known_position = self.answer.find_call_of_kind(&id, dynamic);
        if let Some(position) = known_position {
            self.mark_as_streamed(position, sink);
            self.push_input(position, delta, sink);
            return Ok(());
        }
        // The call is started again with all of its arguments, because a new step has begun and the
        // call continues in that step.
        self.repeated_bytes += partial_input.start_len + partial_input.text.len();
        if self.repeated_bytes > MAX_REPEATED_BYTES {
            self.partial.remove(&id);
            return Err(format!("'{}' continues in too many steps", quote(&id)));
        }
        let PartialInput {
            name, notes, text, ..
        } = partial_input.clone();
        let position = self.update_or_begin_call(None, &id, &name, dynamic, notes, sink);
        self.mark_as_streamed(position, sink);
        self.push_input(position, text, sink);
        Ok(())
    }

    fn end_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = take_call_fields(&mut chunk)?;
        let input = chunk
            .shift_remove("input")
            .or_else(|| chunk.shift_remove("args"));
        let mut notes = take_stored_fields(&mut chunk, "callProviderMetadata", true);
        clear_state_fields(&mut notes);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        let streamed_text = self.take_partial_text(&id);
        let known_position = self.answer.find_call_of_kind(&id, dynamic);
        let position = self.update_or_begin_call(known_position, &id, &name, dynamic, notes, sink);
        let text = match (input, streamed_text) {
            // If the streamed text has the same value as `input`, the text is kept as it was
            // received.
            (Some(input), Some(text))
                if serde_json::from_str(&text).ok().as_ref() == Some(&input) =>
            {
                text
            }
            (Some(input), _) => input.to_string(),
            (None, Some(text)) if !text.trim().is_empty() => text,
            // If the chunk has no arguments and none were streamed, the call is reported as cut
            // off.
            (None, _) => {
                self.send_call_cut(position, sink);
                return Ok(());
            }
        };
        self.set_input(position, text, true, sink);
        Ok(())
    }

    fn fail_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = take_call_fields(&mut chunk)?;
        let error_text = take_text(&mut chunk, "errorText")?;
        let input = chunk.shift_remove("input");
        let mut notes = take_stored_fields(&mut chunk, "resultProviderMetadata", false);
        clear_state_fields(&mut notes);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        let streamed_text = self.take_partial_text(&id);
        let known_position = self.answer.find_call_in_step(&id);
        let dynamic = known_position
            .and_then(|position| self.answer.calls.get(position))
            .map_or(dynamic, |call| call.dynamic);
        let input = match input {
            Some(Value::String(input)) => {
                notes.insert(AS_TEXT.to_owned(), true.into());
                input
            }
            Some(input) => input.to_string(),
            None => streamed_text.unwrap_or_default(),
        };
        let position = self.update_or_begin_call(known_position, &id, &name, dynamic, notes, sink);
        self.set_input(position, input, true, sink);
        self.send_settlement(position, Object::new(), Settlement::Error(error_text), sink);
        Ok(())
    }

    /// Updates the call at the known position, or begins a call if no position is known. Returns
    /// the position of the call.
    fn update_or_begin_call(
        &mut self,
        known_position: Option<usize>,
        wire_id: &str,
        name: &str,
        dynamic: bool,
        mut notes: Object,
        sink: &mut dyn Sink,
    ) -> usize {
        if let Some(position) = known_position {
            self.update_call(position, name, sink);
            self.store_fields(position, notes, sink);
            return position;
        }
        let message_id = self.ensure_current_message(sink);
        let id = self.answer.reserve_call_id(wire_id);
        if id != wire_id {
            notes.insert(WIRE_ID.to_owned(), wire_id.into());
        }
        if dynamic {
            notes.insert(DYNAMIC.to_owned(), true.into());
        }
        let call = ReceivedCall {
            id,
            wire_id: wire_id.to_owned(),
            step: self.answer.step,
            dynamic,
            ..ReceivedCall::default()
        };
        let position = self.answer.add_call(call);
        self.send_call_start(position, name, Some(message_id), sink);
        self.store_fields(position, notes, sink);
        position
    }

    /// Updates the name of a call. A call that has an outcome is restarted with the new name.
    fn update_call(&mut self, position: usize, name: &str, sink: &mut dyn Sink) {
        let Some(call) = self.answer.calls.get_mut(position) else {
            return;
        };
        if std::mem::take(&mut call.settled) {
            name.clone_into(&mut call.name);
            let (tool_call_id, tool_call_name) = (call.id.clone(), name.to_owned());
            send_extension(
                sink,
                Extension::CallRestart {
                    tool_call_id,
                    tool_call_name,
                },
            );
        } else if call.name != name {
            self.send_call_start(position, name, None, sink);
        }
    }

    fn send_call_start(
        &mut self,
        position: usize,
        name: &str,
        parent_message_id: Option<String>,
        sink: &mut dyn Sink,
    ) {
        let Some(call) = self.answer.calls.get_mut(position) else {
            return;
        };
        name.clone_into(&mut call.name);
        let event = EventKind::ToolCallStart {
            tool_call_id: call.id.clone(),
            tool_call_name: name.to_owned(),
            parent_message_id,
        };
        sink.event(event.into());
    }

    pub(super) fn store_fields(
        &self,
        position: usize,
        notes: impl IntoIterator<Item = (String, Value)>,
        sink: &mut dyn Sink,
    ) {
        let extra: Object = notes.into_iter().collect();
        if let Some(call) = self
            .answer
            .calls
            .get(position)
            .filter(|_| !extra.is_empty())
        {
            let tool_call_id = call.id.clone();
            send_extension(
                sink,
                Extension::CallNote {
                    tool_call_id,
                    extra,
                },
            );
        }
    }

    fn mark_as_streamed(&mut self, position: usize, sink: &mut dyn Sink) {
        let call = self.answer.calls.get_mut(position);
        let is_first = call.is_some_and(|call| !std::mem::replace(&mut call.in_pieces, true));
        if is_first {
            self.store_fields(position, [(IN_PIECES.to_owned(), json!(true))], sink);
        }
    }

    fn push_input(&self, position: usize, delta: String, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(position) {
            let tool_call_id = call.id.clone();
            let event = EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            };
            sink.event(event.into());
        }
    }

    fn set_input(&self, position: usize, text: String, complete: bool, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(position) {
            let tool_call_id = call.id.clone();
            send_extension(
                sink,
                Extension::CallInput {
                    tool_call_id,
                    text,
                    complete,
                },
            );
        }
    }

    fn send_call_cut(&self, position: usize, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(position) {
            let tool_call_id = call.id.clone();
            send_extension(sink, Extension::CallCut { tool_call_id });
        }
    }

    /// Removes the streamed arguments of a call, which are complete, and returns their text.
    /// Returns `None` if no arguments were streamed.
    fn take_partial_text(&mut self, wire_id: &str) -> Option<String> {
        let partial_input = self.partial.remove(wire_id)?;
        Some(partial_input.text)
    }
}

/// Removes the fields that identify a call, and returns the call's id, the tool's name, and true if
/// the tool is dynamic.
fn take_call_fields(chunk: &mut Object) -> Result<(String, String, bool), String> {
    let id = take_text(chunk, "toolCallId")?;
    let name = take_text(chunk, "toolName")?;
    let dynamic = chunk.shift_remove("dynamic") == Some(Value::Bool(true));
    Ok((id, name, dynamic))
}

/// Removes and returns the fields of a chunk that are stored with the call: tool metadata,
/// `providerExecuted`, provider metadata (under the key `provider`), and the title if `titled` is
/// true.
pub(super) fn take_stored_fields(chunk: &mut Object, provider: &str, titled: bool) -> Object {
    let mut notes = Object::new();
    let mut put = |from: &str, to: &str| {
        if let Some(value) = take_opt(chunk, from) {
            notes.insert(to.to_owned(), value);
        }
    };
    if titled {
        put("title", "title");
    }
    put("toolMetadata", "toolMetadata");
    put("providerExecuted", "providerExecuted");
    put("providerMetadata", provider);
    notes
}

/// Sets the stored fields that apply only to an earlier state of the call to null, which removes
/// these fields from the call.
pub(super) fn clear_state_fields(notes: &mut Object) {
    notes.insert("inputEncoding".to_owned(), Value::Null);
    notes.insert("preliminary".to_owned(), Value::Null);
}
