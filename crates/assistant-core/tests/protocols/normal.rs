//! A stored conversation without what must differ between two runs of the same scene: ids and times.
//! What differs for a reason stands in `fixtures/exceptions.json` and is taken out, too.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::wires::Wire;

/// Fields whose texts are ids.
const IDS: [&str; 6] = ["id", "parent", "tip", "runTip", "chosen", "messageId"];
/// Fields that tell a time.
const TIMES: [&str; 3] = ["createdAt", "endedAt", "durationMs"];

/// What differs by protocol, and why.
#[derive(Debug)]
pub(super) struct Exceptions(Vec<Exception>);

#[derive(Debug)]
struct Exception {
    /// The keys that lead there; `*` is any.
    path: Vec<String>,
    /// Where it differs: the other protocols have none of it.
    only: Vec<String>,
}

impl Exceptions {
    pub(super) fn read() -> Self {
        let list: Value = crate::ui_stream::fixture("exceptions.json")["conformance"].take();
        let texts = |value: &Value| -> Vec<String> {
            let list = value.as_array().unwrap().iter();
            list.map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let read = |entry: &Value| {
            assert!(entry["reason"].as_str().unwrap().len() > 20, "{entry}");
            Exception {
                path: texts(&entry["path"]),
                only: texts(&entry["only"]),
            }
        };
        Self(
            list["exceptions"]
                .as_array()
                .unwrap()
                .iter()
                .map(read)
                .collect(),
        )
    }

    /// Takes out what differs between two protocols for a reason.
    fn apply(&self, wires: [Wire; 2], value: &mut Value) {
        for exception in &self.0 {
            let applies = |wire: &Wire| exception.only.iter().any(|name| name == wire.name());
            if wires.iter().any(applies) {
                remove(value, &exception.path);
            }
        }
    }
}

fn remove(value: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    match value {
        Value::Object(object) if rest.is_empty() => {
            object.shift_remove(first);
        }
        Value::Object(object) => {
            for (key, inner) in object.iter_mut() {
                if first == "*" || first == key {
                    remove(inner, rest);
                }
            }
            // What holds nothing else is not there elsewhere.
            let is_emptied = |inner: &Value| inner.as_object().is_some_and(Map::is_empty);
            object.retain(|key, inner| key != first || !is_emptied(inner));
        }
        Value::Array(list) if first == "*" => {
            for inner in list {
                remove(inner, rest);
            }
        }
        _ => {}
    }
}

/// A conversation as it is stored, to be compared between two protocols.
pub(super) fn normal(mut stored: Value, wires: [Wire; 2], exceptions: &Exceptions) -> Value {
    exceptions.apply(wires, &mut stored);
    let mut names = HashMap::new();
    walk(&mut stored, &mut names);
    stored
}

fn walk(value: &mut Value, names: &mut HashMap<String, String>) {
    match value {
        Value::Object(object) => walk_object(object, names),
        Value::Array(list) => {
            for inner in list {
                walk(inner, names);
            }
        }
        _ => {}
    }
}

fn walk_object(object: &mut Map<String, Value>, names: &mut HashMap<String, String>) {
    object.retain(|key, _| !TIMES.contains(&key.as_str()));
    // In which order fields are written is no difference.
    object.sort_keys();
    for (key, inner) in object {
        match inner {
            Value::String(id) if IDS.contains(&key.as_str()) => {
                let count = names.len();
                let name = names.entry(id.clone());
                *id = name.or_insert_with(|| format!("id-{count}")).clone();
            }
            inner => walk(inner, names),
        }
    }
}

/// Where two values differ, one line each: the way there, and both.
pub(super) fn differences(left: &Value, right: &Value) -> Vec<String> {
    let mut out = Vec::new();
    compare("", left, right, &mut out);
    out
}

fn compare(path: &str, left: &Value, right: &Value, out: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let (left, right) = (a.get(key), b.get(key));
                let (left, right) = (left.unwrap_or(&Value::Null), right.unwrap_or(&Value::Null));
                compare(&format!("{path}/{key}"), left, right, out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (place, (left, right)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}/{place}"), left, right, out);
            }
        }
        _ if left == right => {}
        _ => out.push(format!("{path}: {left} and {right}")),
    }
}
