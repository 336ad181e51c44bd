//! Shows each question in one window; other windows refer to that window, and can take the question
//! over (rule "one question, one window").

use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{LabelName, Words, dynamic, memo},
    view::{ClaimingWindow, Question},
};

/// The claim of a component to render a question.
pub(crate) struct QuestionClaim {
    /// The name of the window that shows the question instead of this component; `None` if this
    /// component shows the question.
    pub(crate) elsewhere: Memo<Option<String>>,
    /// The callback that moves the question to this component.
    take_over: Callback<()>,
}

/// Claims a question for the current component, until the component is disposed.
pub(crate) fn claim_question(assistant: &Assistant, question: Question) -> QuestionClaim {
    let id = assistant.runtime().next_number();
    // A component outside of a window is treated as a window of its own.
    let window = use_context::<ClaimingWindow>().unwrap_or_else(|| ClaimingWindow {
        number: id,
        name: Signal::default(),
        is_open: Signal::stored(true),
    });
    let claim_changes = assistant.view().claims.claim(&question, id, window);
    let (shown_question, assistant) = (question.clone(), assistant.clone());
    let (removed_question, cleanup_assistant) = (question.clone(), assistant.clone());
    on_cleanup(move || {
        cleanup_assistant
            .view()
            .claims
            .remove(&removed_question, id);
    });
    let claiming_assistant = assistant.clone();
    QuestionClaim {
        elsewhere: memo(move || {
            claim_changes.track();
            assistant
                .view()
                .claims
                .showing_window_name(&shown_question, id)
        }),
        take_over: Callback::new(move |()| {
            claiming_assistant.view().claims.take_over(&question, id);
        }),
    }
}

/// Renders a question with `draw`, or a reference to the window that shows the question, with a
/// button that takes the question over.
pub(super) fn render_in_one_window(
    assistant: &Assistant,
    question: Question,
    draw: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    let QuestionClaim {
        elsewhere,
        take_over,
    } = claim_question(assistant, question);
    let own_window = use_context::<ClaimingWindow>();
    let own_name = move || own_window.and_then(|window| window.name.try_get());
    dynamic(move || match elsewhere.get() {
        None => draw(),
        // If both windows have the same name, the name is omitted, because a shared name does not
        // identify a window.
        Some(name) if own_name().as_ref() == Some(&name) => elsewhere_note("", take_over),
        Some(name) => elsewhere_note(&name, take_over),
    })
    .into_any()
}

fn elsewhere_note(window: &str, take_over: Callback<()>) -> AnyView {
    let words = Words::current();
    let (name, note_words) = (window.to_owned(), words.clone());
    let text = move || match name.as_str() {
        "" => note_words.word(LabelName::AskedInAnotherWindow),
        name => {
            let template = note_words.word(LabelName::AskedInWindow);
            template.replace("{window}", name).into()
        }
    };
    view! {
        <div class="la-elsewhere">
            <p class="la-approval-text">{dynamic(text)}</p>
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                on:click=move |_| take_over.run(())
            >
                <span>{words.text(LabelName::AskHere)}</span>
            </button>
        </div>
    }
    .into_any()
}
