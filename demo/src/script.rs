//! The agent that lives in the page: what it says and calls, by the words of the person, and how
//! it goes on with results. It sees what any agent sees, the run's input, and nothing else.
//!
//! The words for results are in `words`.

mod everything;
mod words;

use std::time::Duration;

use leptos_assistant::{
    Suggestion,
    agent::{Script, last_user_text, results_since_user},
    chat::Icon,
    core::event::{EventKind, RunInput},
};
use serde_json::{Value, json};

/// A suggestion for each scene; what it says is exactly the prompt.
pub(crate) fn suggestions() -> Vec<Suggestion> {
    let scenes = [
        (Icon::Cloud, "What's the weather?"),
        (Icon::Check, "Rotate the API keys, but ask me first"),
        (Icon::Search, "Search for tide tables"),
        (Icon::Rocket, "Deploy 2.4.0 to production"),
        (Icon::Tool, "Run the full deployment process"),
        (Icon::Trash, "Delete the project atlas-sandbox"),
        (Icon::Database, "Pick a data source for the berth report"),
        (Icon::Globe, "Check berth availability"),
        (Icon::Chart, "Analyze the berth telemetry"),
        (Icon::Cloud, "What's the weather in Oslo and Bergen?"),
        (Icon::Alert, "Search for pier failure reports"),
        (Icon::Image, "Show me everything"),
    ];
    let suggest = |(icon, text)| Suggestion::new(text).icon(icon);
    scenes.into_iter().map(suggest).collect()
}

/// What the agent does in one run.
pub(crate) fn answer(input: &RunInput) -> Script {
    let text = last_user_text(input);
    let said = text.to_lowercase();
    let results = results_since_user(input);
    if said.contains("keep searching") {
        return calling(
            input,
            Script::new(),
            "web_search",
            &json!({"query": "tide tables"}),
        );
    }
    if results.is_empty() {
        open(input, &text, &said)
    } else {
        Script::new().text(words::about(&text, &results))
    }
}

/// The first answer to what a person says.
fn open(input: &RunInput, text: &str, said: &str) -> Script {
    let has = |word: &str| said.contains(word);
    if let Some(script) = mishap(said) {
        return script;
    }
    if has("everything") {
        return everything::everything();
    }
    if let Some(script) = look_up(input, text, said) {
        return script;
    }
    if has("delete") {
        let (kind, name) = words::resource(text);
        let script = Script::new().text(format!("I will ask you before {name} goes."));
        let args = json!({"resourceType": kind, "resourceName": name});
        return calling(input, script, "confirmDeletion", &args);
    }
    if has("ask me first") || has("confirm") {
        let action = words::action(text);
        let script = Script::new().text("I need your word before I do that.");
        let args = json!({"action": action, "importance": "high"});
        return calling(input, script, "confirmAction", &args);
    }
    if has("process") || has("slow task") {
        let version = if has("slow") {
            "slow"
        } else {
            words::version(text)
        };
        let script = Script::new().text("Starting. The stages report here as they finish.");
        let args = json!({"environment": words::environment(text), "version": version});
        return calling(input, script, "deployment_process", &args);
    }
    if has("deploy") {
        let (environment, version) = (words::environment(text), words::version(text));
        let script = Script::new().text(format!("Deploying {version} to {environment}."));
        let args = json!({"environment": environment, "version": version});
        return calling(input, script, "deployApplication", &args);
    }
    if has("data source") {
        let kinds = match words::after(text, &["data source with ", "data source for "]) {
            Some(wanted) if has("data source with ") => vec![wanted],
            _ => vec!["time series", "tables"],
        };
        let script = Script::new().text("Which one should it be?");
        return calling(
            input,
            script,
            "selectDataSource",
            &json!({"dataTypes": kinds}),
        );
    }
    own_work(said).unwrap_or_else(|| Script::new().text(words::HELP))
}

