//! Custom renderers of parts: their selection and lifetime, and their isolation from other parts.

use leptos::prelude::*;
use leptos_assistant::{
    part::PartTarget,
    testing::{MockAgent, settle},
    use_part_renderer,
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    parts::{activity, delta, says},
    support::chat,
};

#[wasm_bindgen_test]
async fn custom_part_renderers_draw_their_activity_types() {
    let chat = chat(
        MockAgent::new().answer(
            says([
                activity("w", "weather", json!({"city": "Oslo"})),
                activity("o", "other", json!({})),
            ])
            .wait(std::time::Duration::from_millis(120))
            .event(delta(
                "w",
                "weather",
                json!([{"op": "add", "path": "/city", "value": "Bergen"}]),
            )),
        ),
        || {
            use_part_renderer(PartTarget::AnyData, |_| view! { <p class="any">"any"</p> });
            use_part_renderer("weather", |part| {
                let city = move || part.data_value().map(|data| data["city"].to_string());
                view! { <p class="weather">{city}</p> }
            });
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".weather").await;
    let before = chat.page.find(".weather").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".weather"), "\"Bergen\"");
    assert!(before.is_same_node(Some(&chat.page.find(".weather").unwrap())));
    assert_eq!(chat.page.count(".any"), 1);
    assert_eq!(chat.page.count(".la-activity"), 0);
}

#[wasm_bindgen_test]
async fn a_part_renderer_applies_while_its_component_is_mounted() {
    let here = RwSignal::new(true);
    let chat = chat(
        MockAgent::new().answer(says([activity("w", "weather", json!({"title": "Rain"}))])),
        move || {
            view! {
                <Show when=move || here.get()>
                    <Weather />
                </Show>
            }
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".weather"), "7");
    here.set(false);
    settle().await;
    assert_eq!(chat.page.count(".weather"), 0);
    assert_eq!(chat.page.text(".la-activity-title"), "Rain");
    here.set(true);
    settle().await;
    assert_eq!(chat.page.count(".weather"), 1);
}

#[component]
fn Weather() -> impl IntoView {
    let degrees = RwSignal::new(7);
    use_part_renderer("weather", move |_| {
        view! { <p class="weather">{move || degrees.get()}</p> }
    });
}

#[wasm_bindgen_test]
async fn a_failed_part_renderer_shows_an_error_and_the_default() {
    let chat = chat(
        MockAgent::new().answer(says([activity("w", "weather", json!({}))]).text("And on.")),
        || {
            use_part_renderer("weather", |_| {
                Err::<String, _>(std::io::Error::other("no degrees"))
            });
        },
    )
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(
        chat.page
            .text("[role=log] [role=alert]")
            .contains("no degrees")
    );
    assert_eq!(chat.page.text(".la-activity-title"), "Weather");
    assert!(chat.page.text("[role=log]").contains("And on."));
}

/// An update of one part keeps the DOM nodes of the others.
#[wasm_bindgen_test]
async fn an_updated_part_keeps_the_nodes_of_the_others() {
    let wait = std::time::Duration::from_millis(120);
    let script = says([activity("a", "one", json!({"title": "One"}))])
        .text("Some")
        .call_as("c", "unknown", "{}")
        .wait(wait)
        .event(delta(
            "a",
            "one",
            json!([{"op": "add", "path": "/title", "value": "Two"}]),
        ));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-tool").await;
    let classes = [
        ".la-tool",
        "[data-role=assistant] .message-content",
        ".la-activity",
    ];
    let kept = classes.map(|class| chat.page.find(class).unwrap());
    chat.idle().await;
    assert_eq!(chat.page.text(".la-activity-title"), "Two");
    for (node, class) in kept.iter().zip(classes) {
        assert!(
            node.is_same_node(Some(&chat.page.find(class).unwrap())),
            "{class}"
        );
    }
}
