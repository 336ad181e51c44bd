use std::sync::atomic::Ordering;

use leptos::prelude::*;
use leptos_assistant::{
    ClientOnly,
    tool::{ExactText, SchemaForm},
    use_assistant,
};
use serde_json::json;

use crate::app::{Ran, app, existing, render};

#[test]
fn a_window_is_its_shell_and_the_same_each_time() {
    let pages: Vec<String> = (0..2).map(|_| render(|| app(Ran::default()))).collect();
    assert_eq!(pages[0], pages[1]);
    assert!(pages[0].contains("<h1>atlas</h1>"), "{}", pages[0]);
    let (_, window) = pages[0].split_once("<section ").unwrap();
    let (attributes, content) = window.split_once('>').unwrap();
    for attribute in [
        r#"class="la-chat""#,
        "data-assistant-chat",
        r#"aria-label="Chat""#,
    ] {
        assert!(attributes.contains(attribute), "{attributes}");
    }
    assert!(!attributes.contains("data-running"), "{attributes}");
    let (content, _) = content.split_once("</section>").unwrap();
    let is_empty = !content.contains("</") && !content.contains("class=");
    assert!(is_empty, "a place to draw in, and nothing else: {content}");
}

#[test]
fn what_is_registered_on_a_server_does_not_run() {
    let ran = Ran::default();
    let counted = ran.clone();
    render(move || app(counted));
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[test]
fn an_assistant_of_the_application_is_drawn_as_the_others() {
    let page = render(existing);
    assert_eq!(page.matches("data-assistant-chat").count(), 2, "{page}");
    assert!(page.contains("false"), "its signals can be read: {page}");
    assert!(
        !page.contains("<textarea") && !page.contains("<button"),
        "{page}"
    );
}

#[test]
fn forms_and_texts_are_drawn_whole() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "berth": {"enum": ["North", "South"]},
            "nights": {"type": "integer"},
            "extras": {"type": "array", "items": {"enum": ["Water", "Fuel"]}}
        }
    });
    let page = render(move || {
        view! {
            <SchemaForm
                schema
                problems=Vec::new()
                submit="Book"
                on_submit=Callback::new(|_| ())
            />
            <ExactText text="a\u{202e}b".to_owned() />
        }
    });
    for word in ["Name", "South", "Fuel", "Book", "U+202E"] {
        assert!(page.contains(word), "{word}: {page}");
    }
}

#[test]
fn pages_are_drawn_on_many_threads_at_once() {
    let drawn: Vec<_> = (0..8)
        .map(|_| std::thread::spawn(|| (0..20).map(|_| render(|| app(Ran::default()))).next_back()))
        .collect();
    let first = render(|| app(Ran::default()));
    for thread in drawn {
        assert_eq!(thread.join().unwrap(), Some(first.clone()));
    }
}

#[test]
fn what_is_for_browsers_is_its_fallback() {
    let page = render(|| {
        view! {
            <main>
                <ClientOnly fallback=|| view! { <p>"soon"</p> }>
                    {use_assistant().map(|_| view! { <p>"there"</p> })}
                    {panic_in_browser()}
                </ClientOnly>
            </main>
        }
    });
    assert!(page.contains("soon") && !page.contains("there"), "{page}");
}

fn panic_in_browser() {
    panic!("its children were drawn on a server");
}
