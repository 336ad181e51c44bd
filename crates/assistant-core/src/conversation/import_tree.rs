//! Converts conversations of other systems to the export format: lists of messages with the ids of
//! their parents, trees with `children`, and the repositories of assistant-ui.
//!
//! A message contains `parts`, or any of `content`, `text` and `contentBlocks`, with calls in
//! `toolCalls`. Tool messages become the results of their calls. The module `export` reads and
//! checks the converted conversation. The conversion is not recursive, so the stack does not limit
//! the depth of nested messages.

use std::collections::{HashMap, hash_map::Entry};

use serde_json::{Value, json};

use super::{Amount, FormatError, Status};
use crate::event::Object;

/// A message with the id of its parent.
struct TreeEntry {
    message: Object,
    parent: Option<String>,
}

/// Returns true if any entry of a list has a field for its parent (a string or null), contains a
/// list of children, or contains its message in a field `message`.
pub(super) fn is_tree(list: &[Value]) -> bool {
    let has_id_field = |entry: &Value, key: &str| {
        let field = entry.get(key);
        field.is_some_and(|field| field.is_string() || field.is_null())
    };
    list.iter().any(|entry| {
        has_id_field(entry, "parentId")
            || has_id_field(entry, "parent")
            || entry.get("children").is_some_and(Value::is_array)
            || entry.get("message").is_some_and(Value::is_object)
    })
}

/// Returns the messages of an object without a version, and the id of the displayed message if the
/// object contains this id. Fails if the object contains no messages.
pub(super) fn take_messages(mut from: Object) -> Result<(Vec<Value>, Option<String>), FormatError> {
    let list_keys = ["messages", "tree", "roots", "root"];
    let list = list_keys.iter().find_map(|key| from.shift_remove(*key));
    let tip_keys = ["tip", "active", "activeId", "activeMessageId", "headId"];
    let tip = tip_keys.iter().find_map(|key| parse_id(from.get(*key)));
    let list = match list {
        Some(Value::Array(list)) => list,
        Some(root @ Value::Object(_)) => vec![root],
        // An object with `children` is itself a message with its descendants.
        None if from.contains_key("children") => vec![Value::Object(from)],
        _ => return Err(FormatError::new("the conversation has no list 'messages'")),
    };
    Ok((list, tip))
}

/// Converts a tree to the export format, without the version.
///
/// # Errors
///
/// Fails if an entry is not an object, or a message has no id.
pub(super) fn convert_tree(list: Vec<Value>, tip: Option<String>) -> Result<Object, FormatError> {
    let entries = fold_tool_messages(flatten_tree(list)?);
    let mut messages = Vec::with_capacity(entries.len());
    for entry in entries {
        let message = convert_message(entry.message)?;
        messages.push(json!({"parent": entry.parent, "message": message}));
    }
    let mut export = Object::new();
    export.insert("messages".to_owned(), messages.into());
    if let Some(tip) = tip {
        export.insert("tip".to_owned(), tip.into());
    }
    Ok(export)
}

