//! Applies the updates of a server that runs the agent loop. Updates may arrive in any order, and
//! no tool runs on the page.
//!
//! Updates may be late, repeated or missing. A call that is reported before its message is added to
//! a new message at the tip. The new message moves to its place when an update contains the id of
//! its parent. The module `join` adds messages that do not continue the run's path.

use serde_json::Value;

use super::{
    Author, CallError, CallKey, CallResult, Conversation, Cost, ErrorKind, Message, MessageId,
    Origin, Part, Status, TextPart, ToolCall, TreeError,
    model::UpdatedMessage,
    outcome::CallEnd,
    state::{State, StateEvent},
    update::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate},
};
use crate::{event::Role, json::form};

impl Conversation {
    /// Applies an update of a message. If a new message follows the newest message, the new message
    /// is displayed, together with the messages that waited for it as their parent.
    ///
    /// # Errors
    ///
    /// Fails if the message would become its own descendant.
    pub(crate) fn apply_message_update(
        &mut self,
        update: ConvUpdate,
        now: i64,
    ) -> Result<(), TreeError> {
        let id = MessageId::from(update.message_id.as_str());
        let parent = update.parent_id.as_deref().map(MessageId::from);
        let message_ix = self.tree.find(&id);
        let last_update = message_ix.and_then(|ix| self.updated_messages.get(&ix).copied());
        let last_update = last_update.unwrap_or_default();
        let is_late = update.timestamp != 0 && update.timestamp < last_update.at;
        let role = Role::parse(&update.source).unwrap_or(Role::Assistant);
        let cost = Cost {
            usage: update.token_usage.into_iter().collect(),
            duration_ms: update.duration_ms,
            waited_ms: None,
            price_micros: update.cost.map(super::Amount::micros),
        };
        let content = (update.content_blocks, update.attachments);
        match message_ix {
            Some(ix) => {
                if let (true, Some(parent)) = (last_update.assumed, &parent) {
                    self.tree.reparent_or_wait(ix, parent)?;
                }
                if let (true, Some(node)) = (last_update.assumed, self.node_mut(ix)) {
                    node.message.role = role;
                    node.message.author = Author::unnamed(role);
                }
                self.update_known_message(ix, content, cost, is_late);
            }
            None => {
                let created_at = match update.timestamp {
                    0 => now,
                    timestamp => timestamp,
                };
                let mut message = Message::new(id.clone(), role, created_at);
                message.author = Author::unnamed(role);
                message.parts = convert_content(content.0, content.1);
                message.listed = message.parts.iter().any(is_attachment);
                message.cost = cost;
                let continues_path =
                    parent.as_ref() == self.run_tip() && !self.shows_other_branch();
                self.upsert(message, parent.as_ref())?;
                if continues_path {
                    self.select(&id, false, true)?;
                }
            }
        }
        if let Some(ix) = self.tree.find(&id) {
            let last_update = UpdatedMessage {
                at: last_update.at.max(update.timestamp),
                assumed: last_update.assumed && parent.is_none(),
            };
            self.updated_messages.insert(ix, last_update);
        }
        for call in update.tool_calls {
            self.apply_call_info(&id, call, now);
        }
        Ok(())
    }

    /// Updates a known message. Content that the update omits is kept. A late update only adds
    /// missing values.
    fn update_known_message(
        &mut self,
        ix: usize,
        (blocks, files): (Option<Vec<ContentBlock>>, Option<Vec<Value>>),
        mut cost: Cost,
        is_late: bool,
    ) {
        let Some(message) = self.node(ix).map(|node| &node.message) else {
            return;
        };
        let is_empty = |is_kind: fn(&Part) -> bool| !message.parts.iter().any(is_kind);
        let blocks = blocks.filter(|_| !is_late || is_empty(is_text_or_reasoning));
        let files = files.filter(|_| !is_late || is_empty(is_attachment));
        if is_late {
            cost.merge_report(message.cost.clone());
        }
        let existing_parts = |is_kind: fn(&Part) -> bool| {
            let parts = message.parts.iter().filter(|part| is_kind(part));
            parts.cloned().collect::<Vec<_>>()
        };
        let has_new_content = blocks.is_some() || files.is_some();
        let mut content = match blocks {
            Some(blocks) => convert_content(Some(blocks), None),
            None => existing_parts(|part| !is_attachment(part) && part.call_key().is_none()),
        };
        content.append(&mut match files {
            Some(files) => convert_content(None, Some(files)),
            None => existing_parts(is_attachment),
        });
        let mut new_message = Message::new(message.id.clone(), message.role, message.created_at);
        new_message.cost = cost;
        if has_new_content {
            new_message.listed = content.iter().any(is_attachment);
            new_message.parts = content;
            self.update_node(ix, new_message);
        } else if let Some(node) = self.node_mut(ix) {
            node.message.cost.merge_report(new_message.cost);
            self.log.push(super::Change::Message(new_message.id));
        }
    }

