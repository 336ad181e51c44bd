//! The list of messages: the mounted part of a long thread, and the reader's position.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow,
    agent::Script,
    chat::Feedback,
    event::EventKind,
    event::message_from_value,
    testing::{MockAgent, settle, until},
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::fill,
    support::{Chat, chat},
};

/// Lets the browser draw: only then it reports scrolling and changes of size.
pub(super) async fn frames() {
    settle().await;
    for _ in 0..5 {
        let next = js_sys::Promise::new(&mut |done, _| {
            window().request_animation_frame(&done).unwrap();
        });
        wasm_bindgen_futures::JsFuture::from(next).await.unwrap();
    }
}

/// Adds the style sheets, and gives the chat a height.
pub(super) fn add_styles(chat: &Chat) {
    let style = document().create_element("style").unwrap();
    let sheets = [
        leptos_assistant::STYLE,
        ".la-chat { height: 500px; width: 400px }",
    ];
    style.set_text_content(Some(&sheets.concat()));
    chat.page.root.append_child(&style).unwrap();
}

/// Returns a thread with this many exchanges, with answers of different lengths.
fn thread(exchanges: usize) -> Value {
    let messages = (0..exchanges).flat_map(|n| {
        [
            json!({"id": format!("u{n}"), "role": "user", "content": format!("Question {n}")}),
            json!({
                "id": format!("a{n}"),
                "role": "assistant",
                "content": format!("Answer {n}. {}", "More of it. ".repeat(n * 7 % 40)),
            }),
        ]
    });
    Value::Array(messages.collect())
}

async fn opened(exchanges: usize) -> Chat {
    let chat = chat(MockAgent::new(), || ()).await;
    add_styles(&chat);
    chat.assistant.import(thread(exchanges)).unwrap();
    frames().await;
    chat
}

fn log(chat: &Chat) -> web_sys::HtmlElement {
    chat.page.find("[role=log]").unwrap()
}

fn distance_from_end(chat: &Chat) -> i32 {
    let log = log(chat);
    log.scroll_height() - log.scroll_top() - log.client_height()
}

fn mounted(chat: &Chat) -> u32 {
    chat.page.count("[data-message-id]")
}

/// Returns the position of a message in the view.
fn top_of(chat: &Chat, id: &str) -> f64 {
    let message = chat.page.find(&format!("[data-message-id={id}]"));
    let log = log(chat).get_bounding_client_rect().top();
    message.unwrap().get_bounding_client_rect().top() - log
}

/// Returns the first message that is completely visible.
fn first_visible(chat: &Chat) -> String {
    let log = log(chat).get_bounding_client_rect().top();
    let all = chat
        .page
        .root
        .query_selector_all("[data-message-id]")
        .unwrap();
    let all = (0..all.length()).map(|n| all.item(n).unwrap().unchecked_into::<web_sys::Element>());
    let mut all = all;
    let first = all
        .find(|message| message.get_bounding_client_rect().top() >= log)
        .unwrap();
    first.get_attribute("data-message-id").unwrap()
}

async fn scroll_by(chat: &Chat, distance: f64) {
    log(chat).scroll_by_with_x_and_y(0.0, distance);
    frames().await;
}

#[wasm_bindgen_test]
async fn a_long_thread_opens_at_its_end_with_few_messages_mounted() {
    let chat = opened(500).await;
    assert!(mounted(&chat) <= 60, "{} are in the page", mounted(&chat));
    assert!(chat.page.find("[data-message-id=a499]").is_some());
    assert!(distance_from_end(&chat) < 2, "its end is in view");
    let last = "article:has(> [data-message-id=a499])";
    let last = chat.page.find(last).unwrap();
    assert_eq!(last.get_attribute("aria-posinset").as_deref(), Some("1000"));
    assert_eq!(last.get_attribute("aria-setsize").as_deref(), Some("1000"));
}

/// Blocks that never scrolled were not measured, and were unmounted and mounted again.
#[wasm_bindgen_test]
async fn messages_that_arrive_within_the_view_stay_mounted() {
    let mut script = Script::new();
    for number in 0..80 {
        script = script
            .text(format!("Line {number}"))
            .wait(Duration::from_millis(20));
    }
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    add_styles(&chat);
    let style = document().create_element("style").unwrap();
    style.set_text_content(Some(".la-chat.la-chat { height: 12000px }"));
    chat.page.root.append_child(&style).unwrap();
    chat.assistant.send("Count").unwrap();
    assert!(until(|| mounted(&chat) >= 10).await);
    let first = chat.page.find("article").unwrap();
    chat.idle().await;
    frames().await;
    assert_eq!(distance_from_end(&chat), 0, "all of it is in view");
    assert_eq!(mounted(&chat), 81);
    assert!(
        first.is_connected(),
        "the first turn was not rendered again"
    );
    assert_eq!(chat.page.count(".la-show-all"), 0);
}

