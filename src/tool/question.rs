//! Renders a question of the agent: the agent's text, the requested tools or actions, and the
//! controls that answer the question.
//!
//! The text is attributed to the agent, and the requested tools are shown exactly, as data. A
//! question looks different from an approval card of the page's own actions. As on an approval
//! card, an answer is accepted only after the complete question was visible. Cancelling the
//! question and denying an approval are accepted at any time.

use assistant_core::{
    conversation::{Decider, Fingerprint},
    session::{OpenInterrupt, Refusal, Verdict},
};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText, SchemaForm,
    action_list::ActionChoices,
    approval_notes::{approval_hint, form_hint},
    expiry::Expiry,
    problems::LastRefusal,
    question_number::question_number,
    requested_tools::requested_tools,
    single_instance::render_in_one_window,
    visibility::{Visibility, cover_note, render_raisable},
};
use crate::{
    assistant::{Assistant, InterruptView, ShownQuestion},
    part::{ForeignView, mount_foreign_view},
    ui::{
        Icon, LabelName, Words, decider_by, dynamic, effect, focus, fresh_id, is_trusted, memo,
        title_in_words, when,
    },
    view::Question,
};

/// The maximum length of the agent's text, in characters. The user must scroll through the text
/// before answering, so the limit only bounds the work of drawing it.
const MAX_TEXT_CHARS: usize = 100_000;
/// The sizes above which the agent's text gets a tab stop for scrolling: the length in bytes, and
/// the number of lines.
const SCROLL_LIMITS: (usize, usize) = (200, 5);

/// The state that the buttons of one question share.
#[derive(Clone)]
struct AnswerForm {
    assistant: Assistant,
    shown: ShownQuestion,
    words: Words,
    card: NodeRef<html::Div>,
    problems: LastRefusal,
    /// True once the time to answer is over.
    expired: RwSignal<bool>,
    /// True if the controls that answer the question are shown. If the agent has rejected the last
    /// answer, the value is false until the user chooses to answer again.
    answering: RwSignal<bool>,
    /// True if the form is shown instead of Approve and Deny.
    in_detail: RwSignal<bool>,
    /// The decisions about the listed actions.
    choices: ActionChoices,
    /// The tracker that decides whether an answer is accepted.
    visibility: Visibility,
}

/// Renders a question of the agent with the application's renderer, or with the built-in view. If
/// several windows contain the question, only one window renders the question.
pub(super) fn question(assistant: &Assistant, open: OpenInterrupt) -> AnyView {
    let key = Question::Interrupt(open.interrupt().id.clone());
    let draw_assistant = assistant.clone();
    render_in_one_window(assistant, key, move || {
        let (assistant, open) = (draw_assistant.clone(), open.clone());
        // Only questions without a call have custom renderers. A question about a call is listed
        // here only after a rejected answer, and has the built-in view.
        let reason = open
            .call_key()
            .is_none()
            .then(|| open.interrupt().reason.clone());
        let lookup_assistant = assistant.clone();
        let renderer = memo(move || {
            lookup_assistant.view().renderers.track();
            let renderer = lookup_assistant.renderers().interrupt(reason.as_ref()?)?;
            Some(renderer.id)
        });
        // The fingerprint is tracked, so that a question about a call is rendered again when the
        // call changes.
        let fingerprint = current_fingerprint(&assistant, open.clone());
        let content = memo(move || (fingerprint.get(), renderer.get()));
        render_raisable(move || match content.get().1 {
            Some(_) => custom_question(&assistant, open.clone()),
            None => default_question(&assistant, open.clone()),
        })
    })
}

/// Returns a memo of the fingerprint of a question, which changes with the call that the question
/// refers to.
fn current_fingerprint(assistant: &Assistant, open: OpenInterrupt) -> Memo<Option<Fingerprint>> {
    let assistant = assistant.clone();
    memo(move || {
        let id = open.interrupt().tool_call_id.as_deref();
        let call = id.and_then(|id| {
            let key = assistant
                .with_conversation(|conversation| Some(conversation.call_by_wire_id(id)?.0));
            assistant.call(&key.flatten()?)
        });
        if let Some(call) = call {
            call.revision.track();
        }
        assistant.with_conversation(|conversation| open.fingerprint(conversation))
    })
}

