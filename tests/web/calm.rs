//! States of the window: each is shown once in plain words, with technical data on demand.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AssistantProvider, ChatWindow, LabelName, Labels, STYLE, ToolAction, ToolError,
    agent::{Failure, FailureKind, Script},
    chat::PastConversations,
    event::EventKind,
    provide_labels,
    store::{Batch, Label, MemoryStore, Store, StoreFuture, StoredThread, ThreadInfo},
    testing::{MockAgent, Mounted, mount, settle, until},
    use_assistant, use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    connection::Connection,
    support::{chat, open_text},
};

/// Rule "interrupted answers": a mark or a notice, not both
#[wasm_bindgen_test]
async fn a_stopped_run_shows_either_a_mark_or_a_notice() {
    let wait = Duration::from_secs(60);
    let agent = MockAgent::new()
        .answer(open_text("Half").wait(wait))
        .answer(Script::new().text("Whole.").wait(wait));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-role=assistant]").await;
    chat.assistant.stop().unwrap();
    chat.appears("[data-cut=stopped]").await;
    settle().await;
    assert_eq!(chat.page.count(".la-notice"), 0);
    let announced = || chat.page.text("[data-speech=status]");
    assert!(until(|| announced() == "Stopped.").await, "it is announced");

    chat.assistant.send("go").unwrap();
    let second = || chat.page.count("[data-role=assistant]") == 2;
    assert!(until(second).await);
    settle().await;
    chat.assistant.stop().unwrap();
    chat.appears(".la-notice").await;
    assert_eq!(chat.page.count("[data-cut=stopped]"), 1, "the first answer");
}

/// Rule "interrupted answers": the card of a call that was stopped shows it
#[wasm_bindgen_test]
async fn a_stopped_call_shows_no_notice() {
    let agent = MockAgent::new().answer(Script::new().call("work", &json!({})));
    let chat = chat(agent, || {
        use_assistant_action(ToolAction::new("work", "").handler(|_: Value| async {
            std::future::pending::<()>().await;
            Ok::<_, ToolError>(1)
        }));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-phase=running]").await;
    chat.assistant.stop().unwrap();
    chat.appears("[data-phase=cancelled]").await;
    settle().await;
    assert_eq!(chat.page.count(".la-notice"), 0);
}

/// Rule "interrupted answers": a failed turn keeps its mark
#[wasm_bindgen_test]
async fn a_failed_turn_stays_marked() {
    let http = Failure::new(FailureKind::Http { status: 500 }, "HTTP 500");
    let agent = MockAgent::new()
        .fail(http.clone())
        .answer(Script::new().text("Better."))
        .answer(open_text("Half").error("boom"))
        .answer(Script::new().text("Better."))
        .fail(http)
        .answer(Script::new().text("Retried."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("one").unwrap();
    chat.appears("[role=alert]").await;
    assert_eq!(chat.page.count("[data-cut]"), 0, "the notice reports it");
    chat.assistant.send("two").unwrap();
    chat.idle().await;
    assert_eq!(chat.page.text("[data-role=user] [data-cut]"), "No answer");

    chat.assistant.send("three").unwrap();
    chat.appears("[role=alert]").await;
    let failed = "[data-role=assistant] [data-cut=failed]";
    chat.appears(failed).await;
    assert_eq!(chat.page.text(failed), "Stopped by an error");
    let title = "[role=alert] .la-notice-title.la-visually-hidden";
    assert_eq!(chat.page.count(title), 1, "the mark says that it failed");
    assert_eq!(chat.page.text("[role=alert] .la-notice-text"), "boom");
    chat.assistant.send("four").unwrap();
    chat.idle().await;
    let marks = || chat.page.count("[data-cut]");
    assert_eq!(marks(), 2, "after the next message");
    chat.assistant.import(chat.assistant.export()).unwrap();
    settle().await;
    assert_eq!(marks(), 2, "after loading");

    chat.assistant.send("five").unwrap();
    chat.appears("[role=alert]").await;
    assert!(chat.page.click("[role=alert] button"));
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("Retried."));
    assert_eq!(marks(), 2, "what was retried is not marked");
}

/// A run that failed offline is retried once, and none of its handlers starts again.
#[wasm_bindgen_test]
async fn a_run_that_failed_offline_continues_once_online() {
    let lost = Failure::new(FailureKind::Network, "TypeError: Failed to fetch");
    let agent = MockAgent::new()
        .answer(Script::new().call("work", &json!({})))
        .fail(lost.clone())
        .answer(Script::new().text("Back."))
        .fail(lost);
    let ran = RwSignal::new(0);
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("work", "").handler(move |_: Value| {
            ran.update(|count| *count += 1);
            1
        }));
    })
    .await;
    let connection = Connection::offline();
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    assert_eq!(
        chat.page.text("[role=alert] .la-notice-text"),
        "You are offline. The assistant continues when you are back."
    );
    assert_eq!(chat.page.text(".la-chat-status"), "Offline");
    assert_eq!(
        chat.page.text("[role=alert] button"),
        "Retry",
        "without the notice, the run would not continue"
    );
    assert_eq!(chat.page.count("[role=alert] button"), 1);
    connection.restore();
    let done = until(|| chat.page.text("[role=log]").contains("Back.")).await;
    assert!(done, "{}", chat.page.text("[role=log]"));
    chat.idle().await;
    assert_eq!(chat.results(2), ["1"]);
    assert_eq!(ran.get_untracked(), 1);
    connection.restore();
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 3, "once");

    // A server that does not answer is another matter.
    chat.assistant.send("go").unwrap();
    chat.appears("[role=alert]").await;
    let shown = chat.page.text("[role=alert] .la-notice-text");
    assert_eq!(shown, "The assistant could not be reached.");
    connection.restore();
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 4);
    assert_eq!(chat.page.text("[role=alert] button"), "Retry");
}

