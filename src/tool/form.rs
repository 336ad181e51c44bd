//! Renders a form from a JSON Schema: for edited arguments and for questions.
//!
//! The caller validates the entered value; its errors are shown at the fields. `fields` converts a
//! schema into fields, and fields into a value.

use leptos::{html, prelude::*};
use serde_json::{Map, Value};

use super::{
    ExactText,
    fields::{self, FieldChoice, FieldError, FieldKind, FormField},
    pieces::{EscapeMode, has_escaped_characters},
};
use crate::ui::{
    Labels, Words, after_by_browser, dynamic, focus, fresh_id, is_trusted, memo, to_lowercase,
};

/// A validation error in the value of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A JSON pointer to the invalid part of the value; empty for the complete value.
    pub path: String,
    /// The required change, in a few words.
    pub message: String,
}

impl Problem {
    /// Creates an error in the value at a JSON pointer.
    #[must_use]
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

/// A form for a value described by a schema: one field per property for an object, else a single
/// field. The user submits the form with a click or a key; a form that a script submits produces no
/// value.
///
/// # Accessibility
///
/// Every field has a label, and its error as the description. All errors are in an `alert` above
/// the buttons, and the first invalid field gets the focus.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::tool::SchemaForm;
/// use serde_json::{Value, json};
///
/// #[component]
/// fn Nights() -> impl IntoView {
///     let schema = json!({"type": "object", "properties": {"nights": {"type": "integer", "title": "Nights"}}});
///     let chosen = RwSignal::new(None::<Value>);
///     let problems = Signal::derive(Vec::new);
///     view! { <SchemaForm schema problems submit="Book" on_submit=move |value| chosen.set(Some(value)) /> }
/// }
/// ```
#[component]
pub fn SchemaForm(
    /// The JSON Schema of the value.
    schema: Value,
    /// The initial value.
    #[prop(optional)]
    initial: Option<Value>,
    /// The validation errors of the last submitted value.
    #[prop(into)]
    problems: Signal<Vec<Problem>>,
    /// The label of the submit button.
    #[prop(into)]
    submit: Signal<String>,
    /// The callback that receives the submitted value.
    #[prop(into)]
    on_submit: Callback<Value>,
    /// True if the submit button appears enabled, which is the default; the button stays focusable
    /// either way.
    #[prop(optional, into)]
    enabled: Option<Signal<bool>>,
    /// True if all invisible and confusable characters are shown below a field, including those of
    /// ordinary writing: for values that a decision depends on.
    #[prop(optional)]
    exact: bool,
    /// Further buttons, after the submit button.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = Words::current();
    let fields = StoredValue::new(fields::fields_of_schema(&schema, initial.as_ref()));
    let unreadable = RwSignal::new(Vec::<(usize, FieldError)>::new());
    let form = NodeRef::<html::Form>::new();
    let (reads, problem_words) = (words.clone(), words.clone());
    let wrong = Signal::derive(move || {
        let labels = reads.get();
        let unreadable = unreadable.get().into_iter();
        let mut list: Vec<Problem> = fields.with_value(|fields| {
            let names = unreadable
                .filter_map(|(at, wrong)| Some(to_problem(fields.get(at)?, wrong, &labels)));
            names.collect()
        });
        list.extend(problems.get());
        list
    });
    // The event of a form that a script submits (`requestSubmit`) is trusted, too, so the preceding
    // press of the button is checked. Enter in a field presses the button.
    let pressed = StoredValue::new(false);
    let press = move |event: leptos::ev::MouseEvent| {
        pressed.set_value(is_trusted(&event));
        after_by_browser(0, move || {
            // The store is disposed with the form.
            let _ = pressed.try_set_value(false);
        });
    };
    let take = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !pressed.try_update_value(std::mem::take).unwrap_or_default() {
            return;
        }
        let value = fields.with_value(|fields| collect_value(fields));
        unreadable.set(value.as_ref().err().cloned().unwrap_or_default());
        if let Ok(value) = value {
            on_submit.run(value);
        }
        if let (false, Some(form)) = (wrong.with_untracked(Vec::is_empty), form.get_untracked()) {
            focus::focus_descendant(form.into(), "[aria-invalid=true]");
        }
    };
    let messages = move || {
        let list = wrong.get();
        let labels = problem_words.get();
        let messages = list
            .iter()
            .map(|one| fields.with_value(|fields| problem_sentence(fields, one, &labels)));
        let messages: Vec<String> = messages.collect();
        (!messages.is_empty()).then(
            || view! { <p class="la-form-problems" role="alert">{safe_text(&messages.join(" "))}</p> },
        )
    };
    let inputs = fields.with_value(|fields| {
        let detail = if exact {
            EscapeMode::Exact
        } else {
            EscapeMode::Readable
        };
        let inputs = fields
            .iter()
            .map(|field| field_row(field, wrong, detail, &words));
        inputs.collect_view()
    });
    view! {
        <form class="la-form" on:submit=take novalidate node_ref=form>
            {inputs}
            {dynamic(messages)}
            <div class="la-approval-actions">
                <button
                    type="submit"
                    class="la-button"
                    data-variant="primary"
                    on:click=press
                    aria-disabled=move || {
                        enabled.is_some_and(|enabled| !enabled.get()).then_some("true")
                    }
                >
                    <span>{dynamic(move || submit.get())}</span>
                </button>
                {children.map(|children| children())}
            </div>
        </form>
    }
}

