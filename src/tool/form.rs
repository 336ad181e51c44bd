//! A form made from a JSON Schema: for edited arguments and for what an agent asks.
//!
//! Texts, numbers, choices and yes-or-no have fields of their own; anything else is written as
//! JSON. What is entered is checked by whoever takes it, not here.

use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::chat::Labels;

/// One field of a form.
#[derive(Clone)]
struct Field {
    name: String,
    label: String,
    required: bool,
    kind: Kind,
    text: RwSignal<String>,
    checked: RwSignal<bool>,
}

#[derive(Clone, PartialEq)]
enum Kind {
    Text,
    Number,
    Check,
    Choice(Vec<Value>),
    Json,
}

/// Asks for an object that a schema describes, field by field; without known fields, for JSON.
///
/// # Accessibility
///
/// Every field has a label; what is wrong stands in an `alert` above the buttons.
#[component]
pub fn SchemaForm(
    /// JSON Schema of the value.
    schema: Value,
    /// What the fields hold at first.
    #[prop(optional)]
    initial: Option<Value>,
    /// What is wrong with the last value, one sentence each.
    #[prop(into)]
    problems: Signal<Vec<String>>,
    /// Word on the button that submits.
    #[prop(into)]
    submit: String,
    /// Takes the value.
    on_submit: Callback<Value>,
    /// Further buttons.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let labels = Labels::current();
    let fields = fields_of(&schema, initial.as_ref());
    let whole = RwSignal::new(
        initial
            .map(|value| format!("{value:#}"))
            .unwrap_or_default(),
    );
    let unreadable = RwSignal::new(None::<String>);
    let take = {
        let fields = fields.clone();
        move |event: leptos::ev::SubmitEvent| {
            event.prevent_default();
            let value = if fields.is_empty() {
                parse(&labels.json, &whole.get_untracked())
            } else {
                collect(&fields)
            };
            unreadable.set(value.as_ref().err().cloned());
            if let Ok(value) = value {
                on_submit.run(value);
            }
        }
    };
    let wrong = move || {
        let mut list: Vec<String> = unreadable.get().into_iter().collect();
        list.extend(problems.get());
        (!list.is_empty())
            .then(|| view! { <p class="la-form-problems" role="alert">{list.join(" ")}</p> })
    };
    let inputs = if fields.is_empty() {
        json_field(Labels::current().json.to_string(), whole).into_any()
    } else {
        fields
            .into_iter()
            .map(|field| input(&field))
            .collect_view()
            .into_any()
    };
    view! {
        <form class="la-form" on:submit=take novalidate>
            {inputs}
            {wrong}
            <div class="la-approval-actions">
                <button type="submit" class="la-button" data-variant="primary">
                    <span>{submit}</span>
                </button>
                {children.map(|children| children())}
            </div>
        </form>
    }
}

fn fields_of(schema: &Value, initial: Option<&Value>) -> Vec<Field> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|list| list.iter().any(|entry| entry == name));
    let field = |(name, schema): (&String, &Value)| {
        let value = initial
            .and_then(|value| value.get(name))
            .or_else(|| schema.get("default"));
        let kind = kind_of(schema);
        Field {
            name: name.clone(),
            label: label_of(name, schema),
            required: is_required(name),
            text: RwSignal::new(value.map(|value| text_of(&kind, value)).unwrap_or_default()),
            checked: RwSignal::new(value.and_then(Value::as_bool).unwrap_or_default()),
            kind,
        }
    };
    properties.iter().map(field).collect()
}

fn label_of(name: &str, schema: &Value) -> String {
    let title = schema.get("title").or_else(|| schema.get("description"));
    title.and_then(Value::as_str).unwrap_or(name).to_owned()
}

fn kind_of(schema: &Value) -> Kind {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return Kind::Choice(choices.clone());
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Kind::Text,
        Some("number" | "integer") => Kind::Number,
        Some("boolean") => Kind::Check,
        _ => Kind::Json,
    }
}

/// A value as its field shows it: texts plain, anything else as JSON.
fn text_of(kind: &Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Text, Value::String(text)) => text.clone(),
        (_, value) => value.to_string(),
    }
}

fn input(field: &Field) -> AnyView {
    let label = field.label.clone();
    let text = field.text;
    match &field.kind {
        Kind::Check => {
            let checked = field.checked;
            view! {
                <label class="la-field la-field-check">
                    <input
                        type="checkbox"
                        prop:checked=checked
                        on:change=move |event| checked.set(event_target_checked(&event))
                    />
                    <span class="la-field-label">{label}</span>
                </label>
            }
            .into_any()
        }
        Kind::Choice(choices) => choice(label, choices, field.required, text).into_any(),
        Kind::Json => json_field(label, text).into_any(),
        Kind::Text | Kind::Number => {
            let mode = if field.kind == Kind::Number {
                "decimal"
            } else {
                "text"
            };
            view! {
                <label class="la-field">
                    <span class="la-field-label">{label}</span>
                    <input
                        class="la-input"
                        type="text"
                        inputmode=mode
                        autocomplete="off"
                        aria-required=field.required.then_some("true")
                        prop:value=text
                        on:input=move |event| text.set(event_target_value(&event))
                    />
                </label>
            }
            .into_any()
        }
    }
}

fn choice(
    label: String,
    choices: &[Value],
    required: bool,
    text: RwSignal<String>,
) -> impl IntoView + use<> {
    let options = choices.iter().map(|value| {
        let json = value.to_string();
        let shown = value.as_str().map_or_else(|| json.clone(), str::to_owned);
        let chosen = json.clone();
        view! {
            <option value=json selected=move || text.get() == chosen>{shown}</option>
        }
    });
    let options: Vec<_> = options.collect();
    view! {
        <label class="la-field">
            <span class="la-field-label">{label}</span>
            <select
                class="la-input"
                aria-required=required.then_some("true")
                on:change=move |event| text.set(event_target_value(&event))
            >
                <option value="">"–"</option>
                {options}
            </select>
        </label>
    }
}

fn json_field(label: String, text: RwSignal<String>) -> impl IntoView {
    view! {
        <label class="la-field">
            <span class="la-field-label">{label}</span>
            <textarea
                class="la-input la-code"
                rows="4"
                spellcheck="false"
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
        </label>
    }
}

/// The object that the fields describe. A field left empty is not in it.
fn collect(fields: &[Field]) -> Result<Value, String> {
    let mut object = Map::new();
    for field in fields {
        let text = field.text.get_untracked();
        let value = match &field.kind {
            Kind::Check => Value::Bool(field.checked.get_untracked()),
            Kind::Text if text.is_empty() && !field.required => continue,
            Kind::Text => Value::String(text),
            _ if text.trim().is_empty() => continue,
            Kind::Number | Kind::Choice(_) | Kind::Json => parse(&field.label, &text)?,
        };
        object.insert(field.name.clone(), value);
    }
    Ok(Value::Object(object))
}

fn parse(label: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim()).map_err(|error| format!("{label}: {error}."))
}
