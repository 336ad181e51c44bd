//! Renders a form from a JSON Schema, for edited arguments and for questions.
//!
//! The caller validates the entered value and passes the errors, which are shown at the fields.
//! `fields` converts a schema into fields, and fields into a value.

use leptos::{html, prelude::*};
use serde_json::{Map, Value};

use super::{
    ExactText,
    fields::{self, FieldChoice, FieldError, FieldKind, FormField},
    text_pieces::{EscapeMode, escape_hidden, has_escaped_characters},
};
use crate::ui::{
    LabelName, Labels, Words, after_by_browser, dynamic, focus, fresh_id, is_trusted, memo,
    to_lowercase,
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

/// A form for a value described by a schema: one field per property for an object, or else a single
/// field. The user submits the form with a click or a key; a form that a script submits produces no
/// value.
///
/// # Accessibility
///
/// Every field has a label, and is described by its error. All errors are in an `alert` above the
/// buttons, and the first invalid field gets the focus.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::tool::SchemaForm;
/// use serde_json::{Value, json};
///
/// #[component]
/// fn Nights() -> impl IntoView {
///     let schema = json!({"type": "object", "properties": {"nights": {"type": "integer", "title": "Nights"}}});
///     let answer = RwSignal::new(None::<Value>);
///     let problems = Signal::derive(Vec::new);
///     view! { <SchemaForm schema problems submit="Book" on_submit=move |value| answer.set(Some(value)) /> }
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
    /// True if the submit button appears enabled, which is the default. A disabled button stays
    /// focusable.
    #[prop(optional, into)]
    enabled: Option<Signal<bool>>,
    /// True if all invisible and confusable characters are shown below a field, including those of
    /// ordinary writing. Use this option for values that a decision depends on.
    #[prop(optional)]
    exact: bool,
    /// Further buttons, which are rendered after the submit button.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let words = Words::current();
    let fields = StoredValue::new(fields::fields_of_schema(&schema, initial.as_ref()));
    let field_errors = RwSignal::new(Vec::<(usize, FieldError)>::new());
    let form = NodeRef::<html::Form>::new();
    let (label_words, message_words) = (words.clone(), words.clone());
    let all_problems = Signal::derive(move || {
        let labels = label_words.get();
        let field_errors = field_errors.get().into_iter();
        let mut list: Vec<Problem> = fields.with_value(|fields| {
            let field_problems = field_errors
                .filter_map(|(index, error)| Some(to_problem(fields.get(index)?, error, &labels)));
            field_problems.collect()
        });
        list.extend(problems.get());
        list
    });
    // The submit event is trusted even if a script submits the form (`requestSubmit`), so the
    // preceding press of the button is checked. Enter in a field presses the button.
    let was_pressed = StoredValue::new(false);
    let on_click = move |event: leptos::ev::MouseEvent| {
        was_pressed.set_value(is_trusted(&event));
        after_by_browser(0, move || {
            // The result is ignored, because the value may have been disposed together with the
            // form.
            let _ = was_pressed.try_set_value(false);
        });
    };
    let submit_form = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !was_pressed
            .try_update_value(std::mem::take)
            .unwrap_or_default()
        {
            return;
        }
        let value = fields.with_value(|fields| collect_value(fields));
        field_errors.set(value.as_ref().err().cloned().unwrap_or_default());
        if let Ok(value) = value {
            on_submit.run(value);
        }
        if let (false, Some(form)) = (
            all_problems.with_untracked(Vec::is_empty),
            form.get_untracked(),
        ) {
            focus::focus_descendant(form.into(), "[aria-invalid=true]");
        }
    };
    let messages = move || {
        let list = all_problems.get();
        let labels = message_words.get();
        let messages = list
            .iter()
            .map(|problem| fields.with_value(|fields| problem_sentence(fields, problem, &labels)));
        let messages: Vec<String> = messages.collect();
        let are_all_at_fields = fields.with_value(|fields| {
            let is_at_field = |problem| is_shown_at_field(fields, &list, problem);
            list.iter().all(is_at_field)
        });
        (!messages.is_empty()).then(|| {
            view! {
                <p
                    class="la-form-problems"
                    class:la-visually-hidden=are_all_at_fields
                    role="alert"
                >
                    {safe_text(&messages.join(" "))}
                </p>
            }
        })
    };
    let inputs = fields.with_value(|fields| {
        let detail = if exact {
            EscapeMode::Exact
        } else {
            EscapeMode::Readable
        };
        let inputs = fields
            .iter()
            .map(|field| field_row(field, all_problems, detail, &words));
        inputs.collect_view()
    });
    view! {
        <form class="la-form" on:submit=submit_form novalidate node_ref=form>
            {inputs}
            {dynamic(messages)}
            <div class="la-approval-actions">
                <button
                    type="submit"
                    class="la-button"
                    data-variant="primary"
                    on:click=on_click
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

/// Combines the values of the fields into one value. Fails with the errors and the indices of their
/// fields.
fn collect_value(fields: &[FormField]) -> Result<Value, Vec<(usize, FieldError)>> {
    let mut whole_value = None;
    let mut errors = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        match field.value() {
            Ok(Some(value)) => fields::set_value(&mut whole_value, field, value),
            // An empty field for the complete value is an error, because the field is never
            // optional.
            Ok(None) if field.pointer().is_empty() => errors.push((index, FieldError::Missing)),
            Ok(None) => {}
            Err(error) => errors.push((index, error)),
        }
    }
    match errors.is_empty() {
        true => Ok(whole_value.unwrap_or_else(|| Value::Object(Map::new()))),
        false => Err(errors),
    }
}

