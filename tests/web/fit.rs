//! Windows of any height, and their tab order.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Attachments, ChatWindow, ConfirmOptions, LabelName, Labels, STYLE, SessionOptions,
    ToolAction, ToolContext, ToolError,
    agent::Script,
    provide_labels,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{
    attachments::give,
    support::{Chat, chat, provided, question},
};

/// Mounts a chat in a box of this height, with the style sheet.
async fn boxed(agent: MockAgent, height: RwSignal<u32>) -> Chat {
    boxed_with(agent, height, || ()).await
}

/// Mounts a chat in a box of this height, with the style sheet and the actions of `register`.
async fn boxed_with(
    agent: MockAgent,
    height: RwSignal<u32>,
    register: impl Fn() + Send + Sync + 'static,
) -> Chat {
    provided(agent, SessionOptions::default(), move || {
        register();
        view! {
            <style>{STYLE}</style>
            <div
                class="box"
                style:inline-size="320px"
                style:block-size=move || format!("{}px", height.get())
            >
                <ChatWindow />
            </div>
        }
    })
    .await
}

fn asking_agent(count: usize) -> MockAgent {
    let text = json!({"type": "string"});
    let asked = (0..count).map(|number| question(&format!("q{number}"), None, text.clone()));
    let script = Script::new()
        .text("I must know a few things.")
        .interrupt(asked.collect());
    MockAgent::new()
        .answer(script)
        .answer(Script::new().text("Thank you."))
}

const INSIDE: &str = ".la-transcript-content > .la-inbox";
const BELOW: &str = "[data-assistant-chat] > .la-inbox";

/// Rule "interrupts": the questions follow the newest message, and scroll with it.
#[wasm_bindgen_test]
async fn the_inbox_is_inside_the_transcript_at_any_height() {
    let height = RwSignal::new(256);
    let chat = boxed(asking_agent(3), height).await;
    chat.assistant.send("go").unwrap();
    chat.appears(INSIDE).await;
    chat.appears(".la-question").await;
    assert_eq!(chat.page.count(BELOW), 0);
    let list = chat.page.find(".la-transcript-scroller").unwrap();
    assert!(list.client_height() >= 120, "{}", list.client_height());
    // The first question is shown from its top.
    let head = || chat.page.find(".la-question .la-approval-head").unwrap();
    let top = |element: &web_sys::Element| element.get_bounding_client_rect().top();
    let shown = until(|| {
        let distance = top(&head()) - top(&list);
        (-1.0..=40.0).contains(&distance)
    })
    .await;
    assert!(shown, "{} in {}", top(&head()), top(&list));

    height.set(640);
    settle().await;
    assert_eq!(chat.page.count(BELOW), 0);
    assert_eq!(chat.page.count(INSIDE), 1);
    let field = chat.page.find("[data-interrupt-id=q1] input").unwrap();
    let field: HtmlElement = field.dyn_into().unwrap();
    field.focus().unwrap();
    // An on-screen keyboard takes the height: typing continues.
    height.set(256);
    settle().await;
    assert_eq!(chat.page.count(INSIDE), 1);
    assert!(document().active_element().is_some_and(|now| now == *field));
    field.blur().unwrap();
    height.set(250);
    chat.appears(INSIDE).await;
    assert_eq!(chat.page.count("[data-interrupt-id]"), 3, "and all of it");
}

#[wasm_bindgen_test]
async fn tab_reaches_the_buttons_of_the_newest_and_the_focused_turn() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One."))
        .answer(Script::new().text("Two."));
    let chat = chat(agent, || ()).await;
    for text in ["a", "b"] {
        chat.assistant.send(text).unwrap();
        chat.idle().await;
    }
    let all = chat.page.count(".la-message-bar button");
    let skipped = ".la-message-bar button[tabindex='-1']";
    assert!(all >= 4, "{all}");
    let newest = chat.page.count("[data-newest] .la-message-bar button");
    assert_eq!(chat.page.count(skipped), all - newest);
    let first = chat.page.find(".la-turn").unwrap();
    let first: HtmlElement = first.dyn_into().unwrap();
    first.focus().unwrap();
    settle().await;
    let own = first.query_selector_all(".la-message-bar button").unwrap();
    assert!(own.length() >= 1);
    assert_eq!(chat.page.count(skipped), all - newest - own.length());
    assert!(first.query_selector(skipped).unwrap().is_none());
}