/// Returns the value that the fields form, or the errors with the indices of their fields.
fn collect_value(fields: &[FormField]) -> Result<Value, Vec<(usize, FieldError)>> {
    let mut whole = None;
    let mut wrong = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        match field.value() {
            Ok(Some(value)) => fields::set_value(&mut whole, field, value),
            // A field for the complete value is never optional.
            Ok(None) if field.pointer().is_empty() => wrong.push((at, FieldError::Missing)),
            Ok(None) => {}
            Err(found) => wrong.push((at, found)),
        }
    }
    match wrong.is_empty() {
        true => Ok(whole.unwrap_or_else(|| Value::Object(Map::new()))),
        false => Err(wrong),
    }
}

/// Converts the error of a field to a problem with a message.
fn to_problem(field: &FormField, wrong: FieldError, labels: &Labels) -> Problem {
    let path = field.pointer();
    let message = match wrong {
        FieldError::Missing if path.is_empty() => labels.required.to_string(),
        FieldError::Missing => missing_message(field.label(), labels),
        FieldError::NoNumber => labels.no_number.to_string(),
        FieldError::NoJson { line, column } => labels
            .no_json
            .replace("{line}", &line.to_string())
            .replace("{column}", &column.to_string()),
    };
    Problem { path, message }
}

/// Returns the message for a missing value, with the label of its field: "Number of nights is
/// required."
fn missing_message(label: &str, labels: &Labels) -> String {
    let mut letters = label.chars();
    let first = letters.next().map(|first| to_lowercase(&first.to_string()));
    // An abbreviation stays as it is.
    let name = match letters.next().is_some_and(char::is_uppercase) {
        true => label.to_owned(),
        false => {
            let rest = label
                .char_indices()
                .nth(1)
                .map_or("", |(at, _)| label.get(at..).unwrap_or_default());
            first.unwrap_or_default() + rest
        }
    };
    let text = labels.enter_field.replace("{name}", &name);
    text.replace("{field}", label)
}

/// Returns an error as a sentence that contains the label of its field.
fn problem_sentence(fields: &[FormField], wrong: &Problem, labels: &Labels) -> String {
    let field = fields
        .iter()
        .find(|field| is_problem_of_field(field, wrong));
    let place = match field.map(|field| (field, field.default_label())) {
        Some((_, Some(word))) => word(labels),
        Some((field, None)) => field.label(),
        None => wrong.path.as_str(),
    };
    let message = wrong.message.trim_end_matches('.');
    let whole = field.is_some_and(|field| field.pointer().is_empty());
    let is_sentence = message.starts_with(char::is_uppercase)
        && (whole || to_lowercase(message).contains(&to_lowercase(place)));
    match place {
        _ if is_sentence => format!("{message}."),
        "" => format!("{message}."),
        place => format!("{place}: {message}."),
    }
}

/// Returns true if an error belongs to a field: the path of the error is the path of the field, or
/// one of the two contains the other. An error with an empty path belongs only to a field for the
/// complete value.
fn is_problem_of_field(field: &FormField, wrong: &Problem) -> bool {
    let pointer = field.pointer();
    let within = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if wrong.path.is_empty() {
        return pointer.is_empty();
    }
    within(&pointer, &wrong.path) || within(&wrong.path, &pointer)
}

/// Renders a field with its hint, its hidden characters and its error.
fn field_row(
    field: &FormField,
    wrong: Signal<Vec<Problem>>,
    detail: EscapeMode,
    words: &Words,
) -> AnyView {
    if matches!(field.kind, FieldKind::Fixed(_)) {
        return constant_row(field, words);
    }
    let id = format!("la-field-{}", fresh_id());
    let of = field.clone();
    let problem = memo(move || {
        let list = wrong.get();
        let found = list.iter().find(|one| is_problem_of_field(&of, one));
        found.map(|one| one.message.clone())
    });
    let hint = field.hint.clone();
    let text = field.text;
    // Shows hidden characters of the field by their codes below it.
    let readable = detail == EscapeMode::Readable;
    let exact = move || {
        text.with(|text| has_escaped_characters(text, detail).then(|| text.clone()))
            .map(|text| view! { <p class="la-field-exact"><ExactText text readable /></p> })
    };
    view! {
        {field_control(field, &id, problem, words)}
        <div class="la-field-below" id=id.clone()>
            {hint.map(|hint| view! { <p class="la-field-hint" dir="auto"><ExactText text=hint readable=true /></p> })}
            {dynamic(exact)}
            {dynamic(move || {
                problem.get().map(|text| view! { <p class="la-field-problem">{safe_text(&text)}</p> })
            })}
        </div>
    }
    .into_any()
}