/// Converts the error of a field to a problem with a message.
fn to_problem(field: &FormField, error: FieldError, labels: &Labels) -> Problem {
    let path = field.pointer();
    let message = match error {
        FieldError::Missing if path.is_empty() => labels.text(LabelName::Required).to_string(),
        FieldError::Missing => missing_message(field.label(), labels),
        FieldError::NoNumber => labels.text(LabelName::NoNumber).to_string(),
        FieldError::NoJson { line, column } => labels
            .text(LabelName::NoJson)
            .replace("{line}", &line.to_string())
            .replace("{column}", &column.to_string()),
    };
    Problem { path, message }
}

/// Returns the message for a missing value, with the label of its field: "Number of nights is
/// required."
fn missing_message(label: &str, labels: &Labels) -> String {
    let mut letters = label.chars();
    let first_letter = letters
        .next()
        .map(|first_letter| to_lowercase(&first_letter.to_string()));
    // A label with a capital second letter is an abbreviation, and keeps its case.
    let name = match letters.next().is_some_and(char::is_uppercase) {
        true => label.to_owned(),
        false => {
            let rest = label
                .char_indices()
                .nth(1)
                .map_or("", |(at, _)| label.get(at..).unwrap_or_default());
            first_letter.unwrap_or_default() + rest
        }
    };
    let text = labels.text(LabelName::EnterField).replace("{name}", &name);
    text.replace("{field}", label)
}

/// Returns an error as a sentence that contains the label of its field.
fn problem_sentence(fields: &[FormField], problem: &Problem, labels: &Labels) -> String {
    let field = fields
        .iter()
        .find(|field| is_problem_of_field(field, problem));
    let label = match field.map(|field| (field, field.default_label())) {
        Some((_, Some(label))) => labels.text(label),
        Some((field, None)) => field.label(),
        None => problem.path.as_str(),
    };
    let message = problem.message.trim_end_matches('.');
    let is_whole_value = field.is_some_and(|field| field.pointer().is_empty());
    let is_sentence = message.starts_with(char::is_uppercase)
        && (is_whole_value || to_lowercase(message).contains(&to_lowercase(label)));
    match label {
        _ if is_sentence => format!("{message}."),
        "" => format!("{message}."),
        label => format!("{label}: {message}."),
    }
}

/// Returns true if an error belongs to a field: the path of the error is the path of the field, or
/// one path contains the other path. An error with an empty path belongs only to a field for the
/// complete value.
fn is_problem_of_field(field: &FormField, problem: &Problem) -> bool {
    let pointer = field.pointer();
    let contains = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if problem.path.is_empty() {
        return pointer.is_empty();
    }
    contains(&pointer, &problem.path) || contains(&problem.path, &pointer)
}

/// Returns true if the problem is shown at a field: the first problem of each field is, unless the
/// field is fixed.
fn is_shown_at_field(fields: &[FormField], list: &[Problem], problem: &Problem) -> bool {
    let fields = fields
        .iter()
        .filter(|field| !matches!(field.kind, FieldKind::Fixed(_)));
    let first_problem = |field: &FormField| {
        let mut problems = list.iter();
        problems.find(|problem| is_problem_of_field(field, problem))
    };
    fields
        .into_iter()
        .any(|field| first_problem(field) == Some(problem))
}