/// Renders the application's view of a question. An answer is accepted only after the view was
/// visible to its end. If the view is empty, the built-in question replaces the view.
fn custom_question(assistant: &Assistant, open: OpenInterrupt) -> AnyView {
    let words = Words::current();
    let visibility = Visibility::new(memo(|| ()), |(), ()| ());
    let id = open.interrupt().id.clone();
    let view = InterruptView::new(assistant, open.clone())
        .with_conditions(visibility.decision_conditions());
    let card_assistant = assistant.clone();
    let card = mount_foreign_view(assistant.clone(), move || {
        let reason = &open.interrupt().reason;
        let entry = card_assistant.renderers().interrupt(reason)?;
        let (assistant, open) = (card_assistant.clone(), open.clone());
        Some(ForeignView {
            registration: entry.id,
            requester: Some(format!("The renderer of interrupts for reason {reason}")),
            draw: Box::new(move || (entry.renderer)(view)),
            instead: Box::new(move || default_question(&assistant, open.clone())),
        })
    });
    view! {
        <div class="la-approval-custom" data-requester="agent" data-interrupt-id=id>
            {cover_note(&words, visibility)} {card} {visibility.end_mark()} {form_hint(&words, visibility)}
        </div>
    }
    .into_any()
}

impl InterruptView {
    /// Renders the built-in question, for a renderer that only adds to this view.
    #[must_use]
    pub fn default_view(&self) -> AnyView {
        let render_built_in =
            |assistant| Some(default_question(&assistant, self.open_interrupt()?));
        self.assistant().and_then(render_built_in).into_any()
    }
}

fn default_question(assistant: &Assistant, open: OpenInterrupt) -> AnyView {
    let words = Words::current();
    let id = format!("la-interrupt-{}", fresh_id());
    let [head, text_id, number] = ["head", "text", "number"].map(|part| format!("{id}-{part}"));
    let label_ids = format!("{head} {text_id} {number}");
    let interrupt = open.interrupt().clone();
    let number_view = question_number(assistant, interrupt.id.clone());
    let message = interrupt
        .message
        .clone()
        .filter(|text| !text.trim().is_empty());
    let (is_answering, in_detail) = (RwSignal::new(!open.is_rejected()), RwSignal::new(false));
    // When the controls change, other buttons are at the same position, so tracking starts over.
    let control_state = memo(move || (is_answering.get(), in_detail.get()));
    let visibility = Visibility::new(control_state, |_, _| ());
    let (choices, expired) = (ActionChoices::new(&open), RwSignal::new(false));
    let takes_decisions = open.takes_decisions();
    let shows_tools = message.is_none() || open.takes_approval() || !open.actions().is_empty();
    let request = match (takes_decisions, shows_tools) {
        (true, _) => {
            let accepts_answers = Signal::derive(move || is_answering.get() && !expired.get());
            choices.view(&open, accepts_answers, visibility)
        }
        (false, true) => requested_tools(assistant, &open, message.is_none(), visibility),
        (false, false) => ().into_any(),
    };
    // A prefix that names the source of the reason is removed, as in `adk:tool_confirmation`.
    let reason = interrupt.reason.rsplit(':').next().unwrap_or_default();
    let text = message.unwrap_or_else(|| title_in_words(reason));
    let form = AnswerForm {
        assistant: assistant.clone(),
        words: words.clone(),
        card: NodeRef::new(),
        problems: LastRefusal::new(),
        expired,
        choices,
        answering: is_answering,
        in_detail,
        visibility,
        shown: ShownQuestion::new(assistant, open),
    };
    form.reactivate_on_change();
    let was_rejected = form.shown.open.is_rejected();
    let rejected_note = was_rejected.then(|| {
        view! { <p class="la-question-rejected" role="status">{words.text(LabelName::AnswerRejected)}</p> }
    });
    let (card, expires_at) = (form.card, form.shown.open.expires_at());
    let controls = move || match (form.shown.open.call_key().is_some(), form.answering.get()) {
        // Only Cancel is shown, because the approval card of the call accepts the answer.
        (true, _) => button_row(form.cancel_button("")),
        (false, false) => form.rejected_answer_buttons(),
        (false, true) => form.answer_controls(),
    };
    view! {
        <div
            class="la-approval la-question"
            role="group"
            aria-labelledby=label_ids
            node_ref=card
            data-requester="agent"
            data-interrupt-id=interrupt.id.clone()
            data-interrupt-reason=interrupt.reason.clone()
            data-rejected=was_rejected.then_some("")
        >
            <div class="la-approval-head">
                {Icon::Question.view()}
                <p class="la-approval-title" id=head>
                    {words.text(LabelName::AgentQuestion)}
                </p>
                <span id=number class="la-question-place">
                    {number_view}
                </span>
            </div>
            <div class="la-approval-body">
                {cover_note(&words, visibility)} {agent_message(text_id, &text, visibility)} {request} {rejected_note}
                <Expiry at=expires_at expired /> {dynamic(controls)}
            </div>
        </div>
    }
    .into_any()
}