/// Rule "the default card": plain words in its line, the rest on demand
#[wasm_bindgen_test]
async fn the_default_card_shows_a_readable_name_and_the_failure_reason() {
    let script = Script::new()
        .call_as("a", "web_search", "{\"q\":\"tides\"}")
        .result("a", "{\"error\":\"The search\\n is down.\"}")
        .call_as("b", "readBerthsLog", "{}")
        .result("b", "1")
        .text("Sorry.");
    let chat = chat(MockAgent::new().answer(script), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let line = chat.page.text("[data-tool-call-id=a] .la-tool-summary");
    assert!(line.starts_with("web search"), "{line}");
    assert_eq!(
        chat.page.text("[data-tool-call-id=b] .la-tool-name"),
        "read berths log"
    );
    assert_eq!(
        chat.page.text("[data-tool-call-id=a] .la-tool-reason"),
        "The search is down."
    );
    assert_eq!(chat.page.count("[data-tool-call-id=b] .la-tool-reason"), 0);
    chat.opens_card().await;
    assert_eq!(
        chat.page.text("[data-tool-call-id=a] .la-tool-code"),
        "web_search"
    );
}

#[wasm_bindgen_test]
async fn the_thinking_line_has_no_spinner_and_turns_have_equal_gaps() {
    let wait = Duration::from_millis(500);
    let agent = MockAgent::new().answer(Script::new().wait(wait).text("Hello."));
    let chat = chat(agent, || view! { <style>{STYLE}</style> }).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-working-quiet").await;
    assert_eq!(chat.page.text(".la-working").trim(), "Thinking…");
    assert_eq!(chat.page.count(".la-working .la-spinner"), 0);
    chat.idle().await;
    let room = |of: &str| {
        let turn = chat.page.find(of).unwrap();
        let style = window().get_computed_style(&turn).unwrap().unwrap();
        style.get_property_value("padding-block-end").unwrap()
    };
    let rooms = (
        room(".la-turn[data-of=user]"),
        room(".la-turn:not([data-of])"),
    );
    assert_eq!(rooms.0, rooms.1);
}

/// The reasons of failures are remarks, no larger than the text of an answer.
#[wasm_bindgen_test]
async fn failure_reasons_use_a_smaller_font_than_the_answer() {
    let failed = EventKind::RunError {
        message: "The model is overloaded.".to_owned(),
        code: None,
        usage: Vec::new(),
    };
    let agent = MockAgent::new()
        .answer(Script::new().text("Let me see.").call("find", &json!({})))
        .answer(Script::new().text("So far.").event(failed));
    let chat = chat(agent, || {
        use_assistant_action(
            ToolAction::new("find", "")
                .handler(|_: Value| async { Err::<u32, _>(ToolError::new("The search is down.")) }),
        );
        view! { <style>{STYLE}</style> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat.appears(".la-notice").await;
    let size = |of: &str| -> f64 {
        let element = chat.page.find(of).unwrap();
        let style = window().get_computed_style(&element).unwrap().unwrap();
        let size = style.get_property_value("font-size").unwrap();
        size.trim_end_matches("px").parse().unwrap()
    };
    let answer = size("[data-role=assistant] .la-markdown");
    for reason in [
        ".la-tool-reason",
        ".la-message-note[data-cut]",
        ".la-notice-text",
    ] {
        assert!(
            size(reason) < answer,
            "{reason}: {} of {answer}",
            size(reason)
        );
    }
}

/// A store with a list of its own.
struct Listing {
    inner: MemoryStore,
    threads: Vec<ThreadInfo>,
}

impl Store for Listing {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        self.inner.load(thread_id)
    }
    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        self.inner.take(thread_id, writer)
    }
    fn write(&self, batch: Batch) -> StoreFuture<()> {
        self.inner.write(batch)
    }
    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        let threads = self.threads.clone();
        Box::pin(async { Ok(threads) })
    }
    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        self.inner.label(thread_id, label)
    }
    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        self.inner.remove(thread_id)
    }
}

