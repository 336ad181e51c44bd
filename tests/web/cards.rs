//! Cards: custom renderers in every status, the default card, failing renderers.

use leptos::prelude::*;
use leptos_assistant::{
    Status, ToolAction, ToolCallView, ToolContext, ToolError,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

#[derive(Deserialize)]
struct Search {
    query: String,
}

fn search_card(call: ToolCallView<Search>) -> impl IntoView {
    let query = { move || call.args().map(|args| args.query).unwrap_or_default() };
    let text = move || match call.status() {
        Status::Pending => "Preparing to search…".to_owned(),
        Status::Executing => format!("Searching for \"{}\"…", query()),
        Status::Complete => {
            let found: Vec<String> = call.result().unwrap_or_default();
            format!("Found {} results for \"{}\"", found.len(), query())
        }
        Status::Failed => format!("Search failed: {}", call.error().unwrap_or_default()),
    };
    view! { <p class="card">{text}</p> }
}

fn search() -> ToolAction<Search> {
    ToolAction::new("web_search", "")
        .handler(|args: Search| async move {
            settle().await;
            settle().await;
            if args.query == "fail" {
                return Err(ToolError::new("no index"));
            }
            Ok(vec!["a".to_owned(), "b".to_owned()])
        })
        .render(search_card)
}

/// Rule "renderers": the renderer is updated in every status
#[wasm_bindgen_test]
async fn a_renderer_is_updated_in_every_status() {
    let pause = std::time::Duration::from_millis(120);
    for (query, last) in [
        ("rust", "Found 2 results for \"rust\""),
        ("fail", "Search failed: no index"),
    ] {
        let agent = MockAgent::new().answer(
            Script::new()
                .wait(pause)
                .call("web_search", &json!({"query": query}))
                .wait(pause),
        );
        let chat = chat(agent, || use_assistant_action(search())).await;
        chat.assistant.send("go").unwrap();
        chat.appears("[data-status=pending] .card").await;
        assert_eq!(chat.page.text(".card"), "Preparing to search…");
        chat.appears("[data-status=executing]").await;
        settle().await;
        assert_eq!(
            chat.page.text(".card"),
            format!("Searching for \"{query}\"…")
        );
        chat.idle().await;
        assert_eq!(chat.page.text(".card"), last);
    }
}

/// Rule "render-only actions": they are neither offered nor run, and completed by the agent
#[wasm_bindgen_test]
async fn a_render_only_action_shows_the_result_of_the_agent() {
    let pause = std::time::Duration::from_millis(400);
    let agent = MockAgent::new().answer(
        Script::new()
            .call_as("c1", "api_request", "{\"endpoint\":\"/v1\"}")
            .wait(pause)
            .result("c1", "ok")
            .text("Done."),
    );
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("api_request", "").render_only().render(
            |call: ToolCallView<Value>| {
                view! { <p class="card">{move || call.status().as_str()}</p> }
            },
        ));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-status=executing]").await;
    chat.idle().await;
    assert_eq!(chat.page.text(".card"), "complete");
    let inputs = chat.agent.inputs();
    assert_eq!(inputs.len(), 1);
    assert!(inputs[0].tools.is_empty());
}

