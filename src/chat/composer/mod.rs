//! Where the person writes: the parts, and their default arrangement.
//!
//! Neighbours: `context` holds what the parts share, `handle` is the application's access to the text.

mod context;
mod handle;
mod parts;
mod root;
mod send;

use leptos::prelude::*;

use crate::{assistant::Assistant, attachment::Attachments};

pub use context::use_composer;
pub use handle::ComposerHandle;
pub use parts::{
    ComposerAttach, ComposerAttachProps, ComposerAttachments, ComposerHint, ComposerInput,
    ComposerInterject, ComposerInterjectProps, ComposerSend, ComposerSendProps, ComposerStop,
    ComposerStopProps,
};
pub use root::{ComposerRoot, ComposerRootProps};

pub(super) use context::is_asked;

/// The box in which the person writes, with Send and Stop: the parts of a [`ComposerRoot`] in their
/// default arrangement.
///
/// Enter sends and never stops; while something runs the text stays, and a button of its own, or
/// Ctrl+Enter, says it in between. Shift+Enter breaks the line.
/// Keys that end an input method's composition do neither. Writing is always possible: while
/// something stands in the way of sending, the text stays and the reason is told.
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
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// Which files may be sent along; none without it.
    #[prop(optional_no_strip, into)]
    attachments: Option<Attachments>,
    /// What the application writes along with.
    #[prop(optional_no_strip, into)]
    handle: Option<ComposerHandle>,
) -> impl IntoView {
    let children = || {
        view! {
            <ComposerAttachments />
            <div class="la-composer-box">
                <ComposerAttach />
                <ComposerInput />
                <div class="la-composer-actions">
                    <ComposerSend />
                    <ComposerInterject />
                    <ComposerStop />
                </div>
            </div>
            <ComposerHint />
        }
        .into_any()
    };
    root::form(assistant, attachments, handle, Box::new(children))
}
