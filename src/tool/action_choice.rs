//! Renders one of several actions that an agent asks about, with the exact arguments and the user's
//! decision.
//!
//! `action_list` renders all actions and sends the decisions.

use assistant_core::session::{ActionDecision, DecisionKind, RequestedAction};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{
    ExactText,
    agent_text::agent_text,
    exact_text::arguments_block,
    json_text::format_json,
    text_pieces::{EscapeMode, has_escaped_characters},
    visibility::Visibility,
};
use crate::ui::{LabelName, Labels, Words, dynamic, fresh_id, is_trusted};

/// The kinds of decisions, in the order of their radio buttons.
const KINDS: [DecisionKind; 4] = [
    DecisionKind::Approve,
    DecisionKind::Edit,
    DecisionKind::Reject,
    DecisionKind::Respond,
];

/// The user's decision about one action, which may be incomplete.
#[derive(Clone, Copy)]
pub(super) struct ActionChoice {
    kind: RwSignal<Option<DecisionKind>>,
    /// The edited arguments, as JSON.
    args: RwSignal<String>,
    reason: RwSignal<String>,
    response: RwSignal<String>,
    /// True once the user has tried to send the decisions of the question.
    pub(super) tried: RwSignal<bool>,
}

/// The reason why the user's choice for an action is not a complete decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IncompleteDecision {
    /// The user has chosen no decision.
    NotChosen,
    /// The text of the response is missing.
    NoResponse,
    /// The edited arguments are not valid JSON. The fields contain the position of the error.
    NoJson { line: usize, column: usize },
}

impl ActionChoice {
    pub(super) fn new(action: &RequestedAction) -> Self {
        let args = action.args().map_or_else(|| "{}".to_owned(), format_json);
        Self {
            kind: RwSignal::new(None),
            args: RwSignal::new(args),
            reason: RwSignal::default(),
            response: RwSignal::default(),
            tried: RwSignal::new(false),
        }
    }

    /// Returns the decision about the action, or the reason why the decision is incomplete. Tracks
    /// the signals of the choice.
    pub(super) fn decision(self) -> Result<ActionDecision, IncompleteDecision> {
        let text = |of: RwSignal<String>| of.with(|text| text.trim().to_owned());
        match self.kind.get() {
            Some(DecisionKind::Approve) => Ok(ActionDecision::Approve),
            Some(DecisionKind::Edit) => {
                let args = self.args.with(|text| serde_json::from_str::<Value>(text));
                let args = args.map_err(|error| IncompleteDecision::NoJson {
                    line: error.line(),
                    column: error.column(),
                });
                args.map(|args| ActionDecision::Edit { args })
            }
            Some(DecisionKind::Reject) => {
                let message = Some(text(self.reason)).filter(|text| !text.is_empty());
                Ok(ActionDecision::Reject { message })
            }
            Some(DecisionKind::Respond) => match text(self.response) {
                message if message.is_empty() => Err(IncompleteDecision::NoResponse),
                message => Ok(ActionDecision::Respond { message }),
            },
            _ => Err(IncompleteDecision::NotChosen),
        }
    }

    /// Returns the error message below the text field. Returns `None` until the user has tried to
    /// send the decisions, and while the decision is complete or not chosen.
    fn error_message(self, labels: &Labels) -> Option<String> {
        if !self.tried.get() {
            return None;
        }
        Some(match self.decision().err()? {
            IncompleteDecision::NotChosen => return None,
            IncompleteDecision::NoResponse => labels.text(LabelName::Required).to_string(),
            IncompleteDecision::NoJson { line, column } => labels
                .text(LabelName::NoJson)
                .replace("{line}", &line.to_string())
                .replace("{column}", &column.to_string()),
        })
    }
}

/// Renders an action, with a radio button for each permitted decision and the text field of the
/// selected decision. The user can decide while `accepts_answers` is true. `number` is the position
/// of the action, counted from 1.
pub(super) fn action_choice(
    number: usize,
    action: &RequestedAction,
    choice: ActionChoice,
    accepts_answers: Signal<bool>,
    visibility: Visibility,
) -> AnyView {
    let words = Words::current();
    let group = format!("la-action-{}", fresh_id());
    let description = action.description().filter(|text| !text.trim().is_empty());
    let description = description.map(|text| agent_text(&words, text));
    let radios = KINDS.into_iter().filter(|kind| action.allows(*kind));
    let radios: Vec<_> = radios
        .map(|kind| decision_radio(&group, kind, choice, accepts_answers, &words))
        .collect();
    let fields = {
        let words = words.clone();
        let kind = choice.kind;
        dynamic(move || match kind.get().filter(|_| accepts_answers.get()) {
            Some(DecisionKind::Edit) => decision_field(DecisionField::Args, choice, &words),
            Some(DecisionKind::Reject) => decision_field(DecisionField::Reason, choice, &words),
            Some(DecisionKind::Respond) => decision_field(DecisionField::Response, choice, &words),
            _ => ().into_any(),
        })
    };
    let name = action.name().to_owned();
    view! {
        <fieldset class="la-question-action">
            <legend class="la-question-action-name">
                <span>{number}". "</span>
                <code class="la-code-inline" dir="ltr">
                    <ExactText text=name />
                </code>
            </legend>
            {action_arguments(action, visibility, &words)}
            {description}
            <div class="la-question-choices">{radios.collect_view()}</div>
            {fields}
        </fieldset>
    }
    .into_any()
}

