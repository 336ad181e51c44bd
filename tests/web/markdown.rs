//! Answers as markdown: the elements, and their changes while streaming.

use std::{cell::RefCell, rc::Rc, time::Duration};

use leptos::prelude::*;
use leptos_assistant::{
    agent::Script,
    event::EventKind,
    markdown::{Highlighter, MarkdownOptions, Token},
    testing::{MockAgent, settle, until},
};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

const ANSWER: &str = "[data-message-id=m] .la-markdown";

/// Returns an answer in pieces, with time for frames in between.
fn streamed(pieces: &[&str]) -> Script {
    let id = || "m".to_owned();
    let mut script = Script::new().event(EventKind::TextMessageStart {
        message_id: id(),
        role: None,
        name: None,
    });
    for piece in pieces {
        let (message_id, delta) = (id(), (*piece).to_owned());
        script = script
            .event(EventKind::TextMessageContent { message_id, delta })
            .wait(Duration::from_millis(50));
    }
    script.event(EventKind::TextMessageEnd { message_id: id() })
}

async fn answered(pieces: &[&str]) -> Chat {
    let chat = chat(MockAgent::new().answer(streamed(pieces)), || ()).await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    chat
}

/// The mutations of nodes: (added, removed, other).
type MutationCounts = Rc<RefCell<(u32, u32, u32)>>;

fn watch(element: &web_sys::Element) -> (MutationCounts, web_sys::MutationObserver) {
    let counts = MutationCounts::default();
    let count = Rc::clone(&counts);
    let note = Closure::<dyn FnMut(js_sys::Array)>::new(move |records: js_sys::Array| {
        for record in records.iter() {
            let record: web_sys::MutationRecord = record.unchecked_into();
            let mut count = count.borrow_mut();
            count.0 += record.added_nodes().length();
            count.1 += record.removed_nodes().length();
            count.2 += u32::from(record.type_() != "childList");
        }
    });
    let observer = web_sys::MutationObserver::new(note.as_ref().unchecked_ref()).unwrap();
    let all = web_sys::MutationObserverInit::new();
    all.set_child_list(true);
    all.set_character_data(true);
    all.set_attributes(true);
    all.set_subtree(true);
    observer.observe_with_options(element, &all).unwrap();
    note.forget();
    (counts, observer)
}

#[wasm_bindgen_test]
async fn markdown_blocks_become_elements() {
    let text = "# Plan\n\nSome **bold**, *soft*, ~~gone~~ and `code`.\n\n- [x] one\n- [ ] two\n\n3. three\n\n\
        | a | b |\n|:--|--:|\n| 1 | 2 |\n\n> said\n\n> [!WARNING]\n> Mind it.\n\n---\n\n```rust\nfn main() {}\n```\n";
    let chat = answered(&[text]).await;
    let count = |selector: &str| chat.page.count(&format!("{ANSWER} {selector}"));
    assert_eq!(count("h3"), 1, "below the chat's own heading");
    for one in ["strong", "em", "del", "p > code", "ol[start='3']", "hr"] {
        assert_eq!(count(one), 1, "{one}");
    }
    assert_eq!(count("ul > li.la-task"), 2);
    assert_eq!(count("[role=img][aria-label=Done]"), 1);
    assert_eq!(count("thead th[scope=col]"), 2);
    assert_eq!(count("td[data-align=right]"), 1);
    assert_eq!(count("[role=group][tabindex='0'] > table"), 1);
    assert_eq!(count("blockquote"), 1);
    assert_eq!(count("[role=note][data-alert=warning]"), 1);
    assert_eq!(
        chat.page.text(&format!("{ANSWER} .la-code-language")),
        "rust"
    );
    assert_eq!(
        chat.page.text(&format!("{ANSWER} pre code")),
        "fn main() {}\n"
    );
    assert_eq!(count("button.la-code-copy[type=button]"), 1);
}

/// A model creates no markup, and only links with safe addresses.
#[wasm_bindgen_test]
async fn unsafe_markup_and_addresses_stay_text() {
    let text = "<script>alert(1)</script>\n\n<b onclick=alert(2)>x</b>\n\n[run](javascript:alert(3)) \
        [go](https://example.com/a \"t\") ![pic](https://evil.example/p.png)\n";
    let chat = answered(&[text]).await;
    let count = |selector: &str| chat.page.count(&format!("{ANSWER} {selector}"));
    assert_eq!(count("script, b, img, [onclick]"), 0);
    assert_eq!(count("p > a[href]"), 1, "the other is text");
    assert_eq!(
        count(".la-image-chip > a[href]"),
        1,
        "named and linked, not fetched"
    );
    let link = chat.page.find(&format!("{ANSWER} p > a[href]")).unwrap();
    let attribute = |name| link.get_attribute(name).unwrap_or_default();
    assert_eq!(attribute("href"), "https://example.com/a");
    assert_eq!(attribute("rel"), "noopener noreferrer nofollow");
    assert_eq!(attribute("target"), "_blank");
    assert_eq!(
        attribute("data-host"),
        "example.com",
        "it shows where it leads"
    );
    let all = chat.page.text(ANSWER);
    assert!(all.contains("run") && all.contains("pic"), "{all}");
}

