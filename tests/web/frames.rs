//! Windows beside and above a page.

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatPopup, ChatSidebar, ChatWindow,
    agent::Script,
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant,
};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

fn press(page: &Mounted, selector: &str, key: &str) {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event =
        web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    page.find(selector).unwrap().dispatch_event(&event).unwrap();
}

fn focused() -> String {
    document().active_element().unwrap().class_name()
}

fn expanded(page: &Mounted) -> Option<String> {
    page.find("[aria-expanded]")
        .unwrap()
        .get_attribute("aria-expanded")
}

#[component]
fn Found(found: RwSignal<Option<Assistant>>) -> impl IntoView {
    found.set(use_assistant());
}

#[wasm_bindgen_test]
async fn a_popup_opens_by_its_button_and_closes_by_escape() {
    let page = mount(|| {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ChatPopup label="Help" attr:id="popup" />
            </AssistantProvider>
        }
    });
    settle().await;
    assert!(page.find("#popup.la-popup").is_some());
    assert_eq!(expanded(&page).as_deref(), Some("false"));
    let button = page.find(".la-popup-button").unwrap();
    assert_eq!(button.get_attribute("aria-label").as_deref(), Some("Help"));
    let body = button.get_attribute("aria-controls").unwrap();
    assert!(page.find(&format!("#{body}")).unwrap().hidden());
    button.focus().unwrap();
    button.click();
    settle().await;
    assert_eq!(expanded(&page).as_deref(), Some("true"));
    assert!(!page.find(&format!("#{body}")).unwrap().hidden());
    assert_eq!(
        page.find("section")
            .unwrap()
            .get_attribute("aria-label")
            .as_deref(),
        Some("Help")
    );
    assert_eq!(focused(), "la-composer-input");
    let input: web_sys::HtmlTextAreaElement = page.find("textarea").unwrap().unchecked_into();
    input.set_value("half a sentence");
    press(&page, "textarea", "Escape");
    settle().await;
    assert_eq!(expanded(&page).as_deref(), Some("false"));
    assert_eq!(focused(), "la-popup-button");
    assert_eq!(input.value(), "half a sentence", "what is written stays");
    button.click();
    settle().await;
    button.focus().unwrap();
    button.click();
    settle().await;
    assert_eq!(
        expanded(&page).as_deref(),
        Some("false"),
        "the button closes, too"
    );
}

#[wasm_bindgen_test]
async fn an_answer_in_a_closed_popup_marks_it_unread() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One"))
        .answer(Script::new().text("Two"));
    let (found, open) = (RwSignal::new(None), RwSignal::new(true));
    let page = mount(move || {
        view! {
            <AssistantProvider agent>
                <Found found />
                <ChatPopup open />
            </AssistantProvider>
        }
    });
    settle().await;
    let assistant = found.get_untracked().unwrap();
    let marked = || page.count("[data-unread]") == 1;
    assistant.send("first").unwrap();
    assert!(until(|| page.count("article[data-role=assistant]") == 1).await);
    settle().await;
    assert!(!marked(), "an open chat has no unread mark");
    open.set(false);
    settle().await;
    assert!(!marked());
    assistant.send("second").unwrap();
    assert!(until(marked).await, "an answer came");
    assert_eq!(page.text(".la-popup > [aria-live=polite]"), "New message");
    open.set(true);
    settle().await;
    assert!(!marked());
    assert_eq!(page.text(".la-popup > [aria-live=polite]"), "");
}

#[wasm_bindgen_test]
async fn escape_in_a_dialog_leaves_the_popup_open() {
    let open = RwSignal::new(true);
    let page = mount(move || {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ChatPopup open>
                    <dialog open=true><button class="inside"></button></dialog>
                    <ChatWindow />
                </ChatPopup>
            </AssistantProvider>
        }
    });
    settle().await;
    press(&page, ".inside", "Escape");
    settle().await;
    assert!(open.get_untracked());
    page.find("dialog").unwrap().remove();
    press(&page, "textarea", "Escape");
    settle().await;
    assert!(!open.get_untracked());
}

#[wasm_bindgen_test]
async fn a_collapsed_sidebar_keeps_focus_and_draft() {
    let open = RwSignal::new(true);
    let page = mount(move || {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ChatSidebar open label="Help" attr:id="side">
                    <ChatWindow label="Help" />
                </ChatSidebar>
            </AssistantProvider>
        }
    });
    settle().await;
    assert!(page.find("#side.la-sidebar[data-open]").is_some());
    assert_eq!(expanded(&page).as_deref(), Some("true"));
    let input: web_sys::HtmlTextAreaElement = page.find("textarea").unwrap().unchecked_into();
    input.set_value("half a sentence");
    input.focus().unwrap();
    open.set(false);
    settle().await;
    assert_eq!(expanded(&page).as_deref(), Some("false"));
    assert!(page.find(".la-sidebar-body").unwrap().hidden());
    assert!(focused().contains("la-sidebar-button"), "{}", focused());
    assert!(page.click(".la-sidebar-button"));
    settle().await;
    assert!(open.get_untracked());
    assert!(focused().contains("la-sidebar-button"));
    assert_eq!(input.value(), "half a sentence");
    assert!(page.find("textarea").unwrap().is_same_node(Some(&input)));
}

#[wasm_bindgen_test]
async fn a_sidebar_without_children_contains_a_chat_window() {
    let page = mount(|| {
        view! {
            <AssistantProvider agent=MockAgent::new()><ChatSidebar label="Help" /></AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(page.text(".la-sidebar h2"), "Help");
}

/// Returns the attribute that counts the open sidebars of the page.
fn counted_sidebars() -> Option<String> {
    document()
        .document_element()
        .unwrap()
        .get_attribute("data-la-sidebars")
}

#[wasm_bindgen_test]
async fn the_root_element_counts_open_sidebars() {
    let (first, second) = (RwSignal::new(true), RwSignal::new(false));
    let page = mount(move || {
        view! {
            <AssistantProvider agent=MockAgent::new()>
                <ChatSidebar open=first><p>"First"</p></ChatSidebar>
                <ChatSidebar open=second><p>"Second"</p></ChatSidebar>
            </AssistantProvider>
        }
    });
    settle().await;
    assert_eq!(counted_sidebars().as_deref(), Some("1"));
    second.set(true);
    settle().await;
    assert_eq!(counted_sidebars().as_deref(), Some("2"));
    first.set(false);
    settle().await;
    assert_eq!(counted_sidebars().as_deref(), Some("1"));
    drop(page);
    settle().await;
    assert_eq!(counted_sidebars(), None, "a removed sidebar is not counted");
}
