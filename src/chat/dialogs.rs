//! Renders the questions that handlers ask in a dialog ([`crate::ToolContext::confirm`]).

use leptos::{html, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    tool::{Visibility, claim_question, cover_note},
    ui::{Words, after, each, effect, fresh_id, is_trusted, live_in_dialog, memo, when},
    view::{ConfirmRequest, Question},
};

/// Shows the questions of handlers, one native `<dialog>` at a time, however many windows there
/// are. A [`super::ChatWindow`] includes this component; an application with a custom chat window
/// adds it.
///
/// # Accessibility
///
/// The dialog is modal, has a name and a description, and takes the focus itself, so that a key
/// typed while it opens presses no button. Escape is Cancel. Escape and the buttons have no effect
/// until the dialog has been open for half a second. Confirm also requires that each part of the
/// dialog has been visible for half a second, and that nothing covers the dialog.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::ConfirmDialogs};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             // A window of your own …
///             <ConfirmDialogs />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn ConfirmDialogs(
    /// The assistant whose handlers ask; the one in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ConfirmDialogs") else {
        return ().into_any();
    };
    let dialogs = assistant.view().dialogs.clone();
    let first = move || dialogs.with(|list| list.first().cloned().into_iter().collect());
    let draw = move |request: ConfirmRequest| {
        let claim = claim_question(&assistant, Question::Handler(request.id));
        let is_shown_here = move || claim.elsewhere.with(Option::is_none);
        when(is_shown_here, move || confirm_dialog(request.clone())).into_any()
    };
    each(first, |request| request.id.to_string(), draw)
}

/// The time before a dialog can be answered, in milliseconds.
const MIN_SHOWN_MS: u32 = 500;

fn confirm_dialog(request: ConfirmRequest) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    let is_settled = RwSignal::new(false);
    effect(move |_| {
        if let Some(element) = element.get() {
            // Fails only if the dialog is already open.
            let _ = element.show_modal();
            let _ = element.focus();
            after(MIN_SHOWN_MS, move || {
                is_settled.try_set(true);
            });
        }
    });
    // A script may close the dialog with any value, so only the user's press on the button
    // confirms.
    let confirmed = StoredValue::new(false);
    let visibility = Visibility::new(memo(|| ()), |(), ()| ());
    let confirm = move |event: leptos::ev::MouseEvent| {
        let counts = is_trusted(&event) && visibility.check_answer();
        confirmed.set_value(counts);
        if !counts {
            event.prevent_default();
        }
    };
    let early = move |event: leptos::ev::Event| {
        if !is_settled.get_untracked() {
            event.prevent_default();
        }
    };
    let id = format!("la-dialog-{}", fresh_id());
    let (title, text) = (format!("{id}-title"), format!("{id}-text"));
    let variant = if request.options.danger {
        "danger"
    } else {
        "primary"
    };
    let closed = {
        let request = request.clone();
        move |_| {
            let by_button = element
                .get_untracked()
                .is_some_and(|element| element.return_value() == "confirm");
            request.answer(by_button && confirmed.get_value());
        }
    };
    let waits = move || (!is_settled.get()).then_some("true");
    let confirm_waits = move || (!visibility.is_satisfied()).then_some("true");
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby=title
            aria-describedby=text
            tabindex="-1"
            node_ref=element
            on:close=closed
            on:cancel=early
        >
            <form class="la-dialog-form" method="dialog" on:submit=move |event| early(event.into())>
                <h2 class="la-dialog-title" id=title.clone()>{request.options.title.clone()}</h2>
                <p class="la-dialog-text" id=text.clone()>
                    {request.options.text.clone()} {visibility.end_mark()}
                </p>
                {cover_note(&words, visibility)}
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel" aria-disabled=waits>
                        <span>{words.text(|l| &l.cancel)}</span>
                    </button>
                    <button
                        type="submit"
                        class="la-button"
                        data-variant=variant
                        value="confirm"
                        on:click=confirm
                        aria-disabled=confirm_waits
                    >
                        <span>{words.text(|l| &l.confirm)}</span>
                    </button>
                </div>
            </form>
            {live_in_dialog()}
        </dialog>
    }
    .into_any()
}