/// Renders the exact arguments of an action, or a note if the action has none. If the action has no
/// name, or the request has fields other than `name`, `args` and `description`, the complete
/// request is rendered instead.
fn action_arguments(action: &RequestedAction, visibility: Visibility, words: &Words) -> AnyView {
    let known_keys = ["name", "args", "description"];
    let request = action.request().as_object();
    let has_known_keys = |request: &Map<String, Value>| {
        let mut keys = request.keys();
        keys.all(|key| known_keys.contains(&key.as_str()))
    };
    let shows_request = action.name().is_empty() || !request.is_some_and(has_known_keys);
    let value = match shows_request {
        true => Some(action.request()),
        false => action.args(),
    };
    let Some(value) = value else {
        return view! {
            <p class="la-approval-text">{words.text(LabelName::NoArguments)} {visibility.end_mark()}</p>
        }
        .into_any();
    };
    let text = view! { <ExactText text=format_json(value) /> };
    arguments_block(text.into_any(), Some(visibility.end_mark()))
}

fn decision_label(kind: DecisionKind) -> LabelName {
    match kind {
        DecisionKind::Approve => LabelName::Approve,
        DecisionKind::Edit => LabelName::Edit,
        DecisionKind::Reject => LabelName::Deny,
        _ => LabelName::RespondInstead,
    }
}

const fn decision_attribute(kind: DecisionKind) -> &'static str {
    match kind {
        DecisionKind::Approve => "approve",
        DecisionKind::Edit => "edit",
        DecisionKind::Reject => "reject",
        _ => "respond",
    }
}

fn decision_radio(
    group: &str,
    kind: DecisionKind,
    choice: ActionChoice,
    accepts_answers: Signal<bool>,
    words: &Words,
) -> AnyView {
    // A `change` event after a scripted click is trusted, so the click is checked instead.
    let on_click = move |event: leptos::ev::MouseEvent| match is_trusted(&event) {
        true => choice.kind.set(Some(kind)),
        false => event.prevent_default(),
    };
    let undecided_mark = move || {
        let is_undecided = choice.tried.get() && choice.kind.get().is_none();
        is_undecided.then_some("")
    };
    view! {
        <label class="la-field la-field-check">
            <input
                type="radio"
                name=group.to_owned()
                data-decision=decision_attribute(kind)
                disabled=move || !accepts_answers.get()
                data-undecided=undecided_mark
                prop:checked=move || choice.kind.get() == Some(kind)
                on:click=on_click
            />
            <span class="la-field-label">{words.text(decision_label(kind))}</span>
        </label>
    }
    .into_any()
}

/// A text field that belongs to a kind of decision.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DecisionField {
    Args,
    Reason,
    Response,
}

fn decision_field(field: DecisionField, choice: ActionChoice, words: &Words) -> AnyView {
    let (text, label) = match field {
        DecisionField::Args => (choice.args, LabelName::Arguments),
        DecisionField::Reason => (choice.reason, LabelName::Reason),
        DecisionField::Response => (choice.response, LabelName::Answer),
    };
    let details_id = format!("la-field-{}", fresh_id());
    let problem_words = words.clone();
    let problem = Signal::derive(move || choice.error_message(&problem_words.get()));
    // Renders the text of the field again below the field, with hidden characters shown by their
    // codes.
    let escaped_note = move || {
        let escaped_text =
            text.with(|text| has_escaped_characters(text, EscapeMode::Exact).then(|| text.clone()));
        escaped_text.map(|text| view! { <p class="la-field-exact"><ExactText text /></p> })
    };
    let problem_note = move || {
        let problem = problem.get();
        problem.map(|text| view! { <p class="la-field-problem">{text}</p> })
    };
    view! {
        <label class="la-field" data-required=(field != DecisionField::Reason).then_some("")>
            <span class="la-field-label">{words.text(label)}</span>
            <textarea
                class="la-input"
                class:la-field-code=field == DecisionField::Args
                rows=if field == DecisionField::Args { "4" } else { "2" }
                spellcheck=(field == DecisionField::Args).then_some("false")
                aria-required=(field != DecisionField::Reason).then_some("true")
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                aria-describedby=details_id.clone()
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
        </label>
        <div class="la-field-below" id=details_id>
            {dynamic(escaped_note)} {dynamic(problem_note)}
        </div>
    }
    .into_any()
}