async fn listing(threads: Vec<ThreadInfo>) -> Mounted {
    let threads = send_wrapper::SendWrapper::new(threads);
    let page = mount(move || {
        let store = Listing {
            inner: MemoryStore::default(),
            threads: threads.clone().take(),
        };
        view! {
            <style>{STYLE}</style>
            <AssistantProvider agent=MockAgent::new() store>
                <div class="panel" style="inline-size: 300px; block-size: 400px">
                    <PastConversations />
                </div>
                <ChatWindow />
            </AssistantProvider>
        }
    });
    assert!(until(|| page.count(".la-past-item") > 0).await);
    page
}

#[wasm_bindgen_test]
async fn past_conversations_show_times_and_are_found_by_title() {
    #[allow(clippy::cast_possible_truncation, reason = "a time of today")]
    let now = js_sys::Date::now() as i64;
    let day = 86_400_000;
    let page = listing(vec![
        ThreadInfo::new("a", "Berths at pier 3", now),
        ThreadInfo::new("b", "Tides", now - day),
        ThreadInfo::new("c", "Cranes", now - 20 * day),
    ])
    .await;
    let times = page.root.query_selector_all(".la-past-item time").unwrap();
    let times: Vec<web_sys::Element> = (0..times.length())
        .filter_map(|at| times.item(at)?.dyn_into().ok())
        .collect();
    assert_eq!(times.len(), 3);
    let text = |at: usize| times[at].text_content().unwrap();
    assert!(
        text(0).starts_with("Today ") && text(0).contains(':'),
        "{}",
        text(0)
    );
    assert_eq!(text(1), "Yesterday");
    assert!(text(2).chars().any(|c| c.is_ascii_digit()), "{}", text(2));
    for time in &times {
        let iso = time.get_attribute("datetime").unwrap();
        assert!(iso.ends_with('Z'), "{iso}");
    }
    let find = |text: &str| {
        let field: web_sys::HtmlInputElement =
            page.find(".la-past-search").unwrap().unchecked_into();
        field.set_value(text);
        let event = web_sys::Event::new("input").unwrap();
        field.dispatch_event(&event).unwrap();
    };
    find(" PIER");
    assert!(until(|| page.count(".la-past-item") == 1).await);
    assert_eq!(page.text(".la-past-title"), "Berths at pier 3");
    find("submarine");
    assert!(until(|| page.count(".la-past-item") == 0).await);
    let none = || {
        page.text(".la-past [role=status]")
            .contains("No conversation")
    };
    assert!(until(none).await);
    find("");
    assert!(until(|| page.count(".la-past-item") == 3).await);
    assert_eq!(page.count(".la-past [role=status]"), 0);
}

#[wasm_bindgen_test]
async fn many_past_conversations_with_any_title_keep_the_layout() {
    let titles = ["x".repeat(10_000), "⚓".to_owned(), "word ".repeat(2_000)];
    let threads = (0..500).map(|at| {
        let title = titles[at % titles.len()].clone();
        ThreadInfo::new(format!("t{at}"), title, 1_700_000_000_000)
    });
    let page = listing(threads.collect()).await;
    assert!(until(|| page.count(".la-past-item") == 500).await);
    let panel = page.find(".panel").unwrap();
    assert!(panel.scroll_width() <= panel.client_width());
    assert!(panel.scroll_height() <= panel.client_height());
    let items = page.root.query_selector_all(".la-past-item").unwrap();
    for at in 0..6 {
        let item: web_sys::Element = items.item(at).unwrap().unchecked_into();
        let height = item.get_bounding_client_rect().height();
        assert!((20.0..80.0).contains(&height), "{at}: {height}");
    }
    let search = page.find(".la-past-search").unwrap();
    assert!(search.get_bounding_client_rect().height() >= 24.0);
}

