//! Schemas and the types of handlers: written by hand and checked, and derived from the type.

use leptos_assistant::testing::{assert_schema_fits, schema_misfits};
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only read into")]
struct Trip {
    city: String,
    #[serde(default)]
    nights: u8,
    class: Option<Class>,
    #[serde(default, rename = "withStops")]
    stops: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Class {
    First,
    Second,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "only read into")]
struct Strict {
    city: String,
}

fn trip() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer", "minimum": 0, "maximum": 30},
            "class": {"enum": ["first", "second"]},
            "withStops": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["city"]
    })
}

/// Returns the schema with one value changed.
fn but(pointer: &str, value: Value) -> Value {
    let mut schema = trip();
    *schema.pointer_mut(pointer).unwrap() = value;
    schema
}

#[wasm_bindgen_test]
fn a_schema_that_fits_its_struct_is_accepted() {
    assert_schema_fits::<Trip>(&trip());
    assert_schema_fits::<Value>(&trip());
    assert_schema_fits::<()>(&json!({"type": "null"}));
    let referred = json!({
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/name"}},
        "required": ["city"],
        "$defs": {"name": {"type": "string", "minLength": 3}}
    });
    assert_schema_fits::<Strict>(&referred);
}

#[wasm_bindgen_test]
fn a_required_struct_field_must_be_required_in_the_schema() {
    let found = schema_misfits::<Trip>(&but("/required", json!([])));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("missing field `city`"), "{found:?}");
    let mut schema = but("/required", json!([]));
    let properties = schema["properties"].as_object_mut().unwrap();
    properties.remove("city");
    let found = schema_misfits::<Trip>(&schema);
    assert!(found[0].contains("missing field `city`"), "{found:?}");
}

#[wasm_bindgen_test]
fn a_property_of_another_type_is_reported() {
    for (pointer, other) in [
        ("/properties/city", json!({"type": "integer"})),
        ("/properties/city", json!({"type": ["string", "null"]})),
        ("/properties/city", json!({})),
        ("/properties/nights", json!({"type": "number"})),
        ("/properties/nights/maximum", json!(1000)),
        ("/properties/nights/minimum", json!(-1)),
        ("/properties/class/enum", json!(["first", "third"])),
        ("/properties/withStops/items", json!({"type": "boolean"})),
        (
            "/properties/withStops",
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}),
        ),
    ] {
        let found = schema_misfits::<Trip>(&but(pointer, other.clone()));
        assert!(!found.is_empty(), "{pointer}: {other}");
    }
}

#[wasm_bindgen_test]
fn a_property_unknown_to_the_struct_is_reported() {
    let mut schema = trip();
    schema["properties"]["nightz"] = json!({"type": "integer"});
    let found = schema_misfits::<Trip>(&schema);
    assert_eq!(found, ["the type has no field `nightz`"]);
    let found = schema_misfits::<Strict>(&json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "town": {"type": "string"}},
        "required": ["city"]
    }));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("unknown field `town`"), "{found:?}");
}

#[wasm_bindgen_test]
fn an_invalid_schema_fits_no_struct() {
    for none in [
        json!("object"),
        json!({"type": "object", "properties": {"city": 7}}),
        json!(false),
    ] {
        assert!(!schema_misfits::<Trip>(&none).is_empty(), "{none}");
    }
}

#[cfg(feature = "schemars")]
mod typed {
    use leptos::prelude::*;
    use leptos_assistant::{
        ToolAction,
        agent::Script,
        schemars::{self, JsonSchema},
        testing::{MockAgent, assert_schema_fits},
        use_assistant_action,
    };
    use serde::Deserialize;
    use serde_json::json;
    use wasm_bindgen_test::wasm_bindgen_test;

    use crate::support::chat;

    #[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
    struct Refund {
        /// The number on the receipt.
        order: String,
        #[schemars(range(min = 0.01))]
        euros: f64,
        reason: Option<Reason>,
    }

    #[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
    enum Reason {
        Late,
        Broken,
    }

    #[wasm_bindgen_test]
    async fn typed_offers_the_derived_schema_and_validates_calls() {
        let script = Script::new()
            .call("refund", &json!({"order": "A-1", "euros": 0}))
            .call(
                "refund",
                &json!({"order": "A-2", "euros": 5, "reason": "Late"}),
            );
        let received = RwSignal::new(None);
        let chat = chat(MockAgent::new().answer(script), move || {
            let action = ToolAction::new("refund", "").typed::<Refund>();
            use_assistant_action(action.handler(move |refund| received.set(Some(refund))));
        })
        .await;
        chat.assistant.send("go").unwrap();
        chat.idle().await;
        let schema = chat.agent.inputs()[0].tools[0].parameters.clone().unwrap();
        assert_eq!(schema["required"], json!(["order", "euros"]));
        assert_eq!(
            schema["properties"]["order"],
            json!({"type": "string", "description": "The number on the receipt."})
        );
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        assert_eq!((schema.get("$schema"), schema.get("title")), (None, None));
        assert_schema_fits::<Refund>(&schema);
        assert!(
            chat.results(1)[0].contains("euros"),
            "{:?}",
            chat.results(1)
        );
        let expected = Refund {
            order: "A-2".into(),
            euros: 5.0,
            reason: Some(Reason::Late),
        };
        assert_eq!(received.get_untracked(), Some(expected));
    }
}