/// Renders the agent's text, truncated to [`MAX_TEXT_CHARS`]; hidden characters are shown by their
/// codes.
fn agent_message(id: String, text: &str, visibility: Visibility) -> impl IntoView + use<> {
    let (max_bytes, max_lines) = SCROLL_LIMITS;
    let is_long = text.len() > max_bytes || text.lines().count() > max_lines;
    let mut excerpt: String = text.chars().take(MAX_TEXT_CHARS).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    view! {
        <blockquote
            class="la-question-words"
            id=id
            // Long text gets a tab stop, because scrollable text must be reachable by keyboard.
            tabindex=is_long.then_some("0")
        >
            <ExactText text=excerpt />
            {visibility.end_mark()}
        </blockquote>
    }
}

fn button_row(buttons: impl IntoView + 'static) -> AnyView {
    view! { <div class="la-approval-actions">{buttons}</div> }.into_any()
}

impl AnswerForm {
    /// Answers the question with a value, or cancels the question if the value is `None`, and shows
    /// the outcome.
    fn submit_answer(&self, value: Option<Value>, by: Decider) {
        self.record_outcome(self.assistant.answer_as_shown(&self.shown, value, by));
    }

    /// Shows the error of a refused answer. After an accepted answer, moves the focus out of the
    /// card and makes the card inert.
    fn record_outcome(&self, outcome: Result<(), Refusal>) {
        let is_accepted = self.problems.record_outcome(outcome);
        if let (true, Some(card)) = (is_accepted, self.card.get_untracked()) {
            focus::pass_focus_on(&card);
            // The card is inert until it is removed in the next frame. The error is ignored,
            // because setting an attribute with a valid name cannot fail.
            let _ = card.set_attribute("inert", "");
        }
    }

    /// Creates an effect that makes the card operable again whenever the interrupts change, because
    /// the agent may have rejected the answer.
    fn reactivate_on_change(&self) {
        let (card, interrupts) = (self.card, self.assistant.interrupts());
        effect(move |_| {
            interrupts.track();
            if let Some(card) = card.get() {
                // The error is ignored, because removing an attribute cannot fail.
                let _ = card.remove_attribute("inert");
            }
        });
    }

    fn cancel_button(&self, variant: &'static str) -> AnyView {
        let form = self.clone();
        view! {
            <button
                type="button"
                class="la-button"
                data-variant=(!variant.is_empty()).then_some(variant)
                on:click=move |event| form.submit_answer(None, decider_by(&event))
            >
                <span>{self.words.text(LabelName::GiveUp)}</span>
            </button>
        }
        .into_any()
    }

