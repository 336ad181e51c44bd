//! Implements the scripted agent in the page. The agent selects its texts and calls by words in the
//! user's message and by the results of calls. Like any other agent, it receives only the input of
//! the run.
//!
//! `scenes` selects the scenes that are Markdown files. `words` parses prompts and describes
//! results.

mod everything;
mod scenes;
mod words;

use std::time::Duration;

use leptos::prelude::ViewFn;
use leptos_assistant::{
    Icon, Suggestion,
    agent::{Script, last_user_text, results_since_user},
    event::{EventKind, RunInput},
};
use serde_json::json;

use crate::page_icons::PageIcon;

/// Returns the suggestions of the empty chat. Each suggestion is a prompt that selects a scene.
pub(crate) fn suggestions() -> Vec<Suggestion> {
    let scenes: [(ViewFn, &str); 12] = [
        (PageIcon::Cloud.into(), "What's the weather?"),
        (Icon::Check.into(), "Rotate the API keys, but ask me first"),
        (PageIcon::Search.into(), "Search for tide tables"),
        (PageIcon::Rocket.into(), "Deploy 2.4.0 to production"),
        (Icon::Tool.into(), "Run the full deployment process"),
        (PageIcon::Trash.into(), "Delete the project atlas-sandbox"),
        (
            PageIcon::Database.into(),
            "Pick a data source for the berth report",
        ),
        (PageIcon::Globe.into(), "Check berth availability"),
        (PageIcon::Chart.into(), "Analyze the berth telemetry"),
        (
            PageIcon::Cloud.into(),
            "What's the weather in Oslo and Bergen?",
        ),
        (Icon::Alert.into(), "Search for pier failure reports"),
        (Icon::Image.into(), "Show me everything"),
    ];
    let suggest = |(icon, text)| Suggestion::new(text).icon(icon);
    scenes.into_iter().map(suggest).collect()
}

/// Returns the agent's script for one run.
pub(crate) fn answer(input: &RunInput) -> Script {
    let text = last_user_text(input);
    let lower = text.to_lowercase();
    let results = results_since_user(input);
    if lower.contains("keep searching") {
        let search = Script::new().call("web_search", &json!({"query": "tide tables"}));
        return refusal(input, ["web_search"].into_iter()).unwrap_or(search);
    }
    if results.is_empty()
        && let Some(script) = special_scene(input, &text, &lower)
    {
        return script;
    }
    let description = words::describe_results(&text, &results);
    if let Some(scene) = scenes::failure_scene(&lower) {
        return scene.with("about", &description).script(input);
    }
    // A request for the weather at several places is excluded, because `special_scene` handles it
    // with one call for each place.
    let scene = scenes::find_scene(&text, &lower).filter(|_| !requests_many_places(&text, &lower));
    let Some(scene) = scene else {
        return match results.is_empty() {
            true => scenes::help_scene().script(input),
            false => Script::new().text(description),
        };
    };
    // The tools are checked only before the scene's calls have results, because the scene then
    // continues even if the page no longer offers its tools.
    let refusal = refusal(input, scene.tools()).filter(|_| results.is_empty());
    refusal.unwrap_or_else(|| scene.with("about", &description).script(input))
}

/// Returns the script of a scene that cannot be expressed in Markdown. Returns `None` if the text
/// does not ask for such a scene.
fn special_scene(input: &RunInput, text: &str, lower: &str) -> Option<Script> {
    if let Some(script) = failure_scene(lower) {
        return Some(script);
    }
    if lower.contains("everything") {
        return Some(everything::all_parts_script());
    }
    if requests_many_places(text, lower) {
        let refusal = refusal(input, ["get_weather"].into_iter());
        return Some(refusal.unwrap_or_else(|| {
            let add_call =
                |script: Script, place| script.call("get_weather", &json!({"location": place}));
            let places = words::places(text).into_iter();
            places.fold(Script::new().text("Let me check…"), add_call)
        }));
    }
    let has_markdown_scene =
        scenes::failure_scene(lower).is_some() || scenes::find_scene(text, lower).is_some();
    (lower.contains("analyze") && !has_markdown_scene).then(analysis_script)
}

/// Returns true if the text asks for the weather at more than one place.
fn requests_many_places(text: &str, lower: &str) -> bool {
    lower.contains("weather") && !lower.contains("search") && words::places(text).len() > 1
}

/// Returns a script that refuses the request if the page does not offer all of the tools. Returns
/// `None` if the page offers all of them.
fn refusal<'a>(input: &RunInput, mut tools: impl Iterator<Item = &'a str>) -> Option<Script> {
    let is_offered = |name: &str| input.tools.iter().any(|tool| tool.name == name);
    let missing_tool = tools.find(|name| !is_offered(name))?;
    Some(
        Script::new().text(match missing_tool {
            "deployApplication" | "deployment_process" => {
                "I may not deploy. Turn on “The assistant may deploy” above the environments first."
                    .to_owned()
            }
            "web_search" => "I cannot search while the search panel is closed.".to_owned(),
            other => format!("This page does not offer {other}."),
        }),
    )
}

/// Returns a script with a call whose arguments are streamed in pieces. The arguments contain a
/// list of percentages that grows while the analysis runs.
fn analysis_script() -> Script {
    let id = words::unique_id("analysis");
    let args_event = |delta: String| EventKind::ToolCallArgs {
        tool_call_id: id.clone(),
        delta,
    };
    let mut script = Script::new()
        .text("I am going through the last week.")
        .event(EventKind::ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: "analyzing_data".to_owned(),
            parent_message_id: None,
        })
        .event(args_event(
            "{\"dataSource\":\"Berth telemetry\",\"progress\":[0".to_owned(),
        ));
    for percent in (8..=100).step_by(4) {
        script = script
            .wait(Duration::from_millis(110))
            .event(args_event(format!(",{percent}")));
    }
    script
        .event(args_event("]}".to_owned()))
        .event(EventKind::ToolCallEnd {
            tool_call_id: id.clone(),
        })
        .wait(Duration::from_millis(300))
        .result(id, "{\"late\":2,\"berth\":14}")
        .text(
            "The range over the last week is normal. Two sensors at berth 14 report late, \
             both by about four minutes.",
        )
}

/// Returns the script of a failure that cannot be expressed in Markdown. Returns `None` if the text
/// does not ask for such a failure.
fn failure_scene(lower: &str) -> Option<Script> {
    let has_word = |word: &str| lower.contains(word);
    if scenes::failure_scene(lower).is_some() {
        return None;
    }
    let script = Script::new();
    let failure_script = if has_word("malformed") {
        script.call_as(
            words::unique_id("malformed"),
            "confirmAction",
            "{\"action\": oops",
        )
    } else if has_word("crash") {
        script.text("About to fail.").error("the model exploded")
    } else if has_word("cut the line") {
        script.text("This answer breaks off before").cut()
    } else if has_word("break the page") {
        panic_on_purpose()
    } else if has_word("long") {
        script.text(words::long_answer())
    } else {
        return None;
    };
    Some(failure_script)
}

/// Panics on purpose, to demonstrate how the page handles a panic.
#[allow(clippy::panic, reason = "it is what this scene shows")]
fn panic_on_purpose() -> Script {
    panic!("this scene ends the program");
}
