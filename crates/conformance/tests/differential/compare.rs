//! Compares the reference's result for a stream with ours. Only the documented differences are
//! permitted.

use std::collections::HashSet;

use assistant_protocols::agui::DecoderOptions;
use assistant_testkit::replay::{Replay, ReplayInput};
use serde_json::Value;

use crate::findings;

/// The rows of the second table of `docs/agui-differences.md` that permit a difference.
pub mod rule {
    pub const INTERRUPTS: &str = "Open interrupts";
    pub const TRUNCATED: &str = "End of a stream";
    pub const NO_STREAM: &str = "A page (HTML), or a JSON value, as the response";
    pub const PREFIX: &str = "Before a fatal event";
    pub const BRANCH: &str = "A person's message that a snapshot leaves out, then brings back";
    pub const CALL_ORDER: &str = "Order of the calls in a message that a snapshot repeats";
    pub const TWICE: &str = "One call id in two messages, one message id twice in a list";
    pub const ACTIVITY: &str =
        "An activity with the id of a message that holds calls, or of a result";
    pub const SHARED_ID: &str = "One id for a result and for a text or an activity";
    pub const INTO_PARTS: &str = "Text into a user message made of parts";
    pub const CIRCLE: &str = "A state patch that moves a value into itself";
    pub const WORD: &str = "A word that is not in a closed set";
    pub const NO_OBJECT: &str = "An activity patch that leaves no object";
    pub const INTO_SCALAR: &str = "A state patch into a scalar, or at `__proto__`";
    pub const PLACE: &str = "A patch at a place that only JavaScript has";
    pub const LARGE: &str = "A number beyond what a double holds";
    pub const EMPTY_METADATA: &str = "An empty `metadata` object on a call";
    pub const BEHIND: &str = "The place of a fault behind what was removed from its list";
    pub const ALL: [&str; 18] = [
        INTERRUPTS,
        TRUNCATED,
        NO_STREAM,
        PREFIX,
        BRANCH,
        CALL_ORDER,
        TWICE,
        ACTIVITY,
        SHARED_ID,
        INTO_PARTS,
        CIRCLE,
        INTO_SCALAR,
        PLACE,
        LARGE,
        NO_OBJECT,
        WORD,
        EMPTY_METADATA,
        BEHIND,
    ];
}

pub fn play(case: &Value) -> Value {
    play_with(case, DecoderOptions::strict())
}

/// Plays a case in strict and in tolerant mode. Fails if strict mode accepts the case and tolerant
/// mode has another result.
pub fn play_in_both_modes(case: &Value) -> Result<Value, String> {
    let strict = play_with(case, DecoderOptions::strict());
    let tolerant = play_with(case, DecoderOptions::default());
    if strict["outcome"] != "failed" && strict != tolerant {
        return Err(format!("strict: {strict}\n tolerant: {tolerant}"));
    }
    Ok(strict)
}

fn play_with(case: &Value, options: DecoderOptions) -> Value {
    let mut replay = Replay::new().with_time(NOW);
    let (input, refusal) = match ReplayInput::from_json(case["input"].clone()) {
        Ok(input) => (input, None),
        // Such a request is never sent.
        Err(error) => (ReplayInput::default(), Some(error)),
    };
    let mut stream = replay.stream(input, options);
    if let Some(error) = refusal {
        stream.fail(error);
    }
    match case["rawSse"].as_str() {
        Some(text) => stream.push_bytes(text.as_bytes()),
        None => {
            for event in case["stream"].as_array().unwrap() {
                stream.push_value(event.clone());
            }
        }
    }
    stream.finish().to_json()
}

/// A time in 2020, in milliseconds since 1970, so that interrupts may have expired.
const NOW: i64 = 1_577_836_800_000;