    /// Renders the buttons that are shown after a rejected answer: one to answer again, and one to
    /// cancel.
    fn rejected_answer_buttons(&self) -> AnyView {
        let (is_answering, card, expired) = (self.answering, self.card, self.expired);
        let answer = move |_| {
            is_answering.set(true);
            if let Some(card) = card.get_untracked() {
                focus::focus_descendant(
                    card.into(),
                    ":is(.la-question-action, .la-form, .la-approval-actions) :is(input, select, textarea, button)",
                );
            }
        };
        let buttons = view! {
            <button
                type="button"
                class="la-button"
                data-variant="primary"
                disabled=move || expired.get()
                on:click=answer
            >
                <span>{self.words.text(LabelName::AnswerAgain)}</span>
            </button>
            {self.cancel_button("")}
        };
        button_row(buttons)
    }

    /// Renders the controls that answer the question. Once the question has expired, only the
    /// button that cancels is enabled.
    fn answer_controls(&self) -> AnyView {
        if self.shown.open.takes_decisions() {
            return self.send_decisions_buttons();
        }
        if self.shown.open.takes_approval() && !self.in_detail.get() {
            return self.decision_buttons();
        }
        let (expired, visibility) = (self.expired, self.visibility);
        let problems = self.problems.messages(&self.words);
        let open = &self.shown.open;
        let schema = open.interrupt().response_schema.clone();
        // If the answer may be a boolean or another type, the form is a field for any text or JSON.
        let schema = schema.filter(|_| !open.takes_more_than_boolean());
        let schema = schema.map_or(Value::Bool(true), Value::Object);
        let answer = {
            let form = self.clone();
            Callback::new(move |value| {
                if visibility.check_answer() {
                    form.submit_answer(Some(value), Decider::Person);
                }
            })
        };
        let words = self.words.clone();
        let submit = Signal::derive(move || words.word(LabelName::Submit).into_owned());
        let (open_form, expired_form) = (self.clone(), self.clone());
        let expired_buttons = move || button_row(expired_form.cancel_button(""));
        let cancel_button = when(move || !expired.get(), move || open_form.cancel_button(""));
        view! {
            <fieldset class="la-question-fields" disabled=move || expired.get()>
                <SchemaForm
                    schema
                    problems
                    submit
                    on_submit=answer
                    enabled=Signal::derive(move || visibility.is_satisfied())
                >
                    {cancel_button}
                </SchemaForm>
            </fieldset>
            {form_hint(&self.words, visibility)}
            {when(move || expired.get(), expired_buttons)}
        }
        .into_any()
    }

    /// Renders the button that sends the decisions about all actions, and the button that cancels.
    fn send_decisions_buttons(&self) -> AnyView {
        let (expired, visibility, form) = (self.expired, self.visibility, self.clone());
        let are_made = self.choices.are_made();
        let can_send = move || are_made.get() && visibility.is_satisfied();
        let send = move |_| {
            let decisions = match form.choices.collect_decisions() {
                Ok(decisions) if visibility.check_answer() => decisions,
                Ok(_) => return,
                Err(refusal) => {
                    form.record_outcome(Err(refusal));
                    if let Some(card) = form.card.get_untracked() {
                        focus::focus_descendant(
                            card.into(),
                            "[data-undecided], [aria-invalid=true]",
                        );
                    }
                    return;
                }
            };
            form.record_outcome(form.assistant.decide_actions_as_shown(
                &form.shown,
                decisions,
                Decider::Person,
            ));
        };
        let buttons = view! {
            <button
                type="button"
                class="la-button"
                data-variant="primary"
                disabled=move || expired.get()
                aria-disabled=move || (!can_send()).then_some("true")
                on:click=send
            >
                <span>{self.words.text(LabelName::SendDecisions)}</span>
            </button>
            {self.cancel_button("")}
        };
        view! { {self.error_message()} {button_row(buttons)} {form_hint(&self.words, visibility)} }
            .into_any()
    }

    /// Renders the error of the last answer.
    fn error_message(&self) -> AnyView {
        let problems = self.problems.messages(&self.words);
        let message = move || {
            let messages: Vec<String> =
                problems.with(|list| list.iter().map(|problem| problem.message.clone()).collect());
            (!messages.is_empty()).then(
                || view! { <p class="la-form-problems" role="alert">{messages.join(" ")}</p> },
            )
        };
        dynamic(message).into_any()
    }

