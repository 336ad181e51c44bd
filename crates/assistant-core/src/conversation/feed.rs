//! Applies updates of a server that runs the loop itself, in any order. Nothing runs here.
//!
//! `join` adds messages that do not continue the run's path.

use serde_json::Value;

use super::{
    Author, CallError, CallKey, CallResult, Conversation, Cost, ErrorKind, Message, MessageId,
    Origin, Part, Status, TextPart, ToolCall, TreeError,
    outcome::{End, Outcome},
    state::{State, StateEvent},
};
use crate::{
    event::{Content, Role},
    records::{CallInfo, ConvUpdate, ToolUpdate},
    wire::agui,
};

impl Conversation {
    /// Applies the newest version of a message. A child of the newest message is shown, and so is the
    /// next one below it.
    ///
    /// # Errors
    ///
    /// Fails if it would become its own descendant.
    pub(crate) fn take_update(&mut self, update: ConvUpdate, now: i64) -> Result<(), TreeError> {
        let id = MessageId::from(update.message_id.as_str());
        let parent = update.parent_id.as_deref().map(MessageId::from);
        let at = if update.timestamp == 0 {
            now
        } else {
            update.timestamp
        };
        let role = Role::parse(&update.source).unwrap_or(Role::Assistant);
        let mut message = Message::new(id.clone(), role, at);
        message.author = Author::unnamed(role);
        message.parts = update
            .content_blocks
            .into_iter()
            .map(|block| match block.content_type.as_str() {
                "reasoning" | "thinking" => Part::Reasoning(TextPart::new(block.content)),
                _ => Part::Text(TextPart::new(block.content)),
            })
            .chain(update.attachments.into_iter().map(attachment))
            .collect();
        message.listed = message
            .parts
            .iter()
            .any(|part| matches!(part, Part::File(_)));
        message.cost = Cost {
            usage: update.token_usage.into_iter().collect(),
            duration_ms: update.duration_ms,
            waited_ms: None,
            price_micros: update.cost.map(super::Amount::micros),
        };
        let follows = parent.as_ref() == self.run_tip() && !self.shows_other_branch();
        let is_new = self.message(&id).is_none();
        self.upsert(message, parent.as_ref())?;
        if is_new && follows {
            self.select_tip(Some(&id));
        }
        for call in update.tool_calls {
            self.take_call_info(&id, call, now);
        }
        Ok(())
    }

    fn take_call_info(&mut self, message: &MessageId, info: CallInfo, now: i64) {
        let Some(key) = self.fed_call(message, &info.id, &info.tool_name, now) else {
            return;
        };
        // What is asked about, decided or run here is not said otherwise by a record.
        let is_open = |call: &ToolCall| call.origin == Origin::Provider && !call.state.is_done();
        if self.call(&key).is_some_and(is_open) && !info.parameters.is_empty() {
            self.edit_call(&key, |call| {
                if call.args_text() != info.parameters {
                    call.set_args_text(&info.parameters);
                }
                call.end_args();
            });
        }
        // What it came to is said by a record of its own.
        let status = match info.status {
            Status::Complete | Status::Failed => Status::Executing,
            status => status,
        };
        self.take_status(key, status);
    }

    /// Takes in what a call is now; its message begins with it if it is not there.
    pub(crate) fn take_tool_update(&mut self, update: ToolUpdate, now: i64) {
        let message = MessageId::from(update.message_id.as_str());
        let known = self.call_of(&message, &update.tool_call_id);
        if known.is_none() && self.message(&message).is_none() {
            let fresh = Message::new(message.clone(), Role::Assistant, now);
            let parent = self.run_tip().cloned();
            // A fresh id cannot stand above anything.
            let _ = self.upsert(fresh, parent.as_ref());
            self.select_tip(Some(&message));
        }
        let fed = || self.fed_call(&message, &update.tool_call_id, &update.tool_name, now);
        let Some(key) = known.or_else(fed) else {
            return;
        };
        let end = match update.status {
            Status::Complete => End::Output,
            Status::Failed => End::Error,
            status => return self.take_status(key, status),
        };
        let id = update.tool_call_id;
        let nothing = || match end {
            End::Output => "null".to_owned(),
            _ => String::new(),
        };
        let text = update.result.unwrap_or_else(nothing);
        let runs_here = self.call(&key).is_some_and(|call| call.state.is_at_work());
        if runs_here {
            return;
        }
        if self.edit_call(&key, |call| settle(call, end, &id, text, now)) == Some(true) {
            self.list_answer(key);
        }
    }

    /// Applies the status of a call that has not ended. An executed call does not return to pending.
    fn take_status(&mut self, key: CallKey, status: Status) {
        self.edit_call(&key, |call| {
            if call.state == State::Streaming {
                call.end_args();
            }
            if status == Status::Executing && matches!(call.state, State::Open(_)) {
                // It holds nothing up here: whoever runs it goes on.
                call.take(StateEvent::FoundRemote);
                call.take(StateEvent::LeftRemote);
            }
        });
    }

    fn call_of(&self, message: &MessageId, id: &str) -> Option<CallKey> {
        let mut calls = self.calls_in(self.message(message)?);
        calls.find(|call| call.id == id).map(ToolCall::key)
    }

    /// The call with this id in a message, which gets one if it has none.
    fn fed_call(&mut self, message: &MessageId, id: &str, name: &str, now: i64) -> Option<CallKey> {
        if let Some(key) = self.call_of(message, id) {
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

    /// Returns whether a run is writing the message right now.
    #[must_use]
    pub fn is_being_written(&self, id: &MessageId) -> bool {
        let node = self.tree.find(id).and_then(|ix| self.node(ix));
        self.runs.current.is_some() && node.is_some_and(|node| node.run == self.runs.current)
    }
}

/// A file, if it can be read as one.
fn attachment(value: Value) -> Part {
    match agui::content_part_from_value(value.clone()) {
        Ok(part) => Part::File(part),
        Err(_) => Part::Unknown(value),
    }
}

/// Gives a call its outcome. `false` if it has one.
fn settle(call: &mut ToolCall, end: End, id: &str, text: String, now: i64) -> bool {
    if !call.has_ended() {
        call.end_args();
    }
    let mut outcome = Outcome::new(end, Author::Agent, true);
    outcome.at = Some(now);
    outcome.error = (end == End::Error).then(|| CallError {
        message: text.clone(),
        kind: ErrorKind::Agent,
        details: None,
    });
    let value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
    let mut result = CallResult::new(format!("{id}-result"), String::new(), value);
    result.error = outcome.error.as_ref().map(|error| error.message.clone());
    result.content = Content::Text(text);
    outcome.result = Some(result);
    call.result().is_none() && call.take(StateEvent::Settled(Box::new(outcome)))
}
