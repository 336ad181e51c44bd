//! The chat window.

use assistant_core::session::FinishReason;
use leptos::{prelude::*, tachys::reactive_graph::OwnedView};

use super::{Composer, ConfirmDialogs, Feedback, Notices, Transcript, composer::is_asked};
use crate::{
    assistant::{Assistant, use_assistant},
    attachment::Attachments,
    tool::{InterruptInbox, claim, of_the_page},
    ui::{Icon, Labels, console_error, dynamic},
    view::{Activity, Question, Window},
};

/// Something the person could say first.
#[derive(Clone)]
pub struct Suggestion {
    /// What is said.
    pub text: String,
    /// What the button shows.
    pub label: String,
    /// What stands before it.
    pub icon: Option<ViewFn>,
}

impl Suggestion {
    /// A suggestion whose button shows what is said.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            label: text.clone(),
            text,
            icon: None,
        }
    }

    /// Shows something else on the button.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Puts an icon before it: one of [`Icon`], or a function that draws one.
    #[must_use]
    pub fn icon(mut self, icon: impl Into<ViewFn>) -> Self {
        self.icon = Some(icon.into());
        self
    }
}

impl std::fmt::Debug for Suggestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suggestion")
            .field("text", &self.text)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

/// A chat with the assistant of the nearest provider: messages, tool cards, notices, composer.
///
/// It fills its parent, which must have a height.
///
/// # Styling
///
/// Everything has a class `la-…`; [`STYLE`](crate::STYLE) is a sheet for them, built on custom properties. The
/// root carries `data-assistant-chat`, and `data-running` while a run, a handler or a question to
/// the person is open.
#[component]
pub fn ChatWindow(
    /// What the window is called, to eyes and ears, instead of [`Labels::title`]. Two windows on
    /// one page need names that differ.
    #[prop(optional, into)]
    label: String,
    /// What stands there before the first message, above the suggestions.
    #[prop(optional, into)]
    empty_title: String,
    /// A sentence below it.
    #[prop(optional, into)]
    empty_text: String,
    /// What the person could say first.
    #[prop(optional, into)]
    suggestions: Vec<Suggestion>,
    /// Which files the person may send along; none without it.
    #[prop(optional)]
    attachments: Option<Attachments>,
    /// Called when the person says what they think of an answer; without it they are not asked.
    #[prop(optional)]
    on_feedback: Option<Callback<Feedback>>,
) -> impl IntoView {
    let Some(assistant) = use_assistant() else {
        if cfg!(feature = "csr") {
            console_error("ChatWindow stands outside of <AssistantProvider>");
        }
        return shell(label).into_any();
    };
    let labels = Labels::current();
    let name = name_of(&labels, label);
    let activity = assistant.activity();
    let running = {
        let activity = activity.clone();
        move || activity.get().busy.then_some("")
    };
    let fresh = {
        let assistant = assistant.clone();
        move |_| assistant.new_conversation()
    };
    let greeting = {
        let assistant = assistant.clone();
        move || greeting(&assistant, &empty_title, &empty_text, &suggestions)
    };
    let window = Window {
        number: assistant.runtime().number(),
        name: Signal::stored(name.clone()),
    };
    let parts = move || {
        view! {
            <section
                class="la-chat"
                data-assistant-chat=""
                data-running=running
                aria-label=name.clone()
            >
                <header class="la-chat-header">
                    <div class="la-chat-heading">
                        <h2 class="la-chat-title">{name.clone()}</h2>
                        <Status assistant=assistant.clone() />
                    </div>
                    <div class="la-chat-actions">
                        <button
                            type="button"
                            class="la-button"
                            data-variant="quiet"
                            data-size="small"
                            on:click=fresh
                        >
                            {Icon::NewChat.view()}
                            <span>{labels.new_conversation.clone()}</span>
                        </button>
                    </div>
                </header>
                <Transcript assistant=assistant.clone() empty=greeting on_feedback />
                <InterruptInbox assistant=assistant.clone() />
                <Notices assistant=assistant.clone() />
                <Composer assistant=assistant.clone() attachments />
                <Announcer assistant=assistant.clone() />
                <ConfirmDialogs assistant=assistant />
            </section>
        }
        .into_any()
    };
    // A scope of its own: a component has none, and the next window would take this one's place.
    let owner = Owner::current().map_or_else(Owner::new, |owner| owner.child());
    let parts = owner.with(|| {
        provide_context(window);
        parts()
    });
    OwnedView::new_with_owner(parts, owner).into_any()
}

