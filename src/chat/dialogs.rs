//! Questions that handlers ask in a dialog ([`crate::ToolContext::confirm`]).

use leptos::{html, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    tool::claim,
    ui::{Words, each, fresh_id, when},
    view::{ConfirmRequest, Question},
};

/// Shows the questions of handlers, one native `<dialog>` at a time, however many windows there are.
/// A [`super::ChatWindow`] holds one; an application with a chat window of its own places it itself.
///
/// # Accessibility
///
/// The dialog is modal, has a name and a description, and focuses Cancel. Escape is Cancel.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::ConfirmDialogs};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             // A window of one's own …
///             <ConfirmDialogs />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn ConfirmDialogs(
    /// Whose questions; those of the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ConfirmDialogs") else {
        return ().into_any();
    };
    let dialogs = assistant.view().dialogs.clone();
    let first = move || dialogs.with(|list| list.first().cloned().into_iter().collect());
    let draw = move |request: ConfirmRequest| {
        let claim = claim(&assistant, Question::Handler(request.id));
        let here = move || claim.elsewhere.with(Option::is_none);
        when(here, move || dialog(request.clone())).into_any()
    };
    each(first, |request| request.id.to_string(), draw)
}

fn dialog(request: ConfirmRequest) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            // Fails only for a dialog that is open already.
            let _ = element.show_modal();
        }
    });
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
            let confirmed = element
                .get_untracked()
                .is_some_and(|element| element.return_value() == "confirm");
            request.answer(confirmed);
        }
    };
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby=title
            aria-describedby=text
            node_ref=element
            on:close=closed
        >
            <form class="la-dialog-form" method="dialog">
                <h2 class="la-dialog-title" id=title.clone()>{request.options.title.clone()}</h2>
                <p class="la-dialog-text" id=text.clone()>{request.options.text.clone()}</p>
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel" autofocus>
                        <span>{words.text(|l| &l.cancel)}</span>
                    </button>
                    <button type="submit" class="la-button" data-variant=variant value="confirm">
                        <span>{words.text(|l| &l.confirm)}</span>
                    </button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}
