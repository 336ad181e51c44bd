//! Renders suggested messages, and the content before the first message.

use leptos::prelude::*;

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{LabelName, Words, dynamic, focus},
};

/// A suggested message.
#[derive(Clone)]
#[non_exhaustive]
pub struct Suggestion {
    /// The text of the message that is sent.
    pub text: String,
    /// The text of the button.
    pub label: String,
    /// The icon before the text.
    pub icon: Option<ViewFn>,
}

impl Suggestion {
    /// Creates a suggestion whose button shows the text that is sent.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            label: text.clone(),
            text,
            icon: None,
        }
    }

    /// Sets the text of the button, if it differs from the text that is sent.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets an icon before the text: one of [`Icon`](crate::Icon), or a function that renders an
    /// icon.
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

/// Buttons that send suggested messages. The list may be a signal; nothing is rendered while the
/// list is empty. Of more than four suggestions, the first four are shown, with a button that shows
/// the other suggestions.
///
/// # Accessibility
///
/// The component is a named list. If a click removes the clicked button, the focus moves to the
/// text box, or to the transcript on a touch screen. The button "More" moves the focus to the first
/// suggestion that it shows.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{Suggestion, chat::Suggestions, use_assistant};
///
/// /// Suggestions for the next message, after an answer.
/// #[component]
/// fn Next() -> impl IntoView {
///     let activity = use_assistant()?.activity();
///     let suggestions = Signal::derive(move || match activity.get().is_busy() {
///         true => Vec::new(),
///         false => vec![Suggestion::new("Tell me more")],
///     });
///     Some(view! { <Suggestions suggestions /> })
/// }
/// ```
#[component]
pub fn Suggestions(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The suggested messages.
    #[prop(into)]
    suggestions: Signal<Vec<Suggestion>>,
    /// True for one scrollable row of buttons, which does not wrap.
    #[prop(optional, into)]
    strip: bool,
) -> impl IntoView {
    assistant_for(assistant, "Suggestions")
        .map(|assistant| suggestion_list(assistant, suggestions, strip))
}

fn suggestion_list(
    assistant: Assistant,
    suggestions: Signal<Vec<Suggestion>>,
    strip: bool,
) -> AnyView {
    let words = Words::current();
    let render_list = move || {
        let buttons = suggestions.get();
        let (assistant, words) = (assistant.clone(), words.clone());
        (!buttons.is_empty()).then(move || {
            let shows_all = RwSignal::new(buttons.len() <= INITIAL_COUNT);
            let more_item = (buttons.len() > INITIAL_COUNT).then(|| more_button(shows_all, &words));
            let list_item = |(index, suggestion)| {
                let is_shown = Signal::derive(move || index < INITIAL_COUNT || shows_all.get());
                suggestion_button(&assistant, suggestion, is_shown)
            };
            let buttons: Vec<_> = buttons.into_iter().enumerate().map(list_item).collect();
            view! {
                <ul
                    class="la-suggestions"
                    data-layout=strip.then_some("strip")
                    aria-label=words.attr(LabelName::Suggestions)
                >
                    {buttons} {more_item}
                </ul>
            }
        })
    };
    dynamic(render_list).into_any()
}

/// The number of suggestions that are shown at first.
const INITIAL_COUNT: usize = 4;

/// Renders the last item of the list, a button that shows all suggestions.
fn more_button(shows_all: RwSignal<bool>, words: &Words) -> AnyView {
    let item = NodeRef::<leptos::html::Li>::new();
    let show = move |_| {
        shows_all.set(true);
        let list = item.get_untracked().and_then(|item| item.parent_element());
        if let Some(list) = list {
            focus::focus_descendant(list, FIRST_HIDDEN_BUTTON);
        }
    };
    view! {
        <li node_ref=item hidden=move || shows_all.get()>
            <button type="button" class="la-suggestion la-suggestions-more" on:click=show>
                <span>{words.text(LabelName::MoreSuggestions)}</span>
            </button>
        </li>
    }
    .into_any()
}

/// The CSS selector of the first suggestion that "More" shows.
const FIRST_HIDDEN_BUTTON: &str = "li:nth-child(5) > button";

fn suggestion_button(
    assistant: &Assistant,
    suggestion: Suggestion,
    is_shown: Signal<bool>,
) -> AnyView {
    let assistant = assistant.clone();
    let Suggestion { text, label, icon } = suggestion;
    let item = NodeRef::<leptos::html::Li>::new();
    let send = move |event: leptos::ev::MouseEvent| {
        let element = item.get_untracked();
        let is_sent = assistant.send(text.clone()).is_ok();
        // The focus moves, because the button is removed when the message is sent.
        if let (true, Some(element)) = (is_sent, element) {
            focus::focus_after_removal(&element, event.detail() == 0);
        }
    };
    view! {
        <li node_ref=item hidden=move || !is_shown.get()>
            <button type="button" class="la-suggestion" on:click=send>
                {icon.as_ref().map(ViewFn::run)}
                <span>{label}</span>
            </button>
        </li>
    }
    .into_any()
}

/// Shows a title, a sentence and suggestions, for example before the first message.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{Suggestion, chat::{EmptyState, Transcript}};
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// let empty = || {
///     let suggestions = vec![Suggestion::new("What is new?")];
///     view! { <EmptyState title="Hello" text="Ask about your orders." suggestions /> }
/// };
/// view! { <Transcript empty /> }
/// # }
/// ```
#[component]
pub fn EmptyState(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The title, if any.
    #[prop(optional, into)]
    title: Signal<String>,
    /// The sentence below the title.
    #[prop(optional, into)]
    text: Signal<String>,
    /// The suggested first messages.
    #[prop(optional, into)]
    suggestions: Signal<Vec<Suggestion>>,
    /// Further content below the suggestions.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let non_empty = |text: Signal<String>| move || Some(text.get()).filter(|text| !text.is_empty());
    let (title, text) = (non_empty(title), non_empty(text));
    let title = move || title().map(|title| view! { <h3 class="la-empty-title">{title}</h3> });
    let text = move || text().map(|text| view! { <p class="la-empty-text">{text}</p> });
    let assistant = assistant_for(assistant, "EmptyState");
    let list = assistant.map(|assistant| wrapping_list(assistant, suggestions));
    view! {
        <div class="la-empty">
            {dynamic(title)} {dynamic(text)} {list} {children.map(|children| children())}
        </div>
    }
}

fn wrapping_list(assistant: Assistant, suggestions: Signal<Vec<Suggestion>>) -> AnyView {
    suggestion_list(assistant, suggestions, false)
}
