//! One part of a message: a call in its place, anything else as `part` draws it.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use crate::{
    assistant::{Assistant, PartHandle},
    part::part_view,
    tool::ToolCallSlot,
    view::{PartCell, PartKind},
};

/// One part of a message, drawn by its renderer or by what it is.
#[component]
pub fn PartView(
    /// Whose conversation.
    assistant: Assistant,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    if let PartKind::Call(key) = &part.kind {
        let call = *key;
        return view! { <ToolCallSlot assistant call /> }.into_any();
    }
    part_view(PartHandle::new(&assistant, message, part))
}
