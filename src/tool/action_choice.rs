//! Renders one of several actions that an agent asks about, with the exact arguments and the user's
//! decision.
//!
//! `action_list` renders all actions and sends the decisions.

use assistant_core::session::{ActionDecision, DecisionKind, RequestedAction};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{
    ExactText,
    agents_words::agent_text,
    exact::arguments_block,
    pieces::{EscapeMode, has_escaped_characters},
    pretty::format_json,
    visibility::Visibility,
};
use crate::ui::{LabelSelector, Labels, Word, Words, dynamic, fresh_id, is_trusted};

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
    /// The edited arguments are invalid JSON from this position on.
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

    /// Returns the decision about the action, or the reason why the decision is incomplete;
    /// tracked.
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

    /// Returns the error message below the text field; `None` until the user has tried to send, and
    /// while the decision is complete or not chosen.
    fn error_message(self, labels: &Labels) -> Option<String> {
        if !self.tried.get() {
            return None;
        }
        Some(match self.decision().err()? {
            IncompleteDecision::NotChosen => return None,
            IncompleteDecision::NoResponse => labels.required.to_string(),
            IncompleteDecision::NoJson { line, column } => labels
                .no_json
                .replace("{line}", &line.to_string())
                .replace("{column}", &column.to_string()),
        })
    }
}

/// Renders an action, with a radio button for each permitted decision and the text field of the
/// selected decision. The user can decide while `answers` is true; `number` counts from 1.
pub(super) fn action_choice(
    number: usize,
    action: &RequestedAction,
    choice: ActionChoice,
    answers: Signal<bool>,
    visibility: Visibility,
) -> AnyView {
    let words = Words::current();
    let group = format!("la-action-{}", fresh_id());
    let description = action.description().filter(|text| !text.trim().is_empty());
    let description = description.map(|text| agent_text(&words, text));
    let kinds = KINDS.into_iter().filter(|kind| action.allows(*kind));
    let kinds: Vec<_> = kinds
        .map(|kind| decision_radio(&group, kind, choice, answers, &words))
        .collect();
    let fields = {
        let words = words.clone();
        let kind = choice.kind;
        dynamic(move || match kind.get().filter(|_| answers.get()) {
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
            <div class="la-question-choices">{kinds.collect_view()}</div>
            {fields}
        </fieldset>
    }
    .into_any()
}

/// Renders the exact arguments of an action, or a note if the action has none. If the action has no
/// name, or the request has fields other than `name`, `args` and `description`, the complete
/// request is rendered instead.
fn action_arguments(action: &RequestedAction, visibility: Visibility, words: &Words) -> AnyView {
    let known = ["name", "args", "description"];
    let request = action.request().as_object();
    let is_known = |request: &Map<String, Value>| {
        let mut keys = request.keys();
        keys.all(|key| known.contains(&key.as_str()))
    };
    let says_more = action.name().is_empty() || !request.is_some_and(is_known);
    let shown = match says_more {
        true => Some(action.request()),
        false => action.args(),
    };
    let Some(shown) = shown else {
        return view! {
            <p class="la-approval-text">{words.text(|l| &l.no_arguments)} {visibility.end_mark()}</p>
        }
        .into_any();
    };
    let text = view! { <ExactText text=format_json(shown) /> };
    arguments_block(text.into_any(), Some(visibility.end_mark()))
}

fn decision_label(kind: DecisionKind) -> LabelSelector {
    match kind {
        DecisionKind::Approve => |l| &l.approve,
        DecisionKind::Edit => |l| &l.edit,
        DecisionKind::Reject => |l| &l.deny,
        _ => |l| &l.respond_instead,
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
    answers: Signal<bool>,
    words: &Words,
) -> AnyView {
    // A `change` event after a scripted click is trusted, so check the click.
    let choose = move |event: leptos::ev::MouseEvent| match is_trusted(&event) {
        true => choice.kind.set(Some(kind)),
        false => event.prevent_default(),
    };
    let undecided = move || {
        let tried = choice.tried.get() && choice.kind.get().is_none();
        tried.then_some("")
    };
    view! {
        <label class="la-field la-field-check">
            <input
                type="radio"
                name=group.to_owned()
                data-decision=decision_attribute(kind)
                disabled=move || !answers.get()
                data-undecided=undecided
                prop:checked=move || choice.kind.get() == Some(kind)
                on:click=choose
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

fn decision_field(of: DecisionField, choice: ActionChoice, words: &Words) -> AnyView {
    let (text, label): (_, fn(&Labels) -> &Word) = match of {
        DecisionField::Args => (choice.args, |l| &l.arguments),
        DecisionField::Reason => (choice.reason, |l| &l.reason),
        DecisionField::Response => (choice.response, |l| &l.answer),
    };
    let below = format!("la-field-{}", fresh_id());
    let wording = words.clone();
    let problem = Signal::derive(move || choice.error_message(&wording.get()));
    // Shows hidden characters of the field by their codes below it.
    let exact = move || {
        let hidden =
            text.with(|text| has_escaped_characters(text, EscapeMode::Exact).then(|| text.clone()));
        hidden.map(|text| view! { <p class="la-field-exact"><ExactText text /></p> })
    };
    let edited_note = move || {
        let problem = problem.get();
        problem.map(|text| view! { <p class="la-field-problem">{text}</p> })
    };
    view! {
        <label class="la-field" data-required=(of != DecisionField::Reason).then_some("")>
            <span class="la-field-label">{words.text(label)}</span>
            <textarea
                class="la-input"
                class:la-field-code=of == DecisionField::Args
                rows=if of == DecisionField::Args { "4" } else { "2" }
                spellcheck=(of == DecisionField::Args).then_some("false")
                aria-required=(of != DecisionField::Reason).then_some("true")
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                aria-describedby=below.clone()
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
        </label>
        <div class="la-field-below" id=below>
            {dynamic(exact)} {dynamic(edited_note)}
        </div>
    }
    .into_any()
}