/// What stands there without a session: on a server, or outside of a provider.
fn shell(label: String) -> impl IntoView {
    let name = name_of(&Labels::current(), label);
    view! { <section class="la-chat" data-assistant-chat="" aria-label=name></section> }
}

fn name_of(labels: &Labels, label: String) -> String {
    if label.is_empty() {
        labels.title.to_string()
    } else {
        label
    }
}

fn greeting(
    assistant: &Assistant,
    title: &str,
    text: &str,
    suggestions: &[Suggestion],
) -> impl IntoView + use<> {
    let labels = Labels::current();
    let buttons = suggestions.iter().map(|suggestion| {
        let (assistant, text) = (assistant.clone(), suggestion.text.clone());
        let say = move |_| {
            // Refused only while something runs, and then the buttons are gone.
            let _ = assistant.send(text.clone());
        };
        view! {
            <li>
                <button type="button" class="la-suggestion" on:click=say>
                    {suggestion.icon.as_ref().map(ViewFn::run)}
                    <span>{suggestion.label.clone()}</span>
                </button>
            </li>
        }
    });
    let buttons: Vec<_> = buttons.collect();
    let list = (!buttons.is_empty()).then(|| {
        view! { <ul class="la-suggestions" aria-label=labels.suggestions.clone()>{buttons}</ul> }
    });
    let title =
        (!title.is_empty()).then(|| view! { <h3 class="la-empty-title">{title.to_owned()}</h3> });
    let text = (!text.is_empty()).then(|| view! { <p class="la-empty-text">{text.to_owned()}</p> });
    view! { <div class="la-empty">{title}{text}{list}</div> }
}

/// One word about what is going on.
#[component]
fn Status(assistant: Assistant) -> impl IntoView {
    let labels = Labels::current();
    let activity = assistant.activity();
    let notices = assistant.notices();
    let own = own_asks(&assistant);
    let state = Memo::new(move |_| {
        let failed = notices.with(|list| list.iter().any(|notice| notice.kind.is_failure()));
        match activity.get() {
            Activity { waiting: true, .. } | Activity { asking: true, .. } => "waiting",
            _ if own.get() > 0 => "waiting",
            Activity { busy: true, .. } => "running",
            Activity { .. } if failed => "error",
            Activity { .. } => "ready",
        }
    });
    let word = move || match state.get() {
        "waiting" => labels.waiting.clone(),
        "running" => labels.working.clone(),
        "error" => labels.failed.clone(),
        _ => labels.ready.clone(),
    };
    view! { <p class="la-chat-status" data-state=move || state.get()>{dynamic(word)}</p> }
}

/// How many calls that the page makes itself wait for the person.
fn own_asks(assistant: &Assistant) -> Memo<usize> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    Memo::new(move |_| keys.with(|keys| of_the_page(&assistant, keys).len()))
}

/// Says aloud what the eye sees: a question, or that the answer is there. Never the text itself
/// while it is being written.
#[component]
fn Announcer(assistant: Assistant) -> impl IntoView {
    let labels = Labels::current();
    let activity = assistant.activity();
    // Of several windows one speaks.
    let claim = claim(&assistant, Question::Speech);
    let (interrupts, notices) = (assistant.interrupts(), assistant.notices());
    let said = RwSignal::new(String::new());
    let own = own_asks(&assistant);
    let asked = labels.approval_asked.clone();
    Effect::new(move |known: Option<usize>| {
        let now = own.get();
        if now > known.unwrap_or_default() {
            said.set(asked.to_string());
        }
        now
    });
    Effect::new(move |known: Option<Activity>| {
        let now = activity.get();
        let before = known.unwrap_or_default();
        if now.asking && !before.asking {
            said.set(labels.question_asked.to_string());
        } else if now.waiting && !before.waiting {
            let asked = interrupts.with_untracked(|list| list.iter().any(is_asked));
            let word = if asked {
                &labels.question_asked
            } else {
                &labels.approval_asked
            };
            said.set(word.to_string());
        } else if now.busy && !before.busy {
            said.set(String::new());
        } else if !now.busy && before.busy {
            // A notice speaks for itself: that there is no answer, or no more of it.
            let finished = assistant.summary().with_untracked(|summary| summary.finish)
                == Some(FinishReason::Stop)
                && notices.with_untracked(Vec::is_empty);
            said.set(if finished {
                labels.answer_finished.to_string()
            } else {
                String::new()
            });
        }
        now
    });
    let text = move || {
        let silent = claim.elsewhere.with(Option::is_some);
        if silent { String::new() } else { said.get() }
    };
    view! { <p class="la-visually-hidden" role="status">{dynamic(text)}</p> }
}
