//! `PartHandle`, and renderers of parts registered by hand.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    PartHandle, PartTarget,
    agent::Script,
    event::EventKind,
    testing::{MockAgent, part_handle, settle, until},
    view::PartKind,
};
use serde::Deserialize;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{
    parts::{activity, says},
    support::chat,
};

#[derive(Debug, Deserialize, PartialEq)]
struct Weather {
    city: String,
}

#[wasm_bindgen_test]
async fn render_parts_applies_until_its_guard_is_dropped() {
    let script = says([activity(
        "w",
        "weather",
        json!({"city": "Oslo", "title": "Rain"}),
    )]);
    let chat = chat(MockAgent::new().answer(script.text("There.")), || ()).await;
    let kept: Rc<RefCell<Vec<PartHandle>>> = Rc::default();
    let place = Rc::clone(&kept);
    let guard = chat
        .assistant
        .render_parts(PartTarget::AnyData, move |part| {
            place.borrow_mut().push(part);
            view! { <div class="own">{part.default_view()}</div> }
        });
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let part = kept.borrow_mut().remove(0);
    assert_eq!(part.kind(), PartKind::Data("weather".into()));
    assert_eq!(part.index(), 0);
    let shown = chat.assistant.messages().get_untracked();
    assert!(
        shown
            .iter()
            .any(|entry| Some(entry.id()) == part.message().as_ref())
    );
    assert_eq!(
        part.data::<Weather>(),
        Some(Weather {
            city: "Oslo".into()
        })
    );
    assert_eq!(part.data::<u32>(), None);
    assert_eq!(part.data_value().unwrap()["title"], "Rain");
    assert_eq!(chat.page.text(".own .la-activity-title"), "Rain");
    drop(guard);
    settle().await;
    assert_eq!(chat.page.count(".own"), 0);
    assert_eq!(chat.page.text(".la-activity-title"), "Rain");
}

#[wasm_bindgen_test]
async fn a_text_part_is_open_while_it_streams() {
    let long = Script::new()
        .event(EventKind::TextMessageStart {
            message_id: "m".into(),
            role: None,
            name: None,
        })
        .event(EventKind::TextMessageContent {
            message_id: "m".into(),
            delta: "Half an".into(),
        })
        .wait(std::time::Duration::from_secs(60));
    let chat = chat(MockAgent::new().answer(long), || ()).await;
    let kept: Rc<RefCell<Vec<PartHandle>>> = Rc::default();
    let place = Rc::clone(&kept);
    let guard = chat.assistant.render_parts(PartTarget::Text, move |part| {
        place.borrow_mut().push(part);
        move || part.text()
    });
    chat.assistant.send("go").unwrap();
    let newest = || kept.borrow().last().copied();
    assert!(until(|| newest().is_some_and(|part| part.text() == "Half an")).await);
    let part = newest().unwrap();
    assert!(part.is_open());
    chat.assistant.stop().unwrap();
    chat.idle().await;
    assert!(!part.is_open());
    drop(guard);
}

#[wasm_bindgen_test]
async fn part_handle_reads_a_part_without_a_renderer() {
    let chat = chat(MockAgent::new().answer(Script::new().text("Hello.")), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let answer = chat.assistant.messages().get_untracked()[1].id().clone();
    let part = part_handle(&chat.assistant, &answer, 0).unwrap();
    assert_eq!(
        (part.text().as_str(), part.kind()),
        ("Hello.", PartKind::Text)
    );
    assert!(part_handle(&chat.assistant, &answer, 1).is_none());
}

#[wasm_bindgen_test]
async fn a_part_handle_is_copied_and_outlives_its_assistant() {
    let chat = chat(MockAgent::new().answer(Script::new().text("Hello.")), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let answer = chat.assistant.messages().get_untracked()[1].id().clone();
    let part = part_handle(&chat.assistant, &answer, 0).unwrap();
    let (first, second) = (move || part.text(), move || part.text());
    assert_eq!((first().as_str(), second().as_str()), ("Hello.", "Hello."));
    assert_eq!((part.message(), part.index()), (Some(answer), 0));
    drop(chat);
    assert!(until(|| part.text().is_empty()).await);
    assert_eq!((part.is_open(), part.data_value()), (false, None));
}
