//! Decodes tool calls: streamed or complete arguments, approvals, outcomes.

use serde_json::{Value, json};

use super::{
    Decoder,
    answer::Call,
    block::join,
    chunk::{extend, opt, opt_text, text},
    partial::Partial,
};
use crate::stream::Sink;
use assistant_core::{
    conversation::ui_notes::{AS_TEXT, DYNAMIC, IN_PIECES, WIRE_ID},
    event::{EventKind, Extension, Object, Settlement, fault::quote},
};

impl Decoder {
    /// Restores the streamed arguments of the last step's calls that an earlier stream left
    /// unfinished.
    pub(super) fn continue_partial(&mut self, history: &Value) {
        let calls = history.pointer("/tail/calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let field = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
            let in_step = call.get("step").and_then(Value::as_u64) == Some(self.answer.step);
            if let (Some(text), Some(id), true) = (field("text"), field("wireId"), in_step) {
                let partial = Partial {
                    name: field("name").unwrap_or_default(),
                    dynamic: call.get("dynamic") == Some(&Value::Bool(true)),
                    text,
                    ..Partial::default()
                };
                self.partial.insert(id, partial);
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
            "tool-input-delta" => self.grow_input(chunk, sink),
            // The second name of each is used by the AI SDK's own stream on the server.
            "tool-input-available" | "tool-call" => self.end_input(chunk, sink),
            "tool-input-error" => self.fail_input(chunk, sink),
            "tool-approval-request" => self.ask(chunk, sink),
            "tool-approval-response" => self.answer_approval(chunk, sink),
            "tool-output-available" | "tool-result" => self.settle(kind, chunk, sink),
            "tool-output-error" | "tool-error" => self.fail(chunk, sink),
            "tool-output-denied" => {
                let place = self.find(&text(&mut chunk.clone(), "toolCallId")?)?;
                self.settle_as(place, Object::new(), Settlement::Denied, sink);
                Ok(())
            }
            kind => Err(format!("'{}' is not known", quote(kind))),
        }
    }

    pub(super) fn find(&self, wire_id: &str) -> Result<usize, String> {
        let unknown = || format!("there is no call '{}'", quote(wire_id));
        self.answer.call(wire_id).ok_or_else(unknown)
    }

    fn start_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = head(&mut chunk)?;
        let encoding = opt_text(&mut chunk, "inputEncoding");
        let mut notes = notes(&mut chunk, "callProviderMetadata", true);
        notes.insert("inputEncoding".to_owned(), encoding.into());
        notes.insert("preliminary".to_owned(), Value::Null);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        notes.insert(IN_PIECES.to_owned(), Value::Null);
        let partial = Partial {
            name: name.clone(),
            dynamic,
            text: String::new(),
            half: None,
            notes: notes.clone(),
        };
        let known = self.answer.call_of_kind(&id, dynamic);
        let place = self.call_for(known, &id, &name, dynamic, notes, sink);
        if let Some(call) = self.answer.calls.get_mut(place) {
            call.in_pieces = false;
        }
        self.partial.insert(id, partial);
        if known == Some(place) {
            self.announce(place, &name, None, sink);
            self.set_input(place, String::new(), false, sink);
        }
        Ok(())
    }

