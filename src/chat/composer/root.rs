//! Renders the form that contains the parts of a composer.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};

use super::{
    ComposerHandle,
    context::{ComposerContext, ComposerSlot},
    draft::{restore_and_store_text, restore_refused_messages},
};
use crate::{
    assistant::{Assistant, assistant_for},
    attachment::{Attachments, attach_pasted, file_frame, watch_drops},
    ui::scope,
};

/// A composer with a custom arrangement: a form that provides the context of its parts. Submitting
/// the form sends the text and the attachments. [`Composer`](super::Composer) is the default
/// arrangement.
///
/// If attachments are enabled, files that are pasted, or dropped on the surrounding chat, are
/// attached.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::{
///     ComposerDeny, ComposerHint, ComposerInput, ComposerRoot, ComposerSend, ComposerStop,
/// };
///
/// #[component]
/// fn Ask() -> impl IntoView {
///     view! {
///         <ComposerRoot attr:id="ask">
///             <ComposerHint />
///             <ComposerInput attr:placeholder="Ask" attr:maxlength="2000" />
///             <ComposerDeny />
///             <ComposerSend>"Go"</ComposerSend>
///             <ComposerStop>"Halt"</ComposerStop>
///         </ComposerRoot>
///     }
/// }
/// ```
///
/// # Styling
///
/// The form has the class `la-composer` and the attribute `data-state`: `idle`, `running`, or
/// `blocked` while something waits for the user.
#[component]
pub fn ComposerRoot(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The files that may be attached. If omitted, no files may be attached.
    #[prop(optional_no_strip, into)]
    attachments: Option<Attachments>,
    /// The application's handle to the text of the composer.
    #[prop(optional_no_strip, into)]
    handle: Option<ComposerHandle>,
    /// The parts.
    children: Children,
) -> impl IntoView {
    composer_form(assistant, attachments, handle, children)
}

/// Renders the form of a composer, provides the context of its parts, and registers the composer in
/// the surrounding window.
pub(super) fn composer_form(
    assistant: Option<Assistant>,
    attachments: Option<Attachments>,
    handle: Option<ComposerHandle>,
    children: Children,
) -> AnyView {
    let Some(assistant) = assistant_for(assistant, "Composer") else {
        return ().into_any();
    };
    scope(Box::new(move || {
        let composer = Arc::new(ComposerContext::new(assistant, attachments, handle));
        composer.focus_input_on_hide();
        composer.clear_refusal_on_change();
        restore_and_store_text(&composer);
        restore_refused_messages(&composer);
        provide_context(composer.clone());
        if let Some(slot) = use_context::<ComposerSlot>() {
            slot.register(&composer);
        }
        let form = NodeRef::<html::Form>::new();
        let (state, tray) = (composer.state, composer.tray.clone());
        if let Some(tray) = &tray {
            watch_drops(tray, form);
        }
        let frame = tray.as_ref().map(file_frame);
        let on_paste = move |event: ev::ClipboardEvent| {
            if let Some(tray) = &tray {
                attach_pasted(tray, &event);
            }
        };
        let on_submit = move |event: ev::SubmitEvent| {
            event.prevent_default();
            composer.send();
        };
        view! {
            <form
                class="la-composer"
                data-state=move || state.get()
                node_ref=form
                on:submit=on_submit
                on:paste=on_paste
            >
                {children()}
                {frame}
            </form>
        }
        .into_any()
    }))
}
