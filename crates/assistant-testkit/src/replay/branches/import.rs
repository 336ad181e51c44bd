//! Imports the conversations in a vector: lists whose entries name parents, linear lists, nested
//! trees.
//!
//! The conversations are converted to the formats of [`Conversation::import`], which validates
//! them.

use serde_json::{Value, json};

use super::{ErrorCode, find_text, script::BranchScript};
use assistant_core::{
    conversation::{Conversation, Status, TreeError},
    session::Input,
};

impl BranchScript {
    pub(super) fn import_conversation(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let list = ["messages", "tree", "roots", "root"].iter();
        let list = list
            .clone()
            .find_map(|key| op.get(*key))
            .ok_or("malformed")?;
        let entries = flatten_tree(list);
        let linear = op.get("linear") == Some(&Value::Bool(true));
        let active = find_text(op, "active");
        let snapshot = match linear {
            true => Value::Array(
                entries
                    .iter()
                    .map(|(entry, _)| to_agui_message(entry))
                    .collect(),
            ),
            false => convert_tree(&entries, op.get("active"))?,
        };
        self.finish_run();
        self.load_conversation(snapshot)?;
        self.forget_names();
        for (entry, _) in &entries {
            if let Some(id) = find_text(entry, "id") {
                self.set_cost(id, entry)?;
            }
        }
        match active.filter(|_| linear) {
            Some(active) => {
                let message = self.message_id(active);
                self.show_message(&message, true);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Replaces this conversation with a stored one. Fails, without a change, if the stored one is
    /// invalid.
    pub(super) fn load_conversation(&mut self, snapshot: Value) -> Result<(), ErrorCode> {
        let mut alone = snapshot.clone();
        if let Value::Object(alone) = &mut alone {
            alone.shift_remove("queued");
        }
        if let Err(error) = Conversation::import(alone) {
            return Err(error.tree_error().map_or("malformed", TreeError::code));
        }
        self.handle_input(Input::Load {
            thread_id: "vector".to_owned(),
            snapshot,
        })
    }
}

/// Returns the messages of a nested tree, each with the id of its parent. An entry may also name
/// its parent.
fn flatten_tree(list: &Value) -> Vec<(&Value, Option<&str>)> {
    let mut out = Vec::new();
    let all = reversed_entries(list).into_iter();
    let mut next: Vec<(&Value, Option<&str>)> = all.map(|entry| (entry, None)).collect();
    while let Some((entry, below)) = next.pop() {
        let parent = ["parent", "parentId"].iter();
        let parent = below.or_else(|| parent.clone().find_map(|key| find_text(entry, key)));
        out.push((entry, parent));
        if let Some(children) = entry.get("children") {
            let own = find_text(entry, "id");
            next.extend(
                reversed_entries(children)
                    .into_iter()
                    .map(|child| (child, own)),
            );
        }
    }
    out
}

/// Returns the entries of a list, or a single entry, from the last to the first.
fn reversed_entries(list: &Value) -> Vec<&Value> {
    match list {
        Value::Array(entries) => entries.iter().rev().collect(),
        entry => vec![entry],
    }
}

fn entry_text(entry: &Value) -> &str {
    let words = ["text", "content"].iter();
    words
        .clone()
        .find_map(|key| find_text(entry, key))
        .unwrap_or_default()
}

/// Converts an entry of a linear list to an AG-UI message.
fn to_agui_message(entry: &Value) -> Value {
    let calls = entry_calls(entry).iter().map(|call| {
        let id = call.as_str().or_else(|| find_text(call, "id"));
        json!({"id": id, "type": "function", "function": {"name": "tool", "arguments": "{}"}})
    });
    let calls: Vec<Value> = calls.collect();
    let mut out =
        json!({"id": entry.get("id"), "role": entry.get("role"), "content": entry_text(entry)});
    if let (false, Value::Object(out)) = (calls.is_empty(), &mut out) {
        out.insert("toolCalls".to_owned(), calls.into());
    }
    out
}

fn entry_calls(entry: &Value) -> &[Value] {
    let calls = entry.get("calls").and_then(Value::as_array);
    calls.map_or(&[], Vec::as_slice)
}

/// Converts a tree to the format of exports, with the active message as its tip, if any.
fn convert_tree(
    entries: &[(&Value, Option<&str>)],
    active: Option<&Value>,
) -> Result<Value, ErrorCode> {
    let mut messages = Vec::new();
    for (entry, parent) in entries {
        let mut parts = vec![json!({"type": "text", "text": entry_text(entry)})];
        for call in entry_calls(entry) {
            parts.push(convert_call(call)?);
        }
        let message = json!({"id": entry.get("id"), "role": entry.get("role"), "parts": parts});
        messages.push(json!({"parent": parent, "message": message}));
    }
    let mut out = json!({"version": 2, "messages": messages});
    if let (Some(active), Value::Object(out)) =
        (active.filter(|active| !active.is_null()), &mut out)
    {
        out.insert("tip".to_owned(), active.clone());
    }
    Ok(out)
}

fn convert_call(call: &Value) -> Result<Value, ErrorCode> {
    let id = call.as_str().or_else(|| find_text(call, "id"));
    let id = id.ok_or("malformed")?;
    let status = find_text(call, "status").unwrap_or("pending");
    let state = match (status, Status::parse(status)) {
        ("denied" | "rejected" | "output-denied", _) => "output-denied",
        ("skipped", _) => "skipped",
        ("cancelled" | "canceled", _) => "cancelled",
        (_, Some(Status::Pending)) => "input-available",
        (_, Some(Status::Executing)) => "running",
        (_, Some(Status::Complete)) => "output-available",
        (_, Some(Status::Failed)) => "output-error",
        (other, None) => other,
    };
    let mut part = json!({"type": "tool-call", "toolCallId": id, "toolName": "tool", "state": state, "input": {}});
    let is_open = matches!(state, "input-available" | "running");
    if let (false, Value::Object(part)) = (is_open, &mut part) {
        let output = call.get("result").cloned().unwrap_or_else(|| json!("done"));
        part.insert("output".to_owned(), output);
    }
    Ok(part)
}