/// Rule "renderers": partial arguments on request
#[wasm_bindgen_test]
async fn a_renderer_receives_partial_arguments_while_they_stream() {
    let pause = std::time::Duration::from_millis(80);
    let call = |id: &str, delta: &str| leptos_assistant::event::EventKind::ToolCallArgs {
        tool_call_id: id.to_owned(),
        delta: delta.to_owned(),
    };
    let agent = MockAgent::new().answer(
        Script::new()
            .event(leptos_assistant::event::EventKind::ToolCallStart {
                tool_call_id: "c".to_owned(),
                tool_call_name: "analyzing_data".to_owned(),
                parent_message_id: None,
            })
            .event(call("c", "{\"progress\": 4"))
            .wait(pause)
            .event(call("c", "2, \"dataSource\": \"orders\"}"))
            .wait(pause)
            .event(leptos_assistant::event::EventKind::ToolCallEnd {
                tool_call_id: "c".to_owned(),
            })
            .result("c", "done"),
    );
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("analyzing_data", "")
                .render_only()
                .stream_args()
                .render(|call: ToolCallView<Value>| {
                    let text = move || call.args().map(|args| args.to_string()).unwrap_or_default();
                    view! { <p class="card">{text}</p> }
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    let card = || chat.page.text(".card");
    assert!(until(|| card() == "{\"progress\":4}").await, "{}", card());
    let whole = "{\"progress\":42,\"dataSource\":\"orders\"}";
    assert!(until(|| card() == whole).await, "{}", card());
    chat.idle().await;
}

/// Rule "the default card": without a renderer
#[wasm_bindgen_test]
async fn an_unknown_tool_shows_the_default_card_and_an_error_with_its_name() {
    let agent = MockAgent::new().answer(Script::new().call("nobody", &json!({"a": 1})));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text(".tool-call-render .la-tool-name"), "nobody");
    assert_eq!(chat.page.count(".la-tool-card pre"), 0, "it is closed");
    chat.opens_card().await;
    assert!(
        chat.page
            .text("[data-kind=error]")
            .contains("Action nobody not found")
    );
    assert!(
        chat.page
            .text("[data-kind=arguments]")
            .contains("{\"a\":1}")
    );
    assert_eq!(chat.results(1), ["{\"error\":\"Action nobody not found\"}"]);
}

/// Rule "renderers that fail": a failing renderer shows an error box, and the rest is not affected
#[wasm_bindgen_test]
async fn a_failed_renderer_leaves_the_rest_of_the_chat_intact() {
    let agent = MockAgent::new()
        .answer(Script::new().text("Before.").call("bad", &json!({})))
        .answer(Script::new().text("After."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("bad", "")
                .render(
                    |_: ToolCallView<Value>| -> Result<(), std::num::ParseIntError> {
                        "x".parse::<i32>().map(|_| ())
                    },
                )
                .handler(|_: Value| async { Ok::<_, ToolError>(1) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert!(chat.page.text("[role=alert]").contains("invalid digit"));
    let log = chat.page.text("[role=log]");
    assert!(log.contains("Before.") && log.contains("After."), "{log}");
}

/// Rule "progress": progress and preliminary results are shown, only the last result is sent
#[wasm_bindgen_test]
async fn progress_and_preliminary_results_are_shown_but_not_sent() {
    let agent = MockAgent::new()
        .answer(Script::new().call("steps", &json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("steps", "")
                .render(|call: ToolCallView<Value>| {
                    let text = move || {
                        let progress = call.progress();
                        let progress = progress.as_ref().and_then(|p| p.text()).unwrap_or_default();
                        let shown: Option<u32> = call.preliminary();
                        format!("{progress} {shown:?}")
                    };
                    view! { <p class="card">{text}</p> }
                })
                .handler(|_: Value, context: ToolContext| async move {
                    for step in 1..=3_u32 {
                        context.progress(f64::from(step) / 3.0, format!("step {step}"));
                        context.preliminary(step);
                        settle().await;
                    }
                    Ok::<_, ToolError>("all three")
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(|| chat.page.text(".card") == "step 2 Some(2)").await);
    chat.idle().await;
    assert_eq!(chat.page.text(".card"), "step 3 Some(3)");
    assert_eq!(chat.results(1), ["\"all three\""]);
}

/// Rule "progress": values of a handler reach its card once a frame
#[wasm_bindgen_test]
async fn preliminary_results_are_rendered_at_most_once_a_frame() {
    const BURSTS: u32 = 8;
    const VALUES: u32 = 50;
    let renders = RwSignal::new(0_u32);
    // An effect of the page, which follows a signal that is set as often.
    let (value_now, effects) = (RwSignal::new(0_u32), RwSignal::new(0_u32));
    let agent = MockAgent::new()
        .answer(Script::new().call("count", &json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, move || {
        Effect::new(move |_| {
            value_now.track();
            effects.update_untracked(|n| *n += 1);
        });
        use_assistant_action(
            ToolAction::new("count", "")
                .render(move |call: ToolCallView<Value>| {
                    let text = move || {
                        renders.update_untracked(|n| *n += 1);
                        let progress = call.progress();
                        let progress = progress.as_ref().and_then(|p| p.text()).unwrap_or_default();
                        format!("{progress} {:?}", call.preliminary::<u32>())
                    };
                    view! { <p class="card">{text}</p> }
                })
                .handler(move |_: Value, context: ToolContext| async move {
                    for value in 0..BURSTS * VALUES {
                        context.progress(None, format!("value {value}"));
                        context.preliminary(value);
                        value_now.set(value);
                        // Another task of the same frame, in which effects run.
                        leptos::task::tick().await;
                        if value % VALUES == VALUES - 1 {
                            settle().await;
                        }
                    }
                    Ok::<_, ToolError>(BURSTS * VALUES)
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    let last = BURSTS * VALUES - 1;
    chat.idle().await;
    assert_eq!(
        chat.page.text(".card"),
        format!("value {last} Some({last})")
    );
    assert_eq!(chat.results(1), [format!("{}", last + 1)]);
    assert!(effects.get_untracked() > BURSTS * VALUES / 2);
    // A burst takes one frame or two, and the card follows the states of its call besides.
    let renders = renders.get_untracked();
    assert!(
        (BURSTS..=2 * BURSTS + 6).contains(&renders),
        "{renders} renders"
    );
}

/// The classes of the parts of a message, in the order of the document.
fn part_classes(chat: &Chat, message: &str) -> Vec<String> {
    let known = ["message-content", "tool-calls", "tool-call-render"];
    let parts = format!("{message} :is(.{})", known.join(", ."));
    let parts = chat.page.root.query_selector_all(&parts).unwrap();
    let parts = (0..parts.length()).filter_map(|at| parts.item(at));
    let classes = parts.map(|part| part.unchecked_into::<web_sys::Element>().class_name());
    let known = |classes: String| known.into_iter().find(|name| classes.contains(name));
    classes.filter_map(known).map(str::to_owned).collect()
}

#[wasm_bindgen_test]
async fn a_message_shows_its_text_and_then_its_calls() {
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .text("Two at once.")
                .call("one", &json!({}))
                .call("two", &json!({})),
        )
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("one", "").handler(|| 1));
        use_assistant_action(ToolAction::new("two", "").handler(|| 2));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let call = ["tool-calls", "tool-call-render"];
    assert_eq!(
        part_classes(&chat, ".message-with-tools"),
        [&["message-content"][..], &call, &call].concat()
    );
    let without_calls = "[data-role=assistant]:not(.message-with-tools)";
    assert_eq!(part_classes(&chat, without_calls), ["message-content"]);
}

/// Rule "questions of handlers": a handler awaits a choice made in its card
#[wasm_bindgen_test]
async fn a_choice_in_the_card_becomes_the_result() {
    let agent = MockAgent::new()
        .answer(Script::new().call("choose", &json!({})))
        .answer(Script::new().text("Done."));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("choose", "")
                .render(|call: ToolCallView<Value>| {
                    let options = call;
                    view! {
                        <ul>
                            {move || {
                                let list: Vec<String> = options.preliminary().unwrap_or_default();
                                list.into_iter()
                                    .map(|item| {
                                        let (call, value) = (call, item.clone());
                                        view! {
                                            <button class="pick" on:click=move |_| call.reply(&value)>
                                                {item}
                                            </button>
                                        }
                                    })
                                    .collect_view()
                            }}
                        </ul>
                    }
                })
                .handler(|_: Value, context: ToolContext| async move {
                    let picked: String = context.ask(["one", "two"]).await?;
                    Ok::<_, ToolError>(picked)
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".pick:nth-child(2)").await;
    chat.appears(".la-chat-status[data-state=waiting]").await;
    let announced = || chat.page.text("[data-speech=urgent]");
    assert!(
        until(|| announced().contains("has a question")).await,
        "it is announced"
    );
    assert!(chat.page.click(".pick:nth-child(2)"));
    chat.idle().await;
    assert_eq!(chat.results(1), ["\"two\""]);
}

/// Rule "cards fold": adjacent finished calls are grouped behind one line; failed ones are not
#[wasm_bindgen_test]
async fn adjacent_finished_calls_fold_into_one_line() {
    let mut script = Script::new();
    for (id, content) in [
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
        ("d", "{\"error\":\"no\"}"),
    ] {
        let name = if id == "b" { "read" } else { "look" };
        script = script.call_as(id, name, "{}").result(id, content);
    }
    let script = script.text("Found.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let card = |id: &str| {
        chat.page
            .find(&format!("[data-tool-call-id={id}]"))
            .unwrap()
    };
    let hidden = |id: &str| card(id).closest("[hidden]").unwrap().is_some();
    assert_eq!(chat.page.count(".la-call-group"), 1);
    let line = chat.page.text(".la-call-group");
    assert_eq!(line, "3 steps", "without code names");
    assert!(hidden("a") && hidden("b") && hidden("c"));
    assert!(!hidden("d"), "a failed call is shown");
    let before = card("b");
    assert!(chat.page.click(".la-call-group"));
    settle().await;
    assert!(!hidden("a") && !hidden("b") && !hidden("c"));
    assert_eq!(card("b"), before, "the card is the one that it was");
    assert!(
        chat.page
            .find(".la-call-group[aria-expanded=true]")
            .is_some()
    );
    assert!(chat.page.click(".la-call-group"));
    settle().await;
    assert!(hidden("b"));
}

/// Of many tools in a row, the first is announced, and then the one that still runs.
#[wasm_bindgen_test]
async fn consecutive_calls_announce_the_first_and_the_running_one() {
    let script = Script::new()
        .call_as("a", "look", "{}")
        .result("a", "1")
        .call_as("b", "find", "{}")
        .result("b", "1")
        .call_as("c", "read", "{}")
        .wait(std::time::Duration::from_millis(800))
        .result("c", "1");
    let chat = chat(MockAgent::new().answer(script.text("Found.")), || ()).await;
    chat.assistant.send("go").unwrap();
    let status = || chat.page.text("[data-speech=status]");
    assert!(until(|| !status().is_empty()).await);
    assert_eq!(status(), "Running look");
    assert!(until(|| status() != "Running look").await);
    assert_eq!(status(), "Running read");
    chat.idle().await;
}

/// A card that the user has opened stays out of groups
#[wasm_bindgen_test]
async fn an_opened_card_is_not_folded() {
    let pause = std::time::Duration::from_millis(1_000);
    let mut script = Script::new();
    for id in ["a", "b", "c", "d"] {
        script = script.call_as(id, "look", "{}").result(id, "1");
        if id == "a" {
            script = script.wait(pause);
        }
    }
    let chat = chat(MockAgent::new().answer(script.text("Found.")), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-tool-call-id=a][data-status=complete] summary")
        .await;
    assert!(chat.page.click("[data-tool-call-id=a] summary"));
    chat.idle().await;
    let hidden = |id: &str| {
        let card = chat
            .page
            .find(&format!("[data-tool-call-id={id}]"))
            .unwrap();
        card.closest("[hidden]").unwrap().is_some()
    };
    assert!(!hidden("a"), "it is being looked at");
    assert!(hidden("b") && hidden("c") && hidden("d"));
    assert!(chat.page.text(".la-call-group").contains("3 steps"));
}

/// The details have what the agent is sent, with the path and the rule.
#[wasm_bindgen_test]
async fn arguments_that_violate_the_schema_fail_with_a_reason_for_users() {
    let agent = MockAgent::new()
        .answer(Script::new().call("find_order", &json!({"order_id": "A-17"})))
        .answer(Script::new().text("I see."));
    let setup = || {
        use_assistant_action(
            ToolAction::new("find_order", "Finds an order")
                .parameters(json!({
                    "type": "object",
                    "properties": {"order_id": {"type": "integer"}},
                }))
                .handler(|_: Value| "found"),
        );
    };
    let chat = chat(agent, setup).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.text(".la-tool-reason"),
        "The assistant sent values that this action does not accept."
    );
    chat.opens_card().await;
    let details = chat.page.text("[data-kind=error]");
    assert!(details.contains("/order_id: must be"), "{details}");
    let sent = chat.results(1).concat();
    assert!(sent.contains("/order_id: must be"), "{sent}");
}

#[wasm_bindgen_test]
async fn arguments_that_are_not_json_are_shown_verbatim() {
    let script = Script::new().call_as("c1", "web_search", "{\"q\":");
    let agent = MockAgent::new()
        .answer(script)
        .answer(Script::new().text("I see."));
    let setup = || {
        use_assistant_action(ToolAction::new("web_search", "Searches").handler(|_: Value| "found"));
    };
    let chat = chat(agent, setup).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.opens_card().await;
    let card = chat.page.text("[data-tool-name=web_search]");
    assert!(card.contains("{\"q\":"), "{card}");
    assert_eq!(
        chat.page
            .count("[data-tool-name=web_search][data-status=failed]"),
        1
    );
    assert!(
        chat.page.text("[role=log]").contains("I see."),
        "the chat continues"
    );
}

/// Opening a card leaves the other cards open.
#[wasm_bindgen_test]
async fn several_cards_can_be_open_at_once() {
    let script = Script::new()
        .call("one", &json!({}))
        .call("two", &json!({}));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    for name in ["one", "two"] {
        assert!(chat.page.click(&format!("[data-tool-name={name}] summary")));
        settle().await;
    }
    assert_eq!(chat.page.count(".la-tool-card[open] > .la-tool-body"), 2);
}

#[wasm_bindgen_test]
async fn the_default_card_shows_that_a_call_runs() {
    let agent = MockAgent::new().answer(Script::new().call("slow", &json!({})));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("slow", "").handler(std::future::pending::<()>));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-status=executing]").await;
    assert!(until(|| chat.page.text(".la-tool-status") == "Running").await);
    assert_eq!(chat.page.count(".la-tool-status .la-spinner"), 1);
}
