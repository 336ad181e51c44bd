//! Defines the scene with every kind of part: reasoning, steps, an activity that changes, files and
//! sources.

use std::time::Duration;

use leptos_assistant::{agent::Script, event::EventKind};
use serde_json::{Value, json};

use super::words::unique_id;

/// A PNG image of a tide curve, encoded as base64.
const TIDE_IMAGE: &str = include_str!("tide.png.base64");
/// A CSV table of water levels, encoded as base64.
const WATER_LEVELS: &str = "cGxhY2UsbWV0cmVzCkhvb2sgb2YgSG9sbGFuZCwxLjQyCk1hYXNzbHVpcywxLjE3Cg==";

pub(super) fn all_parts_script() -> Script {
    let mut script = add_step(Script::new(), "Think", think);
    script = add_step(script, "Read the gauges", read_gauges);
    add_step(script, "Write the report", write_report)
}

fn add_step(script: Script, name: &str, add_events: fn(Script) -> Script) -> Script {
    let step_name = name.to_owned();
    let script = script.event(EventKind::StepStarted {
        step_name: step_name.clone(),
    });
    add_events(script).event(EventKind::StepFinished { step_name })
}

fn think(script: Script) -> Script {
    let message_id = unique_id("thought");
    let mut script = script.event(EventKind::ReasoningMessageStart {
        message_id: message_id.clone(),
    });
    let thought = "The person wants to see what I can show.\n\nA tide report has a bit of \
         everything: gauges to read, a curve, a table to keep, and pages it rests on.\n\nI read \
         the gauges first, then I draw.";
    for word in thought.split_inclusive(' ') {
        script = script
            .wait(Duration::from_millis(40))
            .event(EventKind::ReasoningMessageContent {
                message_id: message_id.clone(),
                delta: word.to_owned(),
            });
    }
    script.event(EventKind::ReasoningMessageEnd { message_id })
}

fn read_gauges(script: Script) -> Script {
    let message_id = unique_id("gauges");
    let mut script = script.event(EventKind::ActivitySnapshot {
        message_id: message_id.clone(),
        activity_type: "gauge_readings".to_owned(),
        content: into_object(json!({"status": "Asking 4 gauges", "readings": []})),
        replace: true,
    });
    let readings = [
        ("Hook of Holland", 1.42),
        ("Maassluis", 1.17),
        ("Vlaardingen", 1.08),
        ("Rotterdam", 0.94),
    ];
    for (count, (place, metres)) in readings.into_iter().enumerate() {
        let status = format!("{} of 4 gauges read", count + 1);
        script = script
            .wait(Duration::from_millis(350))
            .event(EventKind::ActivityDelta {
                message_id: message_id.clone(),
                activity_type: "gauge_readings".to_owned(),
                patch: vec![
                    json!({"op": "replace", "path": "/status", "value": status}),
                    json!({"op": "add", "path": "/readings/-",
                        "value": {"place": place, "metres": metres}}),
                ],
            });
    }
    script
}

fn write_report(script: Script) -> Script {
    let files = json!({"files": [
        {"type": "image", "metadata": {"filename": "tide-today.png"},
            "source": {"type": "data", "mimeType": "image/png", "value": TIDE_IMAGE}},
        {"type": "document", "metadata": {"filename": "tide-today.csv"},
            "source": {"type": "data", "mimeType": "text/csv", "value": WATER_LEVELS}},
        {"type": "image", "metadata": {"filename": "webcam.jpg"},
            "source": {"type": "url", "value": "https://webcam.example/berth-14.jpg"}},
    ]});
    let sources = json!({"sources": [
        {"title": "Tide tables for Rotterdam, 2026", "url": "https://tides.example/rotterdam",
            "snippet": "High and low water for every day of the year, Hook of Holland and Maassluis."},
        {"title": "Reading a tide table", "url": "https://portnotes.example/tide-table",
            "snippet": "What datum, range and slack water mean for a berth window."},
        {"title": "Berth windows and draught", "url": "https://pilotage.example/draught"},
        {"title": "Fog on the Nieuwe Waterweg", "url": "https://weatherlog.example/fog"},
    ]});
    let script = script.text(
        "High water at Hook of Holland was 1.42 m this morning, and it reaches Rotterdam about \
         an hour later and half a metre lower. Here is the curve, the table to keep, and the \
         camera at berth 14.",
    );
    let script = add_activity(script, "files", files);
    add_activity(script, "sources", sources)
}

fn add_activity(script: Script, activity_type: &str, content: Value) -> Script {
    script
        .wait(Duration::from_millis(200))
        .event(EventKind::ActivitySnapshot {
            message_id: unique_id(activity_type),
            activity_type: activity_type.to_owned(),
            content: into_object(content),
            replace: true,
        })
}

fn into_object(value: Value) -> serde_json::Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => serde_json::Map::new(),
    }
}
