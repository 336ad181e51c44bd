//! Assembles tool calls from the pieces in chunks. Each piece is assigned to a call by its index or
//! id. Wrong and missing indexes and ids are tolerated.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::stream::Sink;
use assistant_core::event::{Diagnostic, EventKind, Extension, Object};

/// An assembler for the tool calls of one response.
#[derive(Debug, Clone, Default)]
pub(super) struct CallAssembler {
    list: Vec<AssembledCall>,
    /// The positions of calls in `list`, by the indexes that the server assigned.
    by_index: HashMap<u64, usize>,
    /// The positions of the newest calls in `list`, by the ids that the server assigned.
    by_id: HashMap<String, usize>,
    /// The call ids that are already in use in the conversation.
    used_ids: HashSet<String>,
    /// The number of ids that were tried for the calls with each preferred id.
    tried_ids: HashMap<String, u64>,
    ended: bool,
}

#[derive(Debug, Clone)]
struct AssembledCall {
    /// The call's id in the conversation.
    id: String,
    /// The id that the server assigned, which other calls may share.
    server_id: Option<String>,
    /// The index of the call's first piece.
    index: Option<u64>,
    /// The received arguments.
    args: String,
    name: String,
    /// True if the name was extended after the last start event.
    renamed: bool,
    /// The progress of the call's streamed arguments.
    progress: JsonProgress,
}

/// A tracker for the open brackets and strings of a JSON text, which detects the end of the text.
#[derive(Debug, Clone, Copy, Default)]
struct JsonProgress {
    open: u64,
    in_text: bool,
    escaped: bool,
    began: bool,
    /// True if the text is an object or an array, whose end is a closing bracket.
    enclosed: bool,
}

