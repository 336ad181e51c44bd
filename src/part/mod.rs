//! The parts of a message, each drawn by what it is.
//!
//! Neighbours: `chat` has the frame of the message around them, `tool` the cards of tool calls.

mod file;
mod other;
mod reasoning;
mod streaming;
mod text;

use assistant_core::conversation::{MessageId, Part};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    tool::ToolCallSlot,
    view::{PartCell, PartKind},
};

pub use streaming::{StreamingText, StreamingTextProps};

/// One part of a message, drawn by what it is.
#[component]
pub fn PartView(
    /// Whose conversation.
    assistant: Assistant,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    match part.kind.clone() {
        PartKind::Text => text::view(assistant, message, part),
        PartKind::Reasoning => reasoning::view(assistant, message, part),
        PartKind::Call(key) => view! { <ToolCallSlot assistant call=key /> }.into_any(),
        PartKind::File => file::view(&assistant, &message, &part),
        PartKind::Data(_) | PartKind::Unknown => other::view(&assistant, &message, &part),
    }
}

/// The part as it stands in the conversation.
fn read(assistant: &Assistant, message: &MessageId, part: &PartCell) -> Option<Part> {
    assistant
        .with_conversation(|conversation| {
            conversation
                .message(message)?
                .parts
                .get(part.index)
                .cloned()
        })
        .flatten()
}
