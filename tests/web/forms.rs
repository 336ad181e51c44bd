//! Forms generated from a schema: their fields, and their values.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_assistant::{
    LabelName, Labels,
    agent::Script,
    event::Interrupt,
    testing::{MockAgent, settle},
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat, question};

/// Mounts a chat in which the agent asks for a value.
async fn asked(schema: Value) -> Chat {
    let question = Interrupt {
        id: "q".to_owned(),
        reason: "input".to_owned(),
        message: Some("What?".to_owned()),
        tool_call_id: None,
        response_schema: schema.as_object().cloned(),
        expires_at: None,
        subagent_run_id: None,
        metadata: None,
    };
    let agent = MockAgent::new()
        .answer(Script::new().interrupt(vec![question]))
        .answer(Script::new().text("Thanks."));
    let chat = chat(agent, || ()).await;
    chat.assistant.send("go").unwrap();
    chat.reads("[data-interrupt-id=q]").await;
    chat
}

/// Enters a value into the nth field that matches.
fn enter(chat: &Chat, selector: &str, nth: u32, text: &str) {
    let list = chat.page.root.query_selector_all(selector).unwrap();
    let field = list.item(nth).unwrap();
    js_sys::Reflect::set(&field, &"value".into(), &text.into()).unwrap();
    for name in ["input", "change"] {
        let init = web_sys::EventInit::new();
        init.set_bubbles(true);
        let event = web_sys::Event::new_with_event_init_dict(name, &init).unwrap();
        field.dispatch_event(&event).unwrap();
    }
}

async fn submitted(chat: &Chat) -> Value {
    assert!(chat.page.click("[data-interrupt-id=q] button[type=submit]"));
    chat.idle().await;
    answer(chat)
}

fn answer(chat: &Chat) -> Value {
    chat.agent.inputs()[1].resume[0].payload.clone().unwrap()
}

#[wasm_bindgen_test]
async fn each_schema_type_has_its_own_field() {
    let chat = asked(json!({
        "$defs": {"Colour": {"enum": ["red", "blue"], "title": "Colour"}},
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "As on the door"},
            "day": {"type": "string", "format": "date"},
            "note": {"type": "string", "maxLength": 2000},
            "seats": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null},
            "colour": {"$ref": "#/$defs/Colour"},
            "dish": {"oneOf": [{"const": 1, "title": "Fish"}, {"const": 2, "title": "Greens"}]},
            "extras": {"type": "array", "items": {"enum": ["salt", "dill"]}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "kind": {"const": "dinner"},
            "place": {"type": "object", "properties": {
                "street": {"type": "string"}, "lift": {"type": "boolean"}}},
            "other": {"type": "object", "properties": {"lift": {"type": "boolean"}}},
            "any": {"type": "object"}
        },
        "required": ["name", "colour", "kind"]
    }))
    .await;
    let form = "[data-interrupt-id=q] form";
    assert_eq!(chat.page.count(&format!("{form} input[type=date]")), 1);
    assert_eq!(chat.page.text(".la-field-hint"), "As on the door");
    assert!(chat.page.text(form).contains("place: street"));
    enter(&chat, ".la-form input:not([type=checkbox])", 0, "Ada");
    enter(
        &chat,
        ".la-form input:not([type=checkbox])",
        1,
        "2026-05-01",
    );
    enter(&chat, ".la-form input:not([type=checkbox])", 2, "1,5");
    enter(&chat, ".la-form input:not([type=checkbox])", 3, "Quay 1");
    enter(&chat, ".la-form textarea", 0, "By the window\nplease");
    enter(&chat, ".la-form textarea", 1, "old\n\n new ");
    enter(&chat, ".la-form select", 0, "\"blue\"");
    enter(&chat, ".la-form select", 1, "2");
    assert!(chat.page.click(".la-field-several label:last-child input"));
    assert!(chat.page.click(&format!("{form} button[type=submit]")));
    settle().await;
    let wrong = chat.page.text(".la-form-problems");
    assert!(wrong.starts_with("seats: "), "1.5 seats: {wrong}");
    assert_eq!(chat.page.count(".la-form [aria-invalid=true]"), 1);
    enter(&chat, ".la-form input:not([type=checkbox])", 2, "2");
    assert_eq!(
        submitted(&chat).await,
        json!({
            "name": "Ada",
            "day": "2026-05-01",
            "note": "By the window\nplease",
            "seats": 2,
            "colour": "blue",
            "dish": 2,
            "extras": ["dill"],
            "tags": ["old", "new"],
            "kind": "dinner",
            "place": {"street": "Quay 1"}
        })
    );
}

