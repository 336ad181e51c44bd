//! The cost of answers, and records for other systems.

use leptos_assistant::{
    agent::Script,
    conversation::Rates,
    event::{EventKind, TokenUsage},
    testing::{MockAgent, settle},
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

fn priced(text: &str, output: u64) -> Script {
    let usage = TokenUsage {
        input_tokens: Some(1_000_000),
        output_tokens: Some(output),
        ..TokenUsage::default()
    };
    Script::new().text(text).event(EventKind::RunFinished {
        thread_id: "t".to_owned(),
        run_id: "r".to_owned(),
        result: None,
        outcome: None,
        usage: vec![usage],
    })
}

/// The button that shows the costs of an answer.
const COST_BUTTON: &str = ".la-message-bar button[aria-expanded]";

#[wasm_bindgen_test]
async fn answers_show_their_cost_if_the_application_sets_prices() {
    let agent = MockAgent::new()
        .answer(priced("A", 100_000))
        .answer(priced("B", 0));
    let chat = chat(agent, || ()).await;
    let rates = Rates::per_million("3.00", "15.00").unwrap();
    chat.assistant
        .set_prices("USD", move |usage| Some(rates.price(usage).micros()));
    let total = chat.assistant.cost();
    assert_eq!(
        leptos::prelude::GetUntracked::get_untracked(&total).price_micros(),
        None
    );
    chat.assistant.send("one").unwrap();
    chat.idle().await;
    assert!(chat.page.click(COST_BUTTON));
    chat.appears(".la-message-cost").await;
    let shown = chat.page.text(".la-message-cost");
    assert!(shown.contains("4.50"), "{shown}");
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    let total = leptos::prelude::GetUntracked::get_untracked(&total);
    assert_eq!(
        total.price_micros(),
        Some(7_500_000),
        "along the path, exactly"
    );
}

#[cfg(feature = "records")]
#[wasm_bindgen_test]
async fn a_follower_page_applies_updates_and_runs_no_call() {
    use std::{cell::RefCell, rc::Rc};

    use leptos_assistant::{ToolAction, records::Update, use_assistant_action};
    use serde_json::{Value, json};

    let call = Script::new()
        .text("Let me see.")
        .call("add", &json!({"n": 2}));
    let agent = MockAgent::new()
        .answer(call)
        .answer(Script::new().text("It is 4."));
    let adds = || {
        use_assistant_action(
            ToolAction::new("add", "Adds").handler(|args: Value| json!({"sum": args["n"]})),
        );
    };
    let host = chat(agent, adds).await;
    let frames: Rc<RefCell<Vec<Value>>> = Rc::default();
    let sent = Rc::clone(&frames);
    host.assistant
        .updates()
        .observe(move |update| sent.borrow_mut().push(update.to_json()))
        .forget();
    host.assistant.send("go").unwrap();
    host.idle().await;
    let kinds = |status: &str| {
        let frames = frames.borrow();
        frames
            .iter()
            .filter(|frame| frame["status"] == status)
            .count()
    };
    assert!(kinds("executing") > 0, "{:?}", frames.borrow());

    let guest = chat(MockAgent::new(), || ()).await;
    let first = Update::from_json(&frames.borrow()[0]).unwrap();
    let refused = guest.assistant.updates().apply(first);
    assert!(refused.is_err(), "another conversation is open here");
    let empty = json!({"threadId": frames.borrow()[0]["convId"], "messages": []});
    guest.assistant.import(empty).unwrap();
    for frame in frames.borrow().iter() {
        let update = Update::from_json(frame).expect("it is read as it was written");
        guest.assistant.updates().apply(update).unwrap();
    }
    settle().await;
    guest.idle().await;
    assert_eq!(
        guest.page.text("[role=log] .la-message:last-child"),
        host.page.text("[role=log] .la-message:last-child")
    );
    let log = guest.page.text("[role=log]");
    assert!(
        log.contains("Let me see.") && log.contains("It is 4."),
        "{log}"
    );
    assert_eq!(
        guest
            .page
            .count("[data-tool-name=add][data-status=complete]"),
        1
    );
    assert_eq!(guest.agent.inputs().len(), 0, "nothing runs");
}

#[cfg(feature = "records")]
#[wasm_bindgen_test]
async fn update_state_merges_fields_into_a_call_and_creates_it() {
    use leptos_assistant::{Status, testing::update_state};
    use serde_json::json;

    let chat = chat(MockAgent::new(), || ()).await;
    let update = |fields| update_state(&chat.assistant, "c", fields).unwrap();
    let call = || {
        chat.assistant
            .with_conversation(|conversation| {
                let (_, call) = conversation.call_by_wire_id("c").unwrap();
                let result = call.result().map(|result| result.value().clone());
                (call.phase().status(), call.created_at(), result)
            })
            .unwrap()
    };
    update(json!({"toolName": "search"}));
    let (status, created_at, _) = call();
    assert_eq!(status, Status::Pending);
    update(json!({"status": "executing"}));
    assert_eq!(call(), (Status::Executing, created_at, None));
    update(json!({"result": "3 books"}));
    assert_eq!(
        call(),
        (Status::Complete, created_at, Some(json!("3 books")))
    );
}
