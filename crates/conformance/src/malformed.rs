//! Test cases with a wrong value in each known field of AG-UI, and a sample of cases with two wrong
//! values.
//!
//! [`cases`] makes one change in a valid example of each event, message, part, source, outcome,
//! interrupt, usage, patch operation, call and run input (`scenes`), [`draw_pairs`] makes two
//! changes. The few thousand cases are the same each time. The differential test obtains the
//! expected results from the reference client.

mod pairs;
mod scenes;

pub use pairs::draw_pairs;

use serde_json::{Map, Value, json};

/// A test case: a stream with a changed event.
#[derive(Debug, Clone)]
pub struct Case {
    /// The names of the scene, the location and the change.
    pub name: String,
    /// The case as JSON, for the reference client and the replay.
    pub case: Value,
}

/// The names of fields with arbitrary content, which are changed only as a whole.
const OPEN: [&str; 10] = [
    "rawEvent",
    "metadata",
    "state",
    "snapshot",
    "value",
    "event",
    "forwardedProps",
    "payload",
    "parameters",
    "responseSchema",
];

/// Returns each scene unchanged, and with each change.
#[must_use]
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for scene in scenes::all_scenes() {
        cases.push(Case {
            name: format!("{}: as it is", scene.name),
            case: scene.with_subject(scene.subject.clone()),
        });
        let mut places = Vec::new();
        collect_paths(&scene.subject, &mut Vec::new(), &mut places);
        for place in places {
            for (what, subject) in changes_at(&scene.subject, &place) {
                let name = format!("{}: {} {what}", scene.name, write_path(&place));
                let case = scene.with_subject(subject);
                cases.push(Case { name, case });
            }
        }
    }
    cases
}

/// A location: member names and indices from the root.
type JsonPath = Vec<PathStep>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Index(usize),
}

fn collect_paths(value: &Value, place: &mut JsonPath, places: &mut Vec<JsonPath>) {
    places.push(place.clone());
    let mut go = |step: PathStep, child: &Value| {
        let open = matches!(&step, PathStep::Key(key) if OPEN.contains(&key.as_str()));
        place.push(step);
        if open {
            places.push(place.clone());
        } else {
            collect_paths(child, place, places);
        }
        place.pop();
    };
    match value {
        Value::Object(map) => {
            for (key, child) in map {
                go(PathStep::Key(key.clone()), child);
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                go(PathStep::Index(index), child);
            }
        }
        _ => {}
    }
}

/// Returns each possible change at a location of an event: the description, and the changed event.
fn changes_at(subject: &Value, place: &JsonPath) -> Vec<(String, Value)> {
    let mut changes = Vec::new();
    let mut push = |what: String, subject: Option<Value>| {
        changes.extend(subject.map(|subject| (what, subject)));
    };
    let original = find_value(subject, place).cloned().unwrap_or_default();
    push("removed".to_owned(), remove_value(subject, place));
    for value in wrong_values(&original) {
        // An unchanged value is not a case.
        if value != original {
            push(format!("is {value}"), replace_value(subject, place, value));
        }
    }
    if let Value::Object(map) = &original {
        for key in ["future", "toString", "__proto__", "a/b~c"] {
            let mut map = map.clone();
            map.insert(key.to_owned(), json!({"a": null}));
            let map = Value::Object(map);
            push(format!("has {key}"), replace_value(subject, place, map));
        }
    }
    changes
}

fn wrong_values(original: &Value) -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!(9_007_199_254_740_993_i64),
        json!(1e300),
        json!(""),
        json!("odd"),
        json!([]),
        json!({}),
        json!({"type": "odd", "role": "odd", "op": "odd"}),
        json!([original]),
        json!({"nested": original}),
    ]
}

fn find_value<'v>(value: &'v Value, place: &[PathStep]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, step| match step {
        PathStep::Key(key) => value.get(key),
        PathStep::Index(index) => value.get(index),
    })
}

fn replace_value(value: &Value, place: &[PathStep], new: Value) -> Option<Value> {
    let mut value = value.clone();
    let slot = place
        .iter()
        .try_fold(&mut value, |value, step| match step {
            PathStep::Key(key) => value.get_mut(key),
            PathStep::Index(index) => value.get_mut(index),
        })?;
    *slot = new;
    Some(value)
}

fn remove_value(value: &Value, place: &[PathStep]) -> Option<Value> {
    let (last, parent) = place.split_last()?;
    let mut holder = find_value(value, parent)?.clone();
    match (last, &mut holder) {
        (PathStep::Key(key), Value::Object(map)) => drop(map.shift_remove(key)),
        (PathStep::Index(index), Value::Array(items)) => drop(items.remove(*index)),
        _ => return None,
    }
    replace_value(value, parent, holder)
}

fn write_path(place: &JsonPath) -> String {
    place.iter().fold(String::new(), |text, step| match step {
        PathStep::Key(key) => format!("{text}/{key}"),
        PathStep::Index(index) => format!("{text}/{index}"),
    })
}

/// Adds fields to an object, and replaces fields of the same name.
pub(crate) fn merge_fields(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend::<Map<String, Value>>(more);
    }
    object
}