#[wasm_bindgen_test]
async fn a_string_schema_shows_a_text_field() {
    let chat = asked(json!({"type": "string", "minLength": 2})).await;
    assert!(chat.page.click(".la-form button[type=submit]"));
    settle().await;
    assert_eq!(
        chat.page.text(".la-form-problems"),
        "Your answer: fill this in."
    );
    enter(&chat, ".la-form input", 0, "A");
    assert!(chat.page.click(".la-form button[type=submit]"));
    settle().await;
    assert_eq!(chat.page.count(".la-form [role=alert]"), 1);
    enter(&chat, ".la-form input", 0, "Ada");
    assert_eq!(submitted(&chat).await, "Ada");
}

/// All missing values are named at once. A problem that is shown at its field is not shown again,
/// but announced.
#[wasm_bindgen_test]
async fn a_required_choice_is_missing_like_other_values() {
    let chat = asked(json!({
        "type": "object",
        "properties": {
            "nights": {"type": "integer", "title": "Nights"},
            "berth": {"enum": ["bow", "stern"], "title": "Berth"}
        },
        "required": ["nights", "berth"]
    }))
    .await;
    assert!(chat.page.click(".la-form button[type=submit]"));
    settle().await;
    assert_eq!(
        chat.page.text(".la-form-problems"),
        "Nights is required. Berth is required."
    );
    assert_eq!(chat.page.count(".la-form [aria-invalid=true]"), 2);
    assert_eq!(chat.page.count(".la-form-problems.la-visually-hidden"), 1);
    enter(&chat, ".la-form input", 0, "2");
    enter(&chat, ".la-form select", 0, "\"bow\"");
    assert_eq!(submitted(&chat).await, json!({"nights": 2, "berth": "bow"}));
}

#[wasm_bindgen_test]
async fn missing_values_and_invalid_json_have_readable_problems() {
    let chat = asked(json!({
        "type": "object",
        "properties": {
            "nights": {"type": "integer", "title": "Number of nights"},
            "iban": {"type": "string", "title": "IBAN"},
            "more": {"type": "object", "title": "More"}
        },
        "required": ["nights", "iban"]
    }))
    .await;
    enter(&chat, ".la-form textarea", 0, "{\n]");
    assert!(chat.page.click(".la-form button[type=submit]"));
    settle().await;
    let shown = chat.page.text(".la-form-problems");
    assert_eq!(
        shown,
        "Number of nights is required. IBAN is required. More: This is not valid JSON. See line 2, \
         column 1."
    );
    assert_eq!(chat.page.count(".la-form [aria-invalid=true]"), 3);
}

#[wasm_bindgen_test]
async fn an_answer_without_a_schema_is_parsed_as_json_or_kept_as_text() {
    for (typed, meant) in [
        ("Friday at 8", json!("Friday at 8")),
        ("{\"day\": 5}", json!({"day": 5})),
        ("\"Ada\"", json!("Ada")),
    ] {
        let chat = asked(Value::Null).await;
        assert!(chat.page.click(".la-form button[type=submit]"));
        settle().await;
        assert_eq!(
            chat.page.count(".la-form [role=alert]"),
            1,
            "an empty field is no answer"
        );
        enter(&chat, ".la-form textarea", 0, typed);
        assert_eq!(submitted(&chat).await, meant);
    }
}

