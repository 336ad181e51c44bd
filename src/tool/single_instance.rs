//! Shows each question in one window; other windows refer to that window, and can take the question
//! over (rule "one question, one window").

use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, dynamic, memo},
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
    // A place outside of a window counts as a window of its own.
    let window = use_context::<ClaimingWindow>().unwrap_or_else(|| ClaimingWindow {
        number: id,
        name: Signal::default(),
    });
    let changed = assistant.view().claims.claim(&question, id, window);
    let (asked, assistant) = (question.clone(), assistant.clone());
    let (left, of_cleanup) = (question.clone(), assistant.clone());
    on_cleanup(move || of_cleanup.view().claims.remove(&left, id));
    let taker = assistant.clone();
    QuestionClaim {
        elsewhere: memo(move || {
            changed.track();
            assistant.view().claims.showing_window_name(&asked, id)
        }),
        take_over: Callback::new(move |()| taker.view().claims.take_over(&question, id)),
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
    let own = use_context::<ClaimingWindow>();
    let own = move || own.and_then(|window| window.name.try_get());
    dynamic(move || match elsewhere.get() {
        None => draw(),
        // A shared name does not identify the window.
        Some(name) if own().as_ref() == Some(&name) => elsewhere_note("", take_over),
        Some(name) => elsewhere_note(&name, take_over),
    })
    .into_any()
}

fn elsewhere_note(window: &str, take_over: Callback<()>) -> AnyView {
    let words = Words::current();
    let (name, place) = (window.to_owned(), words.clone());
    let text = move || match name.as_str() {
        "" => place.word(|l| &l.asked_in_another_window),
        name => {
            let word = place.word(|l| &l.asked_in_window);
            word.replace("{window}", name).into()
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
                <span>{words.text(|l| &l.ask_here)}</span>
            </button>
        </div>
    }
    .into_any()
}