#[wasm_bindgen_test]
async fn an_unfetched_image_shows_its_host_beside_other_alt_text() {
    let text = "![Your bank](https://evil.example:8443/p.png) ![](https://evil.example/q.png) \
        ![own](/own.png) ![evil.example](https://evil.example/r.png)\n";
    let chat = answered(&[text]).await;
    let hosts: Vec<_> = (1..=4)
        .map(|place| {
            let chip = format!("{ANSWER} .la-image-chip:nth-of-type({place}) > a");
            chat.page.find(&chip).unwrap().get_attribute("data-host")
        })
        .collect();
    let beside = Some("evil.example:8443".to_owned());
    assert_eq!(hosts, [beside, None, None, None], "beside other words");
}

#[wasm_bindgen_test]
async fn a_lookalike_host_is_shown_in_its_normalized_form() {
    for (text, expected) in [
        (
            "[аррӏе.com](https://аррӏе.com/)",
            Some("xn--80ak6aa92e.com"),
        ),
        ("<https://раураӏ.com/>", Some("xn--80aa0cbo65f.com")),
        (
            "[good](https://good.com。evil.example/)",
            Some("good.com.evil.example"),
        ),
        ("[go](https://ｅｖｉｌ.example/)", Some("evil.example")),
        ("[go](https://пример.example/)", Some("пример.example")),
        ("<https://bücher.example/>", None),
        // An image, a formula and a tag can show any other text.
        (
            "[![evil.example](data:image/png;base64,iVBORw0KGgo=)](https://evil.example/)",
            Some("evil.example"),
        ),
        (
            "[evil.example$x$](https://evil.example/)",
            Some("evil.example"),
        ),
        (
            "[<b>evil.example</b>](https://evil.example/)",
            Some("evil.example"),
        ),
        ("[**evil**.example](https://evil.example/)", None),
    ] {
        let chat = answered(&[text]).await;
        let link = chat.page.find(&format!("{ANSWER} a[href]")).unwrap();
        let host = link.get_attribute("data-host");
        assert_eq!(host.as_deref(), expected, "{text}");
    }
}

#[wasm_bindgen_test]
async fn finished_blocks_are_not_mutated_while_text_is_appended() {
    let agent = MockAgent::new().answer(streamed(&[
        "First *one*.\n\nSecond",
        " grows",
        " **and",
        " on** and",
        " on.\n\nThird",
        " too.",
    ]));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(&format!("{ANSWER} > p:nth-child(2)")).await;
    let first = chat.page.find(&format!("{ANSWER} > p")).unwrap();
    let second = chat
        .page
        .find(&format!("{ANSWER} > p:nth-child(2)"))
        .unwrap();
    let word = second.first_child().unwrap();
    let (touched, _first_watch) = watch(&first);
    chat.idle().await;
    assert_eq!(
        *touched.borrow(),
        (0, 0, 0),
        "a finished block sees no mutation"
    );
    assert!(second.first_child().unwrap() == word, "the text node stays");
    assert_eq!(
        second.text_content().unwrap(),
        "Second grows and on and on."
    );
    assert_eq!(chat.page.count(&format!("{ANSWER} > p")), 3);
}

#[wasm_bindgen_test]
async fn open_code_is_only_appended() {
    let line = "let value = compute(1, 2, 3); // a line of code\n";
    let many = line.repeat(100);
    let agent = MockAgent::new().answer(streamed(&[
        "```js\nfirst\n",
        &many,
        "last",
        " line\n",
        "```\n",
    ]));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.appears(&format!("{ANSWER} pre code")).await;
    let code = chat.page.find(&format!("{ANSWER} pre code")).unwrap();
    let (counts, _watch) = watch(&code);
    chat.idle().await;
    assert_eq!(counts.borrow().1, 0, "nothing is taken away");
    let expected = format!("first\n{many}last line\n");
    assert_eq!(code.text_content().unwrap(), expected);
    assert!(chat.page.count(&format!("{ANSWER} .la-code-piece")) > 1);
}

