//! The number of nodes that calls add to the page.

use leptos_assistant::{
    agent::Script,
    testing::{MockAgent, until},
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat;

/// Rule "cards fold"
#[wasm_bindgen_test]
async fn a_hundred_grouped_calls_add_few_nodes() {
    let mut script = Script::new();
    for number in 0..100 {
        let id = format!("c{number}");
        script = script
            .call_as(&id, "look_up", "{\"query\":\"tide\"}")
            .result(&id, "{\"found\":3}");
    }
    let chat = chat(MockAgent::new().answer(script.text("Done.")), || ()).await;
    chat.assistant.send("Look").unwrap();
    chat.idle().await;
    // Rows are drawn over several frames.
    let all = || chat.page.count("[data-tool-name=look_up]") == 100;
    assert!(until(all).await);
    // Elements and comments: each of them begins, and only elements end.
    let html = chat.page.root.inner_html();
    let nodes = html.matches('<').count() - html.matches("</").count();
    assert!(nodes <= 1_200, "{nodes} nodes");
    // The grouped calls are mounted by a click.
    assert_eq!(chat.page.count(".la-tool-card"), 0);
    assert!(chat.page.click(".la-call-group"));
    assert!(until(|| chat.page.count(".la-tool-card") == 100).await);
    let html = chat.page.root.inner_html();
    let nodes = html.matches('<').count() - html.matches("</").count();
    assert!(nodes <= 5_000, "{nodes} nodes with all of them in the page");
}