#[wasm_bindgen_test]
async fn a_boolean_question_has_two_buttons() {
    let approved = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    for (schema, words, meant) in [
        (json!({"type": "boolean"}), "YesNoSkip", json!(false)),
        (approved, "ApproveDenySkip", json!({"approved": false})),
    ] {
        let chat = asked(schema).await;
        assert_eq!(chat.page.text(".la-inbox .la-approval-actions"), words);
        assert!(chat.page.click(".la-inbox .la-button:nth-of-type(2)"));
        chat.idle().await;
        assert_eq!(answer(&chat), meant);
    }
}

/// An agent's default takes effect in a field: hidden characters are shown below it.
#[wasm_bindgen_test]
async fn hidden_characters_in_a_field_are_shown_below_it() {
    let chat = asked(json!({
        "type": "object",
        "properties": {"to": {"type": "string", "default": "bank\u{202e}knab"}}
    }))
    .await;
    assert_eq!(chat.page.text(".la-field-exact"), "bankU+202Eknab");
}

/// A browser shows no line break in a single line, no text in a date or password field, and no
/// choice that differs in its notation. What is not shown would be submitted unseen.
#[wasm_bindgen_test]
async fn a_field_shows_its_initial_text_completely() {
    let text = |format: Option<&str>, value: &str| json!({"type": "string", "format": format, "default": value});
    let chat = asked(json!({
        "type": "object",
        "properties": {
            "command": text(None, "make test #\nrm -rf ~"),
            "day": text(Some("date"), "tomorrow, and cancel the others"),
            "leap": text(Some("date"), "2027-02-29"),
            "start": text(Some("date"), "2028-02-29"),
            "key": text(Some("password"), "secret"),
            "mail": text(Some("email"), " ada@example.com"),
            "count": {"enum": [1, 2], "default": 1.0},
            "place": {"enum": ["here", "there"], "default": "everywhere"}
        }
    }))
    .await;
    let fields = chat
        .page
        .root
        .query_selector_all(".la-form .la-input")
        .unwrap();
    let shown = (0..fields.length())
        .filter_map(|index| fields.item(index))
        .map(|field| {
            let read = |name: &str| {
                js_sys::Reflect::get(&field, &name.into())
                    .unwrap()
                    .as_string()
            };
            (
                read("type").unwrap_or_default(),
                read("value").unwrap_or_default(),
            )
        });
    let shown: Vec<(String, String)> = shown.collect();
    let expected = [
        ("textarea", "make test #\nrm -rf ~"),
        ("text", "tomorrow, and cancel the others"),
        ("text", "2027-02-29"),
        ("date", "2028-02-29"),
        ("text", "secret"),
        ("text", " ada@example.com"),
        ("select-one", "1"),
        ("select-one", ""),
    ];
    assert_eq!(
        shown,
        expected.map(|(kind, value)| (kind.to_owned(), value.to_owned()))
    );
    let mut value = submitted(&chat).await;
    assert_eq!(value["count"].take(), 1);
    assert_eq!(value.get("place"), None, "what is not shown is not sent");
}

/// Deep, wide and circular schemas neither crash the page nor produce endless forms.
#[wasm_bindgen_test]
async fn an_unbounded_schema_yields_a_bounded_form() {
    let wide: serde_json::Map<String, Value> = (0..5_000)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    for schema in [
        json!({"type": "object", "properties": wide}),
        json!({"$ref": "#"}),
        json!({"type": "object", "properties": {"a": {"$ref": "#"}}}),
    ] {
        let chat = asked(schema).await;
        let fields = chat.page.count(".la-form .la-input");
        assert!((1..=100).contains(&fields), "{fields}");
    }
}

