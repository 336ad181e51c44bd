//! Test cases with a wrong value in each known field of AG-UI, and a sample of cases with two wrong
//! values.
//!
//! [`cases`] makes one change in a valid example of each event, message, part, source, outcome,
//! interrupt, usage, patch operation, call and run input (`scenes`), [`pairs`] makes two changes.
//! The few thousand cases are the same each time. The differential test obtains the expected
//! results from the reference client.

mod pairs;
mod scenes;

pub use pairs::pairs;

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
    for scene in scenes::all() {
        cases.push(Case {
            name: format!("{}: as it is", scene.name),
            case: scene.with(scene.subject.clone()),
        });
        let mut places = Vec::new();
        collect(&scene.subject, &mut Vec::new(), &mut places);
        for place in places {
            for (what, subject) in changes(&scene.subject, &place) {
                let name = format!("{}: {} {what}", scene.name, written(&place));
                let case = scene.with(subject);
                cases.push(Case { name, case });
            }
        }
    }
    cases
}

/// A location: member names and indices from the root.
type Place = Vec<Step>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

fn collect(value: &Value, place: &mut Place, places: &mut Vec<Place>) {
    places.push(place.clone());
    let mut go = |step: Step, child: &Value| {
        let open = matches!(&step, Step::Key(key) if OPEN.contains(&key.as_str()));
        place.push(step);
        if open {
            places.push(place.clone());
        } else {
            collect(child, place, places);
        }
        place.pop();
    };
    match value {
        Value::Object(map) => {
            for (key, child) in map {
                go(Step::Key(key.clone()), child);
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                go(Step::Index(index), child);
            }
        }
        _ => {}
    }
}

/// Returns each possible change at a location of an event: the description, and the changed event.
fn changes(subject: &Value, place: &Place) -> Vec<(String, Value)> {
    let mut changes = Vec::new();
    let mut push = |what: String, subject: Option<Value>| {
        changes.extend(subject.map(|subject| (what, subject)));
    };
    let original = at(subject, place).cloned().unwrap_or_default();
    push("removed".to_owned(), removed(subject, place));
    for value in wrong_values(&original) {
        // An unchanged value is not a case.
        if value != original {
            push(format!("is {value}"), replaced(subject, place, value));
        }
    }
    if let Value::Object(map) = &original {
        for key in ["future", "toString", "__proto__", "a/b~c"] {
            let mut map = map.clone();
            map.insert(key.to_owned(), json!({"a": null}));
            let map = Value::Object(map);
            push(format!("has {key}"), replaced(subject, place, map));
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

fn at<'v>(value: &'v Value, place: &[Step]) -> Option<&'v Value> {
    place.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn replaced(value: &Value, place: &[Step], new: Value) -> Option<Value> {
    let mut value = value.clone();
    let slot = place
        .iter()
        .try_fold(&mut value, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.get_mut(index),
        })?;
    *slot = new;
    Some(value)
}

fn removed(value: &Value, place: &[Step]) -> Option<Value> {
    let (last, parent) = place.split_last()?;
    let mut holder = at(value, parent)?.clone();
    match (last, &mut holder) {
        (Step::Key(key), Value::Object(map)) => drop(map.shift_remove(key)),
        (Step::Index(index), Value::Array(items)) => drop(items.remove(*index)),
        _ => return None,
    }
    replaced(value, parent, holder)
}

fn written(place: &Place) -> String {
    place.iter().fold(String::new(), |text, step| match step {
        Step::Key(key) => format!("{text}/{key}"),
        Step::Index(index) => format!("{text}/{index}"),
    })
}

/// Adds fields to an object, and replaces fields of the same name.
pub(crate) fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend::<Map<String, Value>>(more);
    }
    object
}