/// The search finds words in messages, and neither names of fields nor deleted conversations.
#[wasm_bindgen_test]
async fn past_conversations_are_found_by_message_text() {
    #[component]
    fn Ask(assistant: RwSignal<Option<Assistant>>) -> impl IntoView {
        assistant.set(use_assistant());
    }
    let agent = MockAgent::new()
        .answer(Script::new().text("Bergamot \"Nr 7\" is late."))
        .answer(Script::new().text("Sunny."));
    let assistant = RwSignal::new(None);
    let page = mount(move || {
        view! {
            <AssistantProvider agent store=MemoryStore::default()>
                <Ask assistant />
                <PastConversations />
            </AssistantProvider>
        }
    });
    settle().await;
    let assistant: Assistant = assistant.get_untracked().unwrap();
    for text in ["Where is my tea?", "How is the weather?"] {
        assistant.new_conversation();
        assistant.send(text).unwrap();
        let activity = assistant.activity();
        assert!(until(|| !activity.get_untracked().is_busy()).await);
        let listed = || page.text(".la-past-list").contains(text);
        assert!(until(listed).await, "{}", page.root.inner_html());
    }
    assert!(until(|| page.count(".la-past-item") == 2).await);
    let find = |text: &str| {
        let field: web_sys::HtmlInputElement =
            page.find(".la-past-search").unwrap().unchecked_into();
        field.set_value(text);
        field
            .dispatch_event(&web_sys::Event::new("input").unwrap())
            .unwrap();
    };
    for words in ["bergamot", "ot \"nr 7\" IS"] {
        find(words);
        let one = || page.count(".la-past-item") == 1;
        assert!(until(one).await, "{words}: {}", page.root.inner_html());
        assert_eq!(page.text(".la-past-title"), "Where is my tea?");
    }
    // Every stored message has this field.
    find("createdAt");
    let nothing = || page.text(".la-past [role=status]") == "No conversation contains this.";
    assert!(until(nothing).await, "{}", page.root.inner_html());
    // A search that is dropped calls back no more.
    let found = RwSignal::new(0);
    drop(
        assistant
            .conversations()
            .search("bergamot", move |_| found.update(|count| *count += 1)),
    );
    let ends = RwSignal::new(Vec::new());
    let search = assistant.conversations().search("sunny", move |id| {
        ends.update(|ends| ends.push(id.is_none()));
    });
    assert!(until(|| ends.get_untracked() == [false, true]).await);
    drop(search);
    assert_eq!(found.get_untracked(), 0);
}

/// Another tab may rename the conversation meanwhile.
#[wasm_bindgen_test]
async fn a_rename_in_progress_survives_a_change_of_the_title() {
    let assistant = RwSignal::new(None);
    let page = mount(move || {
        let agent = MockAgent::new().answer(Script::new().text("Here."));
        view! {
            <AssistantProvider agent store=MemoryStore::default()>
                {move || assistant.set(use_assistant())} <PastConversations />
            </AssistantProvider>
        }
    });
    settle().await;
    let assistant: Assistant = assistant.get_untracked().unwrap();
    assistant.send("Where is it?").unwrap();
    let title = || page.text(".la-past-title");
    assert!(until(|| title() == "Where is it?").await);
    settle().await;
    assert!(page.click("[aria-label=Rename]"));
    assert!(until(|| page.count(".la-past-form input") == 1).await);
    settle().await;
    let input = page.find(".la-past-form input").unwrap();
    let input: web_sys::HtmlInputElement = input.unchecked_into();
    input.set_value("My title");
    let (id, list) = (
        assistant.thread_id().get_untracked(),
        assistant.conversations().list(),
    );
    assistant.conversations().rename(&id, "Another title");
    let is_stored = || list.with_untracked(|list| list[0].title == "Another title");
    assert!(until(is_stored).await);
    settle().await;
    assert!(input.is_connected(), "the form stays");
    assert_eq!(input.value(), "My title");
    assert!(page.click(".la-past-form button"));
    assert!(until(|| title() == "My title").await, "{}", title());
}

#[wasm_bindgen_test]
async fn past_conversations_without_a_title_follow_the_language() {
    let german = RwSignal::new(false);
    let page = mount(move || {
        provide_labels(move || match german.get() {
            false => Labels::default(),
            true => Labels::default().with([
                (LabelName::Untitled, "Ohne Titel"),
                (LabelName::Deleted, "Gelöscht: {text}"),
            ]),
        });
        #[allow(clippy::cast_possible_truncation, reason = "a time of today")]
        let now = js_sys::Date::now() as i64;
        let mut deleted = ThreadInfo::new("b", "", now);
        deleted.deleted_at = Some(now);
        let store = Listing {
            inner: MemoryStore::default(),
            threads: vec![ThreadInfo::new("a", "", now), deleted],
        };
        view! {
            <AssistantProvider agent=MockAgent::new() store>
                <PastConversations />
            </AssistantProvider>
        }
    });
    assert!(until(|| page.count(".la-past-item") == 2).await);
    let row = page.find(".la-past-open").unwrap();
    assert_eq!(page.text(".la-past-deleted"), "Deleted: Untitled");
    german.set(true);
    settle().await;
    assert_eq!(page.text(".la-past-title"), "Ohne Titel");
    assert_eq!(page.text(".la-past-deleted"), "Gelöscht: Ohne Titel");
    assert!(row.is_connected(), "nothing is rendered again");
}
