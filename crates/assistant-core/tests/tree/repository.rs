//! Recorded operations of assistant-ui's message repository, translated to ours.
//!
//! Differing results are listed in `fixtures/exceptions.json` with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use assistant_testkit::replay::branches;
use serde_json::{Value, json};

use super::fixture;

/// The state of the repository that the translation needs.
#[derive(Default)]
struct Translation {
    ops: Vec<Value>,
    /// Messages in the order in which they became children of their parents.
    parents: Vec<(String, Value)>,
    head: Value,
}

impl Translation {
    fn say(&mut self, op: Value) {
        self.ops.push(op);
    }

    fn take(&mut self, op: &Value) {
        let id = &op["id"];
        match op["op"].as_str().unwrap() {
            "add_or_update" => self.add_or_update(op),
            "delete" => self.delete(op),
            "switch_to_branch" => self.say(json!({"op": "select", "id": id})),
            "reset_head" if !id.is_null() => self.say(json!({"op": "select_exact", "id": id})),
            "reset_head" | "clear" => {
                let parents = std::mem::take(&mut self.parents);
                for (root, _) in parents.iter().filter(|(_, parent)| parent.is_null()) {
                    self.say(json!({"op": "delete", "id": root}));
                }
            }
            "import" => self.import(op),
            "export" => self.say(json!({"op": "roundtrip"})),
            // A query is not an operation.
            _ => {}
        }
        self.head = op["state"]["head"].clone();
    }

    fn add_or_update(&mut self, op: &Value) {
        let (message, parent) = (&op["message"], &op["parent"]);
        let id = message["id"].as_str().unwrap();
        let place = self.parents.iter().position(|(known, _)| known == id);
        let Some(place) = place else {
            let mut added = message.clone();
            added["op"] = "add".into();
            added["parent"] = parent.clone();
            added["select"] = (*parent == self.head).into();
            self.say(added);
            if op["throws"].is_null() {
                self.parents.push((id.to_owned(), parent.clone()));
            }
            return;
        };
        let mut update = message.clone();
        update["op"] = "upsert".into();
        self.say(update);
        if self.parents[place].1 == *parent {
            return;
        }
        self.say(json!({"op": "reparent", "id": id, "parent": parent}));
        if op["throws"].is_null() {
            self.parents.remove(place);
            self.parents.push((id.to_owned(), parent.clone()));
            if *parent == self.head {
                self.say(json!({"op": "select", "id": id}));
            }
        }
    }

    fn delete(&mut self, op: &Value) {
        let id = &op["id"];
        let known = self.parents.iter().find(|(known, _)| id == known);
        if let Some((_, parent)) = known {
            let heir = op.get("replacement").unwrap_or(parent).clone();
            let is_child = |(_, parent): &(String, Value)| parent == id;
            let children: Vec<_> = self
                .parents
                .iter()
                .filter(|c| is_child(c))
                .cloned()
                .collect();
            self.parents
                .retain(|entry| !is_child(entry) && entry.0 != *id);
            for (child, _) in children {
                self.say(json!({"op": "reparent", "id": child, "parent": heir}));
                self.parents.push((child, heir.clone()));
            }
        }
        self.say(json!({"op": "delete", "id": id}));
    }

    fn import(&mut self, op: &Value) {
        let data = &op["data"];
        let entries = data["messages"].as_array().unwrap();
        let messages: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let mut message = entry["message"].clone();
                message["parent"] = entry["parentId"].clone();
                message
            })
            .collect();
        for message in &messages {
            let id = message["id"].as_str().unwrap().to_owned();
            self.parents.push((id, message["parent"].clone()));
        }
        let active = &data["headId"];
        self.say(json!({"op": "import", "messages": messages, "active": active}));
    }
}

/// Returns the difference between the results of the translated operations and the recording.
fn difference(vector: &Value) -> Option<String> {
    let mut translation = Translation::default();
    for (index, op) in vector["ops"].as_array().unwrap().iter().enumerate() {
        let before = translation.ops.len();
        translation.take(op);
        let id = op["id"].as_str().unwrap_or_default();
        let mut expect = json!({"path": op["state"]["path"]});
        let returns = &op["returns"];
        match op["op"].as_str().unwrap() {
            "get_branches" if returns.is_array() => expect["siblings"] = json!({id: returns}),
            "get_messages" if op["head"].is_string() && returns.is_array() => {
                expect["path_of"] = json!({op["head"].as_str().unwrap(): returns});
            }
            "get_message" if returns.is_object() => {
                expect["depth"] = json!({id: returns["index"]});
                expect["text"] = json!({id: returns["message"]["text"]});
                expect["role"] = json!({id: returns["message"]["role"]});
            }
            "get_message" => expect["depth"] = json!({id: null}),
            _ => {}
        }
        let report = branches::replay_vector(&json!({"ops": translation.ops, "expect": expect}));
        let mut observed = report["observed"].clone();
        let errors = observed.as_object_mut().unwrap().shift_remove("errors");
        let new_error = errors.is_some_and(|errors| {
            let all = errors.as_array().unwrap().iter();
            let mut indices = all.map(|error| error["op_index"].as_u64().unwrap());
            indices.any(|index| index >= before as u64)
        });
        let is_question = op["op"].as_str().unwrap().starts_with("get");
        if new_error == op["throws"].is_null() && !is_question {
            return Some(format!("op {index}: error {new_error}"));
        }
        if observed != expect {
            return Some(format!("op {index}: {observed} instead of {expect}"));
        }
    }
    None
}

#[test]
fn the_recorded_repository_matches_except_for_listed_differences() {
    let vectors = fixture("message_repository.json");
    let exceptions = fixture("exceptions.json")["message_repository"].take();
    let exceptions: BTreeMap<String, String> = serde_json::from_value(exceptions).unwrap();
    let mut differing = BTreeMap::new();
    for vector in vectors["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        differing.extend(difference(vector).map(|what| (name, what)));
    }
    let named: BTreeSet<&str> = exceptions.keys().map(String::as_str).collect();
    let found: BTreeSet<&str> = differing.keys().copied().collect();
    assert_eq!(found, named, "{differing:#?}");
}