fn parse_id(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// Lists the messages of a tree with the ids of their parents. A nested message follows its parent
/// and its older siblings. Fails if an entry is not an object, or a message has no id.
fn flatten_tree(list: Vec<Value>) -> Result<Vec<TreeEntry>, FormatError> {
    let mut entries = Vec::new();
    // The ids of parents that list their children by id. The keys of the map are the ids of the
    // children.
    let mut parents_by_child: HashMap<String, String> = HashMap::new();
    let mut stack: Vec<(Value, Option<String>)> = list.into_iter().map(|e| (e, None)).collect();
    stack.reverse();
    while let Some((entry, outer_parent)) = stack.pop() {
        let Value::Object(mut entry) = entry else {
            return Err(FormatError::new("a message is not an object"));
        };
        let children = entry.shift_remove("children");
        let parent = parse_id(entry.shift_remove("parentId").as_ref());
        let parent = parent.or(parse_id(entry.shift_remove("parent").as_ref()));
        let message = match entry.shift_remove("message") {
            Some(Value::Object(message)) => message,
            _ => entry,
        };
        let message_id =
            parse_id(message.get("id")).ok_or_else(|| FormatError::new("a message has no 'id'"))?;
        if let Some(Value::Array(children)) = children {
            for child in children.into_iter().rev() {
                match parse_id(Some(&child)) {
                    Some(child) => drop(parents_by_child.insert(child, message_id.clone())),
                    None => stack.push((child, Some(message_id.clone()))),
                }
            }
        }
        entries.push(TreeEntry {
            message,
            parent: outer_parent.or(parent),
        });
    }
    for entry in entries.iter_mut().filter(|entry| entry.parent.is_none()) {
        entry.parent =
            parse_id(entry.message.get("id")).and_then(|id| parents_by_child.remove(&id));
    }
    Ok(entries)
}

/// Moves the results of tool messages to their calls. Messages below a tool message become children
/// of the tool message's parent. A tool message that answers no call, or a call that another tool
/// message answers, is kept. If a call itself contains a result, that result is kept instead.
fn fold_tool_messages(mut entries: Vec<TreeEntry>) -> Vec<TreeEntry> {
    set_missing_parents(&mut entries);
    let mut scopes = CallScopes::new(&entries);
    let mut results: HashMap<(usize, String), Object> = HashMap::new();
    // The parents of the moved tool messages by the ids of these messages.
    let mut moved: HashMap<String, Option<String>> = HashMap::new();
    for step in list_steps(&entries) {
        let Step::Enter(ix) = step else {
            scopes.leave();
            continue;
        };
        let Some(entry) = entries.get_mut(ix) else {
            continue;
        };
        let new_parent = entry.parent.as_ref().and_then(|id| moved.get(id));
        if let Some(parent) = new_parent.cloned() {
            entry.parent = parent;
        }
        scopes.enter(ix, call_ids(entry));
        let answered_call =
            answered_call_id(entry).and_then(|call| Some((scopes.find(&call)?, call)));
        if let Some(answered_call) = answered_call
            && let Entry::Vacant(result) = results.entry(answered_call)
            && let Some(id) = parse_id(entry.message.get("id"))
        {
            moved.insert(id, entry.parent.take());
            result.insert(std::mem::take(&mut entry.message));
        }
    }
    for (ix, entry) in entries.iter_mut().enumerate() {
        let calls = entry.message.get_mut("toolCalls");
        let calls = calls.and_then(Value::as_array_mut).into_iter().flatten();
        for call in calls.filter_map(Value::as_object_mut) {
            let result = parse_id(call.get("id")).and_then(|id| results.get(&(ix, id)));
            if let Some(result) = result {
                add_result(call, result);
            }
        }
    }
    // Every other message has an id.
    entries.retain(|entry| !entry.message.is_empty());
    entries
}

/// Puts tool messages without a parent below the newest earlier message with their call, since some
/// systems store no parents of tool messages.
fn set_missing_parents(entries: &mut [TreeEntry]) {
    let mut newest_owners: HashMap<String, String> = HashMap::new();
    for entry in entries {
        if entry.parent.is_none() {
            let call_id = answered_call_id(entry);
            entry.parent = call_id.and_then(|id| newest_owners.get(&id).cloned());
        }
        if let Some(message_id) = parse_id(entry.message.get("id")) {
            let call_ids = call_ids(entry).into_iter();
            newest_owners.extend(call_ids.map(|id| (id, message_id.clone())));
        }
    }
}

/// Returns the id of the call that an entry answers; `None` if the entry is not a tool message.
fn answered_call_id(entry: &TreeEntry) -> Option<String> {
    let is_tool = entry.message.get("role").is_some_and(|role| role == "tool");
    parse_id(entry.message.get("toolCallId")).filter(|_| is_tool)
}

fn call_ids(entry: &TreeEntry) -> Vec<String> {
    let calls = entry.message.get("toolCalls").and_then(Value::as_array);
    let calls = calls.into_iter().flatten();
    calls.filter_map(|call| parse_id(call.get("id"))).collect()
}

/// Adds the content and the error of a tool message to a call. A result of the call is kept.
fn add_result(call: &mut Object, answer: &Object) {
    let content = answer.get("content").cloned().unwrap_or_default();
    call.entry("result").or_insert(content);
    if let Some(error) = answer.get("error").filter(|error| error.is_string()) {
        call.insert("error".to_owned(), error.clone());
    }
}

/// A step of a walk through a tree: an entry before its descendants, and the end of its descendants.
enum Step {
    Enter(usize),
    Leave,
}

/// Lists the steps of a walk through the tree in the order of the entries. Entries in a cycle are
/// not listed.
fn list_steps(entries: &[TreeEntry]) -> Vec<Step> {
    let ids = entries
        .iter()
        .map(|entry| parse_id(entry.message.get("id")));
    let indices: HashMap<String, usize> = ids
        .enumerate()
        .filter_map(|(ix, id)| Some((id?, ix)))
        .collect();
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (ix, entry) in entries.iter().enumerate() {
        let parent = entry.parent.as_ref().and_then(|id| indices.get(id));
        children.entry(parent.copied()).or_default().push(ix);
    }
    let mut take_children = |parent: Option<usize>| {
        let children = children.remove(&parent).unwrap_or_default();
        children.into_iter().rev().map(Step::Enter)
    };
    let mut steps = Vec::new();
    let mut stack: Vec<Step> = take_children(None).collect();
    while let Some(step) = stack.pop() {
        if let Step::Enter(ix) = step {
            stack.push(Step::Leave);
            stack.extend(take_children(Some(ix)));
        }
        steps.push(step);
    }
    steps
}

/// Finds the message with the call that a tool message answers, during a walk through the tree.
struct CallScopes {
    /// The entry with a call id, or `None` if several entries have this call id.
    unique: HashMap<String, Option<usize>>,
    /// The entries on the current path with a call id, the newest last.
    on_path: HashMap<String, Vec<usize>>,
    /// The call ids of each entry on the current path.
    path: Vec<Vec<String>>,
}

impl CallScopes {
    fn new(entries: &[TreeEntry]) -> Self {
        let mut unique: HashMap<String, Option<usize>> = HashMap::new();
        for (ix, entry) in entries.iter().enumerate() {
            for id in call_ids(entry) {
                let owner = unique.entry(id).or_insert(Some(ix));
                *owner = owner.filter(|owner| *owner == ix);
            }
        }
        Self {
            unique,
            on_path: HashMap::new(),
            path: Vec::new(),
        }
    }

    fn enter(&mut self, ix: usize, call_ids: Vec<String>) {
        for id in &call_ids {
            self.on_path.entry(id.clone()).or_default().push(ix);
        }
        self.path.push(call_ids);
    }

    fn leave(&mut self) {
        for id in self.path.pop().unwrap_or_default() {
            if let Some(owners) = self.on_path.get_mut(&id) {
                owners.pop();
            }
        }
    }

    /// Returns the nearest entry on the current path with this call id. If the path has no such
    /// entry, returns the only entry of the tree with this call id.
    fn find(&self, call_id: &str) -> Option<usize> {
        let nearest = self.on_path.get(call_id).and_then(|owners| owners.last());
        nearest
            .copied()
            .or_else(|| self.unique.get(call_id).copied().flatten())
    }
}

fn find_text<'a>(from: &'a Object, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| from.get(*key)?.as_str())
}