/// Returns the rules that permit the differences of two reports. Fails with the first difference
/// that no rule permits.
pub fn compare(mut reference: Value, mut ours: Value) -> Result<Vec<&'static str>, String> {
    let mut met = Vec::new();
    if reference["outcome"] == "circular" {
        return Ok(vec![rule::CIRCLE]);
    }
    if findings::has_only_unknown_words(&reference, &ours) {
        return Ok(vec![rule::WORD]);
    }
    for report in [&mut reference, &mut ours] {
        convert_numbers(report);
        replace_generated_ids(report);
    }
    if reference["outcome"] == "failed" && ours["outcome"] == "failed" {
        met.push(rule::PREFIX);
        check_same_error(&reference, &ours, &mut met)?;
        return Ok(met);
    }
    if reference["outcome"] == "completed" && ours["outcome"] == "truncated" {
        reference["outcome"] = "truncated".into();
        met.push(rule::TRUNCATED);
    }
    let interrupts = |report: &Value| report["finished"].to_string().contains("\"interrupt\"");
    if reference["finished"].as_array().unwrap().len() > 1 && interrupts(&reference) {
        reference["pendingInterrupts"] = ours["pendingInterrupts"].clone();
        met.push(rule::INTERRUPTS);
    }
    let noted: HashSet<&str> = ours["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|note| note["code"].as_str())
        .collect();
    let excuses = [
        (noted.contains("activity-over-call"), rule::ACTIVITY),
        (noted.contains("id-taken"), rule::SHARED_ID),
        (noted.contains("other-branch"), rule::BRANCH),
        (has_duplicate_ids(&reference["messages"]), rule::TWICE),
    ];
    if let Some((_, rule)) = excuses.iter().find(|(holds, _)| *holds) {
        met.push(rule);
        reference["messages"] = ours["messages"].clone();
    }
    copy_bare_activities(&mut reference["messages"], &ours["messages"], &mut met);
    copy_user_parts(&mut reference["messages"], &ours["messages"], &mut met);
    remove_insignificant_differences(&mut reference["messages"], &mut met);
    remove_insignificant_differences(&mut ours["messages"], &mut met);
    for part in [
        "outcome",
        "finished",
        "runErrors",
        "messages",
        "state",
        "pendingInterrupts",
    ] {
        if reference[part] != ours[part] {
            return Err(format!(
                "{part}: {}\n ours: {}",
                reference[part], ours[part]
            ));
        }
    }
    Ok(met)
}

/// Fails unless both errors report the same violation: the same message; for findings of a schema,
/// the same first finding, by location and message; for invalid JSON, any message about it; if the
/// reference itself failed on a value, any message about a malformed value.
fn check_same_error(
    reference: &Value,
    report: &Value,
    met: &mut Vec<&'static str>,
) -> Result<(), String> {
    let theirs = reference["error"].as_str().unwrap();
    let ours = report["error"].as_str().unwrap_or_default();
    let same = match reference["kind"].as_str() {
        Some("SyntaxError") => ours.contains("the frame is not JSON"),
        // The reference itself failed on an invalid value.
        Some("TypeError") => ours.starts_with("Malformed "),
        Some("ZodError") => findings::has_same_first_finding(reference, report, met),
        _ => theirs == ours,
    };
    if same {
        return Ok(());
    }
    Err(format!("error: {theirs}\n ours: {ours}"))
}

/// Replaces the ids that a client generated for retired thinking events with one fixed text.
fn replace_generated_ids(value: &mut Value) {
    let is_minted = |word: &str| {
        let uuid = word.len() == 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4;
        uuid || word.contains("-thinking-")
    };
    match value {
        Value::String(text) if text.contains('-') => {
            let words = text.split_inclusive([' ', '\'']).map(|word| {
                let bare = word.trim_end_matches([' ', '\'', '.']);
                if is_minted(bare) {
                    word.replace(bare, "minted")
                } else {
                    word.to_owned()
                }
            });
            *text = words.collect();
        }
        Value::Array(items) => items.iter_mut().for_each(replace_generated_ids),
        Value::Object(map) => map.values_mut().for_each(replace_generated_ids),
        _ => {}
    }
}

/// Converts numbers to doubles, as in JavaScript.
fn convert_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => *value = number.as_f64().into(),
        Value::Array(items) => items.iter_mut().for_each(convert_numbers),
        Value::Object(map) => map.values_mut().for_each(convert_numbers),
        _ => {}
    }
}

