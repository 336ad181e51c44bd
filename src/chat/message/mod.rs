//! Renders a message: its frame, and its parts in their default arrangement. The module `part` of
//! the crate renders the content of a part.

mod notes;
mod parts;

use std::{rc::Rc, sync::Arc};

use assistant_core::event::Role;
use leptos::prelude::*;

use super::{
    branch::MessageEditor,
    grouping::Groups,
    message_context::{MessageContext, TurnMarker},
    transcript_context::TranscriptContext,
};
use crate::{
    assistant::{Assistant, assistant_for},
    tool::ApprovalBatch,
    ui::{Attributes, LabelName, Words, attributes, scope, when},
    view::{MessageCell, PartKind},
};

pub use notes::MessageNotes;
use parts::speaker_text;
pub use parts::{MessageParts, MessageSpeaker, PartView, PartViewProps};

/// A message of the chat: the parts of a [`MessageRoot`] in their default arrangement. Renders
/// nothing for an empty message.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{chat::MessageView, use_assistant};
///
/// #[component]
/// fn Newest() -> impl IntoView {
///     let assistant = use_assistant()?;
///     let messages = assistant.messages();
///     Some(move || {
///         let newest = messages.with(|messages| messages.last().map(|entry| entry.id().clone()));
///         let message = assistant.message(&newest?)?;
///         Some(view! { <MessageView message /> })
///     })
/// }
/// ```
#[component]
pub fn MessageView(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The message.
    message: MessageCell,
    /// The number of the message in the thread, and the total number. The value is `None` if all
    /// messages are mounted.
    #[prop(optional, into)]
    place: Signal<Option<(usize, usize)>>,
) -> impl IntoView {
    let is_empty = message.empty.clone();
    let render = move || {
        let (has_speaker, is_by_user) = (message.speaker.is_some(), message.role == Role::User);
        let children = move || {
            // Parts that the message does not have are left out of the list, because `None` would
            // add a placeholder node to the DOM.
            let speaker =
                (has_speaker && !is_by_user).then(|| view! { <MessageSpeaker /> }.into_any());
            let editor = is_by_user.then(|| view! { <MessageEditor /> }.into_any());
            let other_parts = [
                Some(view! { <MessageParts /> }.into_any()),
                editor,
                Some(view! { <MessageNotes /> }.into_any()),
            ];
            let parts = speaker.into_iter().chain(other_parts.into_iter().flatten());
            parts.collect_view().into_any()
        };
        message_article(
            assistant.clone(),
            message.clone(),
            place,
            Box::new(children),
        )
    };
    when(move || !is_empty.get(), render)
}

/// A message with a custom arrangement: an `article`, or a part of its turn's article in a
/// transcript, that provides the context of its parts. [`MessageView`] is the default arrangement.
/// The message is hidden while there is nothing to show.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{
///     chat::{MessageActions, MessageParts, MessageRoot, Transcript},
///     view::MessageCell,
/// };
///
/// fn bubble(message: MessageCell) -> impl IntoView {
///     view! {
///         <MessageRoot message attr:data-bubble="">
///             <MessageParts />
///             <MessageActions />
///         </MessageRoot>
///     }
/// }
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! { <Transcript message=bubble /> }
/// # }
/// ```
///
/// # Styling
///
/// The element has the class `la-message`, with `data-role` (`user`, `assistant`, …),
/// `data-attributed` if the agent added the message as if the user had written it (`data-role` is
/// then `assistant`), `data-streaming` while more content is expected, `data-editing` while the
/// user edits the message, `data-interjected` if the user sent the message during a run,
/// `data-folded` while all calls of the message are hidden in a group of another message, and
/// `data-message-id` with the id that agents use.
#[component]
pub fn MessageRoot(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The message.
    message: MessageCell,
    /// The number of the message in the thread, and the total number. The value is `None` if all
    /// messages are mounted.
    #[prop(optional, into)]
    place: Signal<Option<(usize, usize)>>,
    /// The parts.
    children: Children,
) -> impl IntoView {
    message_article(assistant, message, place, children)
}

