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
fn a_window_renders_the_same_empty_shell_each_time() {
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
fn registered_handlers_do_not_run_on_a_server() {
    let ran = Ran::default();
    let counted = ran.clone();
    render(move || app(counted));
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[test]
fn an_existing_assistant_renders_as_a_shell() {
    let page = render(existing);
    assert_eq!(page.matches("data-assistant-chat").count(), 2, "{page}");
    assert!(page.contains("false"), "its signals can be read: {page}");
    assert!(
        !page.contains("<textarea") && !page.contains("<button"),
        "{page}"
    );
}

#[test]
fn forms_and_exact_texts_render_completely_on_a_server() {
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
fn pages_render_on_several_threads_at_once() {
    let drawn: Vec<_> = (0..8)
        .map(|_| std::thread::spawn(|| (0..20).map(|_| render(|| app(Ran::default()))).next_back()))
        .collect();
    let first = render(|| app(Ran::default()));
    for thread in drawn {
        assert_eq!(thread.join().unwrap(), Some(first.clone()));
    }
}

#[test]
fn client_only_renders_its_fallback_on_a_server() {
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
