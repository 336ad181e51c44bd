//! Custom renderers of tools, regardless of what runs them and whether their action is registered.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ToolAction, ToolCallView, ToolTarget,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action, use_tool_renderer,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

#[derive(Deserialize)]
struct Weather {
    city: String,
}

fn calls(names: &[&str]) -> MockAgent {
    let args = json!({"city": "Oslo"});
    let script = Script::new();
    MockAgent::new().answer(
        names
            .iter()
            .fold(script, |script, name| script.call(*name, &args)),
    )
}

#[wasm_bindgen_test]
async fn a_tool_renderer_survives_the_component_of_its_action() {
    let on_route = RwSignal::new(true);
    let chat = chat(calls(&["get_weather"]), move || {
        use_tool_renderer("get_weather", |call: ToolCallView<Weather>| {
            view! { <p class="weather">{move || call.args().map(|weather| weather.city)}</p> }
        });
        view! {
            <Show when=move || on_route.get()>
                {move || {
                    let sunny = |_: Value| "sunny";
                    use_assistant_action(ToolAction::new("get_weather", "").handler(sunny));
                }}
            </Show>
        }
    })
    .await;
    chat.assistant.send("weather?").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".weather"), "Oslo");
    on_route.set(false);
    settle().await;
    assert_eq!(chat.page.text(".weather"), "Oslo");
}

#[wasm_bindgen_test]
async fn the_most_specific_tool_renderer_applies_while_mounted() {
    let shown = RwSignal::new(true);
    let chat = chat(calls(&["own", "named", "other"]), move || {
        use_assistant_action(
            ToolAction::new("own", "")
                .handler(|_: Value| "done")
                .render(|_| view! { <p class="by-action"></p> }),
        );
        use_assistant_action(ToolAction::new("named", "").handler(|_: Value| "done"));
        use_assistant_action(ToolAction::new("other", "").handler(|_: Value| "done"));
        view! {
            <Show when=move || shown.get()>
                {move || {
                    use_tool_renderer("own", |_: ToolCallView| view! { <p class="by-name"></p> });
                    use_tool_renderer("named", |_: ToolCallView| view! { <p class="by-name"></p> });
                    use_tool_renderer(ToolTarget::All, |call: ToolCallView| {
                        view! { <p class="by-all">{move || call.name()}</p> }
                    });
                }}
            </Show>
        }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let page = &chat.page;
    assert_eq!((page.count(".by-action"), page.count(".by-name")), (1, 1));
    assert_eq!(
        (page.count(".by-all"), page.text(".by-all").as_str()),
        (1, "other")
    );
    shown.set(false);
    settle().await;
    assert_eq!((page.count(".by-action"), page.count(".by-name")), (1, 0));
    assert_eq!(page.count(".by-all"), 0);
}

#[wasm_bindgen_test]
async fn an_approval_shows_the_description_of_its_action() {
    let agent = MockAgent::new().answer(
        Script::new()
            .call("get_weather", &json!({"city": "Os\u{202e}lo"}))
            .call("get_weather", &json!({"town": "Oslo"})),
    );
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("get_weather", "Looks up the weather")
                .handler(|weather: Weather| weather.city)
                .approval(Approval::Always)
                .describe(|weather| format!("Look up the weather in {}?", weather.city)),
        );
    })
    .await;
    chat.assistant.send("weather?").unwrap();
    assert!(until(|| chat.page.count(".la-approval") == 2).await);
    let cards = chat.page.root.query_selector_all(".la-approval").unwrap();
    let text = |at| cards.item(at).unwrap().text_content().unwrap();
    assert!(text(0).starts_with("Look up the weather in OsU+202Elo?"));
    assert!(!text(0).contains("Looks up"), "{}", text(0));
    let other = text(1);
    assert!(
        other.contains("Runs on this page: get_weatherLooks up the weather{"),
        "arguments of another type: {other}"
    );
}

#[wasm_bindgen_test]
async fn nested_state_updates_are_all_applied() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.set_state(json!({"count": 0, "left": 0}));
    let handle = chat.assistant.clone();
    // A nested change waits, and sees the result of the first.
    chat.assistant.update_state(move |state| {
        handle.update_state(|state| {
            let count = state["count"].as_u64().unwrap();
            state["count"] = (count + 1).into();
        });
        state["count"] = 10.into();
    });
    chat.assistant
        .update_state(|state| state["left"] = 1.into());
    settle().await;
    assert_eq!(
        chat.assistant.state().get_untracked(),
        json!({"count": 11, "left": 1})
    );
}

#[wasm_bindgen_test]
async fn a_card_shows_the_description_of_an_action_that_is_registered_later() {
    let on_route = RwSignal::new(false);
    let chat = chat(calls(&["get_weather"]), move || {
        use_tool_renderer("get_weather", |call: ToolCallView| {
            let has_schema = move || call.parameters().is_some();
            view! {
                <p class="weather" data-schema=move || has_schema().to_string()>
                    {move || call.description()}
                </p>
            }
        });
        let action = || {
            use_assistant_action(
                ToolAction::new("get_weather", "Looks out of the window").handler(|_: Value| 1),
            );
        };
        view! { <Show when=move || on_route.get()>{action}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".weather").await;
    assert_eq!(chat.page.text(".weather"), "");
    on_route.set(true);
    chat.appears(".weather[data-schema=true]").await;
    assert_eq!(chat.page.text(".weather"), "Looks out of the window");
}