impl JsonProgress {
    fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_text {
                match byte {
                    _ if std::mem::take(&mut self.escaped) => {}
                    b'\\' => self.escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            if !self.began && !byte.is_ascii_whitespace() {
                self.began = true;
                self.enclosed = matches!(byte, b'{' | b'[');
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.open += 1,
                b'}' | b']' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    const fn is_whole(self) -> bool {
        self.began && self.open == 0 && !self.in_text
    }

    /// Returns true if the closing bracket of an object or an array has arrived.
    const fn is_closed(self) -> bool {
        self.enclosed && self.is_whole()
    }
}

impl CallAssembler {
    pub(super) fn new(used_ids: HashSet<String>) -> Self {
        Self {
            used_ids,
            ..Self::default()
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Reads one piece of `tool_calls` and sends its events, or drops an invalid piece with a
    /// diagnostic. `parent` is the id of the message with the calls.
    pub(super) fn read_piece(&mut self, piece: Value, parent: &str, sink: &mut dyn Sink) {
        let Value::Object(mut piece) = piece else {
            return drop_piece(sink, "it is no object");
        };
        let mut function = match piece.shift_remove("function") {
            Some(Value::Object(function)) => function,
            // If `function` is missing, the piece itself is used, because some servers send the
            // fields of `function` in the piece.
            _ => piece.clone(),
        };
        let index = match piece.get("index") {
            Some(Value::String(text)) => text.parse().ok(),
            Some(index) => index.as_u64(),
            None => None,
        };
        let id = take_text(&mut piece, "id");
        let name = take_text(&mut function, "name");
        let args = match function.shift_remove("arguments") {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            // Arguments that are not a string are converted to text, because some servers send
            // complete arguments as JSON.
            Some(arguments) => arguments.to_string(),
        };
        if index.is_none() && self.repeats_call(id.as_deref(), name.as_deref(), &args) {
            return drop_piece(sink, "it repeats a complete call");
        }
        let known_position = self.find_call(index, id.as_deref(), name.as_deref(), &args);
        // The arguments of a second call with the same id may arrive without its id and name.
        let call_by_index = self.call_by_index(index).filter(|_| name.is_none());
        let (id, name) = match call_by_index.filter(|_| known_position.is_none()) {
            Some(call) => (
                id.or_else(|| call.server_id.clone()),
                Some(call.name.clone()),
            ),
            None => (id, name),
        };
        let position = match (known_position, name) {
            (Some(position), name) => {
                self.extend_name(position, name.as_deref());
                position
            }
            (None, Some(name)) => self.begin_call((id.as_deref(), index), name, parent, sink),
            (None, None) => {
                return drop_piece(sink, "it names no tool and belongs to no call");
            }
        };
        if let Some(index) = index {
            self.by_index.insert(index, position);
        }
        if let (Some(id), Some(call)) = (id, self.list.get_mut(position)) {
            call.server_id.get_or_insert_with(|| id.clone());
            self.by_id.insert(id, position);
        }
        self.append_arguments(position, args, parent, sink);
    }

    fn call_by_index(&self, index: Option<u64>) -> Option<&AssembledCall> {
        self.list.get(*self.by_index.get(&index?)?)
    }

    /// Returns true if a piece without an index is a known call with all of its arguments, as in a
    /// last chunk that repeats the complete message.
    fn repeats_call(&self, id: Option<&str>, name: Option<&str>, args: &str) -> bool {
        let position = id.and_then(|id| self.by_id.get(id));
        let call = position.and_then(|position| self.list.get(*position));
        call.is_some_and(|call| {
            call.progress.is_closed() && name == Some(&call.name) && args == call.args
        })
    }

    /// Returns the position of the call that a piece continues. Returns `None` if the piece begins
    /// a call.
    fn find_call(
        &self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
        args: &str,
    ) -> Option<usize> {
        let position_by_index = index.and_then(|index| self.by_index.get(&index).copied());
        let call_by_index = self.call_by_index(index).filter(|call| call.index == index);
        if id.is_some() && call_by_index.is_some_and(|call| call.server_id.as_deref() == id) {
            return position_by_index;
        }
        let position_by_id = id.and_then(|id| self.by_id.get(id).copied());
        let position = match (position_by_id, index, id) {
            (Some(position), _, _) => position,
            (None, Some(_), _) => position_by_index?,
            (None, None, Some(_)) => return None,
            (None, None, None) => self.list.len().checked_sub(1)?,
        };
        let call = self.list.get(position)?;
        // A piece with an unknown id and a name begins a new call, even if its index is in use. A
        // piece with a name, and with no id or with the id of a call at another index, begins a new
        // call in two cases: the known call has arguments and a different name, or the known call's
        // arguments are complete and the piece contains further arguments. In the second case, a
        // piece without a name begins a new call as well if the known call has another index.
        let repeats_args = call.progress.is_whole() && args.trim_start().starts_with(['{', '[']);
        let is_new_call = match name {
            Some(_) if id.is_some() && position_by_id.is_none() => true,
            Some(name) => {
                call.name != name && !call.name.is_empty() && call.progress.began || repeats_args
            }
            None => repeats_args && index.is_some() && call.index.is_some() && call.index != index,
        };
        (!is_new_call).then_some(position)
    }

    fn begin_call(
        &mut self,
        (id, index): (Option<&str>, Option<u64>),
        name: String,
        parent: &str,
        sink: &mut dyn Sink,
    ) -> usize {
        let position = self.list.len();
        let preferred_id = match id {
            Some(id) => id.to_owned(),
            None => format!("{parent}-call-{}", position + 1),
        };
        // An id that is already in use is replaced, because some servers restart the numbers of
        // calls in each response, and others use the name of the tool as id.
        let number = self.tried_ids.entry(preferred_id.clone()).or_default();
        let unique_id = loop {
            *number += 1;
            let id = match *number {
                1 => preferred_id.clone(),
                2 => format!("{parent}-{preferred_id}"),
                number => format!("{parent}-{preferred_id}~{number}"),
            };
            if self.used_ids.insert(id.clone()) {
                break id;
            }
        };
        let call = AssembledCall {
            id: unique_id,
            server_id: None,
            index,
            args: String::new(),
            name,
            renamed: false,
            progress: JsonProgress::default(),
        };
        send_call_start(&call, parent, sink);
        self.list.push(call);
        position
    }

    /// Appends a further name to the call's name. Does nothing if the name is the same or arguments
    /// have begun. Some servers repeat the name with each piece; other servers split it.
    fn extend_name(&mut self, position: usize, name: Option<&str>) {
        let Some(call) = self.list.get_mut(position) else {
            return;
        };
        if let Some(name_part) = name.filter(|name| *name != call.name && !call.progress.began) {
            call.name.push_str(name_part);
            call.renamed = true;
        }
    }

    fn append_arguments(
        &mut self,
        position: usize,
        delta: String,
        parent: &str,
        sink: &mut dyn Sink,
    ) {
        let Some(call) = self.list.get_mut(position).filter(|_| !delta.is_empty()) else {
            return;
        };
        call.progress.push(&delta);
        call.args.push_str(&delta);
        if call.progress.began {
            send_extended_name(call, parent, sink);
        }
        let tool_call_id = call.id.clone();
        let event = EventKind::ToolCallArgs {
            tool_call_id,
            delta,
        };
        sink.event(event.into());
    }

    /// Sends the extended names of the calls whose arguments have not begun.
    pub(super) fn send_extended_names(&mut self, parent: &str, sink: &mut dyn Sink) {
        for call in &mut self.list {
            send_extended_name(call, parent, sink);
        }
    }

    /// Ends all calls. If the answer was cut off, the calls without a closing bracket are reported
    /// as cut off. Calling this function again has no effect.
    pub(super) fn end_calls(&mut self, is_cut_off: bool, sink: &mut dyn Sink) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        for call in &self.list {
            let tool_call_id = call.id.clone();
            let event = match is_cut_off && !call.progress.is_closed() {
                true => EventKind::Extension(Box::new(Extension::CallCut { tool_call_id })),
                false => EventKind::ToolCallEnd { tool_call_id },
            };
            sink.event(event.into());
        }
    }
}

/// Sends the start event again if the name was extended since. A name in many pieces is sent when
/// it is complete, since sending it after each piece would take quadratic time.
fn send_extended_name(call: &mut AssembledCall, parent: &str, sink: &mut dyn Sink) {
    if std::mem::take(&mut call.renamed) {
        send_call_start(call, parent, sink);
    }
}

fn send_call_start(call: &AssembledCall, parent: &str, sink: &mut dyn Sink) {
    let event = EventKind::ToolCallStart {
        tool_call_id: call.id.clone(),
        tool_call_name: call.name.clone(),
        parent_message_id: Some(parent.to_owned()),
    };
    sink.event(event.into());
}

/// Removes a field and returns its value as text if the value is a non-empty string or a number.
fn take_text(from: &mut Object, key: &str) -> Option<String> {
    match from.shift_remove(key) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    }
}

fn drop_piece(sink: &mut dyn Sink, reason: &str) {
    let message = format!("Dropped a piece of a tool call: {reason}.");
    sink.diagnostic(Diagnostic::new("dropped-chunk", message));
}
