//! Renders a part of a message: a call with [`ToolCallSlot`], other kinds with the module `part`.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use crate::{
    assistant::{Assistant, PartHandle, assistant_for},
    part::part_view,
    tool::ToolCallSlot,
    view::{PartCell, PartKind},
};

/// Renders one part of a message with the renderer that the application has registered for the
/// part, or with the default renderer of its kind.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{chat::PartView, view::MessageCell};
///
/// fn first_part(message: MessageCell) -> Option<impl IntoView> {
///     let part = message.parts().get().first()?.clone();
///     Some(view! { <PartView message=message.id().clone() part /> })
/// }
/// ```
#[component]
pub fn PartView(
    /// The assistant; the one in context if omitted.
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
