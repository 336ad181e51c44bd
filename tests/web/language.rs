//! Another language without mounting anything anew.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, AssistantProvider, ChatWindow, Labels, Suggestion, ToolAction,
    agent::Script,
    provide_labels,
    testing::{MockAgent, mount, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

#[component]
fn Actions() -> impl IntoView {
    let action = |name: &str| ToolAction::new(name, "Acts").handler(|_: Value| "fine");
    use_assistant_action(action("quick"));
    use_assistant_action(action("careful").approval(Approval::Always));
}

#[wasm_bindgen_test]
async fn a_switch_of_labels_is_followed_by_what_is_drawn() {
    let agent = MockAgent::new().answer(
        Script::new()
            .text("Two calls")
            .call("quick", &json!({}))
            .call("careful", &json!({"a": 1})),
    );
    let german = RwSignal::new(false);
    let page = mount(move || {
        provide_labels(Signal::derive(move || match german.get() {
            false => Labels::default(),
            true => Labels {
                title: "Assistentin".into(),
                send: "Senden".into(),
                placeholder: "Frag etwas".into(),
                message: "Nachricht".into(),
                approvals_hint: "Erst zustimmen oder ablehnen.".into(),
                waiting: "Wartet auf dich".into(),
                done: "Fertig".into(),
                approve: "Zustimmen".into(),
                deny: "Ablehnen".into(),
                page_will_run: "Diese Seite tut".into(),
                you: "Du".into(),
                new_conversation: "Neu".into(),
                suggestions: "Vorschläge".into(),
                arguments: "Argumente".into(),
                ..Labels::default()
            },
        }));
        view! {
            <AssistantProvider agent>
                <Actions />
                <ChatWindow suggestions=vec![Suggestion::new("go")] />
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text(".la-composer [type=submit]"), "Send");
    assert!(page.click(".la-suggestion"));
    let asks = || page.count(".la-approval") == 1 && page.text(".la-tool-status") == "Done";
    assert!(until(asks).await, "{}", page.root.inner_html());
    settle().await;
    let input: web_sys::HtmlTextAreaElement = page.find("textarea").unwrap().unchecked_into();
    input.set_value("half a sentence");
    assert!(page.click(".la-tool-summary"));
    assert!(until(|| page.find(".la-tool-body").is_some()).await);
    let card = page.find(".la-approval").unwrap();
    german.set(true);
    settle().await;
    for (place, word) in [
        (".la-chat-title", "Assistentin"),
        (".la-composer [type=submit]", "Senden"),
        (".la-composer-reason", "Erst zustimmen oder ablehnen."),
        (".la-chat-status", "Wartet auf dich"),
        (".la-tool-status", "Fertig"),
        (".la-approval-yes", "Zustimmen: careful"),
        (".la-chat-actions button", "Neu"),
        (".la-tool-label", "Argumente"),
    ] {
        assert_eq!(page.text(place), word, "{place}");
    }
    assert!(page.text(".la-approval-title").contains("Diese Seite tut"));
    let attribute = |place: &str, name: &str| page.find(place).unwrap().get_attribute(name);
    assert_eq!(
        attribute("textarea", "placeholder").as_deref(),
        Some("Frag etwas")
    );
    assert_eq!(
        attribute("textarea", "aria-label").as_deref(),
        Some("Nachricht")
    );
    assert_eq!(
        page.find(".la-turn h3").unwrap().text_content().as_deref(),
        Some("Du")
    );
    assert_eq!(
        attribute(".la-chat", "aria-label").as_deref(),
        Some("Assistentin")
    );
    assert_eq!(input.value(), "half a sentence", "nothing was mounted anew");
    assert!(page.find(".la-approval").unwrap().is_same_node(Some(&card)));
    german.set(false);
    settle().await;
    assert_eq!(page.text(".la-composer [type=submit]"), "Send");
}