fn find_number(from: &Object, keys: &[&str]) -> Option<i64> {
    keys.iter().find_map(|key| from.get(*key)?.as_i64())
}

/// Converts a message to the export format.
fn convert_message(mut from: Object) -> Result<Value, FormatError> {
    let id = parse_id(from.get("id")).ok_or_else(|| FormatError::new("a message has no 'id'"))?;
    let role = find_text(&from, &["role", "source"]).unwrap_or_default();
    let role = role.to_ascii_lowercase();
    let is_own_format = from.get("parts").is_some_and(Value::is_array);
    if is_own_format {
        from.insert("id".to_owned(), id.into());
        from.insert("role".to_owned(), role.into());
        return Ok(Value::Object(from));
    }
    let mut parts = match role.as_str() {
        // A tool message that remains contains the result of a missing call, so it becomes a
        // separate result.
        "tool" => vec![json!({
            "type": "tool-result", "toolCallId": from.get("toolCallId"), "toolName": "",
            "output": from.shift_remove("content").unwrap_or_default(),
        })],
        _ => convert_content(&mut from),
    };
    for key in ["toolCalls", "partialToolCalls"] {
        if let Some(Value::Array(calls)) = from.get(key) {
            parts.extend(calls.iter().filter_map(convert_call));
        }
    }
    let mut converted = json!({"id": id, "role": role, "parts": parts});
    let mut put = |key: &str, value: Option<Value>| {
        if let (Some(value), Value::Object(converted)) = (value, &mut converted) {
            converted.insert(key.to_owned(), value);
        }
    };
    put(
        "createdAt",
        find_number(&from, &["createdAt", "timestamp"]).map(Value::from),
    );
    put("name", find_text(&from, &["name"]).map(Value::from));
    put(
        "durationMs",
        find_number(&from, &["durationMs"]).map(Value::from),
    );
    put("usage", convert_usage(&from));
    let cost = from.get("costInfo").and_then(|cost| cost.get("totalCost"));
    let cost = cost.map(|cost| {
        cost.as_str()
            .map_or_else(|| cost.to_string(), str::to_owned)
    });
    let cost = cost.and_then(|cost| cost.parse::<Amount>().ok());
    put("priceMicros", cost.map(|cost| cost.micros().into()));
    Ok(converted)
}