    fn apply_call_info(&mut self, message: &MessageId, info: CallInfo, now: i64) {
        let Some(key) = self.find_or_add_call(message, &info.id, &info.tool_name, now) else {
            return;
        };
        // Arguments are accepted only for calls of the server that have not ended or have no
        // arguments, because any other call may be decided or running on this page.
        let accepts_args = |call: &ToolCall| {
            let is_open = !call.state.is_done() || call.args_text().is_empty();
            call.origin == Origin::Provider && is_open
        };
        if self.call(&key).is_some_and(accepts_args) && !info.parameters.is_empty() {
            self.edit_call(&key, |call| {
                if call.args_text() != info.parameters {
                    call.set_args_text(&info.parameters);
                }
                call.end_args();
            });
        }
        let is_server_call = |call: &ToolCall| call.origin == Origin::Provider;
        let status = match info.status {
            Status::Complete | Status::Failed if !self.call(&key).is_some_and(is_server_call) => {
                Status::Executing
            }
            status => status,
        };
        // No result is passed, because the result may follow in a separate update.
        self.apply_status_and_result(key, status, &info.id, None, now);
    }

    /// Applies an update of a call. If the message of the call is unknown, the message is added. An
    /// update that contains neither the id of a message nor the id of a call is ignored.
    pub(crate) fn apply_tool_update(&mut self, update: ToolUpdate, now: i64) {
        let id = match (update.message_id.as_str(), update.tool_call_id.as_str()) {
            // A call without a message id belongs to the message that contains the call, or to a
            // message with the id of the call, as in AG-UI.
            ("", call) => self
                .find_message_with_call(call)
                .unwrap_or_else(|| call.into()),
            (message, _) => message.into(),
        };
        if id.as_str().is_empty() {
            return;
        }
        let call_id = match update.tool_call_id.as_str() {
            "" => self.call_id_for_tool(&id, &update.tool_name),
            call_id => call_id.to_owned(),
        };
        if self.message(&id).is_none() {
            self.add_assumed_message(&id, now);
        }
        if let Some(key) = self.find_or_add_call(&id, &call_id, &update.tool_name, now) {
            self.apply_status_and_result(key, update.status, &call_id, update.result, now);
        }
    }

    /// Adds a message that is known only from an update of a call. The message is assumed to follow
    /// the newest message.
    fn add_assumed_message(&mut self, id: &MessageId, now: i64) {
        let create_message = || Message::new(id.clone(), Role::Assistant, now);
        let parent = self.run_tip().cloned();
        match self.upsert(create_message(), parent.as_ref()) {
            Ok(_) if !self.shows_other_branch() => {
                let _ = self.select(id, false, true);
            }
            Ok(_) => {}
            // If the newest message waits for this message as its parent, this message is added
            // without a parent.
            Err(_) => drop(self.upsert(create_message(), None)),
        }
        if let Some(ix) = self.tree.find(id) {
            self.updated_messages.insert(
                ix,
                UpdatedMessage {
                    at: 0,
                    assumed: true,
                },
            );
        }
    }

    /// Returns the id of the message that contains a call, for updates that do not contain the id
    /// of the message.
    fn find_message_with_call(&self, call: &str) -> Option<MessageId> {
        let path_key = self.find_call(call);
        let key = path_key.or_else(|| {
            self.calls
                .calls_with_wire_id(call)
                .last()
                .map(ToolCall::key)
        })?;
        self.message_of_call(&key).map(|message| message.id.clone())
    }

    /// Returns the id of the first open call of a tool in a message, for updates that contain only
    /// the name of the tool. If no such call exists, returns an id that consists of the message's
    /// id and the tool's name.
    fn call_id_for_tool(&self, message: &MessageId, tool: &str) -> String {
        let calls = self.message(message).map(|message| self.calls_in(message));
        let mut calls = calls.into_iter().flatten();
        let open_call = calls.find(|call| call.name == tool && !call.state.is_done());
        open_call.map_or_else(|| format!("{message}-{tool}"), |call| call.id.clone())
    }