/// A chat that is not rendered does not scroll, which is what bounds the messages elsewhere.
#[wasm_bindgen_test]
async fn few_messages_are_mounted_in_a_chat_that_is_not_rendered() {
    let mut script = Script::new();
    for number in 0..300 {
        let script_line = script.text(format!("Line {number}"));
        script = script_line.wait(Duration::from_millis(4));
    }
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    let style = document().create_element("style").unwrap();
    style.set_text_content(Some(".la-chat { display: none }"));
    chat.page.root.append_child(&style).unwrap();
    chat.assistant.send("Count").unwrap();
    chat.idle().await;
    frames().await;
    assert!(mounted(&chat) <= 100, "{} are in the page", mounted(&chat));
    style.remove();
    add_styles(&chat);
    frames().await;
    assert!(distance_from_end(&chat) < 2, "the end is in view");
}

#[wasm_bindgen_test]
async fn a_short_thread_is_mounted_completely() {
    let chat = opened(10).await;
    assert_eq!(mounted(&chat), 20);
    assert_eq!(
        chat.page
            .count("[aria-setsize], .la-show-all, .la-room[style*='1']"),
        0
    );
}

#[wasm_bindgen_test]
async fn scrolling_mounts_and_unmounts_messages_without_moving_the_view() {
    let chat = opened(300).await;
    let total = log(&chat).scroll_height();
    for step in 0..60 {
        let mark = first_visible(&chat);
        let before = top_of(&chat, &mark);
        scroll_by(&chat, -240.0).await;
        let moved = top_of(&chat, &mark) - before;
        assert!(
            (moved - 240.0).abs() <= 1.0,
            "step {step}: {mark} moved by {moved}"
        );
        assert!(mounted(&chat) <= 75, "{} are in the page", mounted(&chat));
    }
    assert!(
        chat.page.find("[data-message-id=a299]").is_some(),
        "the newest turn stays"
    );
    assert!(
        chat.page.find("[data-message-id=a290]").is_none(),
        "distant turns are unmounted"
    );
    assert!(distance_from_end(&chat) > 10_000);
    assert!(
        log(&chat).scroll_height() > total / 2,
        "unmounted turns keep their height"
    );
    chat.page.click(".la-jump");
    frames().await;
    assert!(distance_from_end(&chat) < 2, "back at the end");
    assert!(chat.page.find("[data-message-id=a297]").is_some());
    assert!(mounted(&chat) <= 75);
}

#[wasm_bindgen_test]
async fn a_jump_into_the_middle_mounts_the_messages_there() {
    let chat = opened(300).await;
    let log = log(&chat);
    log.set_scroll_top(log.scroll_height() / 2);
    frames().await;
    let visible = first_visible(&chat);
    let number: usize = visible.trim_start_matches(['a', 'u']).parse().unwrap();
    assert!((50..250).contains(&number), "{visible} is in the middle");
    assert!(mounted(&chat) <= 75);
    log.set_scroll_top(0);
    frames().await;
    assert!(chat.page.find("[data-message-id=u0]").is_some());
}

#[wasm_bindgen_test]
async fn show_all_and_find_in_page_mount_every_message() {
    let chat = opened(100).await;
    assert!(chat.page.text(".la-show-all").contains("200"));
    assert!(chat.page.click(".la-show-all"));
    frames().await;
    assert_eq!(mounted(&chat), 200);
    assert_eq!(chat.page.count(".la-show-all, [aria-setsize]"), 0);
    assert!(distance_from_end(&chat) < 2, "the end stays in view");
    let chat = opened(100).await;
    let init = web_sys::KeyboardEventInit::new();
    init.set_key("f");
    init.set_ctrl_key(true);
    init.set_bubbles(true);
    let event =
        web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    document().body().unwrap().dispatch_event(&event).unwrap();
    frames().await;
    assert_eq!(mounted(&chat), 200);
}

#[wasm_bindgen_test]
async fn show_all_moves_the_focus_to_the_transcript() {
    let chat = opened(60).await;
    let button = chat.page.find(".la-show-all").unwrap();
    button.focus().unwrap();
    button.click();
    frames().await;
    assert!(!button.is_connected(), "it is removed");
    let active = document().active_element().unwrap();
    assert!(
        active.is_same_node(Some(&log(&chat))),
        "{} has the focus",
        active.tag_name()
    );
}