/// Renders a text of the schema, which may be an agent's, so that the text cannot hide or reorder
/// the text around it.
fn safe_text(text: &str) -> AnyView {
    view! { <ExactText text=text.to_owned() readable=true /> }.into_any()
}

/// Renders the label of a field.
fn field_name(field: &FormField, words: &Words) -> AnyView {
    match field.default_label() {
        Some(word) => words.text(word),
        None => safe_text(field.label()),
    }
}

/// Renders a field with a constant; nothing if the constant is not part of the answer.
fn constant_row(field: &FormField, words: &Words) -> AnyView {
    let Ok(Some(value)) = field.value() else {
        return ().into_any();
    };
    let text = value.to_string();
    view! {
        <p class="la-field la-field-fixed">
            <span class="la-field-label" dir="auto">{field_name(field, words)}</span>
            <code class="la-code-inline" dir="ltr"><ExactText text /></code>
        </p>
    }
    .into_any()
}

fn field_control(
    field: &FormField,
    id: &str,
    problem: Memo<Option<String>>,
    words: &Words,
) -> AnyView {
    let label = field_name(field, words);
    let id = id.to_owned();
    let text = field.text;
    let invalid = move || problem.with(Option::is_some).then_some("true");
    let required = field.required.then_some("true");
    let typed = move |event| text.set(event_target_value(&event));
    let control = match &field.kind {
        FieldKind::Check => return checkbox(label, field.ticked, 0, Some(id)),
        FieldKind::Several(choices) => return checkbox_group(field, choices, id, label),
        FieldKind::Choice(choices) => view! {
            <select
                class="la-input"
                aria-required=required
                aria-invalid=invalid
                aria-describedby=id
                on:change=typed
            >
                {empty_option()}
                {choice_options(choices, text)}
            </select>
        }
        .into_any(),
        FieldKind::LongText | FieldKind::Lines | FieldKind::Json | FieldKind::Free => view! {
            <textarea
                class="la-input"
                class:la-field-code=field.kind == FieldKind::Json
                rows="3"
                spellcheck=(field.kind == FieldKind::Json).then_some("false")
                aria-required=required
                aria-invalid=invalid
                aria-describedby=id
                prop:value=text
                on:input=typed
            ></textarea>
        }
        .into_any(),
        kind => {
            let (look, mode) = match kind {
                FieldKind::Text(look) => (*look, None),
                _ => ("text", Some("decimal")),
            };
            view! {
                <input
                    class="la-input"
                    type=look
                    inputmode=mode
                    autocomplete="off"
                    aria-required=required
                    aria-invalid=invalid
                    aria-describedby=id
                    prop:value=text
                    on:input=typed
                />
            }
            .into_any()
        }
    };
    view! {
        <label class="la-field" data-required=field.required.then_some("")>
            <span class="la-field-label" dir="auto">{label}</span>
            {control}
        </label>
    }
    .into_any()
}

/// Renders the empty choice. Its value is dynamic, because fully static elements are cloned from
/// HTML, which a page may forbid.
fn empty_option() -> impl IntoView {
    let value = String::new();
    view! { <option value=value>"–"</option> }
}

fn choice_options(choices: &[FieldChoice], text: RwSignal<String>) -> AnyView {
    let options = choices.iter().map(|choice| {
        let json = choice.value.to_string();
        let chosen = json.clone();
        let label = choice.label.clone();
        view! { <option value=json selected=move || text.get() == chosen>{label}</option> }
    });
    options.collect_view().into_any()
}

/// Renders a checkbox for each choice of a field that accepts any number of choices.
fn checkbox_group(
    field: &FormField,
    choices: &[FieldChoice],
    id: String,
    label: AnyView,
) -> AnyView {
    let ticked = field.ticked;
    let boxes = choices.iter().enumerate();
    let boxes =
        boxes.map(|(place, choice)| checkbox(safe_text(&choice.label), ticked, place, None));
    view! {
        <fieldset
            class="la-field la-field-several"
            data-required=field.required.then_some("")
            aria-describedby=id
        >
            <legend class="la-field-label" dir="auto">{label}</legend>
            {boxes.collect_view()}
        </fieldset>
    }
    .into_any()
}

fn checkbox(
    label: AnyView,
    ticked: RwSignal<Vec<bool>>,
    place: usize,
    described: Option<String>,
) -> AnyView {
    let set = move |event| {
        ticked.update(|list| {
            if let Some(known) = list.get_mut(place) {
                *known = event_target_checked(&event);
            }
        });
    };
    view! {
        <label class="la-field la-field-check">
            <input
                type="checkbox"
                aria-describedby=described
                prop:checked=move || ticked.with(|list| list.get(place) == Some(&true))
                on:change=set
            />
            <span class="la-field-label" dir="auto">{label}</span>
        </label>
    }
    .into_any()
}