fn convert_content(from: &mut Object) -> Vec<Value> {
    let convert_block = |block: Value| match &block {
        Value::String(text) => json!({"type": "text", "text": text}),
        Value::Object(fields) if fields.contains_key("content") => {
            let kind = find_text(fields, &["contentType", "type"]).unwrap_or_default();
            let kind = match kind.to_ascii_lowercase().as_str() {
                "reasoning" | "thinking" => "reasoning",
                _ => "text",
            };
            json!({"type": kind, "text": find_text(fields, &["content"]).unwrap_or_default()})
        }
        _ => block,
    };
    let content = ["content", "contentBlocks", "text"].iter();
    let content = content.map(|key| from.shift_remove(*key).unwrap_or_default());
    let first = content.into_iter().find(|content| !content.is_null());
    match first {
        Some(Value::Array(list)) => list.into_iter().map(convert_block).collect(),
        Some(text @ Value::String(_)) => vec![convert_block(text)],
        _ => Vec::new(),
    }
}

/// Converts a call in AG-UI's form or in the form of a record to the export format. Returns `None`
/// if the value is not an object or has no id.
fn convert_call(call: &Value) -> Option<Value> {
    let call = call.as_object()?;
    let function = call.get("function").and_then(Value::as_object);
    let fields = function.unwrap_or(call);
    let id = parse_id(call.get("id")).or_else(|| parse_id(call.get("toolCallId")))?;
    let name = find_text(fields, &["name", "toolName"]).or_else(|| find_text(call, &["toolName"]));
    let arg_keys = ["arguments", "parameters", "args", "input"].iter();
    let args = arg_keys
        .filter_map(|key| fields.get(*key))
        .find(|args| !args.is_null());
    let result_keys = ["result", "output"].iter();
    let result = result_keys
        .filter_map(|key| call.get(*key))
        .find(|result| !result.is_null());
    let failure = find_text(call, &["error"]);
    let status = find_text(call, &["status"]).and_then(Status::parse);
    // A call without a result counts as cancelled, because its outcome is unknown and it must not
    // be started again.
    let state = match (status, failure.is_some(), result.is_some()) {
        (Some(Status::Failed), ..) | (_, true, _) => "output-error",
        (Some(Status::Complete), ..) | (_, _, true) => "output-available",
        _ => "cancelled",
    };
    let mut converted = json!({
        "type": "tool-call", "toolCallId": id, "toolName": name.unwrap_or_default(), "state": state,
    });
    let mut put = |key: &str, value: Value| {
        if let Value::Object(converted) = &mut converted {
            converted.insert(key.to_owned(), value);
        }
    };
    match args {
        Some(Value::String(text)) => {
            match serde_json::from_str::<Value>(text) {
                Ok(input) => put("input", input),
                Err(_) if text.trim().is_empty() => put("input", json!({})),
                Err(_) => {}
            }
            put("argsText", text.as_str().into());
        }
        Some(args) => put("input", args.clone()),
        None => put("input", json!({})),
    }
    if let Some(created_at) = find_number(call, &["createdAt", "timestamp"]) {
        put("createdAt", created_at.into());
    }
    if state == "cancelled" {
        return Some(converted);
    }
    let to_text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if state == "output-error" {
        let message = failure.map(str::to_owned).or_else(|| result.map(to_text));
        put(
            "error",
            json!({"message": message.unwrap_or_default(), "kind": "agent"}),
        );
    }
    let content = result.map(to_text).or_else(|| failure.map(str::to_owned));
    let content = content.unwrap_or_else(|| "null".to_owned());
    put(
        "result",
        json!({"content": content, "error": failure, "sent": true}),
    );
    let output = match result {
        // Text that is JSON is parsed, as in a tool message.
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into())
        }
        Some(value) => value.clone(),
        None => failure.map_or(Value::Null, Value::from),
    };
    put("output", output);
    Some(converted)
}

fn convert_usage(from: &Object) -> Option<Value> {
    if let Some(usage) = from.get("usage").filter(|usage| usage.is_array()) {
        return Some(usage.clone());
    }
    let usage = from.get("tokenUsage").or(from.get("usage"))?.as_object()?;
    let mut counts = Object::new();
    let key_pairs = [
        ("inputTokens", "inputTokens"),
        ("outputTokens", "outputTokens"),
        ("cacheCreationInputTokens", "cacheWriteInputTokens"),
        ("cacheReadInputTokens", "cachedInputTokens"),
    ];
    for (source_key, export_key) in key_pairs {
        if let Some(count) = usage.get(source_key).and_then(Value::as_u64) {
            counts.insert(export_key.to_owned(), count.into());
        }
    }
    (!counts.is_empty()).then(|| json!([counts]))
}
