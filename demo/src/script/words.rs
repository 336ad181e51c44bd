//! Parses prompts, and writes sentences about results.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// Returns an id that is unique in this page.
pub(super) fn unique_id(kind: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{kind}-{}", COUNT.fetch_add(1, Ordering::Relaxed) + 1)
}

/// Returns the text that follows the first of the phrases that occurs in `text`, without
/// punctuation at the ends. Returns `None` if no phrase occurs or if no text follows the phrase.
pub(super) fn text_after<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    // `to_ascii_lowercase` is used because it keeps byte offsets: an offset in `lower` is valid in
    // `text`.
    let lower = text.to_ascii_lowercase();
    let rest = phrases.iter().find_map(|phrase| {
        let start = lower.find(phrase)?;
        text.get(start + phrase.len()..)
    });
    let rest = rest?.trim_matches(|c: char| c.is_whitespace() || ".?!".contains(c));
    (!rest.is_empty()).then_some(rest)
}

/// Returns the places in a text such as "the weather in Oslo and Bergen?". Returns Rotterdam if the
/// text names no place.
pub(super) fn places(text: &str) -> Vec<String> {
    let place_list = text_after(text, &["weather in ", " in "]).unwrap_or("Rotterdam");
    let places = place_list.split([',']).flat_map(|part| part.split(" and "));
    let places: Vec<String> = places
        .map(|place| place.trim().to_owned())
        .filter(|place| !place.is_empty())
        .collect();
    if places.is_empty() {
        return vec!["Rotterdam".to_owned()];
    }
    places
}

/// Returns the kind and the name of the resource in a text such as "Delete the project
/// atlas-sandbox". Returns the file `report.pdf` if the text names no resource.
pub(super) fn resource(text: &str) -> (&'static str, &str) {
    if let Some(name) = text_after(text, &["project "]) {
        return ("project", name);
    }
    let name = text_after(text, &["delete the file ", "delete the ", "delete "]);
    ("file", name.unwrap_or("report.pdf"))
}

/// Returns the action that the user asks to confirm, with a lowercase first letter.
pub(super) fn action(text: &str) -> String {
    let subject = text_after(text, &["confirm "]).unwrap_or(text);
    let subject = subject.split(", but").next().unwrap_or(subject);
    let mut chars = subject.chars();
    let first_letter = chars.next().map(|c| c.to_lowercase().to_string());
    first_letter.unwrap_or_default() + chars.as_str()
}

/// Returns the first word of a text that contains a digit, without punctuation at the ends. Returns
/// `2.4.0` if no word contains a digit.
pub(super) fn version(text: &str) -> &str {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .find(|word| word.contains(|c: char| c.is_ascii_digit()))
        .unwrap_or("2.4.0")
}

pub(super) fn environment(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let environments = ["production", "staging", "dev"];
    environments
        .into_iter()
        .find(|env| lower.contains(env))
        .unwrap_or("staging")
}

/// Returns the agent's text about the results of its calls, with one line for each result. `text`
/// is the user's message.
pub(super) fn describe_results(text: &str, results: &[(String, String)]) -> String {
    let lines = results.iter().map(|(tool, content)| {
        let value = serde_json::from_str(content).unwrap_or_else(|_| content.as_str().into());
        result_sentence(text, tool, &value)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn result_sentence(text: &str, tool: &str, value: &Value) -> String {
    if let Some(message) = value.get("error").and_then(Value::as_str) {
        return format!("{tool} failed: {message}. I will continue without it.");
    }
    let is_denied = value == "denied" || value.get("status").is_some_and(|word| word == "denied");
    if is_denied {
        return match value.get("reason").and_then(Value::as_str) {
            Some(reason) => format!("You denied {tool} (“{reason}”), so I leave it."),
            None => format!("You denied {tool}, so I leave it."),
        };
    }
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or("?");
    match tool {
        "get_weather" => format!("Here it is: {}.", value.as_str().unwrap_or("no word")),
        "web_search" => search_sentence(value),
        "confirmAction" if value == "approved" => {
            format!("You approved it, so I go ahead: {}.", action(text))
        }
        "confirmAction" => "You rejected it, so I leave it as it is.".to_owned(),
        "confirmDeletion" if *value == Value::Bool(true) => {
            format!("Done: {} is deleted.", resource(text).1)
        }
        "confirmDeletion" => format!("You cancelled, so {} stays.", resource(text).1),
        "deployApplication" => format!(
            "Deployment {} is {} and takes about {}.",
            field("deploymentId"),
            field("status"),
            field("estimatedTime"),
        ),
        "deployment_process" => format!(
            "Deployment {} went through all five stages.",
            field("deploymentId")
        ),
        "selectDataSource" if value.is_null() => {
            "No data source was selected, so I cannot continue.".to_owned()
        }
        "selectDataSource" => format!("I will use {} ({}).", field("name"), field("type")),
        _ => format!("{tool} returned {value}."),
    }
}

fn search_sentence(value: &Value) -> String {
    let pages = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let titles: Vec<&str> = pages
        .iter()
        .filter_map(|page| page.get("title")?.as_str())
        .collect();
    match titles.as_slice() {
        [] => "I found nothing about that.".to_owned(),
        [title] => format!("I found one page: {title}."),
        titles => format!("I found {} pages: {}.", titles.len(), titles.join("; ")),
    }
}

/// Returns an answer that is several screens long.
pub(super) fn long_answer() -> String {
    let paragraphs = (1..=14).map(|watch| {
        format!(
            "Watch {watch}. The tide turned at the breakwater and the pilots changed over. Two \
             tugs lay ready at the northern quay, the wind stood in the south-west, and the \
             cranes kept their pace. Nothing was late, nothing was lost, and the log has the rest."
        )
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}