/// Fails unless the diagnostics match the reference's warnings: each warning about the wire has a
/// diagnostic with its subject, no diagnostic about the wire is without a warning, and there are
/// diagnostics if there are warnings.
pub fn check_same_warnings(reference: &Value, ours: &Value) -> Result<(), String> {
    const WIRE: [&str; 5] = [
        "unknown-event",
        "unknown-field",
        "legacy",
        "null-optional",
        "version",
    ];
    let warnings = reference["warnings"].as_array().unwrap();
    let notes = ours["diagnostics"].as_array().unwrap();
    let different = || Err(format!("warnings: {warnings:?}\n ours: {notes:?}"));
    let says = |subject: &str| {
        let mut texts = notes.iter().filter_map(|note| note["message"].as_str());
        // Locations are JSON Pointers here.
        texts.any(|text| text.replace("~1", "/").replace("~0", "~").contains(subject))
    };
    let texts = warnings.iter().filter_map(Value::as_str);
    if !texts.filter_map(warning_subject).all(says) {
        return different();
    }
    let is_wire = |note: &Value| WIRE.iter().any(|code| note["code"] == *code);
    if warnings.is_empty() && notes.iter().any(is_wire) || notes.is_empty() && !warnings.is_empty()
    {
        return different();
    }
    Ok(())
}

/// Returns the subject of a warning about the wire; `None` for other warnings.
fn warning_subject(warning: &str) -> Option<&str> {
    if let Some((_, rest)) = warning.split_once("Converting deprecated ") {
        return rest.split_once(" to ").map(|(subject, _)| subject);
    }
    let (_, quoted) = warning.strip_prefix("[ag-ui][enforce]")?.split_once('\'')?;
    quoted.split_once('\'').map(|(subject, _)| subject)
}

/// Returns true if two messages, or two calls, have the same id.
fn has_duplicate_ids(messages: &Value) -> bool {
    let mut ids = HashSet::new();
    let calls = |message: &Value| message["toolCalls"].as_array().cloned().unwrap_or_default();
    messages.as_array().unwrap().iter().any(|message| {
        let again = !ids.insert(format!("message {}", message["id"]));
        calls(message)
            .iter()
            .any(|call| !ids.insert(format!("call {}", call["id"])))
            || again
    })
}

/// Copies our version of user messages whose parts the reference has replaced with text.
fn copy_user_parts(reference: &mut Value, ours: &Value, met: &mut Vec<&'static str>) {
    let pairs = reference.as_array_mut().unwrap().iter_mut();
    for (theirs, ours) in pairs.zip(ours.as_array().unwrap()) {
        let same = theirs["id"] == ours["id"] && ours["role"] == "user";
        if same && theirs["content"].is_string() && ours["content"].is_array() {
            theirs["content"] = ours["content"].clone();
            met.push(rule::INTO_PARTS);
        }
    }
}

/// Copies our version of activities that a patch has turned into a value other than an object in
/// the reference.
fn copy_bare_activities(reference: &mut Value, ours: &Value, met: &mut Vec<&'static str>) {
    let pairs = reference.as_array_mut().unwrap().iter_mut();
    for (theirs, ours) in pairs.zip(ours.as_array().unwrap()) {
        if theirs["role"] == "activity"
            && !theirs["content"].is_object()
            && theirs["id"] == ours["id"]
        {
            *theirs = ours.clone();
            met.push(rule::NO_OBJECT);
        }
    }
}

/// Removes differences without meaning from messages: the order of calls, empty lists and objects.
fn remove_insignificant_differences(messages: &mut Value, met: &mut Vec<&'static str>) {
    for message in messages.as_array_mut().unwrap() {
        let message = message.as_object_mut().unwrap();
        let Some(Value::Array(calls)) = message.get_mut("toolCalls") else {
            continue;
        };
        for call in calls.iter_mut() {
            if call["metadata"]
                .as_object()
                .is_some_and(|all| all.is_empty())
            {
                call.as_object_mut().unwrap().remove("metadata");
                met.push(rule::EMPTY_METADATA);
            }
        }
        if !calls.is_sorted_by_key(|call| call["id"].to_string()) {
            calls.sort_by_key(|call| call["id"].to_string());
            met.push(rule::CALL_ORDER);
        }
        if calls.is_empty() {
            message.remove("toolCalls");
        }
    }
}