    fn grow_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let id = text(&mut chunk, "toolCallId")?;
        let Some(Value::String(delta)) = chunk.shift_remove("inputTextDelta") else {
            return Err("it has no text 'inputTextDelta'".to_owned());
        };
        let is_cut = self.is_cut;
        let unknown = || format!("no arguments of '{}' have begun", quote(&id));
        let partial = self.partial.get_mut(&id).ok_or_else(unknown)?;
        let delta = join(delta, &mut partial.half, is_cut);
        partial.text.push_str(&delta);
        let (name, dynamic) = (partial.name.clone(), partial.dynamic);
        let known = self.answer.call_of_kind(&id, dynamic);
        if let Some(place) = known {
            self.note_pieces(place, sink);
            self.push_input(place, delta, sink);
            return Ok(());
        }
        // A step began in between: the call continues in it, with all of its arguments.
        let (notes, text) = (partial.notes.clone(), partial.text.clone());
        let place = self.call_for(None, &id, &name, dynamic, notes, sink);
        self.note_pieces(place, sink);
        self.push_input(place, text, sink);
        Ok(())
    }

    fn end_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = head(&mut chunk)?;
        let input = chunk
            .shift_remove("input")
            .or_else(|| chunk.shift_remove("args"));
        let mut notes = notes(&mut chunk, "callProviderMetadata", true);
        forget_state(&mut notes);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        let written = self.take_partial(&id);
        let known = self.answer.call_of_kind(&id, dynamic);
        let place = self.call_for(known, &id, &name, dynamic, notes, sink);
        let text = match (input, written) {
            // The agent's own text, if it has the same value.
            (Some(input), Some(text))
                if serde_json::from_str(&text).ok().as_ref() == Some(&input) =>
            {
                text
            }
            (Some(input), _) => input.to_string(),
            (None, Some(text)) if !text.trim().is_empty() => text,
            // A call without arguments has an empty object.
            (None, _) => {
                self.cut_input(place, sink);
                return Ok(());
            }
        };
        self.set_input(place, text, true, sink);
        Ok(())
    }

    fn fail_input(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let (id, name, dynamic) = head(&mut chunk)?;
        let error_text = text(&mut chunk, "errorText")?;
        let input = chunk.shift_remove("input");
        let mut notes = notes(&mut chunk, "resultProviderMetadata", false);
        forget_state(&mut notes);
        notes.insert(AS_TEXT.to_owned(), Value::Null);
        let written = self.take_partial(&id);
        let known = self.answer.call_in_step(&id);
        let dynamic = known
            .and_then(|place| self.answer.calls.get(place))
            .map_or(dynamic, |call| call.dynamic);
        let input = match input {
            Some(Value::String(input)) => {
                notes.insert(AS_TEXT.to_owned(), true.into());
                input
            }
            Some(input) => input.to_string(),
            None => written.unwrap_or_default(),
        };
        let place = self.call_for(known, &id, &name, dynamic, notes, sink);
        self.set_input(place, input, true, sink);
        self.settle_as(place, Object::new(), Settlement::Error(error_text), sink);
        Ok(())
    }

    /// Returns the position of the known call, after updating it, or begins a new call.
    fn call_for(
        &mut self,
        known: Option<usize>,
        wire_id: &str,
        name: &str,
        dynamic: bool,
        mut notes: Object,
        sink: &mut dyn Sink,
    ) -> usize {
        if let Some(place) = known {
            self.update_call(place, name, sink);
            self.note(place, notes, sink);
            return place;
        }
        let node = self.node(sink);
        let id = self.answer.next_call_id(wire_id);
        if id != wire_id {
            notes.insert(WIRE_ID.to_owned(), wire_id.into());
        }
        if dynamic {
            notes.insert(DYNAMIC.to_owned(), true.into());
        }
        let call = Call {
            id,
            wire_id: wire_id.to_owned(),
            step: self.answer.step,
            dynamic,
            ..Call::default()
        };
        let place = self.answer.add_call(call);
        self.announce(place, name, Some(node), sink);
        self.note(place, notes, sink);
        place
    }

    /// Updates the name of a call. A call that has ended is restarted under the name.
    fn update_call(&mut self, place: usize, name: &str, sink: &mut dyn Sink) {
        let Some(call) = self.answer.calls.get_mut(place) else {
            return;
        };
        if std::mem::take(&mut call.settled) {
            name.clone_into(&mut call.name);
            let (tool_call_id, tool_call_name) = (call.id.clone(), name.to_owned());
            extend(
                sink,
                Extension::CallRestart {
                    tool_call_id,
                    tool_call_name,
                },
            );
        } else if call.name != name {
            self.announce(place, name, None, sink);
        }
    }

    fn announce(&mut self, place: usize, name: &str, node: Option<String>, sink: &mut dyn Sink) {
        let Some(call) = self.answer.calls.get_mut(place) else {
            return;
        };
        name.clone_into(&mut call.name);
        let start = EventKind::ToolCallStart {
            tool_call_id: call.id.clone(),
            tool_call_name: name.to_owned(),
            parent_message_id: node,
        };
        sink.event(start.into());
    }

    pub(super) fn note(
        &self,
        place: usize,
        notes: impl IntoIterator<Item = (String, Value)>,
        sink: &mut dyn Sink,
    ) {
        let extra: Object = notes.into_iter().collect();
        if let Some(call) = self.answer.calls.get(place).filter(|_| !extra.is_empty()) {
            let tool_call_id = call.id.clone();
            extend(
                sink,
                Extension::CallNote {
                    tool_call_id,
                    extra,
                },
            );
        }
    }

    fn note_pieces(&mut self, place: usize, sink: &mut dyn Sink) {
        let call = self.answer.calls.get_mut(place);
        let is_first = call.is_some_and(|call| !std::mem::replace(&mut call.in_pieces, true));
        if is_first {
            self.note(place, [(IN_PIECES.to_owned(), json!(true))], sink);
        }
    }

    fn push_input(&self, place: usize, delta: String, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(place) {
            let tool_call_id = call.id.clone();
            let more = EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            };
            sink.event(more.into());
        }
    }

    fn set_input(&self, place: usize, text: String, complete: bool, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(place) {
            let tool_call_id = call.id.clone();
            extend(
                sink,
                Extension::CallInput {
                    tool_call_id,
                    text,
                    complete,
                },
            );
        }
    }

    fn cut_input(&self, place: usize, sink: &mut dyn Sink) {
        if let Some(call) = self.answer.calls.get(place) {
            let tool_call_id = call.id.clone();
            extend(sink, Extension::CallCut { tool_call_id });
        }
    }

    /// Removes and returns the text of the streamed arguments of a call, which are complete; `None`
    /// if no arguments were streamed.
    fn take_partial(&mut self, wire_id: &str) -> Option<String> {
        let partial = self.partial.remove(wire_id)?;
        Some(partial.text)
    }
}

/// Removes and returns the id of the call, the name of the tool, and whether the tool is dynamic.
fn head(chunk: &mut Object) -> Result<(String, String, bool), String> {
    let id = text(chunk, "toolCallId")?;
    let name = text(chunk, "toolName")?;
    let dynamic = chunk.shift_remove("dynamic") == Some(Value::Bool(true));
    Ok((id, name, dynamic))
}

/// Removes and returns the fields of a chunk that are stored with the call: title, tool metadata,
/// provider metadata and `providerExecuted`.
pub(super) fn notes(chunk: &mut Object, provider: &str, titled: bool) -> Object {
    let mut notes = Object::new();
    let mut put = |from: &str, to: &str| {
        if let Some(value) = opt(chunk, from) {
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
/// them.
pub(super) fn forget_state(notes: &mut Object) {
    notes.insert("inputEncoding".to_owned(), Value::Null);
    notes.insert("preliminary".to_owned(), Value::Null);
}