/// Weather, search, or both at once.
fn look_up(input: &RunInput, text: &str, said: &str) -> Option<Script> {
    let has = |word: &str| said.contains(word);
    if has("search") && has("weather") {
        let query = words::after(text, &["search for ", "search "]).unwrap_or(text);
        let query = query.split(" and ").next().unwrap_or(query);
        let script = Script::new().text("Both at once.");
        let script = calling(input, script, "web_search", &json!({"query": query}));
        let place = words::places(text).into_iter().next();
        return Some(calling(
            input,
            script,
            "get_weather",
            &json!({"location": place}),
        ));
    }
    if has("weather") {
        let script = Script::new().text("Let me check…");
        let look =
            |script, place| calling(input, script, "get_weather", &json!({"location": place}));
        return Some(words::places(text).into_iter().fold(script, look));
    }
    if has("search") {
        let query = words::after(text, &["search for ", "search "]).unwrap_or("tide tables");
        let script = Script::new().text("I will look that up.");
        return Some(calling(
            input,
            script,
            "web_search",
            &json!({"query": query}),
        ));
    }
    None
}

/// Calls a tool of the page, or says that the page does not offer it.
fn calling(input: &RunInput, script: Script, name: &str, args: &Value) -> Script {
    if input.tools.iter().any(|tool| tool.name == name) {
        return script.call(name, args);
    }
    Script::new().text(match name {
        "deployApplication" | "deployment_process" => {
            "I may not deploy. Turn on “The assistant may deploy” above the environments first."
                .to_owned()
        }
        "web_search" => "I cannot search while the search panel is closed.".to_owned(),
        other => format!("This page does not offer {other}."),
    })
}

/// What the agent does by itself; the page only shows it.
fn own_work(said: &str) -> Option<Script> {
    if said.contains("availability") {
        let args = json!({"endpoint": "/v1/berths?free=today"}).to_string();
        let id = words::id("api");
        return Some(
            Script::new()
                .text("I will ask the berth service.")
                .call_as(&id, "api_request", &args)
                .wait(Duration::from_millis(1_500))
                .result(id, "{\"free\":[4,9,14]}")
                .text("Berths 4, 9 and 14 are free today."),
        );
    }
    if said.contains("order") {
        let id = words::id("order");
        return Some(
            Script::new()
                .text("I will look in the order book.")
                .call_as(&id, "lookup_order", "{\"order_id\":\"A-17\"}")
                .wait(Duration::from_millis(600))
                .result(id, "{\"status\":\"shipped\"}")
                .text("Order A-17 is shipped."),
        );
    }
    said.contains("analyze").then(analysis)
}

/// Arguments that grow while the work goes on: the list of percentages so far.
fn analysis() -> Script {
    let id = words::id("analysis");
    let piece = |delta: String| EventKind::ToolCallArgs {
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
        .event(piece(
            "{\"dataSource\":\"Berth telemetry\",\"progress\":[0".to_owned(),
        ));
    for percent in (8..=100).step_by(4) {
        script = script
            .wait(Duration::from_millis(110))
            .event(piece(format!(",{percent}")));
    }
    script
        .event(piece("]}".to_owned()))
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

/// What goes wrong, for tests and the curious.
fn mishap(said: &str) -> Option<Script> {
    let has = |word: &str| said.contains(word);
    let script = Script::new();
    let mishap = if has("unknown tool") {
        script.call("teleport", &json!({"to": "Mars"}))
    } else if has("wrong arguments") {
        script.call("web_search", &json!({"query": 7}))
    } else if has("malformed") {
        script.call_as(words::id("malformed"), "confirmAction", "{\"action\": oops")
    } else if has("crash") {
        script.text("About to fail.").error("the model exploded")
    } else if has("cut the line") {
        script.text("This answer breaks off before").cut()
    } else if has("broken card") {
        script.call("draw_chart", &json!({"values": [3, 1, 2]}))
    } else if has("long") {
        script.text(words::long())
    } else {
        return None;
    };
    Some(mishap)
}
