//! Selects the scenes in the Markdown files of `demo/scenes/`. Words in the user's message select a
//! scene and fill its placeholders. Scenes that cannot be expressed in Markdown are in the parent
//! module.

use leptos_assistant::agent::Transcript;

use super::words;

/// Creates the transcript of the scene in a Markdown file.
macro_rules! scene {
    ($name:literal) => {
        Transcript::new(include_str!(concat!("../../scenes/", $name, ".md")))
    };
}

/// Returns the failure scene that the user asks for, or `None` if the text does not ask for a
/// failure. The scene is played even if the page does not offer the scene's tool.
pub(super) fn failure_scene(lower: &str) -> Option<Transcript> {
    let has_word = |word: &str| lower.contains(word);
    if has_word("unknown tool") {
        Some(scene!("unknown-tool"))
    } else if has_word("wrong arguments") {
        Some(scene!("wrong-arguments"))
    } else {
        has_word("broken card").then(|| scene!("broken-card"))
    }
}

/// Returns the scene that the user asks for, or `None` if no scene matches the text.
pub(super) fn find_scene(text: &str, lower: &str) -> Option<Transcript> {
    let has_word = |word: &str| lower.contains(word);
    let query = words::text_after(text, &["search for ", "search "]);
    let scene = if has_word("search") && has_word("weather") {
        let query = query.unwrap_or(text);
        scene!("search-and-weather").with("query", query.split(" and ").next().unwrap_or(query))
    } else if has_word("weather") {
        scene!("weather")
    } else if has_word("search") {
        scene!("search").with("query", query.unwrap_or("tide tables"))
    } else if has_word("delete") {
        let (kind, name) = words::resource(text);
        scene!("delete").with("kind", kind).with("name", name)
    } else if has_word("ask me first") || has_word("confirm") {
        scene!("confirm").with("action", &words::action(text))
    } else if has_word("process") || has_word("slow task") {
        let version = if has_word("slow") {
            "slow"
        } else {
            words::version(text)
        };
        scene!("process").with("version", version)
    } else if has_word("deploy") {
        scene!("deploy").with("version", words::version(text))
    } else if has_word("data source with ") {
        let kind = words::text_after(text, &["data source with "]).unwrap_or("tables");
        scene!("source-with").with("wanted", kind)
    } else if has_word("data source") {
        scene!("source")
    } else if has_word("availability") {
        scene!("berths")
    } else if has_word("order") {
        scene!("order")
    } else {
        return None;
    };
    let place = words::places(text).into_iter().next().unwrap_or_default();
    Some(
        scene
            .with("place", &place)
            .with("environment", words::environment(text)),
    )
}

/// Returns the answer to a request that no scene matches.
pub(super) fn help_scene() -> Transcript {
    scene!("help")
}