/// Validation errors use the application's texts, as far as it has any.
#[wasm_bindgen_test]
async fn validation_problems_use_the_labels_of_the_application() {
    let words = || {
        Labels::default()
            .with([(LabelName::NoJson, "kein JSON, {line}:{column}")])
            .with_reasons([
                ("minimum", "mindestens {limit}"),
                ("integer", "nur ganze Zahlen"),
                ("unknown_tool", "Das gibt es hier nicht."),
            ])
    };
    let schema = json!({"type": "object", "properties": {
        "age": {"type": "integer", "minimum": 18},
        "seats": {"type": "integer"},
        "name": {"type": "string", "minLength": 2},
        "more": {"type": "object"},
    }});
    let agent = MockAgent::new()
        .answer(Script::new().call("nobody", &json!({})))
        .answer(Script::new().interrupt(vec![question("q", None, schema)]));
    let chat = chat(agent, move || provide_context(Arc::new(words()))).await;
    chat.assistant.send("go").unwrap();
    chat.appears("[data-interrupt-id=q] button").await;
    chat.opens_card().await;
    assert_eq!(
        chat.page.text("[data-kind=error]"),
        "Das gibt es hier nicht."
    );
    for (nth, text) in [(0, "7"), (1, "1.5"), (2, "x")] {
        enter(&chat, ".la-form input", nth, text);
    }
    enter(&chat, ".la-form textarea", 0, "{\n]");
    chat.page.click("[data-interrupt-id=q] button[type=submit]");
    settle().await;
    let shown = chat.page.text(".la-form-problems");
    assert_eq!(shown, "more: kein JSON, 2:1.");
    enter(&chat, ".la-form textarea", 0, "{}");
    chat.reads("[data-interrupt-id=q]").await;
    chat.page.click("[data-interrupt-id=q] button[type=submit]");
    settle().await;
    let shown = chat.page.text(".la-form-problems");
    assert_eq!(
        shown,
        "age: mindestens 18. seats: nur ganze Zahlen. name: must be at least 2 characters long."
    );
}

/// The texts of an agent's schema can neither hide nor reorder surrounding text.
#[wasm_bindgen_test]
async fn hidden_characters_in_schema_texts_are_shown() {
    let spoofed = |what: &str| format!("{what}\u{202e}x\u{200b}");
    let chat = asked(json!({"type": "object", "title": spoofed("form"), "properties": {
        "text": {"type": "string", "title": spoofed("a"), "description": spoofed("b"), "minLength": 9},
        "tick": {"type": "boolean", "title": spoofed("c")},
        "list": {"type": "array", "title": spoofed("d"), "items": {"enum": [spoofed("e"), "f"]}}
    }}))
    .await;
    enter(&chat, ".la-form input[type=text]", 0, "x");
    assert!(chat.page.click(".la-form button[type=submit]"));
    settle().await;
    let form = chat.page.text(".la-form");
    for letter in ["a", "b", "c", "d", "e"] {
        assert!(form.contains(&format!("{letter}U+202ExU+200B")), "{form}");
    }
    assert!(!form.contains(['\u{202e}', '\u{200b}']), "{form}");
    assert!(chat.page.text(".la-form-problems").contains("U+202E"));
}

/// Rule "limits on agents": a form lists a bounded number of choices.
#[wasm_bindgen_test]
async fn too_many_choices_are_entered_as_text_and_checked() {
    let ships: Vec<String> = (0..20_000).map(|at| format!("ship {at}")).collect();
    let schema = json!({
        "type": "object",
        "properties": {"ship": {"type": "string", "enum": ships}},
        "required": ["ship"],
    });
    let chat = asked(schema).await;
    assert_eq!(chat.page.count("[data-interrupt-id=q] option"), 0);
    assert!(chat.page.count("[data-interrupt-id=q] *") < 200);
    enter(&chat, "[data-interrupt-id=q] input", 0, "no ship");
    assert!(chat.page.click("[data-interrupt-id=q] button[type=submit]"));
    settle().await;
    assert_eq!(chat.agent.inputs().len(), 1, "it is not one of them");
    enter(&chat, "[data-interrupt-id=q] input", 0, "ship 19999");
    assert_eq!(submitted(&chat).await, json!({"ship": "ship 19999"}));
}