/// Returns a list of messages as a snapshot of the agent.
fn snapshot(list: &Value) -> EventKind {
    let list = list.as_array().unwrap().iter().cloned();
    EventKind::MessagesSnapshot {
        messages: list
            .map(|message| message_from_value(message).unwrap())
            .collect(),
    }
}

#[wasm_bindgen_test]
async fn the_scroll_position_is_kept_while_new_messages_are_counted() {
    // Enough time to scroll, also for a slow browser.
    let (first, second) = (Duration::from_millis(2_500), Duration::from_millis(1_000));
    let mut longer = thread(60);
    // A message above the reader grows; below, messages are added.
    longer[97]["content"] = "This has become much longer. ".repeat(60).into();
    for id in ["x", "y"] {
        let more = json!({"id": id, "role": "assistant", "content": "News"});
        longer.as_array_mut().unwrap().push(more);
    }
    let script = Script::new()
        .text("Hm.")
        .wait(first)
        .event(snapshot(&longer))
        .wait(second);
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    add_styles(&chat);
    chat.assistant.import(thread(60)).unwrap();
    chat.assistant.send("go").unwrap();
    frames().await;
    for _ in 0..5 {
        scroll_by(&chat, -300.0).await;
    }
    assert_eq!(chat.page.text(".la-jump"), "Jump to latest");
    let mark = first_visible(&chat);
    let before = top_of(&chat, &mark);
    assert!(
        chat.page.find("[data-message-id=a48]").is_some(),
        "it is in the page"
    );
    chat.appears("[data-message-id=y]").await;
    frames().await;
    assert!(
        chat.page
            .text("[data-message-id=a48]")
            .contains("much longer")
    );
    let moved = top_of(&chat, &mark) - before;
    assert!(moved.abs() <= 1.0, "{mark} moved by {moved}");
    assert_eq!(chat.page.text(".la-jump"), "2 new messages");
    assert!(chat.page.click(".la-jump"));
    frames().await;
    assert!(distance_from_end(&chat) < 2);
    chat.idle().await;
}

/// Opens a long thread in which the agent is answering.
async fn answering(script: Script) -> Chat {
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    add_styles(&chat);
    chat.assistant.import(thread(60)).unwrap();
    chat.assistant.send("go").unwrap();
    chat.appears("[data-running]").await;
    frames().await;
    chat
}

#[wasm_bindgen_test]
async fn a_short_scroll_up_leaves_the_end_while_an_answer_grows() {
    let script = Script::new().text("Hm.").wait(Duration::from_millis(1_500));
    let script = script.text("\n\nMore of it.".repeat(20));
    let script = script
        .wait(Duration::from_millis(1_500))
        .text("\n\nThe end.");
    let chat = answering(script).await;
    assert!(distance_from_end(&chat) < 2);
    let init = web_sys::WheelEventInit::new();
    init.set_delta_y(-6.0);
    let wheel = web_sys::WheelEvent::new_with_event_init_dict("wheel", &init).unwrap();
    log(&chat).dispatch_event(&wheel).unwrap();
    scroll_by(&chat, -6.0).await;
    let top = log(&chat).scroll_top();
    assert!(until(|| chat.page.text(".la-transcript").contains("More of it.")).await);
    frames().await;
    assert_eq!(log(&chat).scroll_top(), top, "the new lines do not undo it");
    assert!(chat.page.find(".la-jump:not([hidden])").is_some());
    scroll_by(&chat, 10_000.0).await;
    assert!(
        chat.page.find(".la-jump[hidden]").is_some(),
        "the end is followed"
    );
    chat.idle().await;
    frames().await;
    assert!(chat.page.text(".la-transcript").contains("The end."));
    assert!(distance_from_end(&chat) < 2);
}

#[wasm_bindgen_test]
async fn a_short_movement_without_a_gesture_does_not_leave_the_end() {
    let script = Script::new().text("Hm.").wait(Duration::from_millis(1_500));
    let script = script.text("\n\nMore of it.".repeat(20));
    let chat = answering(script).await;
    scroll_by(&chat, -6.0).await;
    assert!(chat.page.find(".la-jump[hidden]").is_some());
    chat.idle().await;
    frames().await;
    assert!(distance_from_end(&chat) < 2);
}

