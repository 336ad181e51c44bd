//! One part of a message: a call in its place, anything else as `part` draws it.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use crate::{
    assistant::{Assistant, PartHandle, assistant_for},
    part::part_view,
    tool::ToolCallSlot,
    view::{PartCell, PartKind},
};

/// One part of a message, drawn by its renderer or by what it is.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{chat::PartView, view::MessageCell};
///
/// fn first_part(message: MessageCell) -> Option<impl IntoView> {
///     let part = message.parts.get().first()?.clone();
///     Some(view! { <PartView message=message.id part /> })
/// }
/// ```
#[component]
pub fn PartView(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "PartView") else {
        return ().into_any();
    };
    if let PartKind::Call(key) = &part.kind {
        let call = *key;
        return view! { <ToolCallSlot assistant call /> }.into_any();
    }
    part_view(PartHandle::new(&assistant, message, part))
}
