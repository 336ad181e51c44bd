//! Normalization of a stored conversation: removes ids and times, which differ between two runs of
//! a scene, and the justified differences in `fixtures/exceptions.json`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::wires::Wire;

/// Fields with ids.
const IDS: [&str; 6] = ["id", "parent", "tip", "runTip", "chosen", "messageId"];
/// Fields with times.
const TIMES: [&str; 3] = ["createdAt", "endedAt", "durationMs"];

/// The differences between protocols, with their reasons.
#[derive(Debug)]
pub(super) struct Exceptions(Vec<Exception>);

#[derive(Debug)]
struct Exception {
    /// The keys of the path; `*` is any.
    path: Vec<String>,
    /// The protocols with this field; the others do not have it.
    only: Vec<String>,
}

impl Exceptions {
    pub(super) fn read() -> Self {
        let list: Value = super::fixture("exceptions.json")["conformance"].take();
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

    /// Removes the justified differences between two protocols.
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
            // Objects that become empty do not exist in the other protocol.
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

/// Normalizes a stored conversation for the comparison of two protocols.
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
    // The order of fields is not significant.
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

/// Describes the differences of two values, one per line: the path, and both values.
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