/// Returns the surrounding message, if there is one, for custom parts.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::use_message;
///
/// #[component]
/// fn Writing() -> impl IntoView {
///     let streaming = use_message()?.is_streaming();
///     Some(move || streaming.get().then_some("is writing…"))
/// }
/// ```
#[must_use]
pub fn use_message() -> Option<MessageCell> {
    use_context::<Arc<MessageContext>>().map(|context| context.message.clone())
}

fn message_article(
    assistant: Option<Assistant>,
    message: MessageCell,
    place: Signal<Option<(usize, usize)>>,
    children: Children,
) -> AnyView {
    let Some(assistant) = assistant_for(assistant, "MessageRoot") else {
        return ().into_any();
    };
    scope(Box::new(move || {
        let words = Words::current();
        // The messages of a block of a turn share a batch.
        if use_context::<ApprovalBatch>().is_none() {
            provide_context(ApprovalBatch::new());
        }
        let transcript =
            use_context().unwrap_or_else(|| TranscriptContext::new(assistant.clone(), None));
        let (edited_message, edited_id) = (transcript.edited_message, message.id.clone());
        let editing_attribute = move || {
            let is_editing = edited_message.is_editing(&edited_id);
            is_editing.then_some("")
        };
        provide_context(Arc::new(MessageContext {
            assistant,
            message: message.clone(),
            words: words.clone(),
            transcript,
        }));
        let speaker_name = message.speaker.clone();
        let is_by_user = message.role == Role::User;
        let is_attributed = message.attributed.clone();
        let speaker = move || match (is_by_user, is_attributed.get()) {
            (true, false) => words.word(LabelName::You),
            (_, is_attributed) => speaker_text(&words, speaker_name.as_deref(), is_attributed),
        };
        let (role, is_attributed) = (message.role, message.attributed.clone());
        // The role is computed in a closure, because a message that becomes attributed while it is
        // shown loses the role of the user.
        let displayed_role = move || match is_attributed.get() {
            true => Role::Assistant.as_str(),
            false => role.as_str(),
        };
        let is_attributed = message.attributed.clone();
        let call_parts = message.parts.clone();
        let has_calls = move || {
            let is_call = |kind: &PartKind| matches!(kind, PartKind::Call(_));
            call_parts.with(|parts| parts.iter().any(|part| is_call(&part.kind)))
        };
        let (parts, cut, is_interjected) = (
            message.parts.clone(),
            message.cut.clone(),
            message.interjected,
        );
        let groups = use_context::<Groups>().filter(|_| !is_by_user && !is_interjected);
        let (is_streaming, is_empty) = (message.streaming.clone(), message.empty.clone());
        let tracked_attributes: Attributes = Rc::new(move |put| {
            let is_folded = groups.is_some_and(|groups| {
                parts.with(|parts| groups.is_all_hidden(parts)) && cut.with(Option::is_none)
            });
            put("data-folded", is_folded.then_some(""));
            put("data-streaming", is_streaming.get().then_some(""));
            put("hidden", is_empty.get().then_some(""));
        });
        // Inside of a turn, a message without its own label has the role `none`, because the turn
        // is one article with a heading that names the speaker.
        let is_outside_turn = use_context::<TurnMarker>().is_none();
        let has_own_label =
            (!is_by_user && message.speaker.is_some()) || message.attributed.get_untracked();
        let aria_role = (!is_outside_turn && !has_own_label).then_some("none");
        // Messages inside of a turn have no position, because the turn has a position.
        let aria_position = move || place.get().map(|(number, _)| number.to_string());
        let aria_total = move || place.get().map(|(_, total)| total.to_string());
        view! {
            <article
                class="la-message"
                class:message-with-tools=has_calls
                data-role=displayed_role
                data-attributed=move || is_attributed.get().then_some("")
                data-message-id=message.wire_id.clone()
                role=aria_role
                aria-label=(is_outside_turn || has_own_label).then_some(speaker)
                aria-posinset=is_outside_turn.then_some(aria_position)
                aria-setsize=is_outside_turn.then_some(aria_total)
                data-interjected=message.interjected.then_some("")
                data-editing=is_by_user.then_some(editing_attribute)
                use:attributes=tracked_attributes
            >
                {children()}
            </article>
        }
        .into_any()
    }))
}