    /// Applies the status of a call, and applies its result if the call ends. A call that is
    /// running on this page is not ended.
    fn apply_status_and_result(
        &mut self,
        key: CallKey,
        status: Status,
        id: &str,
        result: Option<String>,
        now: i64,
    ) {
        let end = match status {
            Status::Complete => CallEnd::Output,
            Status::Failed => CallEnd::Error,
            status => return self.apply_status(key, status),
        };
        let is_running_here = self
            .call(&key)
            .is_some_and(|call| call.state.is_starting_or_running());
        if !is_running_here
            && self.edit_call(&key, |call| end_by_update(call, end, id, result, now)) == Some(true)
        {
            self.list_result(key);
        }
    }

    /// Applies the status of a call that has not ended: streaming arguments are ended, and an open
    /// call that the server executes is marked as run by the agent. A marked call does not return
    /// to the status "pending".
    fn apply_status(&mut self, key: CallKey, status: Status) {
        self.edit_call(&key, |call| {
            if matches!(call.state, State::Streaming(_)) {
                call.end_args();
            }
            if status == Status::Executing && matches!(call.state, State::Open(_)) {
                // The call is marked as run by the agent, so it does not block the page. The server
                // continues without the page.
                call.apply_event(StateEvent::FoundRemote);
                call.apply_event(StateEvent::Delegated);
            }
        });
    }

    fn find_call_in(&self, message: &MessageId, id: &str) -> Option<CallKey> {
        let mut calls = self.calls_in(self.message(message)?);
        calls.find(|call| call.id == id).map(ToolCall::key)
    }

    /// Returns the key of the call with this id in a message. A missing call is added. Returns
    /// `None` if the message is unknown.
    fn find_or_add_call(
        &mut self,
        message: &MessageId,
        id: &str,
        name: &str,
        now: i64,
    ) -> Option<CallKey> {
        if let Some(key) = self.find_call_in(message, id) {
            let is_unnamed = |call: &ToolCall| call.name.is_empty() && !name.is_empty();
            if self.call(&key).is_some_and(is_unnamed) {
                self.edit_call(&key, |call| name.clone_into(&mut call.name));
            }
            return Some(key);
        }
        let ix = self.tree.find(message)?;
        let mut call = ToolCall::new(id, name, now);
        call.origin = Origin::Provider;
        let key = self.calls.add(call, self.runs.current);
        if let Some(node) = self.node_mut(ix) {
            node.message.parts.push(Part::Call(key));
        }
        self.index_calls(ix);
        self.log.push(super::Change::Message(message.clone()));
        Some(key)
    }
}

/// Converts the texts and attachments of an update to parts.
fn convert_content(blocks: Option<Vec<ContentBlock>>, files: Option<Vec<Value>>) -> Vec<Part> {
    let blocks = blocks.into_iter().flatten();
    let texts = blocks.map(|block| match block.content_type.as_str() {
        "reasoning" | "thinking" => Part::Reasoning(TextPart::new(block.content)),
        _ => Part::Text(TextPart::new(block.content)),
    });
    texts
        .chain(files.into_iter().flatten().map(convert_attachment))
        .collect()
}

const fn is_text_or_reasoning(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::Reasoning(_))
}

const fn is_attachment(part: &Part) -> bool {
    matches!(part, Part::File(_) | Part::Unknown(_))
}

/// Converts an attachment to a file part. An attachment that is not a valid file is converted to an
/// unknown part.
fn convert_attachment(value: Value) -> Part {
    match form::content_part_from_value(value.clone()) {
        Ok(part) => Part::File(part),
        Err(_) => Part::Unknown(value),
    }
}

/// Ends a call, or sets the result of an ended call whose result is empty. If the update contains
/// no result, the call gets an empty result, which a later update replaces. Returns false if the
/// existing result of the call is kept.
fn end_by_update(
    call: &mut ToolCall,
    end: CallEnd,
    id: &str,
    result: Option<String>,
    now: i64,
) -> bool {
    let is_empty = |known: &CallResult| known.value.is_null() || known.value == "";
    let can_fill = || call.answered_by() != Some(Author::Page) && result.is_some();
    if call
        .result()
        .is_some_and(|known| !(is_empty(known) && can_fill()))
    {
        return false;
    }
    if !call.has_ended() {
        call.end_args();
    }
    // A failed call stays failed, because the message of the failure may follow in an update
    // without a status.
    let end = match call.error() {
        Some(_) => CallEnd::Error,
        None => end,
    };
    let text = result.unwrap_or_else(|| match end {
        CallEnd::Output => "null".to_owned(),
        _ => String::new(),
    });
    let error = (end == CallEnd::Error).then(|| CallError::new(ErrorKind::Agent, text.clone()));
    let value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
    let result = CallResult::new(format!("{id}-result"), text, value);
    call.settle((end, Author::Agent, Some(now)), result, error)
}