#[wasm_bindgen_test]
async fn a_new_conversation_can_be_undone_until_the_first_message() {
    let agent = MockAgent::new()
        .answer(Script::new().text("One."))
        .answer(Script::new().text("Two."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    let (button, undo) = (
        ".la-chat-actions .la-button",
        ".la-toast button:not([aria-label])",
    );
    chat.page.click(button);
    chat.appears(undo).await;
    assert_eq!(
        chat.page.text(button),
        "New conversation",
        "it is another button"
    );
    assert_eq!(chat.page.text(undo), "Undo");
    assert_eq!(chat.page.count(".la-message"), 0);
    assert_eq!(chat.page.count(".la-toast [data-icon=undo]"), 1);
    let announced = || chat.page.text("[data-speech=status]");
    assert!(until(|| announced() == "A new conversation has begun.").await);
    let on_composer = || {
        let active = document().active_element().unwrap();
        active.class_list().contains("la-composer-input")
    };
    assert!(on_composer());
    // The second click of a double click begins no other conversation.
    chat.page.click(button);
    settle().await;
    assert!(chat.page.click(undo));
    chat.appears("[data-role=assistant]").await;
    assert!(chat.page.text("[role=log]").contains("One."));
    assert!(until(|| announced() == "Back in the previous conversation.").await);
    assert_eq!(chat.page.count(".la-toast"), 0);
    assert!(on_composer());
    // It can be dismissed, and goes with the first message.
    chat.page.click(button);
    chat.appears(undo).await;
    assert!(chat.page.click(".la-toast [aria-label=Dismiss]"));
    settle().await;
    assert_eq!(chat.page.count(".la-toast"), 0);
    assert!(on_composer());
    chat.assistant.send("b").unwrap();
    chat.idle().await;
    chat.page.click(button);
    chat.appears(undo).await;
    chat.assistant.send("c").unwrap();
    assert!(until(|| chat.page.count(".la-toast") == 0).await);
    chat.idle().await;
}

/// The text of the toast is no column of syllables beside long labels.
#[wasm_bindgen_test]
async fn the_undo_toast_wraps_before_its_text_gets_narrow() {
    let agent = MockAgent::new().answer(Script::new().text("One."));
    let chat = provided(agent, SessionOptions::default(), || {
        provide_labels(Labels::default().with([
            (
                LabelName::ConversationBegun,
                "Eine neue Unterhaltung hat begonnen.",
            ),
            (LabelName::Undo, "Rückgängig machen"),
        ]));
        view! {
            <style>{STYLE}</style>
            <div style="inline-size: 320px; block-size: 500px">
                <ChatWindow />
            </div>
        }
    })
    .await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    chat.page.click(".la-chat-actions .la-button");
    chat.appears(".la-toast").await;
    let text = chat.page.find(".la-toast > .la-notice-text").unwrap();
    assert!(text.offset_width() >= 140, "{}", text.offset_width());
    let toast = chat.page.find(".la-toast").unwrap();
    assert!(toast.scroll_width() <= toast.client_width());
}

/// Undo takes its own space: the text box stays in a small window.
#[wasm_bindgen_test]
async fn the_undo_toast_does_not_cover_the_composer_in_a_small_window() {
    let chat = chat(MockAgent::new().answer(Script::new().text("One.")), || {
        view! {
            <style>{STYLE}</style>
            <style>".la-chat { inline-size: 320px; block-size: 256px; }"</style>
        }
    })
    .await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    chat.page.click(".la-chat-actions .la-button");
    chat.appears(".la-toast").await;
    let edges = |selector: &str| {
        let element = chat.page.find(selector).unwrap();
        let edges = element.get_bounding_client_rect();
        (edges.top(), edges.bottom())
    };
    let (toast, composer) = (edges(".la-toast"), edges(".la-composer"));
    let window = edges(".la-chat");
    assert!(toast.1 <= composer.0 + 0.5, "{toast:?} {composer:?}");
    assert!(composer.1 <= window.1 + 0.5, "{composer:?} {window:?}");
    assert!(toast.1 - toast.0 < 60.0, "one line: {toast:?}");
}

#[wasm_bindgen_test]
async fn importing_a_conversation_closes_an_open_dialog() {
    let agent = MockAgent::new()
        .answer(Script::new().text("Kept."))
        .answer(Script::new().call("drop", &json!({})));
    let ran = RwSignal::new(0);
    let chat = chat(agent, move || {
        use_assistant_action(ToolAction::new("drop", "Drops it").handler(
            move |_: Value, context: ToolContext| async move {
                let sure = context.confirm(ConfirmOptions::new("Sure?")).await;
                ran.update(|count| *count += usize::from(sure));
                Ok::<_, ToolError>(sure)
            },
        ));
    })
    .await;
    chat.assistant.send("a").unwrap();
    chat.idle().await;
    let before = chat.assistant.export();
    chat.assistant.send("b").unwrap();
    chat.appears("dialog[open]").await;
    chat.assistant.import(before).unwrap();
    let closed = until(|| chat.page.find("dialog[open]").is_none()).await;
    assert!(closed, "the dialog goes with what it asked about");
    chat.idle().await;
    assert!(chat.page.text("[role=log]").contains("Kept."));
    assert_eq!(ran.get_untracked(), 0);
    let inert = chat.page.find(".la-composer-input").unwrap();
    let input: HtmlElement = inert.dyn_into().unwrap();
    input.focus().unwrap();
    assert!(document().active_element().is_some_and(|now| now == *input));
}

fn right(element: &web_sys::Element) -> f64 {
    element.get_bounding_client_rect().right()
}

/// A long error scrolls, and leaves room for what is typed.
#[wasm_bindgen_test]
async fn a_long_error_keeps_the_composer_visible_in_a_small_window() {
    let error = "It failed. ".repeat(24);
    let agent = MockAgent::new().answer(Script::new().text("A.").error(&error));
    let chat = boxed(agent, RwSignal::new(256)).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-notice[role=alert]").await;
    settle().await;
    let bottom = |selector: &str| {
        let element = chat.page.find(selector).unwrap();
        element.get_bounding_client_rect().bottom()
    };
    let composer = bottom(".la-composer");
    assert!(composer <= bottom(".box"), "{composer}");
    let list = chat.page.find(".la-transcript").unwrap();
    assert!(list.client_height() >= 60, "{}", list.client_height());
    assert!(bottom(".la-chat-notices") <= composer);
}

/// Files of a message are one row at a small height, and leave room for the transcript.
#[wasm_bindgen_test]
async fn attached_files_keep_the_composer_visible_in_a_small_window() {
    let chat = provided(MockAgent::new(), SessionOptions::default(), || {
        view! {
            <style>{STYLE}</style>
            <div class="box" style="inline-size: 320px; block-size: 200px">
                <ChatWindow attachments=Attachments::new() />
            </div>
        }
    })
    .await;
    let names = [
        "a-rather-long-name-of-a-manifest-2026-11.txt",
        "b.txt",
        "c.txt",
    ];
    let files = names.map(|name| (name, "text/plain", "text"));
    give(&chat.page.find("input[type=file]").unwrap(), "pick", &files);
    assert!(until(|| chat.page.count(".la-attachment[data-state=ready]") == 3).await);
    settle().await;
    let edges = |selector: &str| {
        let edges = chat.page.find(selector).unwrap().get_bounding_client_rect();
        (edges.top(), edges.bottom())
    };
    let (top, bottom) = edges(".box");
    let (_, composer) = edges(".la-composer");
    assert!(composer <= bottom + 1.0, "{composer} below {bottom}");
    let (list, _) = edges(".la-transcript");
    assert!(list >= top - 1.0, "{list} above {top}");
    let tray = chat.page.find(".la-attachments").unwrap();
    assert!(tray.client_height() <= 60, "{}", tray.client_height());
}

/// The buttons are one row, and leave space for the request, whatever the title is.
#[wasm_bindgen_test]
async fn approve_and_deny_are_in_one_row_in_a_narrow_window() {
    let height = RwSignal::new(640);
    let agent = MockAgent::new().answer(Script::new().call("pay", &json!({"to": "Ann"})));
    let chat = boxed_with(agent, height, || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .title("Pay the invoice of the whole of November")
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>(0) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let edges = |selector: &str| {
        let edges = chat.page.find(selector).unwrap().get_bounding_client_rect();
        (edges.top(), edges.right(), edges.width())
    };
    settle().await;
    for pixels in [640, 256] {
        height.set(pixels);
        settle().await;
        let (deny, approve) = (edges(".la-approval-deny"), edges(".la-approval-approve"));
        assert!((deny.0 - approve.0).abs() < 4.0, "{deny:?} {approve:?}");
        assert!(approve.2 >= 80.0, "{approve:?}");
        assert!(deny.1 <= edges(".la-approval").1, "{deny:?}");
    }
}

/// A card whose height never settles moves neither the composer nor the end of the transcript.
#[wasm_bindgen_test]
async fn a_card_that_resizes_forever_leaves_the_chat_usable() {
    let agent = MockAgent::new()
        .answer(
            Script::new()
                .text("Long. ".repeat(200))
                .call("grow", &json!({})),
        )
        .answer(Script::new().text("Answered."));
    let chat = boxed_with(agent, RwSignal::new(400), || {
        use_assistant_action(ToolAction::new("grow", "").handler(|| "grown").render(|_| {
            // Observes its own size, and changes it at each observation.
            let body = "
                        let tall = false;
                        new ResizeObserver(() => requestAnimationFrame(() => {
                            tall = !tall;
                            card.style.height = tall ? '80px' : '40px';
                        })).observe(card);";
            let observe = js_sys::Function::new_with_args("card", body);
            let card = NodeRef::<leptos::html::Div>::new();
            card.on_load(move |card| {
                observe.call1(&wasm_bindgen::JsValue::NULL, &card).unwrap();
            });
            view! { <div class="restless" node_ref=card>"Growing"</div> }
        }));
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".restless").await;
    chat.idle().await;
    let heights = RwSignal::new(std::collections::BTreeSet::new());
    let composer = chat.page.find(".la-composer").unwrap();
    let top = composer.get_bounding_client_rect().top();
    let list = chat.page.find(".la-transcript-scroller").unwrap();
    for _ in 0..6 {
        settle().await;
        let card = chat.page.find(".restless").unwrap();
        heights.update(|known| {
            known.insert(card.offset_height());
        });
        assert!((composer.get_bounding_client_rect().top() - top).abs() < 1.0);
        let below = list.scroll_height() - list.scroll_top() - list.client_height();
        assert!(below <= 48, "{below} px below the view");
    }
    // Each of the six may have been seen at the same height.
    let is_restless = || {
        let card = chat.page.find(".restless").unwrap();
        heights.update_untracked(|known| {
            known.insert(card.offset_height());
        });
        heights.get_untracked().len() > 1
    };
    assert!(until(is_restless).await, "the card is restless");
    chat.assistant.send("more").unwrap();
    assert!(until(|| chat.page.text("[role=log]").contains("more")).await);
}

/// "Jump to latest" is beside the buttons and fields of a question, at any scroll position.
#[wasm_bindgen_test]
async fn jump_to_latest_covers_no_control_of_a_question() {
    let call = Script::new()
        .text("Long. ".repeat(200))
        .call("pay", &json!({"to": "Ann"}));
    let height = RwSignal::new(500);
    let chat = boxed_with(MockAgent::new().answer(call), height, || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>(0) }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    settle().await;
    for pixels in [500, 256] {
        height.set(pixels);
        settle().await;
        let controls = ".la-approval :is(button, textarea, input)";
        let controls = chat.page.root.query_selector_all(controls).unwrap();
        let controls = (0..controls.length()).filter_map(|place| controls.item(place));
        let edges = controls.map(|control| right(&control.unchecked_into()));
        let edge = edges.fold(0.0, f64::max);
        assert!(edge > 0.0);
        let jump = chat.page.find(".la-jump").unwrap();
        // Measured also while there is nothing to jump to.
        jump.remove_attribute("hidden").unwrap();
        let left = jump.get_bounding_client_rect().left();
        assert!(left >= edge, "{left} in front of {edge} at {pixels} px");
    }
}

/// Styles of a page for bare elements, and what it inherits to the chat.
const HOST: &str = "button { text-transform: uppercase; letter-spacing: 3px; color: red; \
    font-style: italic } body p, p { color: magenta; text-align: center; line-height: 3; \
    letter-spacing: 2px; font-style: italic } span { color: blue; text-transform: uppercase } \
    h2, h3 { color: lime; text-transform: uppercase } textarea { letter-spacing: 4px } \
    body { text-align: center; text-transform: uppercase; letter-spacing: 1px; \
    font-style: italic; word-spacing: 9px; text-indent: 8px }";

/// Rule "styles of a page"
#[wasm_bindgen_test]
async fn element_selectors_of_the_page_do_not_restyle_the_chat() {
    let agent = MockAgent::new().answer(Script::new().text("# Title\n\nSome *text*."));
    let chat = boxed(agent, RwSignal::new(560)).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    settle().await;
    let looks = || {
        let all = chat
            .page
            .root
            .query_selector_all(".la-chat, .la-chat *")
            .unwrap();
        let all = (0..all.length()).filter_map(|place| all.item(place));
        let look = |element: web_sys::Node| {
            let element: web_sys::Element = element.unchecked_into();
            let style = web_sys::window().unwrap().get_computed_style(&element);
            let style = style.unwrap().unwrap();
            let properties = [
                "color",
                "font-style",
                "letter-spacing",
                "line-height",
                "text-align",
                "text-indent",
                "text-transform",
                "word-spacing",
            ];
            let of = |name: &&str| style.get_property_value(name).unwrap();
            let values: Vec<String> = properties.iter().map(of).collect();
            format!(
                "{} {}: {}",
                element.tag_name(),
                element.get_attribute("class").unwrap_or_default(),
                values.join("; ")
            )
        };
        all.map(look).collect::<Vec<_>>()
    };
    let before = looks();
    let style = document().create_element("style").unwrap();
    style.set_text_content(Some(HOST));
    chat.page.root.append_child(&style).unwrap();
    let after = looks();
    let changed: Vec<_> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .collect();
    assert!(before.len() > 30 && changed.is_empty(), "{changed:#?}");
}

/// A notice about the newest turn directly follows it, also where the messages do not fill the
/// window. The composer stays at the end.
#[wasm_bindgen_test]
async fn a_failure_is_shown_directly_below_its_turn() {
    let height = RwSignal::new(900);
    let agent = MockAgent::new()
        .answer(Script::new().text("Half of").error("It gave up."))
        .answer(Script::new().text("Line\n\n".repeat(100)).error("Again."));
    let chat = boxed(agent, height).await;
    let edges = |selector: &str| {
        let edges = chat.page.find(selector).unwrap().get_bounding_client_rect();
        (edges.top(), edges.bottom())
    };
    chat.assistant.send("go").unwrap();
    chat.appears(".la-notice").await;
    chat.idle().await;
    let gap = edges(".la-notice").0 - edges("[data-newest] .la-message-bar").1;
    assert!((0.0..=48.0).contains(&gap), "{gap} px");
    let space = edges(".la-composer").0 - edges(".la-notice").1;
    assert!(space > 300.0, "{space} px");
    assert!((edges(".la-composer").1 - edges(".box").1).abs() < 2.0);
    // A long answer leaves no space: the notice is above the composer.
    chat.assistant.send("go on").unwrap();
    let full = until(|| edges(".la-composer").0 - edges(".la-notice").1 < 16.0).await;
    assert!(
        full,
        "{:?} {:?}",
        edges(".la-composer"),
        edges(".la-notice")
    );
    let list = chat.page.find(".la-transcript-scroller").unwrap();
    assert!(list.scroll_height() > list.client_height() + 500);
}

/// In a page from right to left, English labels keep their punctuation at their end.
#[wasm_bindgen_test]
async fn punctuation_stays_at_the_end_of_a_label_in_another_direction() {
    let agent = MockAgent::new().answer(
        Script::new()
            .call("pay", &json!({"to": "Ann"}))
            .call("pay", &json!({"to": "Bo"})),
    );
    let chat = boxed_with(agent, RwSignal::new(900), || {
        use_assistant_action(
            ToolAction::new("pay", "Pays an invoice.")
                .title("Pay it?")
                .approval(Approval::Always)
                .handler(|_: Value| async { Ok::<_, ToolError>(0) }),
        );
    })
    .await;
    let page: HtmlElement = chat.page.find(".box").unwrap().unchecked_into();
    page.set_attribute("dir", "rtl").unwrap();
    let mut checked = punctuated(&chat);
    chat.assistant.send("go").unwrap();
    chat.appears(".la-batch").await;
    settle().await;
    checked.extend(punctuated(&chat));
    for text in ["Enter sends, Shift+Enter starts a new line.", "Pay it?"] {
        assert!(checked.contains(&text.to_owned()), "{text} of {checked:?}");
    }
}

/// Returns the visible texts of the chat that begin with a letter and end with a mark, and checks
/// that the mark is at the right of the letter before it.
fn punctuated(chat: &Chat) -> Vec<String> {
    let mut found = Vec::new();
    for node in texts_in(&chat.page.root) {
        let text = node.text_content().unwrap();
        let is_label = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.ends_with(['.', '?', '!', '…', ':']);
        let edge = |from: usize| {
            let range = document().create_range().unwrap();
            let from = u32::try_from(from).unwrap();
            range.set_start(&node, from).unwrap();
            range.set_end(&node, from + 1).unwrap();
            let edges = range.get_bounding_client_rect();
            (edges.width() > 0.0).then(|| edges.left())
        };
        let length = text.encode_utf16().count();
        if !is_label || length < 3 {
            continue;
        }
        if let (Some(letter), Some(mark)) = (edge(length - 2), edge(length - 1)) {
            assert!(mark > letter, "{text}");
            found.push(text);
        }
    }
    found
}

fn texts_in(node: &web_sys::Node) -> Vec<web_sys::Node> {
    if node.node_type() == web_sys::Node::TEXT_NODE {
        return vec![node.clone()];
    }
    let children = node.child_nodes();
    let children = (0..children.length()).filter_map(|at| children.item(at));
    children.flat_map(|child| texts_in(&child)).collect()
}

/// Rule "timing of an answer": the reason why Approve is disabled is beside the button
#[wasm_bindgen_test]
async fn the_reading_hint_is_in_view_with_the_buttons() {
    let lines: Vec<u32> = (0..200).collect();
    let agent = MockAgent::new().answer(Script::new().call("pay", &json!({"lines": lines})));
    let chat = boxed_with(agent, RwSignal::new(400), register_pay).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let hint = || chat.page.text(".la-approval-hint");
    assert!(until(|| hint() == "Scroll to the end to approve.").await);
    let bottom = |selector: &str| {
        let element = chat.page.find(selector).unwrap();
        element.get_bounding_client_rect().bottom()
    };
    let is_in_view = || bottom(".la-approval-hint") <= bottom(".la-transcript-scroller") + 1.0;
    assert!(until(is_in_view).await, "{}", bottom(".la-approval-hint"));
}

/// Rule "several questions of one response": the user sees first how many there are
#[wasm_bindgen_test]
async fn the_summary_of_several_requests_is_in_view_in_a_narrow_window() {
    let pay = |script: Script, to: &str| script.call("pay", &json!({"to": to}));
    let script = ["Ann", "Bo", "Cy"].into_iter().fold(Script::new(), pay);
    let agent = MockAgent::new().answer(script);
    let chat = boxed_with(agent, RwSignal::new(740), register_pay).await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-batch").await;
    let edges = |selector: &str| {
        let bounds = chat.page.find(selector).unwrap().get_bounding_client_rect();
        (bounds.top(), bounds.bottom())
    };
    let is_in_view = || {
        let (view, summary) = (edges(".la-transcript-scroller"), edges(".la-batch"));
        summary.0 >= view.0 - 1.0 && summary.1 <= view.1 + 1.0
    };
    let is_shown = until(is_in_view).await;
    let view = edges(".la-transcript-scroller");
    assert!(is_shown, "{:?} in {view:?}", edges(".la-batch"));
}

fn register_pay() {
    use_assistant_action(
        ToolAction::new("pay", "")
            .approval(Approval::Always)
            .handler(|_: Value| "paid"),
    );
}

/// Rule "timing of an answer": the card keeps its height, so the buttons do not move
#[wasm_bindgen_test]
async fn a_card_keeps_its_height_when_the_reading_hint_disappears() {
    let lines: Vec<u32> = (0..200).collect();
    let agent = MockAgent::new().answer(Script::new().call("pay", &json!({"lines": lines})));
    let chat = boxed_with(agent, RwSignal::new(600), || {
        use_assistant_action(
            ToolAction::new("pay", "")
                .approval(Approval::Always)
                .handler(|_: Value| "paid"),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.appears(".la-approval").await;
    let hint = || chat.page.text(".la-approval-hint");
    assert!(until(|| hint() == "Scroll to the end to approve.").await);
    let height = || {
        let card = chat.page.find(".la-approval").unwrap();
        card.get_bounding_client_rect().height()
    };
    let shown_height = height();
    chat.reads(".la-approval").await;
    assert!(until(|| hint().is_empty()).await);
    assert_eq!(height(), shown_height, "the height of the card");
}