#[wasm_bindgen_test]
async fn messages_that_arrive_below_a_reader_stay_unmounted() {
    let script = Script::new().text("Hm.").wait(Duration::from_millis(1_500));
    let news = "More news. ".repeat(30);
    let script = (0..300).fold(script, |script, _| script.text(&news));
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    add_styles(&chat);
    chat.assistant.import(thread(60)).unwrap();
    chat.assistant.send("go").unwrap();
    frames().await;
    scroll_by(&chat, -300.0).await;
    let mark = first_visible(&chat);
    let before = top_of(&chat, &mark);
    chat.idle().await;
    frames().await;
    let last = until(|| chat.page.text(".la-jump").contains("300"));
    assert!(last.await, "{}", chat.page.text(".la-jump"));
    frames().await;
    assert!(mounted(&chat) <= 90, "{} are in the page", mounted(&chat));
    let moved = top_of(&chat, &mark) - before;
    assert!(moved.abs() <= 1.0, "{mark} moved by {moved}");
}

#[wasm_bindgen_test]
async fn the_focus_moves_to_the_transcript_when_its_message_is_unmounted() {
    let active = || document().active_element().unwrap();
    // The second conversation has messages with the same ids.
    for exchanges in [1, 40] {
        let chat = opened(40).await;
        let button = chat.page.find("[data-block] button").unwrap();
        button.focus().unwrap();
        assert!(active().is_same_node(Some(&button)), "it has the focus");
        chat.assistant.import(thread(exchanges)).unwrap();
        frames().await;
        assert!(!button.is_connected(), "it is unmounted");
        assert!(
            active().is_same_node(Some(&log(&chat))),
            "{} has the focus",
            active().outer_html()
        );
    }
}

/// Up in the empty text box edits the user's last message, which a long answer has unmounted.
#[wasm_bindgen_test]
async fn a_last_message_that_is_not_mounted_is_mounted_to_be_edited() {
    let chat = opened(1).await;
    let text = "More news. ".repeat(30);
    let answers =
        (0..200).map(|n| json!({"id": format!("n{n}"), "role": "assistant", "content": text}));
    let asked = json!({"id": "u", "role": "user", "content": "Hm."});
    let messages = std::iter::once(asked).chain(answers).collect();
    chat.assistant.import(Value::Array(messages)).unwrap();
    frames().await;
    assert!(chat.page.find("[data-message-id=u]").is_none());
    let init = web_sys::KeyboardEventInit::new();
    init.set_key("ArrowUp");
    init.set_bubbles(true);
    let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
    let composer = chat.page.find(".la-composer-input").unwrap();
    composer.dispatch_event(&event.unwrap()).unwrap();
    chat.appears(".la-message-editor").await;
    let in_view = || (0.0..500.0).contains(&top_of(&chat, "u"));
    assert!(until(in_view).await, "it is in view");
}

/// The editor is unmounted with its message, and mounted again without an action of the user.
#[wasm_bindgen_test]
async fn an_unsent_edit_survives_scrolling_and_takes_no_focus() {
    let chat = opened(100).await;
    for _ in 0..5 {
        scroll_by(&chat, -300.0).await;
    }
    let number = first_visible(&chat).split_off(1);
    let edit = format!("[data-block=u{number}] .la-message-edit");
    assert!(chat.page.click(&edit));
    chat.appears(".la-message-editor").await;
    frames().await;
    fill(&chat, ".la-message-editor textarea", "unsent");
    let is_mounted = || chat.page.count(".la-message-editor") == 1;
    for _ in 0..60 {
        if !is_mounted() {
            break;
        }
        scroll_by(&chat, -240.0).await;
    }
    assert!(!is_mounted(), "it is unmounted");
    let composer = chat.page.find(".la-composer-input").unwrap();
    composer.focus().unwrap();
    for _ in 0..60 {
        if is_mounted() {
            break;
        }
        scroll_by(&chat, 240.0).await;
    }
    frames().await;
    let input = chat.page.find(".la-message-editor textarea").unwrap();
    let input: web_sys::HtmlTextAreaElement = input.unchecked_into();
    assert_eq!(input.value(), "unsent");
    let active = document().active_element().unwrap();
    assert!(
        active.is_same_node(Some(&composer)),
        "{} has the focus",
        active.tag_name()
    );
}

/// Returns a conversation of two days, stored with its times and the cost of its answer.
fn dated() -> Value {
    let message = |id: &str, role: &str, text: &str, at: i64| {
        json!({
            "id": id,
            "role": role,
            "parts": [{"type": "text", "text": text}],
            "createdAt": at,
        })
    };
    let day = 86_400_000;
    let first = 1_700_000_000_000_i64;
    let mut messages = vec![
        message("u1", "user", "One", first),
        message("a1", "assistant", "**First**", first + 1),
        message("u2", "user", "Two", first + day),
        message("a2", "assistant", "Part one.", first + day + 1),
        message("a3", "assistant", "Part two.", first + day + 2),
    ];
    messages[4]["usage"] = json!([{"inputTokens": 1000, "outputTokens": 234}]);
    messages[3]["durationMs"] = 600.into();
    messages[4]["durationMs"] = 3_400.into();
    messages[4]["waitedMs"] = 1_500.into();
    let mut parent = Value::Null;
    let entries: Vec<Value> = messages
        .into_iter()
        .map(|message| {
            let id = message["id"].clone();
            let entry = json!({"parent": parent, "message": message});
            parent = id;
            entry
        })
        .collect();
    json!({"version": 2, "messages": entries, "tip": "a3"})
}