    /// Renders Approve and Deny, or Yes and No if the answer is a plain boolean, and Cancel. Deny
    /// or No is omitted if the agent accepts no denial. A field for the reason is
    /// rendered if the schema has the property `reason`. A button that shows the form is rendered
    /// if the schema accepts values that the other controls cannot enter.
    fn decision_buttons(&self) -> AnyView {
        let (expired, visibility) = (self.expired, self.visibility);
        let schema = self.shown.open.interrupt().response_schema.as_ref();
        let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
        let is_boolean = self.shown.open.takes_boolean();
        let has_property =
            |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
        let reason = NodeRef::<html::Input>::new();
        let reason_field = has_property("reason").then(|| {
            view! {
                <label class="la-field">
                    <span class="la-field-label">{self.words.text(LabelName::Reason)}</span>
                    <input class="la-input" type="text" autocomplete="off" node_ref=reason />
                </label>
            }
        });
        let labels = match is_boolean {
            true => [
                self.words.text(LabelName::Yes),
                self.words.text(LabelName::No),
            ],
            false => [
                self.words.text(LabelName::Approve),
                self.words.text(LabelName::Deny),
            ],
        };
        // Deny is omitted if the agent accepts no denial, because the user can cancel the question
        // instead.
        let denial = Verdict::Deny { reason: None };
        let takes_denial = matches!(self.shown.open.answer_to(&denial), Ok(Some(_)));
        let choices = labels.into_iter().zip([true, false]);
        let choices = choices.filter(|(_, approves)| *approves || takes_denial);
        let buttons = choices.map(|(label, approves)| {
            let form = self.clone();
            // A boolean question must be read before Yes and before No, because No may be the
            // dangerous answer.
            let must_be_read = approves || is_boolean;
            let decide = move |event: leptos::ev::MouseEvent| {
                if must_be_read && !(is_trusted(&event) && visibility.check_answer()) {
                    return;
                }
                let text = reason.get_untracked().map(|input| input.value());
                let text = text.unwrap_or_default().trim().to_owned();
                let reason = (!text.is_empty()).then_some(text);
                let verdict = match approves {
                    true => Verdict::Approve { args: None },
                    false => Verdict::Deny { reason },
                };
                match form.shown.open.answer_to(&verdict) {
                    Ok(answer) => form.submit_answer(answer, decider_by(&event)),
                    Err(refusal) => drop(form.problems.record_outcome(Err(refusal))),
                }
            };
            view! {
                <button
                    type="button"
                    class="la-button"
                    data-variant=approves.then_some("primary")
                    disabled=move || expired.get()
                    aria-disabled=move || (must_be_read && !visibility.is_satisfied()).then_some("true")
                    on:click=decide
                >
                    <span>{label}</span>
                </button>
            }
        });
        let buttons = buttons.collect_view();
        let takes_more = self.shown.open.takes_more_than_boolean();
        let takes_more = takes_more
            || properties.is_some_and(|properties| {
                let known_keys = ["approved", "accepted", "reason", "editedArgs"];
                properties
                    .keys()
                    .any(|key| !known_keys.contains(&key.as_str()))
            });
        let in_detail = self.in_detail;
        let hint = match is_boolean {
            true => form_hint(&self.words, visibility),
            false => approval_hint(&self.words, visibility),
        };
        let form_button = takes_more.then(|| {
            view! {
                <button
                    type="button"
                    class="la-button la-approval-edit"
                    data-variant="quiet"
                    data-size="small"
                    disabled=move || expired.get()
                    on:click=move |_| in_detail.set(true)
                >
                    <span>{self.words.text(LabelName::InDetail)}</span>
                </button>
            }
        });
        view! {
            {form_button} {reason_field} {self.error_message()}
            {button_row(view! { {buttons} {self.cancel_button("quiet")} })}
            {hint}
        }
        .into_any()
    }
}