/// Renders a field with its hint, the codes of its hidden characters, and its error.
fn field_row(
    field: &FormField,
    problems: Signal<Vec<Problem>>,
    detail: EscapeMode,
    words: &Words,
) -> AnyView {
    if matches!(field.kind, FieldKind::Fixed(_)) {
        return constant_row(field, words);
    }
    let id = format!("la-field-{}", fresh_id());
    let problem_field = field.clone();
    let problem = memo(move || {
        let list = problems.get();
        let mut problems = list.iter();
        let problem = problems.find(|problem| is_problem_of_field(&problem_field, problem));
        problem.map(|problem| problem.message.clone())
    });
    let hint = field.hint.clone();
    let text = field.text;
    // If the text of the field has hidden characters, or arguments to approve are longer than the
    // field, the text is rendered again below the field, with the codes of these characters.
    let readable = detail == EscapeMode::Readable;
    let escaped_note = move || {
        let is_needed = |text: &String| {
            has_escaped_characters(text, detail) || (!readable && fields::is_cut(text))
        };
        text.with(|text| is_needed(text).then(|| text.clone()))
            .map(|text| view! { <p class="la-field-exact"><ExactText text readable /></p> })
    };
    view! {
        {field_control(field, &id, problem, words)}
        <div class="la-field-below" id=id.clone()>
            {hint.map(|hint| view! { <p class="la-field-hint" dir="auto"><ExactText text=hint readable=true /></p> })}
            {dynamic(escaped_note)}
            {dynamic(move || {
                problem.get().map(|text| view! { <p class="la-field-problem">{safe_text(&text)}</p> })
            })}
        </div>
    }
    .into_any()
}

/// Renders a text from the schema so that the text cannot hide or reorder the surrounding text,
/// because the schema may come from an agent.
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

/// Renders a field with a constant. Renders nothing if the constant is not part of the answer.
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
    let on_input = move |event| text.set(event_target_value(&event));
    let control = match &field.kind {
        FieldKind::Check => return checkbox(label, field.ticked, 0, Some(id)),
        FieldKind::Several(choices) => return checkbox_group(field, choices, id, label),
        FieldKind::Choice(choices) => view! {
            <select
                class="la-input"
                aria-required=required
                aria-invalid=invalid
                aria-describedby=id
                on:change=on_input
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
                rows=fields::rows_for(&text.get_untracked())
                spellcheck=(field.kind == FieldKind::Json).then_some("false")
                aria-required=required
                aria-invalid=invalid
                aria-describedby=id
                prop:value=text
                on:input=on_input
            ></textarea>
        }
        .into_any(),
        kind => {
            let (input_type, input_mode) = match kind {
                FieldKind::Text(input_type) => (*input_type, None),
                _ => ("text", Some("decimal")),
            };
            view! {
                <input
                    class="la-input"
                    type=input_type
                    inputmode=input_mode
                    autocomplete="off"
                    aria-required=required
                    aria-invalid=invalid
                    aria-describedby=id
                    prop:value=text
                    on:input=on_input
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

/// Renders the empty choice. Its value is dynamic, because Leptos clones fully static elements from
/// HTML, which a page may forbid.
fn empty_option() -> impl IntoView {
    let value = String::new();
    view! { <option value=value>"–"</option> }
}

fn choice_options(choices: &[FieldChoice], text: RwSignal<String>) -> AnyView {
    let options = choices.iter().map(|choice| {
        let json = choice.value.to_string();
        let option_value = json.clone();
        let label = escape_hidden(&choice.label);
        view! { <option value=json selected=move || text.get() == option_value>{label}</option> }
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
    let checkboxes = choices.iter().enumerate();
    let checkboxes =
        checkboxes.map(|(index, choice)| checkbox(safe_text(&choice.label), ticked, index, None));
    view! {
        <fieldset
            class="la-field la-field-several"
            data-required=field.required.then_some("")
            aria-describedby=id
        >
            <legend class="la-field-label" dir="auto">{label}</legend>
            {checkboxes.collect_view()}
        </fieldset>
    }
    .into_any()
}

fn checkbox(
    label: AnyView,
    ticked: RwSignal<Vec<bool>>,
    index: usize,
    described: Option<String>,
) -> AnyView {
    let on_change = move |event| {
        ticked.update(|list| {
            if let Some(tick) = list.get_mut(index) {
                *tick = event_target_checked(&event);
            }
        });
    };
    view! {
        <label class="la-field la-field-check">
            <input
                type="checkbox"
                aria-describedby=described
                prop:checked=move || ticked.with(|list| list.get(index) == Some(&true))
                on:change=on_change
            />
            <span class="la-field-label" dir="auto">{label}</span>
        </label>
    }
    .into_any()
}