#[wasm_bindgen_test]
async fn days_times_and_costs_are_shown_if_known() {
    let chat = chat(MockAgent::new(), || ()).await;
    chat.assistant.import(dated()).unwrap();
    frames().await;
    assert_eq!(chat.page.count("[role=separator]"), 2, "one for each day");
    let line = chat.page.find("[role=separator]").unwrap();
    assert!(line.get_attribute("aria-label").unwrap().contains("2023"));
    let time = chat.page.find("[role=separator] time").unwrap();
    assert!(
        time.get_attribute("datetime")
            .unwrap()
            .starts_with("2023-11-1")
    );
    assert_eq!(chat.page.count(".la-message-bar"), 4, "one for each turn");
    assert_eq!(chat.page.count(".la-message-bar time[title]"), 4);
    assert_eq!(chat.page.count(".la-message-cost"), 0, "on demand only");
    let details = ".la-message-bar button[aria-expanded=false]";
    assert_eq!(chat.page.count(details), 1);
    assert!(chat.page.click(details));
    frames().await;
    assert_eq!(chat.page.count(details), 0);
    assert_eq!(chat.page.count(".la-message-cost"), 1);
    assert_eq!(
        chat.page.text(".la-message-cost"),
        "1.2K tokens · Took 2.5 s, plus 1.5 s waiting for you"
    );
    // A list without times shows none.
    chat.assistant.import(thread(1)).unwrap();
    frames().await;
    assert_eq!(
        chat.page.count(
            "[role=separator], .la-message-bar :is(time, [aria-expanded]), .la-message-cost"
        ),
        0
    );
    assert_eq!(
        chat.page.count(".la-message-bar"),
        2,
        "there is still something to copy"
    );
}

#[wasm_bindgen_test]
async fn a_finished_turn_has_one_action_bar() {
    let pause = Duration::from_millis(250);
    let script = Script::new().text("One.").text("Two.").wait(pause);
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    assert_eq!(chat.page.count(".la-message-bar[data-of=assistant]"), 0);
    chat.idle().await;
    assert_eq!(chat.page.count(".la-message[data-role=assistant]"), 2);
    assert_eq!(chat.page.count(".la-message-bar[data-of=assistant]"), 1);
    let bar = chat
        .page
        .find(".la-message-bar[data-of=assistant]")
        .unwrap();
    let buttons = bar.query_selector_all("button").unwrap();
    assert_eq!(
        buttons.length(),
        3,
        "to copy and regenerate, and details: feedback is not requested"
    );
    let copy: web_sys::HtmlElement = buttons.item(0).unwrap().unchecked_into();
    assert_eq!(copy.get_attribute("aria-label").as_deref(), Some("Copy"));
    // A page without the focus may not write to the clipboard: the outcome is announced either way.
    copy.click();
    let announced = || chat.page.text(".la-transcript > [aria-live=polite]");
    let done = until(|| ["Copied", "Could not copy"].contains(&announced().as_str()));
    assert!(done.await, "{}", announced());
}

#[wasm_bindgen_test]
async fn on_feedback_receives_each_vote() {
    let given = RwSignal::new(Vec::new());
    let page = leptos_assistant::testing::mount(move || {
        let on_feedback = move |feedback: Feedback| {
            given.update(|list| list.push((feedback.message_id, feedback.positive)));
        };
        view! {
            <AssistantProvider agent=MockAgent::new() initial=dated()>
                <ChatWindow on_feedback />
            </AssistantProvider>
        }
    });
    frames().await;
    assert_eq!(page.count("[aria-pressed]"), 4, "two for each answer");
    let bad = "[data-block=a2] [aria-label='Bad answer']";
    for click in [bad, "[data-block=a2] [aria-label='Good answer']", bad, bad] {
        assert!(page.click(click));
        settle().await;
    }
    let last = "a3".to_owned();
    let votes = [Some(false), Some(true), Some(false), None];
    assert_eq!(
        given.get_untracked(),
        votes.map(|vote| (last.clone(), vote))
    );
    assert_eq!(page.count("[aria-pressed=true]"), 0);
}
