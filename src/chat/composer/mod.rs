//! Renders the composer: its parts, and their default arrangement.
//!
//! The module `context` contains the state that the parts share. The application accesses the text
//! through `handle`, and the other parts of a window access the composer through its
//! `ComposerSlot`.

mod context;
mod deny;
mod draft;
mod handle;
mod parts;
mod root;
mod send;

use leptos::prelude::*;

use crate::{assistant::Assistant, attachment::Attachments};

pub use context::use_composer;
pub use deny::{ComposerDeny, ComposerDenyProps};
pub use handle::ComposerHandle;
pub use parts::{
    ComposerAttach, ComposerAttachProps, ComposerAttachments, ComposerHint, ComposerInput,
    ComposerSend, ComposerSendProps, ComposerStop, ComposerStopProps,
};
pub use root::{ComposerRoot, ComposerRootProps};

pub(super) use context::{ComposerSlot, is_open_question};

/// The text box with Send and Stop: the parts of a [`ComposerRoot`] in their default arrangement.
///
/// Enter sends and never stops. While a run is in progress and the provider allows interjections,
/// Enter queues the message for delivery after the running tools. Shift+Enter inserts a line break.
/// Keys that end a composition of an input method neither send nor insert a line break. Typing is
/// always possible. While sending is not possible, the text stays and the reason is shown; while
/// exactly one request is open, a button denies the request with the text as the reason.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, Attachments, agent::HttpAgent, chat::Composer};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <Composer attachments=Attachments::new().accept("image/*") />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn Composer(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The files that may be attached. If omitted, no files may be attached.
    #[prop(optional_no_strip, into)]
    attachments: Option<Attachments>,
    /// The application's handle to the text of the composer.
    #[prop(optional_no_strip, into)]
    handle: Option<ComposerHandle>,
) -> impl IntoView {
    let children = || {
        view! {
            <ComposerAttachments />
            <div class="la-composer-box">
                <ComposerInput />
                <div class="la-composer-bar">
                    <ComposerAttach />
                    <div class="la-composer-actions">
                        <ComposerDeny />
                        <ComposerSend />
                        <ComposerStop />
                    </div>
                </div>
            </div>
            <ComposerHint />
        }
        .into_any()
    };
    root::composer_form(assistant, attachments, handle, Box::new(children))
}