#[wasm_bindgen_test]
async fn a_highlighter_is_applied_only_if_it_preserves_the_code() {
    let honest = Highlighter::new(|code: String, language: String| async move {
        let (first, rest) = code.split_at(2);
        if language == "lies" {
            return vec![Token::new("something else", "")];
        }
        vec![
            Token::new(first, format!("hl-{language}")),
            Token::new(rest, ""),
        ]
    });
    let agent = MockAgent::new().answer(streamed(&[
        "```rust\nfn a()\n```\n\n```lies\nas it was\n```\n\n```\nno name\n```\n",
    ]));
    let chat = chat(agent, move || {
        // The chat is a sibling of this in the page, so the options are provided above both.
        let above = Owner::current().and_then(|owner| owner.parent());
        if let Some(above) = above {
            above.with(|| provide_context(MarkdownOptions::new().highlighter(honest.clone())));
        }
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.idle().await;
    let coloured = until(|| chat.page.count(&format!("{ANSWER} .hl-rust")) == 1).await;
    assert!(coloured, "{}", chat.page.root.inner_html());
    assert_eq!(chat.page.text(&format!("{ANSWER} .hl-rust")), "fn");
    let all = chat.page.text(ANSWER);
    assert!(all.contains("as it was") && !all.contains("something else"));
}

#[wasm_bindgen_test]
async fn a_footnote_reference_focuses_its_note() {
    let chat = answered(&["See[^1].\n\n", "[^1]: The note.\n"]).await;
    let button = format!("{ANSWER} button[data-footnote='1']");
    chat.appears(&button).await;
    chat.page.click(&button);
    settle().await;
    let note = chat.page.find(&format!("{ANSWER} .la-footnote")).unwrap();
    let focused = document().active_element().unwrap();
    assert!(note.is_same_node(Some(&focused)));
}

#[wasm_bindgen_test]
async fn messages_of_the_user_are_not_rendered_as_markdown() {
    let chat = chat(MockAgent::new().answer(Script::new().text("ok")), || ()).await;
    chat.assistant.send("**not bold**\n- no list").unwrap();
    chat.idle().await;
    assert_eq!(
        chat.page.text("[data-role=user] .la-text"),
        "**not bold**\n- no list"
    );
    assert_eq!(
        chat.page
            .count("[data-role=user] strong, [data-role=user] li"),
        0
    );
}

/// Formulas are `MathML` with the feature `math`; only allowed elements and attributes are used.
#[cfg(feature = "math")]
#[wasm_bindgen_test]
async fn formulas_are_mathml() {
    let text = "Inline $\\frac{a}{b} < c$ and\n\n$$\\sum_{i=0}^n x_i \\href{javascript:alert(1)}{y}$$\n\n$\\hat";
    let text = format!("{text}{}$\n", "\\hat".repeat(200));
    let chat = answered(&[&text]).await;
    let count = |selector: &str| chat.page.count(&format!("{ANSWER} {selector}"));
    assert_eq!(count("math mfrac"), 1);
    assert_eq!(count(".la-math[data-display] math"), 1);
    let unsafe_ones = chat.page.find(&format!(
        "{ANSWER} [href], {ANSWER} [style], {ANSWER} [onclick]"
    ));
    assert_eq!(unsafe_ones.map(|found| found.outer_html()), None);
    assert!(
        chat.page.text(ANSWER).contains("\\hat\\hat"),
        "too deep: shown as written"
    );
    let formula = chat.page.find(&format!("{ANSWER} .la-math")).unwrap();
    assert!(formula.text_content().unwrap().contains('<'));
}

/// The bar of a quote, the marks of a list and the columns of a table follow the text direction. A
/// wide table is scrolled from its first column.
#[wasm_bindgen_test]
async fn blocks_follow_the_direction_of_their_text() {
    let chat = answered(&[
        "> اقتباس\n>\n> ثانٍ\n\n- بند\n\n| أ | ب |\n| - | - |\n| ١ | ٢ |\n\n> quote\n\n",
        "> [!NOTE]\n> ملاحظة\n",
    ])
    .await;
    let count = |what: &str| chat.page.count(&format!("{ANSWER} {what}"));
    for block in ["blockquote", "ul", "table", ".la-table"] {
        assert_eq!(count(&format!("{block}:dir(rtl)")), 1, "{block}");
    }
    assert_eq!(count("blockquote:dir(ltr)"), 1);
    assert_eq!(count(".la-alert:dir(ltr) .la-alert-body > p:dir(rtl)"), 1);
}
