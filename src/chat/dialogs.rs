//! Renders the questions that handlers ask in a dialog ([`crate::ToolContext::confirm`]).

use leptos::{html, prelude::*};

use crate::{
    assistant::{Assistant, assistant_for},
    tool::{Visibility, claim_question, cover_note},
    ui::{LabelName, Words, after, each, effect, fresh_id, is_trusted, live_in_dialog, memo, when},
    view::{ConfirmRequest, Question},
};

/// Shows the questions of handlers, one native `<dialog>` at a time, however many windows there
/// are. A [`super::ChatWindow`] includes this component; an application with a custom chat window
/// adds the component.
///
/// # Accessibility
///
/// The dialog is modal, has a name and a description, and takes the focus itself, so that a key
/// typed while the dialog opens presses no button. Escape cancels. Escape and the buttons have no
/// effect until the dialog has been open for half a second. Confirm also requires that each part of
/// the dialog has been visible for half a second, and that nothing covers the dialog.
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
    /// The assistant whose handlers ask. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "ConfirmDialogs") else {
        return ().into_any();
    };
    let dialogs = assistant.view().dialogs.clone();
    let first_request = move || dialogs.with(|list| list.first().cloned().into_iter().collect());
    let render = move |request: ConfirmRequest| {
        let claim = claim_question(&assistant, Question::Handler(request.id));
        let is_shown_here = move || claim.elsewhere.with(Option::is_none);
        when(is_shown_here, move || confirm_dialog(request.clone())).into_any()
    };
    each(first_request, |request| request.id.to_string(), render)
}

/// The time before a dialog can be answered, in milliseconds.
const MIN_SHOWN_MS: u32 = 500;

fn confirm_dialog(request: ConfirmRequest) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    let is_settled = RwSignal::new(false);
    effect(move |_| {
        if let Some(element) = element.get() {
            // The result is ignored, because the call fails only if the dialog is already open.
            let _ = element.show_modal();
            let _ = element.focus();
            after(MIN_SHOWN_MS, move || {
                is_settled.try_set(true);
            });
        }
    });
    // A script may close the dialog with any value, so only the user's press on the button
    // confirms.
    let is_confirmed = StoredValue::new(false);
    let visibility = Visibility::new(memo(|| ()), |(), ()| ());
    let confirm = move |event: leptos::ev::MouseEvent| {
        let is_accepted = is_trusted(&event) && visibility.check_answer();
        is_confirmed.set_value(is_accepted);
        if !is_accepted {
            event.prevent_default();
        }
    };
    let prevent_early_close = move |event: leptos::ev::Event| {
        if !is_settled.get_untracked() {
            event.prevent_default();
        }
    };
    let id = format!("la-dialog-{}", fresh_id());
    let (title_id, text_id) = (format!("{id}-title"), format!("{id}-text"));
    let variant = if request.options.danger {
        "danger"
    } else {
        "primary"
    };
    let on_close = {
        let request = request.clone();
        move |_| {
            let has_confirm_value = element
                .get_untracked()
                .is_some_and(|element| element.return_value() == "confirm");
            request.answer(has_confirm_value && is_confirmed.get_value());
        }
    };
    let cancel_disabled = move || (!is_settled.get()).then_some("true");
    let confirm_disabled = move || (!visibility.is_satisfied()).then_some("true");
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby=title_id
            aria-describedby=text_id
            tabindex="-1"
            node_ref=element
            on:close=on_close
            on:cancel=prevent_early_close
        >
            <form
                class="la-dialog-form"
                method="dialog"
                on:submit=move |event| prevent_early_close(event.into())
            >
                <h2 class="la-dialog-title" id=title_id.clone()>{request.options.title.clone()}</h2>
                <p class="la-dialog-text" id=text_id.clone()>
                    {request.options.text.clone()} {visibility.end_mark()}
                </p>
                {cover_note(&words, visibility)}
                <div class="la-dialog-actions">
                    <button
                        type="submit"
                        class="la-button"
                        value="cancel"
                        aria-disabled=cancel_disabled
                    >
                        <span>{words.text(LabelName::Cancel)}</span>
                    </button>
                    <button
                        type="submit"
                        class="la-button"
                        data-variant=variant
                        value="confirm"
                        on:click=confirm
                        aria-disabled=confirm_disabled
                    >
                        <span>{words.text(LabelName::Confirm)}</span>
                    </button>
                </div>
            </form>
            {live_in_dialog()}
        </dialog>
    }
    .into_any()
}
